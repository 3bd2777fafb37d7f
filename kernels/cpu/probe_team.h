/*
 * probe_team.h - how the threads of a CPU probe share its scratch memory: a slice each, filled by
 * the thread that will use it, so that its pages lie near that thread's core.
 */
#ifndef RP_KERNELS_CPU_PROBE_TEAM_H
#define RP_KERNELS_CPU_PROBE_TEAM_H

#include "kernels/probe.h"

struct rp_cpu_slice {
    unsigned char *data;
    size_t bytes; /* the same for every thread when scratch_bytes is a multiple of the threads */
};

struct rp_cpu_slice rp_cpu_probe_slice(const struct rp_probe_call *call, int thread);

/* Random numbers in -1 .. 1 as floats: a block of them, over and over. */
enum rp_status rp_cpu_probe_fill(const struct rp_probe_call *call) RP_MUST_CHECK;

#endif
