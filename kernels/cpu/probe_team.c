/* probe_team.c - slices of a probe's scratch memory and what is in them. */
#include "kernels/cpu/probe_team.h"

#include <string.h>

#include "base/rng.h"

enum { BLOCK_FLOATS = 4096 };

struct rp_cpu_slice rp_cpu_probe_slice(const struct rp_probe_call *call, int thread)
{
    size_t threads = (size_t)call->device->threads;
    size_t begin = call->scratch_bytes / threads * (size_t)thread;
    size_t end = call->scratch_bytes / threads * ((size_t)thread + 1);
    if ((size_t)thread + 1 == threads)
        end = call->scratch_bytes;
    return (struct rp_cpu_slice){(unsigned char *)call->scratch + begin, end - begin};
}

enum rp_status rp_cpu_probe_fill(const struct rp_probe_call *call)
{
    float block[BLOCK_FLOATS];
    for (uint64_t i = 0; i < BLOCK_FLOATS; ++i)
        block[i] = (float)rp_rng_below(0, 0, i, 1u << 24) * 0x1p-23f - 1;
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct rp_cpu_slice slice = rp_cpu_probe_slice(call, thread);
        for (size_t at = 0; at < slice.bytes; at += sizeof block) {
            size_t left = slice.bytes - at;
            memcpy(slice.data + at, block, left < sizeof block ? left : sizeof block);
        }
    }
    return RP_OK;
}
