/*
 * inspect_drift.c - times that do not fit each other: shorter at twice the length, or another time
 * for the same point on the same device. Both may have a good reason, so both are warnings.
 */
#include <math.h>
#include <string.h>

#include "analysis/inspect.h"
#include "analysis/key.h"
#include "analysis/keyed.h"
#include "analysis/load.h"
#include "analysis/roof.h"

static bool queries_follow(const struct rp_result *row)
{
    return row->seq_q == row->seq_k;
}

/* Everything but the length: seq_k, and seq_q where it grows with it. */
static bool key_of_series(const struct rp_study *study, const struct rp_result *row,
                          struct rp_keyed_row *keyed)
{
    const int64_t numbers[] = {row->run,      row->device,   row->batch,  row->heads,
                               row->kv_heads, row->head_dim, row->causal, queries_follow(row)};
    (void)study;
    uint64_t key = rp_key_add_text(0, row->impl);
    key = rp_key_add_text(key, row->stage);
    key = rp_key_add_text(key, row->dtype);
    for (size_t i = 0; i < RP_COUNT(numbers); ++i)
        key = rp_key_add_i64(key, numbers[i]);
    keyed->key = queries_follow(row) ? key : rp_key_add_i64(key, row->seq_q);
    keyed->order = row->seq_k;
    return row->time_median_s > 0;
}

/* What makes a repeat: the same measurement on the same device. */
static bool key_of_repeat(const struct rp_study *study, const struct rp_result *row,
                          struct rp_keyed_row *keyed)
{
    const struct rp_device_row *device = rp_study_device_of(study, row);
    uint64_t key = rp_key_add_text(0, device ? device->uuid : "");
    key = rp_key_add_text(key, row->point);
    key = rp_key_add_text(key, row->impl);
    key = rp_key_add_text(key, row->protocol);
    keyed->key = rp_key_add_i64(key, row->threads);
    keyed->order = row->run;
    return row->time_median_s > 0;
}

/* Copies of two rows. */
static enum rp_status read_both(struct rp_results_scan *scan, const struct rp_keyed_row *a,
                                const struct rp_keyed_row *b, struct rp_result rows[2])
{
    const struct rp_result *row = NULL;
    RP_TRY(rp_results_scan_row(scan, a->number, &row));
    rows[0] = *row;
    RP_TRY(rp_results_scan_row(scan, b->number, &row));
    rows[1] = *row;
    return RP_OK;
}

/* Twice the length in clearly less time: a wrong count, a warm cache, or a disturbed row. */
static enum rp_status inspect_growth(void *context, struct rp_results_scan *scan,
                                     const struct rp_keyed_row *begin,
                                     const struct rp_keyed_row *end)
{
    const double clearly = 0.97;
    char text[RP_FAULT_VALUE_SIZE];
    const struct rp_keyed_row *next = begin; /* the first of more than half the length */
    for (const struct rp_keyed_row *large = begin; large < end; ++large) {
        struct rp_result rows[2];
        while (next < large && next->order <= large->order / 2)
            ++next;
        if (next == begin || !(large->high_s < clearly * next[-1].low_s))
            continue;
        const struct rp_keyed_row *small = next - 1;
        RP_TRY(read_both(scan, small, large, rows));
        rp_faults_warning(context, (struct rp_fault_place){"results", (int64_t)large->number},
                          "time_median_s", rp_fault_f64(text, rows[1].time_median_s),
                          "not below the time at half its length or less, %.6g in row %zu",
                          rows[0].time_median_s, small->number);
    }
    return RP_OK;
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

static enum rp_status inspect_repeats(void *context, struct rp_results_scan *scan,
                                      const struct rp_keyed_row *begin,
                                      const struct rp_keyed_row *end)
{
    char text[RP_FAULT_VALUE_SIZE];
    for (const struct rp_keyed_row *k = begin + 1; k < end; ++k) {
        struct rp_result rows[2];
        if (fmaxf(k[-1].low_s, k->low_s) <= fminf(k[-1].high_s, k->high_s))
            continue; /* their intervals meet */
        RP_TRY(read_both(scan, &k[-1], k, rows));
        const struct rp_result *a = &rows[0];
        const struct rp_result *b = &rows[1];
        double allowed = allowance(rp_results_scan_study(scan), a, b);
        double gap_s =
            fmax(a->time_ci_low_s, b->time_ci_low_s) - fmin(a->time_ci_high_s, b->time_ci_high_s);
        if (gap_s > allowed * fmin(a->time_median_s, b->time_median_s))
            rp_faults_warning(context, (struct rp_fault_place){"results", (int64_t)k->number},
                              "time_median_s", rp_fault_f64(text, b->time_median_s),
                              "within the intervals and %.2g %% of %.6g, the same point on the "
                              "same device in row %zu",
                              100 * allowed, a->time_median_s, k[-1].number);
    }
    return RP_OK;
}

static const char *const series_columns[] = {
    "run",   "device", "impl",          "stage",         "dtype",
    "batch", "heads",  "kv_heads",      "head_dim",      "causal",
    "seq_q", "seq_k",  "time_median_s", "time_ci_low_s", "time_ci_high_s"};
static const struct rp_keyed_check growth = {series_columns, RP_COUNT(series_columns),
                                             key_of_series, inspect_growth};

static const char *const repeat_columns[] = {"run",           "device",        "point",
                                             "impl",          "protocol",      "threads",
                                             "time_median_s", "time_ci_low_s", "time_ci_high_s"};
static const struct rp_keyed_check repeats = {repeat_columns, RP_COUNT(repeat_columns),
                                              key_of_repeat, inspect_repeats};

enum rp_status rp_inspect_drift(struct rp_results_scan *scan, struct rp_faults *faults)
{
    RP_TRY(rp_keyed_compare(scan, &growth, faults));
    return rp_keyed_compare(scan, &repeats, faults);
}
