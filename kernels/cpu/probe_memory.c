/*
 * probe_memory.c - bandwidth of a CPU's memory and of its last-level cache. Each thread streams
 * through its own slice, strictly forward: several streams a thread are slower on some processors.
 *
 * Bytes are counted as STREAM does (McCalpin): read once, written once. A plain store makes the
 * processor read the line first (write-allocate); that is not counted.
 */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/probe_team.h"

/* Slices divide into two or three arrays of whole pages. */
enum { SLICE_STEP = 3 * 2 * 4096 };

static enum rp_status plan_slices(struct rp_probe_call *call, double bytes)
{
    double slice_steps = bytes / (double)call->device->threads / SLICE_STEP;
    size_t slice_bytes = ((size_t)slice_steps + 1) * SLICE_STEP;
    call->scratch_bytes = slice_bytes * (size_t)call->device->threads;
    call->work = (double)call->scratch_bytes;
    return RP_OK;
}

/* Four times the last-level cache, so that next to nothing is left of it from one pass to the next.
 */
static enum rp_status plan_memory(struct rp_probe_call *call)
{
    const double usual_cache_bytes = 32 << 20;
    double cache_bytes = (double)call->device->row.l2_bytes;
    return plan_slices(call, 4 * (cache_bytes > 0 ? cache_bytes : usual_cache_bytes));
}

/* Half of it: what is in it stays there beside code and neighbours. */
static enum rp_status plan_cache(struct rp_probe_call *call)
{
    double cache_bytes = (double)call->device->row.l2_bytes;
    if (cache_bytes <= 0)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "the size of the last-level cache is not known");
    return plan_slices(call, cache_bytes / 2);
}

static enum rp_status launch_read(const struct rp_probe_call *call)
{
    static volatile uint32_t sink;
    uint32_t seen = 0;
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1) reduction(| : seen)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct rp_cpu_slice slice = rp_cpu_probe_slice(call, thread);
        seen |= rp_cpu_isa_copy()->probe_read(slice.data, slice.bytes);
    }
    sink = seen;
    (void)sink;
    return RP_OK;
}

/* The C library's way of copying much: where it pays, its stores go past the cache. */
static enum rp_status launch_copy(const struct rp_probe_call *call)
{
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct rp_cpu_slice slice = rp_cpu_probe_slice(call, thread);
        memcpy(slice.data, slice.data + slice.bytes / 2, slice.bytes / 2);
    }
    return RP_OK;
}

static enum rp_status launch_triad(const struct rp_probe_call *call)
{
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct rp_cpu_slice slice = rp_cpu_probe_slice(call, thread);
        size_t n = slice.bytes / 3 / sizeof(float);
        float *a = (float *)slice.data;
        rp_cpu_isa_copy()->probe_triad(a, a + n, a + 2 * n, n);
    }
    return RP_OK;
}

extern const struct rp_probe rp_probe_cpu_read;
extern const struct rp_probe rp_probe_cpu_copy;
extern const struct rp_probe rp_probe_cpu_triad;
extern const struct rp_probe rp_probe_cpu_cache_read;

const struct rp_probe rp_probe_cpu_read = {
    .backend = "cpu",
    .kind = RP_PROBE_READ_BANDWIDTH,
    .path = "",
    .method = "read of 4 last-level caches",
    .plan = plan_memory,
    .fill = rp_cpu_probe_fill,
    .launch = launch_read,
};

const struct rp_probe rp_probe_cpu_copy = {
    .backend = "cpu",
    .kind = RP_PROBE_BANDWIDTH,
    .path = "",
    .method = "copy in 4 last-level caches",
    .plan = plan_memory,
    .fill = rp_cpu_probe_fill,
    .launch = launch_copy,
};

const struct rp_probe rp_probe_cpu_triad = {
    .backend = "cpu",
    .kind = RP_PROBE_BANDWIDTH,
    .path = "",
    .method = "triad in 4 last-level caches",
    .plan = plan_memory,
    .fill = rp_cpu_probe_fill,
    .launch = launch_triad,
};

const struct rp_probe rp_probe_cpu_cache_read = {
    .backend = "cpu",
    .kind = RP_PROBE_CACHE_BANDWIDTH,
    .path = "",
    .method = "read of half the last-level cache",
    .plan = plan_cache,
    .fill = rp_cpu_probe_fill,
    .launch = launch_read,
};
