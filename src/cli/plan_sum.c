/* plan_sum.c - totals, makespan, node-hours and the memory of a node. */
#include "cli/plan_sum.h"

#include <math.h>
#include <stdlib.h>

struct rp_plan_sum {
    struct rp_plan_totals totals;
    double *point_s;      /* heap; of each point that takes time */
    int64_t *point_bytes; /* heap; of host memory, while it is measured */
    size_t n;
};

enum rp_status rp_plan_sum_create(size_t n_points, struct rp_plan_sum **sum)
{
    struct rp_plan_sum *made = calloc(1, sizeof *made);
    *sum = made;
    if (made) {
        made->point_s = calloc(n_points + 1, sizeof *made->point_s);
        made->point_bytes = calloc(n_points + 1, sizeof *made->point_bytes);
    }
    if (made && made->point_s && made->point_bytes)
        return RP_OK;
    rp_plan_sum_destroy(made);
    *sum = NULL;
    return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu points", n_points);
}

void rp_plan_sum_destroy(struct rp_plan_sum *sum)
{
    if (!sum)
        return;
    free(sum->point_s);
    free(sum->point_bytes);
    free(sum);
}

void rp_plan_sum_add(struct rp_plan_sum *sum, const struct rp_plan_type *type,
                     const struct rp_plan_row *rows, size_t n)
{
    struct rp_plan_totals *totals = &sum->totals;
    double point_s = 0;
    int64_t bytes = 0;
    ++totals->points;
    for (size_t i = 0; i < n; ++i) {
        const struct rp_plan_row *row = &rows[i];
        ++totals->rows;
        ++totals->of_outcome[row->outcome];
        totals->exclusive_s += row->forecast.exclusive_s;
        point_s += row->wall_s;
        if (row->wall_s > 0) {
            int64_t own = rp_forecast_row_bytes(&type->rates, row->point, &row->cost);
            bytes = own > bytes ? own : bytes;
        }
    }
    totals->device_s += point_s;
    if (point_s > 0) {
        sum->point_s[sum->n] = point_s;
        sum->point_bytes[sum->n++] = bytes;
    }
}

static int largest_first(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a < b) - (a > b);
}

/* Each rank of a node has one point at a time: at worst those that need most. */
static int64_t node_bytes(struct rp_plan_sum *sum, const struct rp_plan_type *type,
                          const struct rp_plan_layout *layout)
{
    size_t ranks = (layout->ranks + layout->nodes - 1) / layout->nodes;
    double bytes = (double)ranks * (double)rp_forecast_rank_bytes(&type->rates);
    qsort(sum->point_bytes, sum->n, sizeof *sum->point_bytes, largest_first);
    for (size_t i = 0; i < ranks && i < sum->n; ++i)
        bytes += (double)sum->point_bytes[i];
    return (int64_t)fmin(bytes, 9e18);
}

enum rp_status rp_plan_sum_end(struct rp_plan_sum *sum, const struct rp_plan_type *type,
                               const struct rp_plan_layout *layout, struct rp_plan_totals *totals)
{
    double nodes = (double)layout->nodes;
    *totals = sum->totals;
    totals->memory_bytes = node_bytes(sum, type, layout);
    RP_TRY(rp_makespan(sum->point_s, sum->n, layout->ranks, &totals->makespan_s));
    /* CPU ranks of a node take turns where their memory is the same. */
    if (rp_rates_is_cpu(&type->rates))
        totals->makespan_s = fmax(totals->makespan_s, totals->exclusive_s / nodes);
    totals->node_hours = nodes * totals->makespan_s / 3600.0;
    rp_slurm_time(totals->makespan_s, totals->slurm_time);
    return RP_OK;
}
