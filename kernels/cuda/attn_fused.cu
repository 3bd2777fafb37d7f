/*
 * attn_fused.cu - prefill in one pass. A block has 128 query rows of one head and walks over the
 * keys 64 at a time; a warp has its rows from the first product to the last (fused_warp.h). V
 * arrives while S is computed, the next K while P V is: a barrier before each.
 *
 * The order of the loops is FlashAttention-2's (Dao 2023), the rare rescaling FlashAttention-4's.
 */
#include "kernels/cuda/fused.h"
#include "kernels/cuda/fused_launch.h"
#include "kernels/cuda/fused_prefill.h"
#include "kernels/cuda/fused_warp.h"

/* Warps one below the other. Q stays in registers, or is read again for every step. */
template <class T, int WIDTH, int WARPS, int WARP_ROWS_, bool ASYNC, bool Q_STAYS_>
struct PrefillTile : Tile<T, WIDTH, WARPS, ASYNC> {
    using Base = Tile<T, WIDTH, WARPS, ASYNC>;
    static constexpr int WARP_ROWS = WARP_ROWS_;
    static constexpr int WARP_KEYS = Base::KEYS;
    static constexpr int WARP_WIDTH = WIDTH;
    static constexpr bool Q_STAYS = Q_STAYS_;
    static constexpr int ROWS = WARPS * WARP_ROWS;
    static constexpr int Q_BYTES = ROWS * Base::STRIDE;
    static constexpr int Q_PLACE = Q_STAYS ? 0 : 2 * Base::KV_BYTES;
    static constexpr int SHARED_BYTES = 2 * Base::KV_BYTES + (Q_STAYS ? 0 : Q_BYTES);
    static_assert(ROWS == RP_CUDA_FUSED_QUERIES(Base::STRIDE), "costs are counted so");
    static_assert(!Q_STAYS || Q_BYTES <= 2 * Base::KV_BYTES, "Q passes through there");

    static __device__ __forceinline__ int first_row()
    {
        return Base::warp() * WARP_ROWS;
    }

    static __device__ __forceinline__ int first_key()
    {
        return 0;
    }

    static __device__ __forceinline__ int first_column()
    {
        return 0;
    }
};

/*
 * Every warp reads all of K and V from shared memory, 128 bytes a clock, so the rows of a warp
 * decide between shared memory and the matrix unit. Clocks of a multiprocessor for a step at width
 * 128 (multiply-adds a clock: 512 on sm_75, 1024 on sm_80; K and V written once, 256, included, and
 * Q read again with 32 rows, 256):
 *
 *               matrix unit   shared memory, 16 rows a warp   32 rows a warp
 *     sm_75        4096                 2304                      1536
 *     sm_80        2048                 2304                      1536
 *
 * So 32 rows a warp from sm_80 on, while O (32 x width) and S (32 x 64) leave room in 255
 * registers; Q then lies in shared memory from width 128 on. Two blocks of 4 warps share a
 * multiprocessor (64 KB each): one computes while the other waits or does its softmax.
 * sm_75 has 64 KB and no cp.async: 8 warps of 16 rows, Q in registers, and what is on its way, too.
 */
template <class T, int WIDTH> struct TileOf {
    using Turing = PrefillTile<T, WIDTH, 8, 16, false, true>;
    using Ampere = PrefillTile<T, WIDTH, 4, 32, true, WIDTH == 64>;
};
template <class T> struct TileOf<T, 256> {
    using Turing = PrefillTile<T, 256, 8, 16, false, true>;
    using Ampere = PrefillTile<T, 256, 8, 16, true, false>;
};
template <> struct TileOf<float, 128> {
    using Ampere = PrefillTile<float, 128, 8, 16, true, true>;
};
template <> struct TileOf<float, 256> {
    using Ampere = PrefillTile<float, 256, 4, 16, true, false>;
};

/* Blocks are tiles of all query heads; those of a head run side by side and share K and V in the
 * L2 cache. */
