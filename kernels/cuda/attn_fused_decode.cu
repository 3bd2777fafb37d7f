/*
 * attn_fused_decode.cu - few query rows on a kv head. The keys are split into parts, a block
 * each; the rows of the whole group meet a part at once, 16 to a matrix instruction, so K and V are
 * read once. Each warp takes 16 of the 64 keys of a step (fused_warp.h); what the warps have is put
 * together in shared memory, what the parts have by a second launch, always in the same order:
 *
 *   o = sum_i o_i l_i 2^(b_i - b) / sum_i l_i 2^(b_i - b),   b = max_i b_i
 *
 * Bytes on their way, by Little's law: bandwidth times latency (some 700 ns, 500 on sm_75, under
 * load) over the multiprocessors; a block has at least one step of K and V on its way, at width 128
 * 32 KB, and two blocks fit:
 *
 *     T4     320 GB/s * 500 ns /  40 =  4.0 KB     has 64 KB
 *     A100  2039 GB/s * 700 ns / 108 = 13.2 KB     has 64 KB
 *     H100  3350 GB/s * 700 ns / 132 = 17.8 KB     has 64 KB
 */
#include "kernels/cuda/fused.h"
#include "kernels/cuda/fused_launch.h"
#include "kernels/cuda/fused_warp.h"
#include "kernels/cuda/storage.h"

enum { COMBINE_THREADS = 128 };

/* Warps of 16 rows each, and of 16 keys. Those of a further group of columns compute the same S. */
template <class T, int WIDTH> struct DecodeWarps {
    static constexpr int STRIDE = WIDTH * static_cast<int>(sizeof(T));
    static constexpr int KEYS = 16; /* of a warp */
    static constexpr int ALONG_KEYS = RP_CUDA_FUSED_KEYS(STRIDE) / KEYS;
    static constexpr int COLUMN_GROUPS = RP_CUDA_DECODE_COLUMN_GROUPS(WIDTH, STRIDE);
    static constexpr int COUNT = ALONG_KEYS * COLUMN_GROUPS;
};

template <class T, int WIDTH, bool ASYNC>
struct DecodeTile : Tile<T, WIDTH, DecodeWarps<T, WIDTH>::COUNT, ASYNC> {
    using Warps = DecodeWarps<T, WIDTH>;
    using Base = Tile<T, WIDTH, Warps::COUNT, ASYNC>;
    static constexpr int ROWS = RP_CUDA_DECODE_ROWS;
    static constexpr int WARP_ROWS = ROWS;
    static constexpr int WARP_KEYS = Warps::KEYS;
    static constexpr int WARP_WIDTH = WIDTH / Warps::COLUMN_GROUPS;
    static constexpr int KEY_WARPS = Warps::ALONG_KEYS;
    static constexpr bool Q_STAYS = true;
    static constexpr int STAGES = ASYNC ? 2 : 1; /* registers are the second one without cp.async */
    static constexpr int STAGE_BYTES = 2 * Base::KV_BYTES;
    static constexpr int SHARED_BYTES = STAGES * STAGE_BYTES;
    static_assert(KEY_WARPS * ROWS * WIDTH * 4 <= SHARED_BYTES, "each warp's O has its place");

    static __device__ __forceinline__ int first_row()
    {
        return 0;
    }

    static __device__ __forceinline__ int first_key()
    {
        return Base::warp() % KEY_WARPS * WARP_KEYS;
    }

    static __device__ __forceinline__ int first_column()
    {
        return Base::warp() / KEY_WARPS * WARP_WIDTH;
    }
};

template <class T, int WIDTH> struct TileOf {
    using Turing = DecodeTile<T, WIDTH, false>;
    using Ampere = DecodeTile<T, WIDTH, true>;
};

/* Numbers of a call. Of positions, parts and head_dim, 32 bits; of elements, 64. */
struct DecodeCall {
    int rows; /* on a kv head */
    int seq_q, seq_k;
    int parts, part_keys;
    int head_dim;
    float scale_log2;
    bool causal;
};

/* What a block works on: these rows of a kv head, and these keys. */
struct DecodeWork {
    int kv_head, part;
    int first_row, first_key, end_key;
};

