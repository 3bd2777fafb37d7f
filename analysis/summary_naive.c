/* summary_naive.c - what naive costs: groups of shapes for eyes and pages, every shape for JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/summary.h"
#include "base/stats.h"

enum { CELL_SIZE = 64 };

static const struct rp_table_column columns[] = {
    {"device", NULL, NULL},      {"stage", NULL, NULL},     {"dtype", NULL, NULL},
    {"mask", NULL, NULL},        {"against", NULL, NULL},   {"shapes", NULL, NULL},
    {"naive takes", NULL, NULL}, {"and holds", NULL, NULL}, {"naive is slower", NULL, NULL},
    {"naive wins", NULL, NULL},
};

/* "2.1x (1.3..4)": the median over the shapes and their range, or one number. `values` is sorted in
 * place. */
static void put_ratios(struct rp_table_writer *w, double *values, size_t n)
{
    char cell[CELL_SIZE];
    if (n == 0) {
        rp_table_word_or_missing(w, NULL);
        return;
    }
    rp_stats_sort(values, n);
    snprintf(cell, sizeof cell, values[n - 1] > 1.005 * values[0] ? "%.3gx (%.3g..%.3g)" : "%.3gx",
             rp_stats_median(values, n), values[0], values[n - 1]);
    rp_table_word(w, cell);
}

/* "3: T 64..256". */
static void put_wins(struct rp_table_writer *w, const struct rp_naive_cost *costs, size_t n)
{
    char cell[CELL_SIZE];
    size_t wins = 0;
    int64_t low = INT64_MAX;
    int64_t high = 0;
    for (size_t i = 0; i < n; ++i) {
        if (!rp_naive_wins(&costs[i]))
            continue;
        ++wins;
        low = costs[i].point.seq_k < low ? costs[i].point.seq_k : low;
        high = costs[i].point.seq_k > high ? costs[i].point.seq_k : high;
    }
    if (wins && low == high)
        snprintf(cell, sizeof cell, "%zu: T %" PRId64, wins, low);
    else if (wins)
        snprintf(cell, sizeof cell, "%zu: T %" PRId64 "..%" PRId64, wins, low, high);
    else
        snprintf(cell, sizeof cell, "nowhere");
    rp_table_word(w, cell);
}

/* The n shapes of one subject; `values` has room for n. */
static void put_subject(struct rp_table_writer *w, const struct rp_naive_cost *costs, size_t n,
                        double *values)
{
    char device[RP_SUMMARY_DEVICE_SIZE];
    size_t slower = 0;
    size_t held = 0;
    rp_summary_device_text(costs->device, NULL, costs->threads, device);
    rp_table_word(w, device);
    rp_table_word(w, rp_stage_name(costs->point.stage));
    rp_table_word(w, rp_dtype_info(costs->point.dtype)->name);
    rp_table_word(w, costs->point.causal ? "causal" : "none");
    rp_table_word(w, rp_impl_name(costs->impl));
    rp_table_i64(w, (int64_t)n);
    for (size_t i = 0; i < n; ++i) {
        values[i] = costs[i].time.value;
        slower += costs[i].time.low > 1;
    }
    put_ratios(w, values, n);
    for (size_t i = 0; i < n; ++i) {
        if (costs[i].memory_ratio > 0)
            values[held++] = costs[i].memory_ratio;
    }
    put_ratios(w, values, held);
    rp_table_i64(w, (int64_t)slower);
    put_wins(w, costs, n);
}

enum rp_status rp_summary_naive(const struct rp_summary *s, enum rp_table_format format, FILE *out)
{
    const struct rp_naive_cost_list *list = &s->naive_costs;
    struct rp_table_writer *w = NULL;
    if (list->count == 0)
        return RP_OK;
    double *values = calloc(list->count, sizeof *values);
    if (!values)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ratios", list->count);
    rp_summary_introduce(
        format, "What naive costs",
        "Its time and its peak memory over those of the implementation it is held against: "
        "median and range of the\nshapes. Slower and wins: shapes whose whole interval of the "
        "paired ratio is above and below 1.",
        out);
    enum rp_status status =
        rp_table_begin(out, format, "ridgepoint-summary", columns, RP_COUNT(columns), &w);
    for (size_t first = 0, end = 0; status == RP_OK && first < list->count; first = end) {
        while (end < list->count &&
               rp_naive_cost_compare_subject(&list->items[first], &list->items[end]) == 0)
            ++end;
        put_subject(w, &list->items[first], end - first, values);
    }
    free(values);
    enum rp_status ended = rp_table_end(w);
    return status == RP_OK ? ended : status;
}

static const struct rp_table_column json_columns[] = {
    {"device", NULL, NULL},     {"point", NULL, NULL},          {"stage", NULL, NULL},
    {"dtype", NULL, NULL},      {"batch", NULL, NULL},          {"heads", NULL, NULL},
    {"kv_heads", NULL, NULL},   {"seq_q", NULL, NULL},          {"seq_k", NULL, NULL},
    {"head_dim", NULL, NULL},   {"causal", NULL, NULL},         {"against", NULL, NULL},
    {"time_ratio", NULL, NULL}, {"time_ratio_low", NULL, NULL}, {"time_ratio_high", NULL, NULL},
    {"rounds", NULL, NULL},     {"memory_ratio", NULL, NULL},   {"naive_wins", NULL, NULL},
};

enum rp_status rp_summary_write_naive(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_table_next(w, "naive_costs", json_columns, RP_COUNT(json_columns)));
    for (size_t i = 0; i < s->naive_costs.count; ++i) {
        const struct rp_naive_cost *cost = &s->naive_costs.items[i];
        const struct rp_point *p = &cost->point;
        char device[RP_SUMMARY_DEVICE_SIZE];
        rp_summary_device_text(cost->device, NULL, cost->threads, device);
        rp_table_word(w, device);
        rp_table_word(w, cost->id);
        rp_table_word(w, rp_stage_name(p->stage));
        rp_table_word(w, rp_dtype_info(p->dtype)->name);
        const int64_t axes[] = {p->batch, p->heads,    p->kv_heads, p->seq_q,
                                p->seq_k, p->head_dim, p->causal};
        for (size_t k = 0; k < RP_COUNT(axes); ++k)
            rp_table_i64(w, axes[k]);
        rp_table_word(w, rp_impl_name(cost->impl));
        rp_table_f64(w, cost->time.value, NULL);
        rp_table_f64(w, cost->time.low, NULL);
        rp_table_f64(w, cost->time.high, NULL);
        rp_table_i64(w, cost->time.rounds);
        rp_table_f64(w, cost->memory_ratio, NULL);
        rp_table_bool(w, rp_naive_wins(cost));
    }
    return RP_OK;
}
