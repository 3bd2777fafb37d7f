/*
 * summary_ceilings.c - the measured ceilings: for eyes and pages those of one kind of device, one
 * line for each kind and path, over all runs and devices that are alike; for JSON each as it is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/device_kind.h"
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
    static const char *const kinds[] = {
        "compute", "compute_sustained", "bandwidth", "read_bandwidth", "cache_bandwidth",
        "latency", "graph_latency",     "anchor",    "anchor_read"};
    size_t order = 0;
    while (order < RP_COUNT(kinds) && strcmp(kinds[order], kind) != 0)
        ++order;
    return order;
}

/* What one line is of: kind and path. */
static int compare_line(const struct entry *x, const struct entry *y)
{
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return strcmp(x->ceiling->path, y->ceiling->path);
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

/* Null: it points nowhere. */
static const struct rp_device_row *device_of(const struct rp_study *study,
                                             const struct rp_ceiling *c)
{
    bool is_there = c->device >= 0 && (size_t)c->device < rp_study_count(study, RP_TABLE_DEVICES);
    return is_there ? &rp_study_devices(study)[c->device] : NULL;
}

static bool is_of(const struct rp_measured *on, const struct rp_study *study,
                  const struct rp_ceiling *c)
{
    const struct rp_device_row *device = device_of(study, c);
    return device && c->threads == on->threads && rp_device_kind_compare(on->device, device) == 0;
}

/* Returns how many; `entries` null: only counts. */
static size_t collect(const struct rp_summary *s, const struct rp_measured *on,
                      struct entry *entries)
{
    size_t n = 0;
    for (size_t f = 0; f < s->list->count; ++f) {
        const struct rp_study *study = &s->list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
            if (!(c->value > 0) || !is_of(on, study, c))
                continue;
            if (entries)
                entries[n] = (struct entry){study, c, kind_order(c->kind)};
            ++n;
        }
    }
    return n;
}

static const struct rp_table_column columns[] = {
    {"kind", "ceiling", NULL}, {"path", NULL, NULL},     {"count", "times", NULL},
    {"value", NULL, NULL},     {"interval", NULL, NULL}, {"clock_hz", "clock", "GHz"},
    {"datasheet", NULL, NULL}, {"method", NULL, NULL},
};

/* "48.1 GFLOP/s", "312 TFLOP/s", "21.4 GB/s", "0.31 us", "12.2 ms". */
static void value_text(char text[64], double value, const struct rp_ceiling *c)
{
    char number[RP_DECIMAL_SIZE];
    double scale = value < 1e13 ? 1e-9 : 1e-12;
    const char *prefix = value < 1e13 ? "G" : "T";
    if (strcmp(c->units, "s") == 0) {
        scale = value < 1e-3 ? 1e6 : 1e3;
        prefix = value < 1e-3 ? "u" : "m";
    }
    rp_decimal_rounded(value * scale, 4, number);
    snprintf(text, 64, "%s %s%.8s", number, prefix, c->units);
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
    rp_table_i64(w, (int64_t)n);
    value_text(text, middle->value, middle);
    rp_table_word(w, text);
    value_text(low, low_value, middle);
    value_text(high, high_value, middle);
    snprintf(text, sizeof text, "%s .. %s", low, high);
    rp_table_word(w, text);
    snprintf(text, sizeof text, "%.3g", middle->clock_hz * 1e-9);
    rp_table_f64(w, middle->clock_hz, text);
    snprintf(text, sizeof text, "%.3g %% of it", 100 * middle->value / middle->datasheet);
    rp_table_word_or_missing(w, middle->datasheet > 0 ? text : "");
    rp_table_word_or_missing(w, n == 1 ? middle->method : "");
}

/* "The same work, repeated, drifted by at most 1.2 % within a run." */
static void print_drift(const struct entry *entries, size_t n, bool is_html, FILE *out)
{
    char percent[RP_DECIMAL_SIZE];
    double worst = NAN;
    for (size_t i = 0; i < n; ++i) {
        const struct rp_ceiling *c = entries[i].ceiling;
        if (rp_ceiling_is_anchor(c))
            worst = fmax(worst, rp_anchor_spread(entries[i].study, c->run, c->device));
    }
    if (isnan(worst))
        return;
    rp_decimal_plain(100 * worst, worst < 1 ? 2 : 3, percent);
    fprintf(out, "%sThe same work, repeated, drifted by at most %s %% within a run.%s\n",
            is_html ? "<p>" : "", percent, is_html ? "</p>" : "");
}

enum rp_status rp_summary_ceilings(const struct rp_summary *s, const struct rp_measured *on,
                                   enum rp_table_format format, FILE *out)
{
    char device[RP_SUMMARY_DEVICE_SIZE];
    size_t n = collect(s, on, NULL);
    struct rp_table_writer *w = NULL;
    if (n == 0)
        return RP_OK;
    struct entry *entries = calloc(n, sizeof *entries);
    if (!entries)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ceilings", n);
    collect(s, on, entries);
    qsort(entries, n, sizeof *entries, compare);
    rp_summary_device_text(on->device, NULL, on->threads, device);
    if (format == RP_TABLE_EYES)
        fprintf(out, "\nCeilings %s %s\n",
                rp_device_is_simulated(on->device) ? "of" : "measured on", device);
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
        print_drift(entries, n, format == RP_TABLE_HTML, out);
    free(entries);
    return status;
}

static const struct rp_table_column json_columns[] = {
    {"device", NULL, NULL},   {"uuid", NULL, NULL},      {"run_id", NULL, NULL},
    {"kind", NULL, NULL},     {"path", NULL, NULL},      {"value", NULL, NULL},
    {"ci_low", NULL, NULL},   {"ci_high", NULL, NULL},   {"units", NULL, NULL},
    {"clock_hz", NULL, NULL}, {"datasheet", NULL, NULL}, {"method", NULL, NULL},
};

static void put_for_json(struct rp_table_writer *w, const struct rp_study *study,
                         const struct rp_ceiling *c, const struct rp_device_row *device)
{
    char text[RP_SUMMARY_DEVICE_SIZE];
    bool has_run = c->run >= 0 && (size_t)c->run < rp_study_count(study, RP_TABLE_RUNS);
    rp_summary_device_text(device, NULL, c->threads, text);
    rp_table_word(w, text);
    rp_table_word_or_missing(w, device->uuid);
    rp_table_word_or_missing(w, has_run ? rp_study_runs(study)[c->run].run_id : NULL);
    rp_table_word(w, c->kind);
    rp_table_word_or_missing(w, c->path);
    rp_table_f64(w, c->value, NULL);
    rp_table_f64(w, c->ci_low, NULL);
    rp_table_f64(w, c->ci_high, NULL);
    rp_table_word(w, c->units);
    rp_table_f64(w, c->clock_hz, NULL);
    rp_table_f64(w, c->datasheet, NULL);
    rp_table_word_or_missing(w, c->method);
}

enum rp_status rp_summary_write_ceilings(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_table_next(w, "ceilings", json_columns, RP_COUNT(json_columns)));
    for (size_t f = 0; f < s->list->count; ++f) {
        const struct rp_study *study = &s->list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
            const struct rp_device_row *device = device_of(study, c);
            if (device && (s->simulated || !rp_device_is_simulated(device)))
                put_for_json(w, study, c, device);
        }
    }
    return RP_OK;
}