static __device__ DecodeWork find_work(const DecodeCall &c)
{
    const int row_tiles = (c.rows + RP_CUDA_DECODE_ROWS - 1) / RP_CUDA_DECODE_ROWS;
    const int block = static_cast<int>(blockIdx.x);
    const int part = block / row_tiles % c.parts;
    return {block / row_tiles / c.parts, part, block % row_tiles * RP_CUDA_DECODE_ROWS,
            part * c.part_keys,
            min(c.seq_k - part * c.part_keys, c.part_keys) + part * c.part_keys};
}

/* The last key of the part that each of this lane's two rows sees. */
static __device__ __forceinline__ void find_last(int (&last)[2], const DecodeCall &c,
                                                 const DecodeWork &w)
{
    const int row = w.first_row + static_cast<int>(threadIdx.x) % WARP / 4;
    for (int i = 0; i < 2; ++i) {
        const int of_row = c.seq_k - c.seq_q + (row + 8 * i) % c.seq_q;
        last[i] = min(c.causal ? of_row : c.seq_k, w.end_key - 1);
    }
}

/* K and V of a step begin to come, to one behind the other. */
template <class Tile> struct StepTransfer {
    Transfer<Tile, Tile::KEYS> k, v;
};

template <class Tile>
static __device__ __forceinline__ void begin_step(StepTransfer<Tile> &transfer, unsigned char *to,
                                                  const Rows<typename Tile::T> &keys,
                                                  const Rows<typename Tile::T> &values, int first)
{
    begin_transfer(transfer.k, to, keys, first);
    begin_transfer(transfer.v, to + Tile::KV_BYTES, values, first);
}

/* This warp's keys of every step meet the rows. */
template <class Tile>
static __device__ __forceinline__ void
take_keys(Registers<Tile> &r, unsigned char *shared, const Rows<typename Tile::T> &keys,
          const Rows<typename Tile::T> &values, const DecodeCall &c, const DecodeWork &w)
{
    StepTransfer<Tile> transfer;
    int last[2];
    int stage = 0;
    find_last(last, c, w);
    const int seen_by_all = min(c.causal ? c.seq_k - c.seq_q + 1 : c.seq_k, w.end_key);
    begin_step(transfer, shared, keys, values, w.first_key);
    for (int key = w.first_key; key < w.end_key; key += Tile::KEYS) {
        unsigned char *const k_tile = shared + stage * Tile::STAGE_BYTES;
        unsigned char *const v_tile = k_tile + Tile::KV_BYTES;
        stage = (stage + 1) % Tile::STAGES;
        unsigned char *const next = shared + stage * Tile::STAGE_BYTES;
        if constexpr (Tile::ASYNC) {
            begin_step(transfer, next, keys, values, key + Tile::KEYS);
            rp_copy_async_wait<2>(); /* all but the two of the next step */
        } else {
            end_transfer(transfer.k, k_tile, keys, key);
            end_transfer(transfer.v, v_tile, values, key);
        }
        __syncthreads(); /* K and V of this step are there */
        if constexpr (!Tile::ASYNC)
            begin_step(transfer, next, keys, values, key + Tile::KEYS);
        score(r, nullptr, k_tile);
        if (key + Tile::KEYS > seen_by_all)
            mask(r, {last[0] - key, last[1] - key});
        soften(r, c.scale_log2);
        weigh(r, v_tile);
        __syncthreads(); /* and are read: their place is free */
    }
    rp_copy_async_wait<0>();
    __syncthreads(); /* no copy is on its way any more, of any thread */
}

/* Floats of a part's result for all rows of a kv head: each row's O, its bound and its sum. */
static __device__ int64_t partial_floats(const DecodeCall &c)
{
    return static_cast<int64_t>(c.rows) * (c.head_dim + 2);
}

/* Where warp `key_warp` puts column `column` of its O. Rows change places by groups of 8 columns,
 * so that the eight rows of a store meet all banks. */
template <class Tile> static __device__ int o_place(int key_warp, int row, int column)
{
    return (key_warp * Tile::ROWS + row) * Tile::WIDTH + (column ^ row % 8 * 8);
}

/* Bound and sum of each of this lane's rows over all keys of the part; O is scaled to them and
 * divided by the sum. */
