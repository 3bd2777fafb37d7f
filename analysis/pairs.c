/* pairs.c - one sorted array of timed rows, and ratios over shared rounds. */
#include "analysis/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/load.h"
#include "base/stats.h"
#include "model/result.h"

static int compare_place(const struct rp_result *a, const struct rp_result *b, const char *b_impl)
{
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    int order = strcmp(a->point, b->point);
    return order ? order : strcmp(a->impl, b_impl);
}

static int compare_rows(const void *a, const void *b)
{
    const struct rp_result *x = *(const struct rp_result *const *)a;
    const struct rp_result *y = *(const struct rp_result *const *)b;
    int order = compare_place(x, y, y->impl);
    return order ? order : (x > y) - (x < y); /* rows are in one array: a stable order */
}

enum rp_status rp_pairs_index(const struct rp_study *study, struct rp_pairs *pairs)
{
    size_t n = rp_study_count(study, RP_TABLE_RESULTS);
    *pairs = (struct rp_pairs){.study = study};
    pairs->rows = calloc(n ? n : 1, sizeof(*pairs->rows));
    if (!pairs->rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair %zu rows", n);
    for (size_t i = 0; i < n; ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        if (row->time_median_s > 0)
            pairs->rows[pairs->count++] = row;
    }
    qsort(pairs->rows, pairs->count, sizeof(*pairs->rows), compare_rows);
    return RP_OK;
}

void rp_pairs_clear(struct rp_pairs *pairs)
{
    free(pairs->rows);
    *pairs = (struct rp_pairs){0};
}

const struct rp_result *rp_pairs_find(const struct rp_pairs *pairs, const struct rp_result *row,
                                      enum rp_impl impl)
{
    const char *name = rp_impl_name(impl);
    size_t low = 0;
    size_t high = pairs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_place(pairs->rows[middle], row, name);
        if (order == 0)
            return pairs->rows[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The samples of a row that count, or one round of them. */
struct turn {
    int64_t round;
    double time_s;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a;
    const struct turn *y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

/* One entry a round, sorted: the median of its samples that count. Returns how many; `turns` has
 * room for all n samples. */
static size_t list_turns(const struct rp_sample *samples, size_t n, struct turn *turns)
{
    int64_t least_used = rp_samples_least_used(samples, n);
    size_t used = 0;
    size_t rounds = 0;
    for (size_t i = 0; i < n; ++i) {
        if (samples[i].used >= least_used && samples[i].time_s > 0)
            turns[used++] = (struct turn){samples[i].round, samples[i].time_s};
    }
    if (used > 1)
        qsort(turns, used, sizeof *turns, compare_turns);
    for (size_t begin = 0, end = 0; begin < used; begin = end) {
        while (end < used && turns[end].round == turns[begin].round)
            ++end;
        double low = turns[begin + (end - begin - 1) / 2].time_s;
        double high = turns[begin + (end - begin) / 2].time_s;
        turns[rounds++] = (struct turn){turns[begin].round, 0.5 * (low + high)};
    }
    return rounds;
}

/* a over b in every round that both have; returns how many. */
static size_t divide_turns(const struct turn *a, size_t n_a, const struct turn *b, size_t n_b,
                           double *ratios)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        if (a[i].round == b[j].round)
            ratios[n++] = a[i++].time_s / b[j++].time_s;
        else if (a[i].round < b[j].round)
            ++i;
        else
            ++j;
    }
    return n;
}

/* The rounds of a row; *turns is heap, the caller frees it. */
static enum rp_status read_turns(const struct rp_study *study, const struct rp_result *row,
                                 struct turn **turns, size_t *n)
{
    const struct rp_sample *samples = NULL;
    RP_TRY(rp_study_samples_of(study, row, &samples, n));
    *turns = calloc(*n + 1, sizeof **turns);
    if (!*turns)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair %zu samples", *n);
    *n = list_turns(samples, *n, *turns);
    return RP_OK;
}

/* Leaves the ratio as it is when the rows share no round. */
static enum rp_status divide_rounds(const struct rp_study *study, const struct rp_result *other,
                                    const struct rp_result *row, struct rp_paired_ratio *ratio)
{
    struct turn *a = NULL;
    struct turn *b = NULL;
    double *ratios = NULL;
    size_t n_a = 0;
    size_t n_b = 0;
    enum rp_status status = read_turns(study, other, &a, &n_a);
    if (status == RP_OK)
        status = read_turns(study, row, &b, &n_b);
    if (status != RP_OK)
        goto cleanup;
    ratios = calloc(n_b + 1, sizeof *ratios);
    if (!ratios) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair %zu rounds", n_b);
        goto cleanup;
    }
    size_t n = divide_turns(a, n_a, b, n_b, ratios);
    if (n > 0) {
        rp_stats_sort(ratios, n);
        struct rp_stats_interval interval = rp_stats_median_interval(ratios, n, 0.95);
        *ratio = (struct rp_paired_ratio){rp_stats_median(ratios, n), interval.low, interval.high,
                                          interval.level, (int64_t)n};
    }

cleanup:
    free(ratios);
    free(b);
    free(a);
    return status;
}

static bool is_unpaired(const struct rp_result *row)
{
    return strstr(row->flags, "unpaired") != NULL;
}

enum rp_status rp_pairs_ratio(const struct rp_pairs *pairs, const struct rp_result *row,
                              enum rp_impl impl, struct rp_paired_ratio *ratio)
{
    enum rp_impl own_impl;
    const struct rp_result *other = rp_pairs_find(pairs, row, impl);
    *ratio = (struct rp_paired_ratio){NAN, NAN, NAN, NAN, 0};
    if (!other || !(row->time_median_s > 0))
        return RP_OK;
    if (rp_impl_find(row->impl, &own_impl)) /* as the study of the pairs has it */
        row = rp_pairs_find(pairs, row, own_impl);
    if (!is_unpaired(other) && !is_unpaired(row))
        RP_TRY(divide_rounds(pairs->study, other, row, ratio));
    if (ratio->rounds > 0)
        return RP_OK;
    ratio->value = other->time_median_s / row->time_median_s;
    ratio->low = other->time_ci_low_s / row->time_ci_high_s;
    ratio->high = other->time_ci_high_s / row->time_ci_low_s;
    return RP_OK;
}
