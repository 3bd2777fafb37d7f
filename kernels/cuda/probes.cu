/*
 * probes.cu - the ceilings of a GPU: bandwidth of its memory and of its L2, multiply-adds on plain
 * cores, an empty launch.
 *
 * Streams are grid-stride loops of 16-byte accesses, four of them under way in each thread: with
 * 2,048 threads on a multiprocessor that is 128 KiB, above what Little's law asks of the fastest
 * memory here (3.35 TB/s x 0.7 us over 132 multiprocessors = 18 KiB each).
 */
#include "kernels/cuda/launch.h"
#include "kernels/cuda/probes.h"
#include "kernels/cuda/storage.h"

enum { THREADS = RP_CUDA_PROBE_THREADS, UNDER_WAY = 4 };

static __device__ __forceinline__ int64_t first_element()
{
    return static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
}

static __device__ __forceinline__ int64_t grid_stride()
{
    return static_cast<int64_t>(gridDim.x) * THREADS;
}

static __device__ __forceinline__ unsigned bits_of(const int4 &x)
{
    return static_cast<unsigned>(x.x | x.y | x.z | x.w);
}

/* Data are filled with 0x01 .. 0x7f bytes or zeros, so that the sum of bits is never all ones. */
static __global__ void __launch_bounds__(THREADS) read_kernel(int4 *data, int64_t n, int passes)
{
    unsigned seen = 0;
    const int64_t stride = grid_stride();
    for (int pass = 0; pass < passes; ++pass) {
        int64_t i = first_element();
        for (; i + (UNDER_WAY - 1) * stride < n; i += UNDER_WAY * stride) {
            int4 part[UNDER_WAY];
#pragma unroll
            for (int j = 0; j < UNDER_WAY; ++j)
                part[j] = data[i + j * stride];
#pragma unroll
            for (int j = 0; j < UNDER_WAY; ++j)
                seen |= bits_of(part[j]);
        }
        for (; i < n; i += stride)
            seen |= bits_of(data[i]);
        if (seen == 0xffffffffu) /* which the compiler cannot know */
            data[first_element()].x = pass;
    }
}

static __global__ void __launch_bounds__(THREADS) copy_kernel(int4 *to, const int4 *from, int64_t n)
{
    const int64_t stride = grid_stride();
    for (int64_t i = first_element(); i < n; i += stride)
        to[i] = from[i];
}

static __device__ __forceinline__ float4 triad_of(const float4 &b, const float4 &c)
{
    return make_float4(fmaf(3.0f, c.x, b.x), fmaf(3.0f, c.y, b.y), fmaf(3.0f, c.z, b.z),
                       fmaf(3.0f, c.w, b.w));
}

static __global__ void __launch_bounds__(THREADS)
    triad_kernel(float4 *a, const float4 *b, const float4 *c, int64_t n)
{
    const int64_t stride = grid_stride();
    for (int64_t i = first_element(); i < n; i += stride)
        a[i] = triad_of(b[i], c[i]);
}

/* Chains that do not wait for one another hide the latency of a multiply-add. */
static __global__ void __launch_bounds__(THREADS) fma_kernel(float *data, int steps)
{
    float chains[RP_CUDA_FMA_CHAINS];
    const float factor = 1.0f - 1e-6f * static_cast<float>(threadIdx.x);
#pragma unroll
    for (int c = 0; c < RP_CUDA_FMA_CHAINS; ++c)
        chains[c] = static_cast<float>(c);
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int c = 0; c < RP_CUDA_FMA_CHAINS; ++c)
            chains[c] = fmaf(chains[c], factor, 1e-3f);
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < RP_CUDA_FMA_CHAINS; ++c)
        sum += chains[c];
    if (sum == -1.0f) /* never: all are positive */
        data[0] = sum;
}

static __global__ void nothing_kernel()
{
}

/* A hash of the place (Wang's), so that neighbours have nothing in common. */
static __device__ __forceinline__ float hash_of(unsigned x)
{
    x = (x ^ 61u) ^ (x >> 16);
    x *= 9u;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    x ^= x >> 15;
    return static_cast<float>(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

template <class T> static __global__ void __launch_bounds__(THREADS) fill_kernel(T *data, int64_t n)
{
    const int64_t stride = grid_stride();
    for (int64_t i = first_element(); i < n; i += stride)
        rp_element_store(&data[i], hash_of(static_cast<unsigned>(i)));
}

extern "C" cudaError_t rp_cuda_probe_read(void *data, int64_t n, int passes, unsigned blocks,
                                          cudaStream_t stream)
{
    LAUNCH(read_kernel, dim3(blocks), dim3(THREADS), 0, stream, static_cast<int4 *>(data), n,
           passes);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_probe_copy(void *data, int64_t n, unsigned blocks,
                                          cudaStream_t stream)
{
    int4 *to = static_cast<int4 *>(data);
    LAUNCH(copy_kernel, dim3(blocks), dim3(THREADS), 0, stream, to, (const int4 *)(to + n), n);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_probe_triad(void *data, int64_t n, unsigned blocks,
                                           cudaStream_t stream)
{
    float4 *a = static_cast<float4 *>(data);
    LAUNCH(triad_kernel, dim3(blocks), dim3(THREADS), 0, stream, a, (const float4 *)(a + n),
           (const float4 *)(a + 2 * n), n);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_probe_fma(void *data, int steps, unsigned blocks,
                                         cudaStream_t stream)
{
    LAUNCH(fma_kernel, dim3(blocks), dim3(THREADS), 0, stream, static_cast<float *>(data), steps);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_probe_nothing(cudaStream_t stream)
{
    LAUNCH(nothing_kernel, dim3(1), dim3(32), 0, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_probe_fill(void *data, int64_t n, rp_cuda_storage storage,
                                          cudaStream_t stream)
{
    const unsigned blocks = 1024;
    return rp_storage_visit(storage, [=](auto element) {
        using T = decltype(element);
        LAUNCH(fill_kernel<T>, dim3(blocks), dim3(THREADS), 0, stream, static_cast<T *>(data), n);
        return cudaGetLastError();
    });
}