template <class Tile>
static __device__ __forceinline__ void join_warps(Registers<Tile> &r, float *shared)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const int key_warp = Tile::warp() % Tile::KEY_WARPS;
    float2 *const parts = reinterpret_cast<float2 *>(shared); /* (row, warp): bound and sum */
    for (int i = 0; i < 2; ++i) {
        const float sum = join_sum(r.sum[0][i]);
        if (lane % 4 == 0)
            parts[(8 * i + lane / 4) * Tile::KEY_WARPS + key_warp] =
                make_float2(r.bound[0][i], sum);
    }
    __syncthreads(); /* every warp's bound and sum are there */
    for (int i = 0; i < 2; ++i) {
        const float2 *const of_row = &parts[(8 * i + lane / 4) * Tile::KEY_WARPS];
        const float own_bound = r.bound[0][i];
        float bound = LOWEST;
        float sum = 0.0f;
        for (int w = 0; w < Tile::KEY_WARPS; ++w)
            bound = fmaxf(bound, of_row[w].x);
        for (int w = 0; w < Tile::KEY_WARPS; ++w)
            sum += of_row[w].y * rp_exp2(of_row[w].x - bound);
        const float factor = sum == 0.0f ? 0.0f : rp_exp2(own_bound - bound) / sum;
        r.bound[0][i] = bound;
        r.sum[0][i] = sum;
#pragma unroll
        for (int e = 0; e < Tile::WARP_WIDTH / 4; ++e)
            r.o[0][e / 2][i * 2 + e % 2] *= factor;
    }
    __syncthreads(); /* they are read: O may take their place */
}

/* Every warp's O, one after the other. */
template <class Tile>
static __device__ __forceinline__ void put_o(const Registers<Tile> &r, float *shared)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
#pragma unroll
    for (int n = 0; n < Tile::WARP_WIDTH / 8; ++n) {
        const int column = Tile::first_column() + 8 * n + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int place =
                o_place<Tile>(Tile::warp() % Tile::KEY_WARPS, lane / 4 + 8 * i, column);
            *reinterpret_cast<float2 *>(&shared[place]) =
                make_float2(r.o[0][n][2 * i], r.o[0][n][2 * i + 1]);
        }
    }
    __syncthreads(); /* O of every warp is there */
}

/* The block's O, summed over the warps, to rows of `stride` elements. */
template <class Tile, class Out>
static __device__ __forceinline__ void store_o(const float *shared, Out *to, const DecodeCall &c,
                                               int n_rows, int stride)
{
    for (int e = static_cast<int>(threadIdx.x); e < Tile::ROWS * Tile::WIDTH; e += Tile::THREADS) {
        const int row = e / Tile::WIDTH;
        const int column = e % Tile::WIDTH;
        float sum = 0.0f;
        for (int w = 0; w < Tile::KEY_WARPS; ++w)
            sum += shared[o_place<Tile>(w, row, column)];
        if (row < n_rows && column < c.head_dim)
            rp_element_store(&to[row * stride + column], sum);
    }
}

/* Row tiles of the same keys run side by side and share them in the L2 cache. */
template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, 256 / Tile::THREADS)
    decode_kernel(const typename Tile::T *q, const typename Tile::T *k, const typename Tile::T *v,
                  typename Tile::T *o, float *partials, DecodeCall c)
{
    using T = typename Tile::T;
    if constexpr (!rp_is_compiled_for<Tile::ASYNC>()) {
        __trap();
    } else {
        DYN_SHARED(unsigned char, shared);
        float *const joined = reinterpret_cast<float *>(shared);
        const DecodeWork w = find_work(c);
        const int n_rows = c.rows - w.first_row;
        const int64_t kv_offset = static_cast<int64_t>(w.kv_head) * c.seq_k * c.head_dim;
        const int64_t q_offset =
            (static_cast<int64_t>(w.kv_head) * c.rows + w.first_row) * c.head_dim;
        Registers<Tile> r;
        begin_rows(r, shared, Rows<T>{q + q_offset, n_rows, c.head_dim});
        take_keys(r, shared, Rows<T>{k + kv_offset, w.end_key, c.head_dim},
                  Rows<T>{v + kv_offset, w.end_key, c.head_dim}, c, w);
        join_warps(r, joined);
        put_o(r, joined);
        if (c.parts == 1) {
            store_o<Tile>(joined, o + q_offset, c, n_rows, c.head_dim);
            return;
        }
        const int stride = c.head_dim + 2;
        const int64_t before = static_cast<int64_t>(w.kv_head) * c.parts + w.part;
        float *const own = partials + before * partial_floats(c) + w.first_row * stride;
        store_o<Tile>(joined, own, c, n_rows, stride);
        const int lane = static_cast<int>(threadIdx.x);
        for (int i = 0; i < 2; ++i) {
            const int row = lane / 4 + 8 * i;
            if (lane < WARP && lane % 4 == 0 && row < n_rows) {
                own[row * stride + c.head_dim] = r.bound[0][i];
                own[row * stride + c.head_dim + 1] = r.sum[0][i];
            }
        }
    }
}

