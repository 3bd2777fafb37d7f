/* roll_call.c - judges the hellos of all ranks together. */
#include "runner/roll_call.h"

#include <string.h>

#include "base/log.h"

static enum rp_status check_device(const struct rp_rank_hello *hello, int rank,
                                   const char *gpu_type)
{
    const struct rp_device_row *row = &hello->info.row;
    if (hello->status != RP_OK)
        return RP_FAIL(hello->status, "rank %d on %s has no device: %s", rank, hello->host,
                       hello->failure);
    if (!gpu_type || !*gpu_type || strcmp(row->gpu_type, gpu_type) == 0)
        return RP_OK;
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "rank %d on %s has %s (%s, type %s), but --gpu asks for %s: this partition or "
                   "--gres hands out other GPUs; correct them, or the type in the site file",
                   rank, hello->host, row->name, row->uuid, row->gpu_type, gpu_type);
}

/* Two ranks on one GPU would measure each other. */
static enum rp_status check_shared(const struct rp_rank_hello *hello, int rank,
                                   const struct rp_rank_hello *earlier, int earlier_rank)
{
    const struct rp_device_row *row = &hello->info.row;
    const struct rp_device_row *before = &earlier->info.row;
    if (strcmp(row->backend, "cpu") == 0 || strcmp(row->uuid, before->uuid) != 0 ||
        strcmp(row->host, before->host) != 0)
        return RP_OK;
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "ranks %d and %d on %s both have device %s: start one rank a GPU, or let each "
                   "task see its own (srun --gpus-per-task=1 or --gpu-bind=single:1)",
                   earlier_rank, rank, row->host, row->uuid);
}

enum rp_status rp_roll_call_check(const struct rp_rank_hello *const *hellos, int n,
                                  const char *gpu_type)
{
    for (int r = 0; r < n; ++r)
        RP_TRY(check_device(hellos[r], r, gpu_type));
    for (int r = 0; r < n; ++r) {
        for (int other = 0; other < r; ++other)
            RP_TRY(check_shared(hellos[r], r, hellos[other], other));
    }
    return RP_OK;
}

void rp_roll_call_log(const struct rp_rank_hello *const *hellos, int n)
{
    for (int r = 0; r < n; ++r) {
        const struct rp_device_row *row = &hellos[r]->info.row;
        rp_log(RP_LOG_INFO, "rank %d on %s has %s, %s (%s)", r, hellos[r]->host, row->name,
               row->uuid, row->gpu_type);
    }
}
