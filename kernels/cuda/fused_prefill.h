/* fused_prefill.h - what the prefill kernels share: a call's numbers, and which queries a block of
 * 128 has. */
#ifndef RP_KERNELS_CUDA_FUSED_PREFILL_H
#define RP_KERNELS_CUDA_FUSED_PREFILL_H

#include "kernels/cuda/fused_launch.h"
#include "kernels/cuda/fused_warp.h"
#include "kernels/cuda/storage.h"

/* Numbers of a call. Of positions and head_dim, 32 bits; of elements, 64. */
struct PrefillCall {
    int seq_q, seq_k;
    int group; /* query heads on a kv head */
    int head_dim;
    float scale_log2;
    bool causal;
};

static inline PrefillCall call_of(const rp_cuda_steps *s)
{
    return {static_cast<int>(s->seq_q),
            static_cast<int>(s->seq_k),
            static_cast<int>(s->rows / s->seq_q),
            static_cast<int>(s->head_dim),
            s->scale * LOG2_E,
            s->causal};
}

/* What a block works on: this head's queries from `first` on. */
struct PrefillWork {
    int head, first;
};

/* With a causal mask the longest tiles of a head are the first. */
template <int ROWS>
static __device__ __forceinline__ PrefillWork find_work(const PrefillCall &call, int block)
{
    const int tiles = (call.seq_q + ROWS - 1) / ROWS;
    return {block / tiles, (tiles - 1 - block % tiles) * ROWS};
}

static __device__ __forceinline__ int64_t find_q(const PrefillCall &call, const PrefillWork &work)
{
    return (static_cast<int64_t>(work.head) * call.seq_q + work.first) * call.head_dim;
}

/* The last key that the block's first row sees, and the last that any of its rows does. */
static __device__ __forceinline__ int find_last(const PrefillCall &call, const PrefillWork &work)
{
    return call.causal ? call.seq_k - call.seq_q + work.first : call.seq_k - 1;
}

template <int ROWS>
static __device__ __forceinline__ int find_reach(const PrefillCall &call, int last)
{
    return min(call.seq_k - 1, last + (call.causal ? ROWS - 1 : 0));
}

/* The last key each of this lane's rows sees, from the one of the block's first row. */
template <class Tile>
static __device__ __forceinline__ void mask_rows(Registers<Tile> &r, int last, bool causal)
{
    int of_row[2 * Registers<Tile>::M];
    const int thread = rp_opaque(static_cast<int>(threadIdx.x)); /* as `own` below */
    const int row = thread / WARP * Tile::WARP_ROWS + thread % WARP / 4;
#pragma unroll
    for (int i = 0; i < 2 * Registers<Tile>::M; ++i)
        of_row[i] = last + (causal ? row + 8 * i : 0);
    mask(r, of_row);
}

/* O over its sum, to `rows` rows of head_dim elements. */
template <class Tile>
static __device__ __forceinline__ void store(const Registers<Tile> &r, typename Tile::T *o,
                                             int rows, int head_dim)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
#pragma unroll
    for (int i = 0; i < 2 * Registers<Tile>::M; ++i) {
        const int row = Tile::first_row() + 8 * i + lane / 4;
        const float inverse = 1.0f / join_sum(r.sum[i / 2][i % 2]);
        typename Tile::T *to = o + static_cast<int64_t>(row) * head_dim;
#pragma unroll
        for (int e = 0; e < Tile::WIDTH / 4; ++e) {
            const int column = e / 2 * 8 + lane % 4 * 2 + e % 2;
            if (row < rows && column < head_dim)
                rp_element_store(&to[column], r.o[i / 2][e / 2][i % 2 * 2 + e % 2] * inverse);
        }
    }
}

#endif
