/* planted_races.cu - a barrier, a wait or a memory order too few: wrong in some order of threads.
 */
#include "kernels/cuda/ptx.h"

#include "planted.h"
#include "planted_run.h"

enum { THREADS = 128, BLOCKS = 3, TILES = 6, STAGES = 2, TILE_FLOATS = 4 * THREADS };

/* x of a block, reversed. */
template <bool WITH_FAULT> static __global__ void reverse(float *x)
{
    __shared__ float values[THREADS];
    unsigned i = threadIdx.x;
    float *own = x + blockIdx.x * THREADS;
    values[i] = own[i];
    if (!WITH_FAULT)
        __syncthreads(); /* every value is there */
    own[i] = values[THREADS - 1 - i];
}

static bool run_reverse(bool with_fault)
{
    DeviceFloats x(BLOCKS * THREADS);
    if (with_fault)
        LAUNCH(reverse<true>, dim3(BLOCKS), dim3(THREADS), 0, nullptr, x.data);
    else
        LAUNCH(reverse<false>, dim3(BLOCKS), dim3(THREADS), 0, nullptr, x.data);
    return x.become([](size_t i) { return i / THREADS * THREADS + THREADS - 1 - i % THREADS; });
}

/* Each value moves on by one place, again and again. */
template <bool WITH_FAULT> static __global__ void rotate(float *x, int times)
{
    __shared__ float values[THREADS];
    unsigned i = threadIdx.x;
    float own = x[i];
    for (int n = 0; n < times; ++n) {
        values[i] = own;
        __syncthreads(); /* every value is there */
        own = values[(i + THREADS - 1) % THREADS];
        if (!WITH_FAULT)
            __syncthreads(); /* every value is read: it may be overwritten */
    }
    x[i] = own;
}

static bool run_rotate(bool with_fault)
{
    const int times = 5;
    DeviceFloats x(THREADS);
    if (with_fault)
        LAUNCH(rotate<true>, dim3(1), dim3(THREADS), 0, nullptr, x.data, times);
    else
        LAUNCH(rotate<false>, dim3(1), dim3(THREADS), 0, nullptr, x.data, times);
    return x.become([](size_t i) { return (i + THREADS - times) % THREADS; });
}

/* As reverse, within each warp. */
template <bool WITH_FAULT> static __global__ void reverse_warps(float *x)
{
    __shared__ float values[THREADS];
    unsigned i = threadIdx.x;
    values[i] = x[i];
    if (!WITH_FAULT)
        __syncwarp();
    x[i] = values[i / 32 * 32 + 31 - i % 32];
}

static bool run_reverse_warps(bool with_fault)
{
    DeviceFloats x(THREADS);
    if (with_fault)
        LAUNCH(reverse_warps<true>, dim3(1), dim3(THREADS), 0, nullptr, x.data);
    else
        LAUNCH(reverse_warps<false>, dim3(1), dim3(THREADS), 0, nullptr, x.data);
    return x.become([](size_t i) { return i / 32 * 32 + 31 - i % 32; });
}

static __device__ void fetch(float *tile, const float *x, int n)
{
    unsigned i = 4 * threadIdx.x;
    rp_copy_async_16(tile + i, x + (n < TILES ? n * TILE_FLOATS + i : 0), n < TILES);
    rp_copy_async_commit();
}

/* sum[i] of what lies at place i of the mirrored tiles; the next tile is fetched meanwhile. */
template <bool WAITS_SHORT, bool OVERWRITES>
static __global__ void sum_tiles(const float *x, float *sum)
{
    __shared__ __align__(16) float tiles[STAGES][TILE_FLOATS];
    float own = 0.0f;
    fetch(tiles[0], x, 0);
    for (int n = 0; n < TILES; ++n) {
        fetch(tiles[(n + 1) % STAGES], x, n + 1);
        rp_copy_async_wait<WAITS_SHORT ? 2 : 1>();
        __syncthreads(); /* tile n of every thread has landed */
        own += tiles[n % STAGES][TILE_FLOATS - 1 - threadIdx.x];
        if (!OVERWRITES)
            __syncthreads(); /* tile n is read: its stage may be fetched into */
    }
    sum[threadIdx.x] = own;
}

template <bool WAITS_SHORT, bool OVERWRITES> static bool run_sum_tiles()
{
    DeviceFloats x(TILES * TILE_FLOATS);
    DeviceFloats sum(THREADS);
    LAUNCH((sum_tiles<WAITS_SHORT, OVERWRITES>), dim3(1), dim3(THREADS), 0, nullptr,
           (const float *)x.data, sum.data);
    return sum.become([](size_t i) {
        return TILES * (TILE_FLOATS - 1 - i) + TILE_FLOATS * TILES * (TILES - 1) / 2;
    });
}

static bool run_short_wait(bool with_fault)
{
    return with_fault ? run_sum_tiles<true, false>() : run_sum_tiles<false, false>();
}

static bool run_overwrite(bool with_fault)
{
    return with_fault ? run_sum_tiles<false, true>() : run_sum_tiles<false, false>();
}

const struct planted planted_races[] = {
    {"no __syncthreads after a write", run_reverse},
    {"no __syncthreads before an overwrite", run_rotate},
    {"no __syncwarp", run_reverse_warps},
    {"cp.async waited for one group short", run_short_wait},
    {"no trailing barrier with two stages", run_overwrite},
    {nullptr, nullptr},
};
