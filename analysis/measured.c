/* measured.c - one pass over the rows, each added to the entry of its kind of device. */
#include "analysis/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/crossings.h"
#include "analysis/device_kind.h"
#include "analysis/distinct.h"
#include "analysis/plausible.h"
#include "analysis/rows.h"
#include "base/list.h"
#include "base/stats.h"

/* What is spoken of at once: devices that are alike, with the same threads. */
static int compare_device(const struct rp_measured *x, const struct rp_measured *y)
{
    int order = rp_device_kind_compare(x->device, y->device);
    return order ? order : (x->threads > y->threads) - (x->threads < y->threads);
}

static int compare(const void *a, const void *b)
{
    const struct rp_measured *x = a;
    const struct rp_measured *y = b;
    int order = compare_device(x, y);
    if (order)
        return order;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->impl > y->impl) - (x->impl < y->impl);
}

/* The entry that is like `key` in device, threads, group and implementation; null when host memory
 * is out. */
static struct rp_measured *find_or_add(struct rp_measured_list *list, const struct rp_measured *key)
{
    for (size_t i = 0; i < list->count; ++i) {
        if (compare(&list->items[i], key) == 0)
            return &list->items[i];
    }
    struct rp_measured *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    list->items = items;
    items[list->count] = (struct rp_measured){.device = key->device,
                                              .threads = key->threads,
                                              .group = key->group,
                                              .impl = key->impl,
                                              .time_min_s = NAN,
                                              .time_max_s = NAN,
                                              .flop_per_s = NAN,
                                              .bytes_per_s = NAN,
                                              .ceiling_flop_per_s = NAN,
                                              .ceiling_bytes_per_s = NAN,
                                              .attained_min = NAN,
                                              .attained_max = NAN,
                                              .naive_ratio = NAN};
    return &items[list->count++];
}

static void keep_larger(double *best, double value)
{
    if (value > 0 && !(*best >= value))
        *best = value;
}

/* Where rows are collected. */
struct collection {
    const struct rp_groups *groups;
    struct rp_measured_list *list;
    struct rp_distinct timed; /* rows that have a place among the times */
};

/* Once for repeats of a point: their counts and ceilings are alike. */
static enum rp_status keep_time(struct collection *c, struct rp_measured *m,
                                const struct rp_seen_row *seen, const struct rp_measured_verdict *v)
{
    const size_t before = c->timed.count;
    size_t number = 0;
    RP_TRY(rp_distinct_number(&c->timed, rp_seen_row_key(seen), &number));
    if (number < before)
        return RP_OK;
    struct rp_measured_time *times =
        rp_list_grow(m->times, m->n_times, &m->times_room, sizeof *times);
    if (!times)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the times of %zu rows", m->n_times);
    m->times = times;
    times[m->n_times++] = (struct rp_measured_time){seen->point, v->times[RP_CLASS_COMPUTE].value_s,
                                                    v->times[RP_CLASS_MEMORY].value_s};
    return RP_OK;
}

static int compare_times(const void *a, const void *b)
{
    const struct rp_measured_time *x = a;
    const struct rp_measured_time *y = b;
    int order = rp_series_compare(&x->point, &y->point);
    return order ? order : (x->point.seq_k > y->point.seq_k) - (x->point.seq_k < y->point.seq_k);
}

static void find_crossings(struct rp_measured *m)
{
    struct rp_crossings crossings;
    rp_crossings_init(&crossings);
    if (m->n_times)
        qsort(m->times, m->n_times, sizeof *m->times, compare_times);
    for (size_t i = 0; i < m->n_times; ++i) {
        const struct rp_measured_time *t = &m->times[i];
        if (i > 0 && rp_series_compare(&t->point, &t[-1].point) != 0)
            rp_crossings_end_series(&crossings);
        rp_crossings_add(&crossings, (double)t->point.seq_k, t->compute_s, t->memory_s);
    }
    rp_crossings_end_series(&crossings);
    m->seq_min = crossings.seq_min;
    m->seq_max = crossings.seq_max;
}

