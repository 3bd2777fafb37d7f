/* implied.c - the smallest need that was too much, per device type and implementation. */
#include "runner/implied.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/method_cost.h"
#include "model/result.h"

enum { MOST_ENTRIES = 256 };

struct entry {
    char gpu_type[64];
    enum rp_impl impl;
    int64_t needed_bytes;
    char point[RP_POINT_ID_SIZE];
};

struct rp_implied {
    struct entry entries[MOST_ENTRIES];
    size_t count;
};

enum rp_status rp_implied_create(struct rp_implied **implied)
{
    *implied = calloc(1, sizeof **implied);
    if (!*implied)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory");
    return RP_OK;
}

void rp_implied_destroy(struct rp_implied *implied)
{
    free(implied);
}

/* Index of the entry; `count` when there is none. */
static size_t find(const struct rp_implied *implied, const char *gpu_type, enum rp_impl impl)
{
    size_t i = 0;
    while (i < implied->count && (implied->entries[i].impl != impl ||
                                  strcmp(implied->entries[i].gpu_type, gpu_type) != 0))
        ++i;
    return i;
}

void rp_implied_learn(struct rp_implied *implied, const struct rp_device_info *device,
                      const struct rp_result *row)
{
    enum rp_outcome outcome;
    enum rp_impl impl;
    bool tried = strncmp(row->reason, RP_REASON_PREDICTED, strlen(RP_REASON_PREDICTED)) != 0;
    if (!rp_outcome_find(row->status, &outcome) || outcome != RP_OUTCOME_OOM || !tried ||
        !rp_impl_find(row->impl, &impl) || row->predicted_memory_bytes <= 0)
        return;
    size_t at = find(implied, device->row.gpu_type, impl);
    if (at == MOST_ENTRIES) /* then it is tried: slower, not wrong */
        return;
    struct entry *e = &implied->entries[at];
    if (at < implied->count && e->needed_bytes <= row->predicted_memory_bytes)
        return;
    if (at == implied->count)
        ++implied->count;
    snprintf(e->gpu_type, sizeof e->gpu_type, "%.63s", device->row.gpu_type);
    e->impl = impl;
    e->needed_bytes = row->predicted_memory_bytes;
    memcpy(e->point, row->point, sizeof e->point);
}

bool rp_implied_find(const struct rp_implied *implied, const struct rp_device_info *device,
                     const struct rp_point *p, enum rp_impl impl, char *reason, size_t size)
{
    size_t at = find(implied, device->row.gpu_type, impl);
    const struct entry *e = &implied->entries[at];
    struct rp_method_cost cost;
    const struct rp_method_device method = rp_method_device_of(&device->row, device->threads);
    if (at == implied->count || rp_method_cost_of(&method, impl, p, &cost) != RP_OK)
        return false;
    int64_t needed = rp_method_cost_memory(&cost);
    if (needed < e->needed_bytes)
        return false;
    snprintf(reason, size, "needs %" PRId64 " bytes; point %s ran out of memory with %" PRId64,
             needed, e->point, e->needed_bytes);
    return true;
}
