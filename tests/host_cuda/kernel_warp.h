/*
 * kernel_warp.h - shuffles and votes. Every lane of the mask meets in the
 * engine; none of these orders memory, only __syncwarp does.
 */
#ifndef RP_TESTS_KERNEL_WARP_H
#define RP_TESTS_KERNEL_WARP_H

#include "kernel_side.h"

namespace host_cuda
{

enum class Operation { syncwarp, shuffle, vote, matrix_load, matrix_multiply };

enum { WARP_LANES = 32 };

/* What the lanes of a warp must agree on. */
struct Meeting {
    Operation operation;
    unsigned mask;
    bool operator==(const Meeting &other) const = default;
};

void sync_warp(Place place, unsigned mask);

/* Gives `value`, of 16 bytes at most, to every lane of the mask and gets theirs into all[lane].
 * Returns the lanes that met: those of the mask that are there. */
unsigned exchange(Place place, const Meeting &meeting, const void *value, size_t bytes, void *all);

enum class Shuffle { index, up, down, exclusive_or };

/* The lane a shuffle reads; its own where the other one is outside the segment. */
inline unsigned shuffle_source(Shuffle kind, unsigned by, unsigned width)
{
    unsigned lane = self->lane;
    unsigned first = lane & ~(width - 1);
    unsigned source = lane;
    switch (kind) {
    case Shuffle::index:
        return first | (by & (width - 1));
    case Shuffle::up:
        return lane - first >= by ? lane - by : lane;
    case Shuffle::down:
        source = lane + by;
        break;
    case Shuffle::exclusive_or:
        source = lane ^ by;
        break;
    }
    return source < first + width ? source : lane;
}

template <class T>
T shuffle(Place place, Shuffle kind, unsigned mask, T value, unsigned by, unsigned width = 32)
{
    static_assert(sizeof(T) <= 16);
    T all[WARP_LANES];
    unsigned met = exchange(place, {Operation::shuffle, mask}, &value, sizeof value, all);
    unsigned source = shuffle_source(kind, by, width);
    if (!(met >> source & 1))
        trap(place, cudaErrorLaunchFailure, "a shuffle reads a lane that is not in its mask");
    return all[source];
}

/* Bits of the lanes whose predicate holds. */
inline unsigned vote(Place place, unsigned mask, bool predicate)
{
    bool all[WARP_LANES];
    unsigned ballot = 0;
    unsigned met = exchange(place, {Operation::vote, mask}, &predicate, sizeof predicate, all);
    for (unsigned lane = 0; lane < WARP_LANES; ++lane)
        ballot |= (met >> lane & 1) && all[lane] ? 1u << lane : 0u;
    return ballot;
}

} // namespace host_cuda

#define __syncwarp(...)                                                                            \
    host_cuda::sync_warp(HOST_CUDA_HERE, (0xffffffffu __VA_OPT__(&) __VA_ARGS__))
#define HOST_CUDA_SHUFFLE(kind, mask, value, ...)                                                  \
    host_cuda::shuffle(HOST_CUDA_HERE, host_cuda::Shuffle::kind, (mask), (value), __VA_ARGS__)
#define __shfl_sync(mask, value, ...)      HOST_CUDA_SHUFFLE(index, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...)   HOST_CUDA_SHUFFLE(up, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) HOST_CUDA_SHUFFLE(down, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...)  HOST_CUDA_SHUFFLE(exclusive_or, mask, value, __VA_ARGS__)
#define __ballot_sync(mask, predicate)     host_cuda::vote(HOST_CUDA_HERE, (mask), (predicate))
#define __any_sync(mask, predicate)        (__ballot_sync((mask), (predicate)) != 0)
#define __all_sync(mask, predicate)        (__ballot_sync((mask), !(predicate)) == 0)

#endif