static void add_best(struct rp_measured *m, const struct rp_seen_row *seen,
                     const struct rp_measured_verdict *v)
{
    const struct rp_result *row = seen->row;
    const double time_s = row->time_median_s;
    m->time_min_s = m->time_min_s <= time_s ? m->time_min_s : time_s;
    keep_larger(&m->time_max_s, time_s);
    if (rp_row_plausibility(seen->study, row).is_implausible) {
        ++m->implausible; /* no record is made of it */
    } else {
        keep_larger(&m->flop_per_s, rp_ratio((double)row->flops, time_s));
        keep_larger(&m->bytes_per_s, rp_ratio((double)row->bytes_min, time_s));
    }
    if (v->roof.compute)
        keep_larger(&m->ceiling_flop_per_s, v->roof.compute->value);
    if (v->roof.memory)
        keep_larger(&m->ceiling_bytes_per_s, v->roof.memory->value);
    m->attained_min = fmin(m->attained_min, v->attained_frac); /* NaN is left out */
    m->attained_max = fmax(m->attained_max, v->attained_frac);
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct collection *c = context;
    const struct rp_measured key = {.device = seen->device,
                                    .threads = seen->row->threads,
                                    .group = rp_groups_find(c->groups, &seen->point),
                                    .impl = seen->impl};
    enum rp_outcome outcome;
    struct rp_measured *m = find_or_add(c->list, &key);
    if (!m)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was measured");
    ++m->rows;
    if (rp_outcome_find(seen->row->status, &outcome))
        ++m->outcomes[outcome];
    if (!(seen->row->time_median_s > 0))
        return RP_OK;
    struct rp_measured_verdict v = rp_verdict_measured(seen->study, seen->row);
    ++m->timed;
    m->disturbed += strstr(seen->row->flags, "noisy") || strstr(seen->row->flags, "throttled");
    ++m->classes[v.class_name];
    add_best(m, seen, &v);
    if (v.class_name != RP_CLASS_MISSING)
        return keep_time(c, m, seen, &v);
    snprintf(m->missing_reason, sizeof m->missing_reason, "%s", v.reason);
    return RP_OK;
}

static enum rp_status collect(const struct rp_study_list *list, const struct rp_groups *groups,
                              bool simulated, struct rp_measured_list *measured)
{
    static const char *const columns[] = {"status",     "launches",      "path",           "flops",
                                          "flops_impl", "bytes_min",     "bytes_impl",     "cache",
                                          "clock_hz",   "time_median_s", "time_ci_high_s", "flags"};
    struct collection c = {groups, measured, {0}};
    const struct rp_rows_visitor visitor = {.context = &c,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = simulated,
                                            .left_out = &measured->simulated};
    enum rp_status status = rp_rows_visit(list, &visitor);
    rp_distinct_clear(&c.timed);
    return status;
}

/* The median over the points that naive has too; naive takes as long as itself. */
static void set_naive_ratio(struct rp_measured *m, const struct rp_groups *groups,
                            const struct rp_naive_cost_list *costs, double *ratios)
{
    size_t n = 0;
    if (m->impl == RP_IMPL_naive && m->timed)
        ratios[n++] = 1;
    for (size_t i = 0; i < costs->count; ++i) {
        const struct rp_naive_cost *cost = &costs->items[i];
        if (cost->impl == m->impl && cost->threads == m->threads && cost->time.value > 0 &&
            rp_device_kind_compare(cost->device, m->device) == 0 &&
            rp_groups_find(groups, &cost->point) == m->group)
            ratios[n++] = cost->time.value;
    }
    rp_stats_sort(ratios, n);
    if (n)
        m->naive_ratio = rp_stats_median(ratios, n);
}

static enum rp_status finish(struct rp_measured_list *measured, const struct rp_groups *groups,
                             const struct rp_naive_cost_list *costs)
{
    double *ratios = calloc(costs->count + 1, sizeof *ratios);
    if (!ratios)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ratios", costs->count);
    if (measured->count)
        qsort(measured->items, measured->count, sizeof *measured->items, compare);
    for (size_t i = 0; i < measured->count; ++i) {
        struct rp_measured *m = &measured->items[i];
        find_crossings(m);
        free(m->times);
        m->times = NULL;
        set_naive_ratio(m, groups, costs, ratios);
    }
    free(ratios);
    return RP_OK;
}

enum rp_status rp_measured_create(const struct rp_study_list *list, bool simulated,
                                  const struct rp_groups *groups,
                                  const struct rp_naive_cost_list *costs,
                                  struct rp_measured_list *measured)
{
    *measured = (struct rp_measured_list){0};
    enum rp_status status = collect(list, groups, simulated, measured);
    if (status == RP_OK)
        status = finish(measured, groups, costs);
    if (status != RP_OK)
        rp_measured_clear(measured);
    return status;
}

void rp_measured_clear(struct rp_measured_list *measured)
{
    for (size_t i = 0; i < measured->count; ++i)
        free(measured->items[i].times);
    free(measured->items);
    *measured = (struct rp_measured_list){0};
}

size_t rp_measured_end_of_device(const struct rp_measured_list *list, size_t begin)
{
    size_t end = begin + 1;
    while (end < list->count && compare_device(&list->items[begin], &list->items[end]) == 0)
        ++end;
    return end;
}

const char *rp_measured_class(const struct rp_measured *m)
{
    const char *word = rp_class_name(RP_CLASS_MISSING);
    size_t kinds = 0;
    for (int c = 0; c < RP_CLASS_COUNT; ++c) {
        if (m->classes[c]) {
            word = rp_class_name((enum rp_class)c);
            ++kinds;
        }
    }
    return kinds > 1 ? "mixed" : word;
}
