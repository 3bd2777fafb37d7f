/* naive_cost.c - every row beside naive's of the same run, device and point. */
#include "analysis/naive_cost.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/device_kind.h"
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
    order = order ? order : compare_i64(x->row->threads, y->row->threads);
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
    order = order ? order : rp_point_compare(&x->point, &y->point);
    return order ? order : compare_i64(x->row->sequence, y->row->sequence);
}

static enum rp_status add_file(const struct rp_study *study, bool simulated,
                               struct rp_naive_cost_list *costs)
{
    struct rp_pairs pairs;
    enum rp_status status = RP_OK;
    RP_TRY(rp_pairs_index(study, &pairs));
    for (size_t i = 0; i < pairs.count && status == RP_OK; ++i) {
        const struct rp_result *row = pairs.rows[i];
        const struct rp_result *naive = rp_pairs_find(&pairs, row, RP_IMPL_naive);
        struct rp_naive_cost cost = {.device = rp_study_device_of(study, row), .row = row};
        if (!naive || naive == row || !cost.device ||
            (!simulated && rp_study_is_simulated(study, row)) ||
            !rp_impl_find(row->impl, &cost.impl) || rp_result_point(row, &cost.point) != RP_OK)
            continue;
        status = rp_pairs_ratio(&pairs, row, RP_IMPL_naive, &cost.time);
        cost.memory_ratio =
            rp_ratio((double)naive->peak_memory_bytes, (double)row->peak_memory_bytes);
        costs->items[costs->count++] = cost;
    }
    rp_pairs_clear(&pairs);
    return status;
}

enum rp_status rp_naive_cost_create(const struct rp_study_list *list, bool simulated,
                                    struct rp_naive_cost_list *costs)
{
    size_t rows = rp_study_list_rows(list);
    enum rp_status status = RP_OK;
    *costs = (struct rp_naive_cost_list){calloc(rows + 1, sizeof *costs->items), 0};
    if (!costs->items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the ratios of %zu rows", rows);
    for (size_t f = 0; f < list->count && status == RP_OK; ++f)
        status = add_file(&list->files[f].study, simulated, costs);
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