/* A block a query row. */
template <class T>
static __global__ void __launch_bounds__(COMBINE_THREADS)
    combine_kernel(const float *partials, T *o, int64_t rows, int64_t parts, int head_dim)
{
    const int64_t stride = head_dim + 2;
    const float *const first =
        partials + (blockIdx.x / rows * parts * rows + blockIdx.x % rows) * stride;
    float bound = LOWEST;
    for (int64_t part = 0; part < parts; ++part)
        bound = fmaxf(bound, first[part * rows * stride + head_dim]);
    for (int column = static_cast<int>(threadIdx.x); column < head_dim; column += COMBINE_THREADS) {
        float sum = 0.0f;
        float weighed = 0.0f;
        for (int64_t part = 0; part < parts; ++part) {
            const float *const of_part = first + part * rows * stride;
            const float weight = of_part[head_dim + 1] * rp_exp2(of_part[head_dim] - bound);
            sum += weight;
            weighed = fmaf(weight, of_part[column], weighed);
        }
        rp_element_store(&o[static_cast<int64_t>(blockIdx.x) * head_dim + column], weighed / sum);
    }
}

extern "C" cudaError_t rp_cuda_combine(const rp_cuda_steps *s)
{
    return rp_storage_visit(s->storage, [s](auto element) {
        using T = decltype(element);
        LAUNCH(combine_kernel<T>, dim3(static_cast<unsigned>(s->kv_heads * s->rows)),
               dim3(COMBINE_THREADS), 0, s->stream, (const float *)s->partials,
               static_cast<T *>(s->o), s->rows, count_parts(s), static_cast<int>(s->head_dim));
        return cudaGetLastError();
    });
}

extern "C" int64_t rp_cuda_decode_blocks(const rp_cuda_steps *s)
{
    const int64_t row_tiles = (s->rows + RP_CUDA_DECODE_ROWS - 1) / RP_CUDA_DECODE_ROWS;
    return s->kv_heads * row_tiles * count_parts(s);
}

template <class Tile> static cudaError_t launch(const rp_cuda_steps *s)
{
    using T = typename Tile::T;
    const DecodeCall call = {static_cast<int>(s->rows),
                             static_cast<int>(s->seq_q),
                             static_cast<int>(s->seq_k),
                             static_cast<int>(count_parts(s)),
                             static_cast<int>(s->part_keys),
                             static_cast<int>(s->head_dim),
                             s->scale * LOG2_E,
                             s->causal};
    const cudaError_t error = allow_shared(decode_kernel<Tile>, Tile::SHARED_BYTES);
    if (error != cudaSuccess)
        return error;
    LAUNCH(decode_kernel<Tile>, dim3(static_cast<unsigned>(rp_cuda_decode_blocks(s))),
           dim3(Tile::THREADS), Tile::SHARED_BYTES, s->stream, static_cast<const T *>(s->q),
           static_cast<const T *>(s->k), static_cast<const T *>(s->v), static_cast<T *>(s->o),
           s->partials, call);
    return cudaGetLastError();
}

extern "C" cudaError_t rp_cuda_decode(const rp_cuda_steps *s)
{
    const cudaError_t error =
        visit_tile<TileOf>(s, [s](auto tile) { return launch<decltype(tile)>(s); });
    return error == cudaSuccess && count_parts(s) > 1 ? rp_cuda_combine(s) : error;
}
