/*
 * summary_ceilings.c - the measured ceilings of one device type, for eyes: one line for each kind,
 * path and number of threads, over all runs and devices of the type.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/roof.h"
#include "analysis/summary.h"
#include "base/decimal.h"

/* A ceiling and the file it is from. */
struct entry {
    const struct rp_study *study;
    const struct rp_ceiling *ceiling;
    size_t order; /* of its kind */
};

static size_t kind_order(const char *kind)
{
    static const char *const kinds[] = {"compute",        "compute_sustained", "bandwidth",
                                        "read_bandwidth", "cache_bandwidth",   "latency",
                                        "graph_latency"};
    size_t order = 0;
    while (order < RP_COUNT(kinds) && strcmp(kinds[order], kind) != 0)
        ++order;
    return order;
}

/* What one line is of: kind, path, threads. */
static int compare_line(const struct entry *x, const struct entry *y)
{
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    int order = strcmp(x->ceiling->path, y->ceiling->path);
    if (order)
        return order;
    return (x->ceiling->threads > y->ceiling->threads) -
           (x->ceiling->threads < y->ceiling->threads);
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    int order = compare_line(x, y);
    return order
               ? order
               : (x->ceiling->value > y->ceiling->value) - (x->ceiling->value < y->ceiling->value);
}

static bool is_of_type(const struct rp_study *study, const struct rp_ceiling *c, const char *type,
                       bool simulated)
{
    if (c->device < 0 || (size_t)c->device >= rp_study_count(study, RP_TABLE_DEVICES))
        return false;
    const struct rp_device_row *device = &rp_study_devices(study)[c->device];
    return strcmp(device->gpu_type, type) == 0 &&
           (simulated || strcmp(device->backend, "simulated") != 0);
}

/* Returns how many; `entries` null: only counts. */
static size_t collect(const struct rp_summary *s, const char *type, struct entry *entries)
{
    size_t n = 0;
    for (size_t f = 0; f < s->list->count; ++f) {
        const struct rp_study *study = &s->list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
            if (!(c->value > 0) || !is_of_type(study, c, type, s->simulated))
                continue;
            if (entries)
                entries[n] = (struct entry){study, c, kind_order(c->kind)};
            ++n;
        }
    }
    return n;
}

static const struct rp_table_column columns[] = {
    {"kind", "ceiling", NULL},    {"path", NULL, NULL},      {"threads", NULL, NULL},
    {"count", "times", NULL},     {"value", NULL, NULL},     {"interval", NULL, NULL},
    {"clock_hz", "clock", "GHz"}, {"datasheet", NULL, NULL}, {"method", NULL, NULL},
};

/* "48.1 GFLOP/s", "21.4 GB/s", "0.31 us", "12.2 ms". */
static void value_text(char text[64], double value, const struct rp_ceiling *c)
{
    char number[RP_DECIMAL_SIZE];
    bool is_time = strcmp(c->units, "s") == 0;
    bool is_short = is_time && value < 1e-3;
    rp_decimal_rounded(value * (is_short ? 1e6 : is_time ? 1e3 : 1e-9), 4, number);
    snprintf(text, 64, "%s %s%.8s", number, is_short ? "u" : is_time ? "m" : "G", c->units);
}

/* n entries of one line, sorted by value: their median, and the ends of all intervals. */
static void put_line(struct rp_table_writer *w, const struct entry *entries, size_t n)
{
    const struct rp_ceiling *middle = entries[n / 2].ceiling;
    char text[2 * 64 + 8];
    char low[64];
    char high[64];
    double low_value = INFINITY;
    double high_value = 0;
    for (size_t i = 0; i < n; ++i) {
        low_value = fmin(low_value, rp_ceiling_low(entries[i].ceiling));
        high_value = fmax(high_value, rp_ceiling_high(entries[i].ceiling));
    }
    rp_table_word(w, middle->kind);
    rp_table_word_or_missing(w, middle->path);
    if (middle->threads > 0)
        rp_table_i64(w, middle->threads);
    else
        rp_table_missing(w);
    rp_table_i64(w, (int64_t)n);
    value_text(text, middle->value, middle);
    rp_table_word(w, text);
    value_text(low, low_value, middle);
    value_text(high, high_value, middle);
    snprintf(text, sizeof text, "%s .. %s", low, high);
    rp_table_word(w, text);
    snprintf(text, sizeof text, "%.3g", middle->clock_hz * 1e-9);
    rp_table_f64(w, middle->clock_hz, text);
    snprintf(text, sizeof text, "%.2g of it", middle->value / middle->datasheet);
    rp_table_word_or_missing(w, middle->datasheet > 0 ? text : "");
    rp_table_word_or_missing(w, n == 1 ? middle->method : "");
}

/* "Anchors drifted by at most 1.2 % within a run." */
static void print_drift(const struct entry *entries, size_t n, FILE *out)
{
    double worst = NAN;
    for (size_t i = 0; i < n; ++i) {
        const struct rp_ceiling *c = entries[i].ceiling;
        if (rp_ceiling_is_anchor(c))
            worst = fmax(worst, rp_anchor_spread(entries[i].study, c->run, c->device));
    }
    if (!isnan(worst))
        fprintf(out, "The same work, repeated, drifted by at most %.2g %% within a run.\n",
                100 * worst);
}

enum rp_status rp_summary_ceilings(const struct rp_summary *s, const char *gpu_type,
                                   enum rp_table_format format, FILE *out)
{
    size_t n = collect(s, gpu_type, NULL);
    struct rp_table_writer *w = NULL;
    if (n == 0)
        return RP_OK;
    struct entry *entries = calloc(n, sizeof *entries);
    if (!entries)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ceilings", n);
    collect(s, gpu_type, entries);
    qsort(entries, n, sizeof *entries, compare);
    if (format == RP_TABLE_EYES)
        fprintf(out, "\nCeilings measured on %s\n", gpu_type);
    enum rp_status status =
        rp_table_begin(out, format, "ridgepoint-summary", columns, RP_COUNT(columns), &w);
    for (size_t begin = 0, end = 0; status == RP_OK && begin < n; begin = end) {
        while (end < n && compare_line(&entries[begin], &entries[end]) == 0)
            ++end;
        put_line(w, &entries[begin], end - begin);
    }
    if (status == RP_OK)
        status = rp_table_end(w);
    if (status == RP_OK)
        print_drift(entries, n, out);
    free(entries);
    return status;
}
