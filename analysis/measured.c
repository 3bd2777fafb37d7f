/* measured.c - one pass over the rows, each added to the entry of its kind of device. */
#include "analysis/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/crossings.h"
#include "analysis/device_kind.h"
#include "analysis/pairs.h"
#include "analysis/plausible.h"
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

static enum rp_status keep_ratio(struct rp_measured *m, double ratio)
{
    if (!(ratio > 0))
        return RP_OK;
    double *ratios = realloc(m->ratios, (m->n_ratios + 1) * sizeof *ratios);
    if (!ratios)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the ratios of %zu points", m->n_ratios);
    m->ratios = ratios;
    ratios[m->n_ratios++] = ratio;
    return RP_OK;
}

static enum rp_status keep_time(struct rp_measured *m, const struct rp_measured_time *time)
{
    struct rp_measured_time *times = realloc(m->times, (m->n_times + 1) * sizeof *times);
    if (!times)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the times of %zu rows", m->n_times);
    m->times = times;
    times[m->n_times++] = *time;
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

static enum rp_status add_row(struct rp_measured *m, const struct rp_pairs *pairs,
                              const struct rp_result *row, const struct rp_point *p)
{
    enum rp_outcome outcome;
    double time_s = row->time_median_s;
    ++m->rows;
    if (rp_outcome_find(row->status, &outcome))
        ++m->outcomes[outcome];
    if (!(time_s > 0))
        return RP_OK;
    ++m->timed;
    m->time_min_s = m->time_min_s <= time_s ? m->time_min_s : time_s;
    keep_larger(&m->time_max_s, time_s);
    if (rp_row_plausibility(pairs->study, row).is_implausible) {
        ++m->implausible; /* no record is made of it */
    } else {
        keep_larger(&m->flop_per_s, rp_ratio((double)row->flops, time_s));
        keep_larger(&m->bytes_per_s, rp_ratio((double)row->bytes_min, time_s));
    }
    struct rp_measured_verdict v = rp_verdict_measured(pairs->study, row);
    ++m->classes[v.class_name];
    if (v.roof.compute)
        keep_larger(&m->ceiling_flop_per_s, v.roof.compute->value);
    if (v.roof.memory)
        keep_larger(&m->ceiling_bytes_per_s, v.roof.memory->value);
    if (v.class_name == RP_CLASS_MISSING)
        snprintf(m->missing_reason, sizeof m->missing_reason, "%s", v.reason);
    m->attained_min = fmin(m->attained_min, v.attained_frac); /* NaN is left out */
    m->attained_max = fmax(m->attained_max, v.attained_frac);
    if (v.class_name != RP_CLASS_MISSING)
        RP_TRY(keep_time(m, &(struct rp_measured_time){pairs->study, row, *p,
                                                       v.times[RP_CLASS_COMPUTE].value_s,
                                                       v.times[RP_CLASS_MEMORY].value_s}));
    struct rp_paired_ratio ratio;
    RP_TRY(rp_pairs_ratio(pairs, row, RP_IMPL_naive, &ratio));
    return keep_ratio(m, ratio.value);
}

static enum rp_status add_file(struct rp_measured_list *list, const struct rp_study *study,
                               const struct rp_groups *groups, bool simulated)
{
    struct rp_pairs pairs;
    RP_TRY(rp_pairs_index(study, &pairs));
    enum rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        const struct rp_device_row *device = rp_study_device_of(study, row);
        struct rp_point p;
        enum rp_impl impl;
        if (!simulated && rp_study_is_simulated(study, row)) {
            ++list->simulated;
            continue;
        }
        if (!device || !rp_impl_find(row->impl, &impl) || rp_result_point(row, &p) != RP_OK)
            continue;
        const struct rp_measured key = {.device = device,
                                        .threads = row->threads,
                                        .group = rp_groups_find(groups, &p),
                                        .impl = impl};
        struct rp_measured *m = find_or_add(list, &key);
        status = m ? add_row(m, &pairs, row, &p)
                   : RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was measured");
    }
    rp_pairs_clear(&pairs);
    return status;
}

enum rp_status rp_measured_create(const struct rp_study_list *list, const struct rp_groups *groups,
                                  bool simulated, struct rp_measured_list *measured)
{
    *measured = (struct rp_measured_list){0};
    for (size_t i = 0; i < list->count; ++i) {
        enum rp_status status = add_file(measured, &list->files[i].study, groups, simulated);
        if (status != RP_OK) {
            rp_measured_clear(measured);
            return status;
        }
    }
    if (measured->count)
        qsort(measured->items, measured->count, sizeof *measured->items, compare);
    for (size_t i = 0; i < measured->count; ++i) {
        struct rp_measured *m = &measured->items[i];
        find_crossings(m);
        rp_stats_sort(m->ratios, m->n_ratios);
        if (m->n_ratios)
            m->naive_ratio = rp_stats_median(m->ratios, m->n_ratios);
    }
    return RP_OK;
}

void rp_measured_clear(struct rp_measured_list *measured)
{
    for (size_t i = 0; i < measured->count; ++i) {
        free(measured->items[i].times);
        free(measured->items[i].ratios);
    }
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
