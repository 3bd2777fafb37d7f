/* worklist.c - tasks from a job, the devices present, and the rows a file already holds. */
#include "runner/worklist.h"

#include <stdlib.h>
#include <string.h>

#include "model/result.h"
#include "plan/forecast.h"

struct builder {
    const struct rp_worklist_request *request;
    const struct rp_inventory *inventory;
    size_t *group_of_rank; /* heap */
    size_t *example;       /* heap; a rank of each group */
    size_t n_groups;
    struct rp_worklist *work;
    int64_t number; /* of the next task */
};

static bool is_wanted_again(const struct builder *b, const struct rp_held_row *row)
{
    enum rp_outcome outcome;
    if (b->request->selection->only)
        return true;
    return rp_outcome_find(row->status, &outcome) && (b->request->selection->retry >> outcome & 1u);
}

/* The implementations of a point that have to run under this key. */
static rp_impl_set missing_impls(const struct builder *b, const char *key,
                                 const struct rp_job_point *job_point, const char *id)
{
    rp_impl_set missing = 0;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (!rp_impl_in(job_point->impls, (enum rp_impl)i))
            continue;
        const struct rp_held_row *row =
            rp_inventory_find(b->inventory, key, id, rp_impl_name((enum rp_impl)i));
        if (!row || is_wanted_again(b, row))
            missing |= 1u << i;
    }
    return missing;
}

static int count_impls(rp_impl_set set)
{
    return __builtin_popcount(set);
}

static enum rp_status add_point(struct builder *b, size_t group, const struct rp_rates *rates,
                                const struct rp_job_point *p)
{
    const struct rp_device_info *info = b->request->devices[b->example[group]];
    const char *key = rp_cover_key(b->request->selection->cover, &info->row);
    char id[RP_POINT_ID_SIZE];
    RP_TRY(rp_point_id(&p->point, id));
    if (b->request->selection->only && strcmp(b->request->selection->only, id) != 0)
        return RP_OK;
    struct rp_task task = {.number = b->number, .point = p->point, .planned = p->impls};
    task.impls = missing_impls(b, key, p, id);
    b->work->rows_planned += count_impls(p->impls);
    b->work->rows_done += count_impls(p->impls) - count_impls(task.impls);
    if (task.impls == 0)
        return RP_OK;
    task.predicted_s =
        rp_forecast_point_s(rates, &task.point, task.impls, &b->request->job->protocol);
    for (int i = 0; i < RP_IMPL_COUNT; ++i)
        task.launch_s[i] = rp_forecast_launch_s(rates, &task.point, (enum rp_impl)i);
    ++b->number;
    return rp_schedule_add(b->work->schedule, group, &task);
}

static enum rp_status add_group(struct builder *b, size_t group)
{
    /* Any device of the group serves for the forecast: they are of one type. */
    const struct rp_device_info *info = b->request->devices[b->example[group]];
    struct rp_rates rates;
    rp_rates_init(&rates, &info->row, info->threads,
                  rp_gpu_list_find_exact(b->request->gpus, info->row.gpu_type));
    for (size_t i = 0; i < b->request->job->n_points; ++i)
        RP_TRY(add_point(b, group, &rates, &b->request->job->points[i]));
    return RP_OK;
}

/* Numbers device types (or devices) in the order of ranks. */
static void number_groups(struct builder *b)
{
    enum rp_cover cover = b->request->selection->cover;
    for (size_t r = 0; r < b->request->n_ranks; ++r) {
        const char *key = rp_cover_key(cover, &b->request->devices[r]->row);
        size_t g = 0;
        while (g < b->n_groups &&
               strcmp(rp_cover_key(cover, &b->request->devices[b->example[g]]->row), key) != 0)
            ++g;
        if (g == b->n_groups)
            b->example[b->n_groups++] = r;
        b->group_of_rank[r] = g;
    }
}

static enum rp_status build(struct builder *b)
{
    number_groups(b);
    RP_TRY(
        rp_schedule_create(b->n_groups, b->request->n_ranks, b->group_of_rank, &b->work->schedule));
    for (size_t g = 0; g < b->n_groups; ++g)
        RP_TRY(add_group(b, g));
    if (b->request->selection->only && b->work->rows_planned == 0)
        return RP_FAIL(RP_ERR_USAGE, "--only %s: the job has no such point",
                       b->request->selection->only);
    return RP_OK;
}

enum rp_status rp_worklist_create(const struct rp_worklist_request *request,
                                  struct rp_worklist *work)
{
    *work = (struct rp_worklist){0};
    struct rp_inventory *inventory = NULL;
    struct builder builder = {.request = request,
                              .group_of_rank = calloc(request->n_ranks, sizeof(size_t)),
                              .example = calloc(request->n_ranks, sizeof(size_t)),
                              .work = work};
    enum rp_status status = RP_OK;
    if (!builder.group_of_rank || !builder.example)
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ranks", request->n_ranks);
    if (status == RP_OK)
        status = rp_inventory_create(request->study, request->selection->cover, &inventory);
    if (status == RP_OK) {
        builder.inventory = inventory;
        status = build(&builder);
    }
    if (status != RP_OK)
        rp_worklist_clear(work);
    rp_inventory_destroy(inventory);
    free(builder.example);
    free(builder.group_of_rank);
    return status;
}

void rp_worklist_clear(struct rp_worklist *work)
{
    rp_schedule_destroy(work->schedule);
    *work = (struct rp_worklist){0};
}
