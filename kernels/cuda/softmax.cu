/*
 * softmax.cu - p_j = exp(s_j - m) / sum, m the largest visible score; 0 where the mask hides a key.
 *
 * A block takes a row. Maximum and sum are found in one pass: a sum over the maximum so far is
 * scaled when a larger one turns up.
 */
#include "kernels/cuda/launch.h"
#include "kernels/cuda/steps.h"
#include "kernels/cuda/storage.h"

enum { THREADS = 128, WARPS = THREADS / 32 };

/* Of a part of a row: the maximum, and the sum of exp(s - maximum). */
struct Sum {
    float maximum, sum;
};

/* A part without any key has the sum 0 and counts for nothing. */
static __device__ Sum join(Sum a, Sum b)
{
    if (a.sum == 0.0f)
        return b;
    if (b.sum == 0.0f)
        return a;
    float maximum = fmaxf(a.maximum, b.maximum);
    return {maximum, a.sum * __expf(a.maximum - maximum) + b.sum * __expf(b.maximum - maximum)};
}

static __device__ Sum join_warp(Sum own)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        Sum other = {__shfl_xor_sync(0xffffffffu, own.maximum, distance),
                     __shfl_xor_sync(0xffffffffu, own.sum, distance)};
        own = join(own, other);
    }
    return own;
}

/* Over all threads of the block. */
static __device__ Sum join_block(Sum own)
{
    __shared__ Sum warps[WARPS];
    own = join_warp(own);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = own;
    __syncthreads(); /* every warp's part is there */
    Sum total = warps[0];
    for (int warp = 1; warp < WARPS; ++warp)
        total = join(total, warps[warp]);
    return total;
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    softmax_kernel(const float *scores, T *probabilities, int64_t seq_q, int64_t seq_k, bool causal)
{
    const int64_t row = blockIdx.x;
    const int64_t visible = causal ? seq_k - seq_q + row % seq_q + 1 : seq_k;
    Sum own = {0.0f, 0.0f};
    scores += row * seq_k;
    probabilities += row * seq_k;
    for (int64_t key = threadIdx.x; key < visible; key += THREADS)
        own = join(own, {scores[key], 1.0f});
    const Sum total = join_block(own);
    for (int64_t key = threadIdx.x; key < seq_k; key += THREADS) {
        float p = key < visible ? __expf(scores[key] - total.maximum) / total.sum : 0.0f;
        rp_element_store(&probabilities[key], p);
    }
}

extern "C" int64_t rp_cuda_softmax_blocks(const rp_cuda_steps *s)
{
    return s->kv_heads * s->rows;
}

extern "C" cudaError_t rp_cuda_softmax(const rp_cuda_steps *s)
{
    return rp_storage_visit(s->storage, [s](auto element) {
        using T = decltype(element);
        LAUNCH(softmax_kernel<T>, dim3(static_cast<unsigned>(rp_cuda_softmax_blocks(s))),
               dim3(THREADS), 0, s->stream, (const float *)s->scores,
               static_cast<T *>(s->probabilities), s->seq_q, s->seq_k, s->causal);
        return cudaGetLastError();
    });
}
