/* faults.c - a list that grows up to a limit and counts beyond it. */
#include "analysis/faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/list.h"

void rp_faults_init(struct rp_faults *faults)
{
    *faults = (struct rp_faults){0};
}

void rp_faults_clear(struct rp_faults *faults)
{
    free(faults->items);
    rp_faults_init(faults);
}

/* Room for one more; null when it is only to be counted. */
static struct rp_fault *append(struct rp_faults *faults)
{
    if (faults->failed || faults->count == RP_FAULTS_MAX)
        return NULL;
    struct rp_fault *items =
        rp_list_grow(faults->items, faults->count, &faults->capacity, sizeof *items);
    if (!items) {
        faults->failed = true;
        return NULL;
    }
    faults->items = items;
    return &items[faults->count++];
}

static struct rp_fault *add(struct rp_faults *faults, struct rp_fault_place place,
                            const char *column, const char *value)
{
    struct rp_fault *fault = append(faults);
    if (!fault)
        return NULL;
    *fault = (struct rp_fault){.table = place.table, .row = place.row, .column = column};
    snprintf(fault->value, sizeof fault->value, "%s", value);
    return fault;
}

void rp_faults_error(struct rp_faults *faults, struct rp_fault_place place, const char *column,
                     const char *value, const char *expected, ...)
{
    struct rp_fault *fault = add(faults, place, column, value);
    ++faults->errors;
    if (!fault)
        return;
    va_list args;
    va_start(args, expected);
    vsnprintf(fault->expected, sizeof fault->expected, expected, args);
    va_end(args);
}

void rp_faults_warning(struct rp_faults *faults, struct rp_fault_place place, const char *column,
                       const char *value, const char *expected, ...)
{
    struct rp_fault *fault = add(faults, place, column, value);
    ++faults->warnings;
    if (!fault)
        return;
    fault->warning = true;
    va_list args;
    va_start(args, expected);
    vsnprintf(fault->expected, sizeof fault->expected, expected, args);
    va_end(args);
}

const char *rp_fault_i64(char text[RP_FAULT_VALUE_SIZE], int64_t value)
{
    snprintf(text, RP_FAULT_VALUE_SIZE, "%" PRId64, value);
    return text;
}

const char *rp_fault_f64(char text[RP_FAULT_VALUE_SIZE], double value)
{
    if (isfinite(value))
        rp_decimal_rounded(value, 9, text);
    else
        snprintf(text, RP_FAULT_VALUE_SIZE, "%s", isnan(value) ? "none" : "infinite");
    return text;
}