template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, 256 / Tile::THREADS)
    prefill_kernel(const typename Tile::T *q, const typename Tile::T *k, const typename Tile::T *v,
                   typename Tile::T *o, PrefillCall call)
{
    using T = typename Tile::T;
    if constexpr (!rp_is_compiled_for<Tile::ASYNC>()) {
        __trap();
    } else {
        DYN_SHARED(unsigned char, shared);
        unsigned char *const k_tile = shared;
        unsigned char *const v_tile = shared + Tile::KV_BYTES;
        unsigned char *const q_tile = shared + Tile::Q_PLACE;
        const PrefillWork work = find_work<Tile::ROWS>(call, static_cast<int>(blockIdx.x));
        const int kv_head = work.head / call.group;
        const auto rows_of = [&](const T *matrix) {
            const int64_t before = static_cast<int64_t>(keep<Tile>(kv_head)) * call.seq_k;
            return Rows<T>{matrix + before * call.head_dim, call.seq_k, call.head_dim};
        };
        const int last = find_last(call, work);
        const int reach = find_reach<Tile::ROWS>(call, last);
        Registers<Tile> r;
        Transfer<Tile, Tile::KEYS> k_transfer, v_transfer;

        begin_rows(r, q_tile,
                   Rows<T>{q + find_q(call, work), call.seq_q - work.first, call.head_dim});
        begin_transfer(k_transfer, k_tile, rows_of(k), 0);
        for (int key = 0; key <= reach; key += Tile::KEYS) {
            end_transfer(k_transfer, k_tile, rows_of(k), key);
            __syncthreads(); /* K of this step is there, V of the last one is read */
            begin_transfer(v_transfer, v_tile, rows_of(v), key);
            score(r, q_tile, k_tile);
            end_transfer(v_transfer, v_tile, rows_of(v), key);
            __syncthreads(); /* V of this step is there, K is read */
            begin_transfer(k_transfer, k_tile, rows_of(k), key + Tile::KEYS);
            if (key + Tile::KEYS > last + 1)
                mask_rows(r, last - key, call.causal);
            soften(r, call.scale_log2);
            weigh(r, v_tile);
        }
        rp_copy_async_wait<0>(); /* nothing is on its way into memory that another block gets */
        /* Found again: what is kept costs the loop registers. */
        const PrefillWork own =
            find_work<Tile::ROWS>(call, rp_opaque(static_cast<int>(blockIdx.x)));
        store(r, o + find_q(call, own), call.seq_q - own.first, call.head_dim);
    }
}

extern "C" int64_t rp_cuda_prefill_blocks(const rp_cuda_steps *s)
{
    const int64_t stride = tile_stride(s);
    const int64_t queries = RP_CUDA_FUSED_QUERIES(stride);
    return s->kv_heads * (s->rows / s->seq_q) * ((s->seq_q + queries - 1) / queries);
}

template <class Tile> static cudaError_t launch(const rp_cuda_steps *s)
{
    using T = typename Tile::T;
    const cudaError_t error = allow_shared(prefill_kernel<Tile>, Tile::SHARED_BYTES);
    if (error != cudaSuccess)
        return error;
    LAUNCH(prefill_kernel<Tile>, dim3(static_cast<unsigned>(rp_cuda_prefill_blocks(s))),
           dim3(Tile::THREADS), Tile::SHARED_BYTES, s->stream, static_cast<const T *>(s->q),
           static_cast<const T *>(s->k), static_cast<const T *>(s->v), static_cast<T *>(s->o),
           call_of(s));
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_prefill(const rp_cuda_steps *s)
{
#ifdef RP_CUDA_HOPPER
    bool is_served = false;
    const cudaError_t error = rp_cuda_hopper_serves(s, &is_served);
    if (error != cudaSuccess || is_served)
        return error != cudaSuccess ? error : rp_cuda_hopper_prefill(s);
#endif
    return visit_tile<TileOf>(s, [s](auto tile) { return launch<decltype(tile)>(s); });
}
