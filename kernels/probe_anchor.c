/*
 * probe_anchor.c - the anchor: naive attention of one small point, the same on every device.
 *
 * Some milliseconds on one core, less than a launch's share on a GPU; 67 MFLOP, 2 MiB.
 */
#include "kernels/kernel.h"
#include "kernels/probe.h"

static const struct rp_point anchor = {.stage = RP_STAGE_PREFILL,
                                       .batch = 1,
                                       .heads = 4,
                                       .kv_heads = 4,
                                       .seq_q = 256,
                                       .seq_k = 256,
                                       .head_dim = 64,
                                       .dtype = RP_DTYPE_fp32,
                                       .causal = true};

static enum rp_status cost_of(const struct rp_device_info *device, struct rp_method_cost *cost)
{
    struct rp_method_device method = rp_method_device_of(&device->row, device->threads);
    return rp_method_cost_of(&method, RP_IMPL_naive, &anchor, cost);
}

enum rp_status rp_probe_anchor_plan(struct rp_probe_call *call)
{
    struct rp_method_cost cost;
    RP_TRY(cost_of(call->device, &cost));
    call->scratch_bytes = (size_t)rp_method_cost_memory(&cost);
    call->work = 1;
    return RP_OK;
}

enum rp_status rp_probe_anchor_launch(const struct rp_probe_call *call)
{
    struct rp_method_cost cost;
    RP_TRY(cost_of(call->device, &cost));
    /* heads = kv_heads and seq_q = seq_k: Q, K, V and O are equally large, 256 KiB each. */
    int64_t tensor_bytes = cost.tensor_bytes / 4;
    char *at = call->scratch;
    const struct rp_attention attention = {
        .point = &anchor,
        .q = at,
        .k = at + tensor_bytes,
        .v = at + 2 * tensor_bytes,
        .o = at + 3 * tensor_bytes,
        .scores = at + 4 * tensor_bytes,
        .workspace = at + 4 * tensor_bytes + cost.scores_bytes,
        .queue = call->queue,
        .threads = call->device->threads,
    };
    return rp_kernel_find(call->probe->backend, RP_IMPL_naive)->launch(&attention);
}
