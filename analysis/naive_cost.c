/* naive_cost.c - every row beside naive's of the same run, device and point; repeats joined. */
#include "analysis/naive_cost.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/child.h"
#include "analysis/classify.h"
#include "analysis/device_kind.h"
#include "analysis/distinct.h"
#include "analysis/pairs_scan.h"
#include "analysis/rows.h"
#include "base/list.h"
#include "model/result.h"

bool rp_naive_wins(const struct rp_naive_cost *cost)
{
    return cost->time.high < 1;
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int rp_naive_cost_compare_subject(const struct rp_naive_cost *x, const struct rp_naive_cost *y)
{
    int order = rp_device_kind_compare(x->device, y->device);
    order = order ? order : compare_i64(x->threads, y->threads);
    order = order ? order : compare_i64(x->impl, y->impl);
    order = order ? order : compare_i64(x->point.stage, y->point.stage);
    order = order ? order : compare_i64(x->point.dtype, y->point.dtype);
    return order ? order : x->point.causal - y->point.causal;
}

static int compare(const void *a, const void *b)
{
    const struct rp_naive_cost *x = a;
    const struct rp_naive_cost *y = b;
    int order = rp_naive_cost_compare_subject(x, y);
    return order ? order : rp_point_compare(&x->point, &y->point);
}

/* Where costs are collected. */
struct collection {
    const struct rp_study *study;
    bool simulated;
    struct rp_naive_cost_list *costs;
    struct rp_distinct distinct;
};

/* Takes in a repeat of a cost. */
static void join(struct rp_naive_cost *cost, const struct rp_naive_cost *repeat)
{
    const double n = (double)cost->repeats;
    struct rp_paired_ratio *time = &cost->time;
    time->value = exp((n * log(time->value) + log(repeat->time.value)) / (n + 1));
    time->low = fmin(time->low, repeat->time.low);
    time->high = fmax(time->high, repeat->time.high);
    time->level = fmin(time->level, repeat->time.level);
    time->rounds += repeat->time.rounds;
    ++cost->repeats;
}

static enum rp_status add_cost(struct collection *c, const struct rp_seen_row *seen,
                               const struct rp_naive_cost *cost)
{
    struct rp_naive_cost_list *list = c->costs;
    size_t number = 0;
    RP_TRY(rp_distinct_number(&c->distinct, rp_seen_row_key(seen), &number));
    if (number < list->count) {
        join(&list->items[number], cost);
        return RP_OK;
    }
    struct rp_naive_cost *items =
        rp_list_grow(list->items, list->count, &list->room, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the ratios of %zu points", list->count);
    list->items = items;
    items[list->count++] = *cost;
    return RP_OK;
}

static enum rp_status add_pairs(void *context, const struct rp_pairs *pairs)
{
    struct collection *c = context;
    for (size_t i = 0; i < pairs->count; ++i) {
        const struct rp_result *row = pairs->rows[i];
        const struct rp_result *naive = rp_pairs_find(pairs, row, RP_IMPL_naive);
        struct rp_seen_row seen = {.row = row, .device = rp_study_device_of(c->study, row)};
        if (!naive || naive == row || !seen.device ||
            (!c->simulated && rp_device_is_simulated(seen.device)) ||
            !rp_impl_find(row->impl, &seen.impl) || rp_result_point(row, &seen.point) != RP_OK)
            continue;
        struct rp_naive_cost cost = {.device = seen.device,
                                     .threads = row->threads,
                                     .impl = seen.impl,
                                     .point = seen.point,
                                     .repeats = 1};
        RP_WORD_SET(cost.id, row->point);
        RP_TRY(rp_pairs_ratio(pairs, row, RP_IMPL_naive, &cost.time));
        cost.memory_ratio =
            rp_ratio((double)naive->peak_memory_bytes, (double)row->peak_memory_bytes);
        RP_TRY(add_cost(c, &seen, &cost));
    }
    return RP_OK;
}

enum rp_status rp_naive_cost_create(const struct rp_study_list *list, bool simulated,
                                    struct rp_naive_cost_list *costs)
{
    struct collection c = {.simulated = simulated, .costs = costs};
    enum rp_status status = RP_OK;
    *costs = (struct rp_naive_cost_list){0};
    for (size_t f = 0; f < list->count && status == RP_OK; ++f) {
        c.study = &list->files[f].study;
        rp_child_note_file(list->files[f].path);
        status = rp_pairs_visit(c.study, add_pairs, &c);
    }
    rp_child_note_file(NULL);
    rp_distinct_clear(&c.distinct);
    if (status != RP_OK)
        rp_naive_cost_clear(costs);
    else if (costs->count)
        qsort(costs->items, costs->count, sizeof *costs->items, compare);
    return status;
}

void rp_naive_cost_clear(struct rp_naive_cost_list *costs)
{
    free(costs->items);
    *costs = (struct rp_naive_cost_list){0};
}
