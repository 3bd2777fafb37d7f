/*
 * inspect_drift.c - times that do not fit each other: shorter at twice the length, or another time
 * for the same point on the same device. Both may have a good reason, so both are warnings.
 *
 * Neighbours are found by sorting, so a large file costs n log n.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inspect.h"
#include "analysis/load.h"
#include "analysis/roof.h"

/* A timed row and its device. */
struct timed {
    size_t index;
    const struct rp_result *row;
    const char *uuid;
};

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static bool queries_follow(const struct rp_result *row)
{
    return row->seq_q == row->seq_k;
}

/* Everything but the length: seq_k, and seq_q where it grows with it. */
static int compare_series(const struct rp_result *a, const struct rp_result *b)
{
    int order = compare_i64(a->run, b->run);
    order = order ? order : compare_i64(a->device, b->device);
    order = order ? order : strcmp(a->impl, b->impl);
    order = order ? order : strcmp(a->stage, b->stage);
    order = order ? order : strcmp(a->dtype, b->dtype);
    order = order ? order : compare_i64(a->batch, b->batch);
    order = order ? order : compare_i64(a->heads, b->heads);
    order = order ? order : compare_i64(a->kv_heads, b->kv_heads);
    order = order ? order : compare_i64(a->head_dim, b->head_dim);
    order = order ? order : compare_i64(a->causal, b->causal);
    order = order ? order : compare_i64(queries_follow(a), queries_follow(b));
    return order || queries_follow(a) ? order : compare_i64(a->seq_q, b->seq_q);
}

static int compare_length(const void *a, const void *b)
{
    const struct rp_result *x = ((const struct timed *)a)->row;
    const struct rp_result *y = ((const struct timed *)b)->row;
    int order = compare_series(x, y);
    return order ? order : compare_i64(x->seq_k, y->seq_k);
}

/* What makes a repeat: the same measurement on the same device. */
static int compare_measurement(const struct timed *x, const struct timed *y)
{
    int order = strcmp(x->uuid, y->uuid);
    order = order ? order : strcmp(x->row->point, y->row->point);
    order = order ? order : strcmp(x->row->impl, y->row->impl);
    order = order ? order : strcmp(x->row->protocol, y->row->protocol);
    return order ? order : compare_i64(x->row->threads, y->row->threads);
}

static int compare_repeat(const void *a, const void *b)
{
    const struct timed *x = a;
    const struct timed *y = b;
    int order = compare_measurement(x, y);
    return order ? order : compare_i64(x->row->run, y->row->run);
}

/* Twice the length in clearly less time: a wrong count, a warm cache, or a disturbed row. */
static void inspect_growth(struct timed *rows, size_t n, struct rp_faults *faults)
{
    const double clearly = 0.97;
    char text[RP_FAULT_VALUE_SIZE];
    qsort(rows, n, sizeof *rows, compare_length);
    for (size_t i = 1; i < n; ++i) {
        const struct rp_result *large = rows[i].row;
        size_t j = i;
        while (j > 0 && compare_series(rows[j - 1].row, large) == 0 &&
               rows[j - 1].row->seq_k > large->seq_k / 2)
            --j;
        if (j == 0 || compare_series(rows[j - 1].row, large) != 0)
            continue; /* nothing of half its length or less */
        const struct rp_result *small = rows[j - 1].row;
        if (large->time_ci_high_s < clearly * small->time_ci_low_s)
            rp_faults_warning(faults, (struct rp_fault_place){"results", (int64_t)rows[i].index},
                              "time_median_s", rp_fault_f64(text, large->time_median_s),
                              "not below the time at half its length or less, %.6g in row %zu",
                              small->time_median_s, rows[j - 1].index);
    }
}

/* The larger of 3 % and what the anchors of the two runs drifted by. */
static double allowance(const struct rp_study *study, const struct rp_result *a,
                        const struct rp_result *b)
{
    double least = 0.03;
    double spread = fmax(rp_anchor_spread(study, a->run, a->device),
                         rp_anchor_spread(study, b->run, b->device));
    return fmax(least, spread); /* without anchors NaN, which fmax leaves out */
}

static void inspect_repeats(const struct rp_study *study, struct timed *rows, size_t n,
                            struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    qsort(rows, n, sizeof *rows, compare_repeat);
    for (size_t i = 1; i < n; ++i) {
        const struct rp_result *a = rows[i - 1].row;
        const struct rp_result *b = rows[i].row;
        if (compare_measurement(&rows[i - 1], &rows[i]) != 0)
            continue;
        double allowed = allowance(study, a, b);
        double gap_s =
            fmax(a->time_ci_low_s, b->time_ci_low_s) - fmin(a->time_ci_high_s, b->time_ci_high_s);
        if (gap_s > allowed * fmin(a->time_median_s, b->time_median_s))
            rp_faults_warning(faults, (struct rp_fault_place){"results", (int64_t)rows[i].index},
                              "time_median_s", rp_fault_f64(text, b->time_median_s),
                              "within the intervals and %.2g %% of %.6g, the same point on the "
                              "same device in row %zu",
                              100 * allowed, a->time_median_s, rows[i - 1].index);
    }
}

enum rp_status rp_inspect_drift(const struct rp_study *study, struct rp_faults *faults)
{
    size_t rows = rp_study_count(study, RP_TABLE_RESULTS);
    size_t n = 0;
    struct timed *timed = calloc(rows ? rows : 1, sizeof *timed);
    if (!timed)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare the times of %zu rows", rows);
    for (size_t i = 0; i < rows; ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        const struct rp_device_row *device = rp_study_device_of(study, row);
        if (row->time_median_s > 0)
            timed[n++] = (struct timed){i, row, device ? device->uuid : ""};
    }
    inspect_growth(timed, n, faults);
    inspect_repeats(study, timed, n, faults);
    free(timed);
    return RP_OK;
}
