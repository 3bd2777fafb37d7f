/* inventory.c - a sorted list of row identities, and whether a file belongs to a job. */
#include "runner/inventory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *gpu_type;
    const struct rp_result *row;
};

struct rp_inventory {
    struct entry *entries; /* sorted */
    size_t count;
};

static int compare_keys(const char *const a[3], const char *const b[3])
{
    for (int i = 0; i < 3; ++i) {
        int order = strcmp(a[i], b[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    const char *const x_key[] = {x->row->point, x->row->impl, x->gpu_type};
    const char *const y_key[] = {y->row->point, y->row->impl, y->gpu_type};
    return compare_keys(x_key, y_key);
}

enum rp_status rp_inventory_create(const struct rp_study *study, struct rp_inventory **inventory)
{
    size_t rows = rp_study_count(study, RP_TABLE_RESULTS);
    struct rp_inventory *made = calloc(1, sizeof *made);
    *inventory = made;
    if (made)
        made->entries = calloc(rows ? rows : 1, sizeof *made->entries);
    if (!made || !made->entries) {
        rp_inventory_destroy(made);
        *inventory = NULL;
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for an inventory of %zu rows", rows);
    }
    int64_t devices = (int64_t)rp_study_count(study, RP_TABLE_DEVICES);
    for (size_t i = 0; i < rows; ++i) {
        const struct rp_result *row = rp_study_row(study, RP_TABLE_RESULTS, i);
        if (row->device < 0 || row->device >= devices)
            continue; /* verify tells; here it is a row of no device that could be present */
        const struct rp_device_row *device =
            rp_study_row(study, RP_TABLE_DEVICES, (size_t)row->device);
        made->entries[made->count++] = (struct entry){device->gpu_type, row};
    }
    qsort(made->entries, made->count, sizeof *made->entries, compare);
    return RP_OK;
}

void rp_inventory_destroy(struct rp_inventory *inventory)
{
    if (!inventory)
        return;
    free(inventory->entries);
    free(inventory);
}

const struct rp_result *rp_inventory_find(const struct rp_inventory *inventory,
                                          const char *gpu_type, const char *point, const char *impl)
{
    const char *const key[] = {point, impl, gpu_type};
    size_t low = 0;
    size_t high = inventory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct entry *e = &inventory->entries[middle];
        const char *const here[] = {e->row->point, e->row->impl, e->gpu_type};
        int order = compare_keys(here, key);
        if (order == 0)
            return e->row;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
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
        if (strcmp(old->job_hash, job->hash) != 0)
            return refuse(path, old, study, job);
    }
    return RP_OK;
}
