/* probe_launch.c - what starting a CPU launch costs, and the anchor. */
#include "kernels/cpu/probe_team.h"

static enum rp_status plan_launch(struct rp_probe_call *call)
{
    call->work = 1;
    return RP_OK;
}

/* A team that is woken and waited for, as every kernel does. */
static enum rp_status launch_nothing(const struct rp_probe_call *call)
{
#pragma omp parallel num_threads(call->device->threads)
    __asm__ volatile("" ::: "memory"); /* an empty region could be left out */
    return RP_OK;
}

extern const struct rp_probe rp_probe_cpu_launch;
extern const struct rp_probe rp_probe_cpu_anchor;

const struct rp_probe rp_probe_cpu_launch = {
    .backend = "cpu",
    .kind = RP_PROBE_LATENCY,
    .path = "",
    .method = "empty parallel region",
    .plan = plan_launch,
    .launch = launch_nothing,
};

const struct rp_probe rp_probe_cpu_anchor = {
    .backend = "cpu",
    .kind = RP_PROBE_ANCHOR,
    .path = "",
    .method = "naive attention",
    .plan = rp_probe_anchor_plan,
    .fill = rp_cpu_probe_fill,
    .launch = rp_probe_anchor_launch,
};
