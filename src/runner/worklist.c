/* worklist.c - tasks from a job, the devices present, and the rows a file already holds. */
#include "runner/worklist.h"

#include <stdlib.h>
#include <string.h>

#include "plan/forecast.h"
#include "runner/inventory.h"

struct builder {
    const struct rp_job *job;
    const struct rp_inventory *inventory;
    struct rp_worklist *work;
    int64_t number; /* of the next task */
};

/* The implementations of a point that the file does not hold for this device type. */
static rp_impl_set missing_impls(const struct rp_inventory *inventory, const char *type,
                                 const struct rp_job_point *job_point, const char *id)
{
    rp_impl_set missing = 0;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (rp_impl_in(job_point->impls, (enum rp_impl)i) &&
            !rp_inventory_find(inventory, type, id, rp_impl_name((enum rp_impl)i)))
            missing |= 1u << i;
    }
    return missing;
}

static int count_impls(rp_impl_set set)
{
    return __builtin_popcount(set);
}

/* `info`: any device of the group, for the forecast. */
static enum rp_status add_group(struct builder *b, size_t group, const struct rp_device_info *info)
{
    for (size_t i = 0; i < b->job->n_points; ++i) {
        const struct rp_job_point *p = &b->job->points[i];
        char id[RP_POINT_ID_SIZE];
        RP_TRY(rp_point_id(&p->point, id));
        struct rp_task task = {.number = b->number, .point = p->point};
        task.impls = missing_impls(b->inventory, info->row.gpu_type, p, id);
        b->work->rows_planned += count_impls(p->impls);
        b->work->rows_done += count_impls(p->impls) - count_impls(task.impls);
        if (task.impls == 0)
            continue;
        task.predicted_s = rp_forecast_point_s(&info->row, info->threads, &task.point, task.impls,
                                               &b->job->protocol);
        ++b->number;
        RP_TRY(rp_schedule_add(b->work->schedule, group, &task));
    }
    return RP_OK;
}

/* Numbers device types in the order of ranks; returns how many there are. */
static size_t number_groups(const struct rp_device_info *devices, size_t n_ranks,
                            size_t *group_of_rank, size_t *example)
{
    size_t n_groups = 0;
    for (size_t r = 0; r < n_ranks; ++r) {
        size_t g = 0;
        while (g < n_groups &&
               strcmp(devices[example[g]].row.gpu_type, devices[r].row.gpu_type) != 0)
            ++g;
        if (g == n_groups)
            example[n_groups++] = r;
        group_of_rank[r] = g;
    }
    return n_groups;
}

enum rp_status rp_worklist_create(const struct rp_job *job, const struct rp_study *study,
                                  const struct rp_device_info *devices, size_t n_ranks,
                                  struct rp_worklist *work)
{
    *work = (struct rp_worklist){0};
    struct rp_inventory *inventory = NULL;
    enum rp_status status = RP_OK;
    size_t *group_of_rank = calloc(n_ranks, sizeof *group_of_rank);
    size_t *example = calloc(n_ranks, sizeof *example); /* a rank of each group */
    if (!group_of_rank || !example) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ranks", n_ranks);
        goto cleanup;
    }
    size_t n_groups = number_groups(devices, n_ranks, group_of_rank, example);
    status = rp_schedule_create(n_groups, n_ranks, group_of_rank, &work->schedule);
    if (status != RP_OK)
        goto cleanup;
    status = rp_inventory_create(study, &inventory);
    struct builder builder = {.job = job, .inventory = inventory, .work = work};
    for (size_t g = 0; g < n_groups && status == RP_OK; ++g)
        status = add_group(&builder, g, &devices[example[g]]);

cleanup:
    if (status != RP_OK)
        rp_worklist_clear(work);
    rp_inventory_destroy(inventory);
    free(example);
    free(group_of_rank);
    return status;
}

void rp_worklist_clear(struct rp_worklist *work)
{
    rp_schedule_destroy(work->schedule);
    *work = (struct rp_worklist){0};
}
