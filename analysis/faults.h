/*
 * faults.h - what `verify` found: one line each with table, row, column, value and expectation.
 */
#ifndef RP_ANALYSIS_FAULTS_H
#define RP_ANALYSIS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct rp_fault {
    bool warning;      /* worth a look; an error otherwise */
    const char *table; /* results, samples, ...; static */
    int64_t row;       /* from 0; -1: the table as a whole */
    const char *column;
    char value[120]; /* what is there */
    char expected[240];
};

struct rp_faults {
    struct rp_fault *items; /* heap, owned */
    size_t count;
    size_t capacity;
    size_t errors, warnings; /* all of them, also those not kept */
    bool failed;             /* host memory ran out */
};

enum { RP_FAULTS_MAX = 1000 }; /* kept of one file; the rest is only counted */

void rp_faults_init(struct rp_faults *faults);
void rp_faults_clear(struct rp_faults *faults);

/* Where in which table; copied into each fault. */
struct rp_fault_place {
    const char *table;
    int64_t row;
};

/* `value` is the text of what is there. */
void rp_faults_error(struct rp_faults *faults, struct rp_fault_place place, const char *column,
                     const char *value, const char *expected, ...) RP_PRINTF(5, 6);
void rp_faults_warning(struct rp_faults *faults, struct rp_fault_place place, const char *column,
                       const char *value, const char *expected, ...) RP_PRINTF(5, 6);

/* Texts of numbers for `value`; each call uses the buffer it is given. */
#define RP_FAULT_VALUE_SIZE 40
const char *rp_fault_i64(char text[RP_FAULT_VALUE_SIZE], int64_t value);
const char *rp_fault_f64(char text[RP_FAULT_VALUE_SIZE], double value);

#endif
