/*
 * probe_memory.c - bandwidth of a CPU's memory and of its last-level cache. Each thread streams
 * through its own slice, strictly forward, an eighth of it a launch: short launches find moments in
 * which nothing else runs.
 *
 * Bytes are counted as STREAM does (McCalpin): read once, written once. A plain store makes the
 * processor read the line first (write-allocate); that is not counted.
 */
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/probe_team.h"

/* Slices divide into two or three arrays, and these into pieces of whole pages. */
enum { PIECES = 8, SLICE_STEP = 3 * 2 * PIECES * 4096 };

static enum rp_status plan_slices(struct rp_probe_call *call, double bytes)
{
    double slice_steps = bytes / (double)call->device->threads / SLICE_STEP;
    size_t slice_bytes = ((size_t)slice_steps + 1) * SLICE_STEP;
    call->scratch_bytes = slice_bytes * (size_t)call->device->threads;
    call->work = (double)call->scratch_bytes / PIECES;
    return RP_OK;
}

/* This turn's piece of one of a thread's equally large arrays. */
struct piece {
    unsigned char *data;
    size_t bytes;
};

static struct piece piece_of(const struct rp_probe_call *call, int thread, int array, int n_arrays)
{
    struct rp_cpu_slice slice = rp_cpu_probe_slice(call, thread);
    size_t array_bytes = slice.bytes / (size_t)n_arrays;
    size_t bytes = array_bytes / PIECES;
    size_t at = (size_t)array * array_bytes + (size_t)(call->turn % PIECES) * bytes;
    return (struct piece){slice.data + at, bytes};
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
        struct piece piece = piece_of(call, thread, 0, 1);
        seen |= rp_cpu_isa_copy()->probe_read(piece.data, piece.bytes);
    }
    sink = seen;
    (void)sink;
    return RP_OK;
}

/* A load of each line moves all of it from memory; few instructions wait for many lines, which some
 * processors read faster than the widest loads. */
static enum rp_status launch_read_lines(const struct rp_probe_call *call)
{
    enum { LINE_WORDS = 8 };
    static volatile uint64_t sink;
    uint64_t seen = 0;
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1) reduction(| : seen)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct piece piece = piece_of(call, thread, 0, 1);
        const uint64_t *words = (const uint64_t *)(const void *)piece.data;
        for (size_t i = 0; i < piece.bytes / sizeof *words; i += LINE_WORDS)
            seen |= words[i];
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
        struct piece to = piece_of(call, thread, 0, 2);
        memcpy(to.data, piece_of(call, thread, 1, 2).data, to.bytes);
    }
    return RP_OK;
}

static enum rp_status launch_triad(const struct rp_probe_call *call)
{
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        struct piece a = piece_of(call, thread, 0, 3);
        struct piece b = piece_of(call, thread, 1, 3);
        struct piece c = piece_of(call, thread, 2, 3);
        rp_cpu_isa_copy()->probe_triad((float *)(void *)a.data, (const float *)(const void *)b.data,
                                       (const float *)(const void *)c.data,
                                       a.bytes / sizeof(float));
    }
    return RP_OK;
}

#define PROBE(name, kind_, method_, plan_, launch_)                                                \
    extern const struct rp_probe rp_probe_cpu_##name;                                              \
    const struct rp_probe rp_probe_cpu_##name = {.backend = "cpu",                                 \
                                                 .kind = (kind_),                                  \
                                                 .path = "",                                       \
                                                 .method = (method_),                              \
                                                 .plan = (plan_),                                  \
                                                 .fill = rp_cpu_probe_fill,                        \
                                                 .launch = (launch_)}

PROBE(read, RP_PROBE_READ_BANDWIDTH, "read of 4 last-level caches", plan_memory, launch_read);
PROBE(read_lines, RP_PROBE_READ_BANDWIDTH, "a word a line of 4 last-level caches", plan_memory,
      launch_read_lines);
PROBE(copy, RP_PROBE_BANDWIDTH, "copy in 4 last-level caches", plan_memory, launch_copy);
PROBE(triad, RP_PROBE_BANDWIDTH, "triad in 4 last-level caches", plan_memory, launch_triad);
PROBE(cache_read, RP_PROBE_CACHE_BANDWIDTH, "read of half the last-level cache", plan_cache,
      launch_read);
PROBE(cache_lines, RP_PROBE_CACHE_BANDWIDTH, "a word a line of half the last cache", plan_cache,
      launch_read_lines);
