/*
 * probe_modelled.c - probes of the simulated device: a launch adds the modelled time of its work to
 * the device's clock. A path that the datasheet does not have is refused.
 */
#include <math.h>

#include "device/backend_simulated.h"
#include "kernels/probe.h"

/* Large enough that a launch's latency is next to nothing beside it on the fastest GPU. */
static const double launch_flop = 1e13;
static const double launch_bytes = 1e11;
static const double anchor_flop = 1e9;

static enum rp_status plan_work(struct rp_probe_call *call)
{
    switch (call->probe->kind) {
    case RP_PROBE_COMPUTE:
        call->work = launch_flop;
        break;
    case RP_PROBE_LATENCY:
    case RP_PROBE_ANCHOR:
        call->work = 1;
        break;
    default:
        call->work = launch_bytes;
    }
    return RP_OK;
}

static enum rp_status launch_compute(const struct rp_probe_call *call)
{
    return rp_simulated_launch_work(call->queue, call->probe->path, call->work, 0);
}

/* The model knows no cache: what it moves comes from memory, so its cache is no faster. */
static enum rp_status launch_read(const struct rp_probe_call *call)
{
    return rp_simulated_launch_work(call->queue, "", 0, call->work);
}

static enum rp_status launch_nothing(const struct rp_probe_call *call)
{
    return rp_simulated_launch_work(call->queue, "", 0, 0);
}

static enum rp_status launch_anchor(const struct rp_probe_call *call)
{
    return rp_simulated_launch_work(call->queue, "simt_fp32", anchor_flop, 0);
}

#define PROBE(name, kind_, path_, method_, launch_)                                                \
    extern const struct rp_probe rp_probe_simulated_##name;                                        \
    const struct rp_probe rp_probe_simulated_##name = {.backend = "simulated",                     \
                                                       .kind = (kind_),                            \
                                                       .path = (path_),                            \
                                                       .method = (method_),                        \
                                                       .plan = plan_work,                          \
                                                       .launch = (launch_)}

PROBE(read, RP_PROBE_READ_BANDWIDTH, "", "modelled read", launch_read);
PROBE(cache_read, RP_PROBE_CACHE_BANDWIDTH, "", "modelled read, no cache in the model",
      launch_read);
PROBE(tensor_fp16, RP_PROBE_COMPUTE, "tensor_fp16", "modelled arithmetic", launch_compute);
PROBE(tensor_bf16, RP_PROBE_COMPUTE, "tensor_bf16", "modelled arithmetic", launch_compute);
PROBE(tensor_tf32, RP_PROBE_COMPUTE, "tensor_tf32", "modelled arithmetic", launch_compute);
PROBE(simt_fp32, RP_PROBE_COMPUTE, "simt_fp32", "modelled arithmetic", launch_compute);
PROBE(launch, RP_PROBE_LATENCY, "", "modelled launch", launch_nothing);
PROBE(anchor, RP_PROBE_ANCHOR, "", "modelled arithmetic", launch_anchor);
