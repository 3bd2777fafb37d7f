/* inventory.c - a sorted list of row identities, and whether a file belongs to a job. */
#include "runner/inventory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rp_inventory {
    struct rp_held_row *rows; /* heap; sorted */
    size_t count;
};

static int compare(const void *a, const void *b)
{
    const struct rp_held_row *x = a;
    const struct rp_held_row *y = b;
    int order = strcmp(x->point, y->point);
    if (order == 0)
        order = strcmp(x->impl, y->impl);
    return order == 0 ? strcmp(x->key, y->key) : order;
}

const char *rp_cover_key(enum rp_cover cover, const struct rp_device_row *device)
{
    return cover == RP_COVER_DEVICE ? device->uuid : device->gpu_type;
}

static void set_identity(struct rp_held_row *held, const char *key, const char *point,
                         const char *impl)
{
    *held = (struct rp_held_row){.sequence = -1};
    snprintf(held->key, sizeof held->key, "%s", key);
    snprintf(held->point, sizeof held->point, "%s", point);
    snprintf(held->impl, sizeof held->impl, "%s", impl);
}

enum rp_status rp_inventory_create(const struct rp_study *study, enum rp_cover cover,
                                   struct rp_inventory **inventory)
{
    size_t n = rp_study_count(study, RP_TABLE_RESULTS);
    struct rp_inventory *made = calloc(1, sizeof *made);
    *inventory = made;
    if (made)
        made->rows = calloc(n ? n : 1, sizeof *made->rows);
    if (!made || !made->rows) {
        rp_inventory_destroy(made);
        *inventory = NULL;
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for an inventory of %zu rows", n);
    }
    int64_t devices = (int64_t)rp_study_count(study, RP_TABLE_DEVICES);
    for (size_t i = 0; i < n; ++i) {
        const struct rp_result *row = rp_study_row(study, RP_TABLE_RESULTS, i);
        if (row->device < 0 || row->device >= devices)
            continue; /* verify tells; here it is a row of no device that could be present */
        const struct rp_device_row *device =
            rp_study_row(study, RP_TABLE_DEVICES, (size_t)row->device);
        struct rp_held_row *held = &made->rows[made->count++];
        set_identity(held, rp_cover_key(cover, device), row->point, row->impl);
        snprintf(held->status, sizeof held->status, "%s", row->status);
        held->sequence = row->sequence;
    }
    qsort(made->rows, made->count, sizeof *made->rows, compare);
    return RP_OK;
}

void rp_inventory_destroy(struct rp_inventory *inventory)
{
    if (!inventory)
        return;
    free(inventory->rows);
    free(inventory);
}

const struct rp_held_row *rp_inventory_find(const struct rp_inventory *inventory, const char *key,
                                            const char *point, const char *impl)
{
    struct rp_held_row wanted;
    set_identity(&wanted, key, point, impl);
    return bsearch(&wanted, inventory->rows, inventory->count, sizeof wanted, compare);
}

/* The first thing that differs, in words. */
static enum rp_status refuse(const char *path, const struct rp_run *old,
                             const struct rp_study *study, const struct rp_job *job)
{
    static const char remedy[] = "give another --output, or --overwrite to move the old file aside";
    char protocol[RP_PROTOCOL_ID_SIZE];
    if (strcmp(old->job_name, job->name) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s was made by another job: name is %s, not %s; %s",
                       path, old->job_name, job->name, remedy);
    if (old->seed != job->seed)
        return RP_FAIL(RP_ERR_ENVIRONMENT,
                       "%s was made by another job: seed is %" PRId64 ", not %" PRId64 "; %s", path,
                       old->seed, job->seed, remedy);
    RP_TRY(rp_protocol_id(&job->protocol, protocol));
    if (rp_study_count(study, RP_TABLE_RESULTS) > 0) {
        const struct rp_result *row = rp_study_row(study, RP_TABLE_RESULTS, 0);
        if (strcmp(row->protocol, protocol) != 0)
            return RP_FAIL(RP_ERR_ENVIRONMENT,
                           "%s was made by another job: its measure or verify block differs; %s",
                           path, remedy);
    }
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "%s was made by another job: its points or implementations differ "
                   "(%" PRId64 " rows planned a device type, now %" PRId64 "); %s",
                   path, old->rows_planned, rp_job_rows(job), remedy);
}

enum rp_status rp_inventory_check_job(const struct rp_study *study, const char *path,
                                      const struct rp_job *job)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RUNS); ++i) {
        const struct rp_run *old = rp_study_row(study, RP_TABLE_RUNS, i);
        if (old->merged == 1)
            return RP_FAIL(RP_ERR_ENVIRONMENT,
                           "%s was put together by merge, and a run does not go on in it; give "
                           "another --output, or --overwrite to move it aside",
                           path);
        if (strcmp(old->job_hash, job->hash) != 0)
            return refuse(path, old, study, job);
    }
    return RP_OK;
}
