/*
 * attn_fused_plain.cu - fp32 in one pass on plain cores, prefill and decode.
 *
 * A block has a tile of query rows and walks over the keys 64 at a time. A thread has PART_ROWS
 * rows, of them the scores of PART_KEYS neighbouring keys and PART_WIDTH columns of the output; the
 * COLUMN_THREADS that share rows are lanes of one warp. P passes through shared memory, Q, K and V
 * in slices of 16, so that every tile fits the 48 KB any GPU gives.
 *
 *   p_j = 2^(c s_j - b),  c = scale log2(e),  b the row's maximum so far, times c
 *   O   = sum_j p_j v_j / sum_j p_j
 */
#include "kernels/cuda/fused.h"
#include "kernels/cuda/fused_launch.h"
#include "kernels/cuda/fused_tile.h"

enum { SLICE = 16 };

template <int ROWS_, int COLUMN_THREADS_, int WIDTH_> struct PlainTile {
    static constexpr int ROWS = ROWS_;
    static constexpr int COLUMN_THREADS = COLUMN_THREADS_; /* 16 or 32 */
    static constexpr int WIDTH = WIDTH_;                   /* head_dim, rounded up */
    static constexpr int KEYS = RP_CUDA_PLAIN_KEYS;
    static constexpr int THREADS = 256;
    static constexpr int PART_ROWS = ROWS * COLUMN_THREADS / THREADS;
    static constexpr int PART_KEYS = KEYS / COLUMN_THREADS;
    static constexpr int PART_WIDTH = WIDTH / COLUMN_THREADS;
    static constexpr int VECTOR = PART_WIDTH < 4 ? PART_WIDTH : 4; /* columns side by side */

    static __device__ __forceinline__ int first_row()
    {
        return static_cast<int>(threadIdx.x) / COLUMN_THREADS * PART_ROWS;
    }

    static __device__ __forceinline__ int column_thread()
    {
        return static_cast<int>(threadIdx.x) % COLUMN_THREADS;
    }

    /* Column of O of this thread's part `c`. */
    static __device__ __forceinline__ int column(int c)
    {
        return c / VECTOR * VECTOR * COLUMN_THREADS + column_thread() * VECTOR + c % VECTOR;
    }
};

/* Read and written as one. */
template <int N> struct alignas(4 * N) Vector {
    float x[N];
};

/* Where item i of N lies at depth d of a slice: groups of four change places with the depth, so
 * that the 16 depths of an item, written side by side, meet as many banks as there are groups. */
template <int N> static __device__ __forceinline__ int place_in_slice(int d, int i)
{
    return d * N + ((i / 4 ^ d % (N / 4)) * 4 + i % 4);
}

template <class Tile> struct PlainShared {
    float p[Tile::KEYS][Tile::ROWS + 4]; /* transposed; rows of it begin at different banks */
    float q[SLICE * Tile::ROWS], k[SLICE * Tile::KEYS];
    float v[SLICE][Tile::WIDTH];
};

/* Numbers of a call: `rows` query rows, one behind the other, meet the same keys. */
struct PlainCall {
    int64_t rows;    /* prefill: of a query head; decode: of all that share a kv head */
    int64_t sharing; /* prefill: query heads on a kv head; decode: 1 */
    int64_t seq_q, seq_k;
    int64_t parts, part_keys;
    int head_dim;
    float scale_log2;
    bool causal;
};

/* What a block works on. */
struct PlainWork {
    int64_t set, part; /* of rows; of keys */
    int64_t first_row, first_key, end_key;
};

template <class Tile> static __device__ PlainWork find_work(const PlainCall &c)
{
    const int64_t tiles = (c.rows + Tile::ROWS - 1) / Tile::ROWS;
    PlainWork w;
    w.set = blockIdx.x / tiles / c.parts;
    w.part = blockIdx.x / tiles % c.parts;
    w.first_row = (tiles - 1 - blockIdx.x % tiles) * Tile::ROWS; /* the longest first */
    w.first_key = w.part * c.part_keys;
    w.end_key = min(w.first_key + c.part_keys, c.seq_k);
    if (c.causal && c.rows == c.seq_q)
        w.end_key = min(w.end_key, c.seq_k - c.seq_q + w.first_row + Tile::ROWS);
    return w;
}

/* Rows of Q, K or V from where the block begins, `count` of them there. */
struct PlainRows {
    const float *data;
    int64_t count;
    int head_dim;
};

/* Depths depth ... of N rows, zeros behind the end. */
template <int N, int THREADS>
static __device__ void load_slice(float *to, const PlainRows &from, int depth)
{
    for (int i = static_cast<int>(threadIdx.x); i < N * SLICE; i += THREADS) {
        const int row = i / SLICE;
        const int d = i % SLICE;
        const bool inside = row < from.count && depth + d < from.head_dim;
        to[place_in_slice<N>(d, row)] =
            inside ? from.data[static_cast<int64_t>(row) * from.head_dim + depth + d] : 0.0f;
    }
}

/* S of this thread's rows and keys. */
template <class Tile>
static __device__ void score(float (&s)[Tile::PART_ROWS][Tile::PART_KEYS],
                             PlainShared<Tile> &shared, const PlainRows &q, const PlainRows &k)
{
    const int key = Tile::column_thread() * Tile::PART_KEYS;
    for (int depth = 0; depth < q.head_dim; depth += SLICE) {
        load_slice<Tile::ROWS, Tile::THREADS>(shared.q, q, depth);
        load_slice<Tile::KEYS, Tile::THREADS>(shared.k, k, depth);
        __syncthreads(); /* this slice of both is there */
#pragma unroll
        for (int d = 0; d < SLICE; ++d) {
            const auto y = *reinterpret_cast<const Vector<Tile::PART_ROWS> *>(
                &shared.q[place_in_slice<Tile::ROWS>(d, Tile::first_row())]);
            const auto x = *reinterpret_cast<const Vector<Tile::PART_KEYS> *>(
                &shared.k[place_in_slice<Tile::KEYS>(d, key)]);
#pragma unroll
            for (int i = 0; i < Tile::PART_ROWS * Tile::PART_KEYS; ++i) {
                float &sum = s[i / Tile::PART_KEYS][i % Tile::PART_KEYS];
                sum = fmaf(y.x[i / Tile::PART_KEYS], x.x[i % Tile::PART_KEYS], sum);
            }
        }
        __syncthreads(); /* and is read: the next may take its place */
    }
}

/* Over the threads that share rows. */
template <class Tile> static __device__ __forceinline__ float join_maximum(float x)
{
#pragma unroll
    for (int distance = Tile::COLUMN_THREADS / 2; distance > 0; distance /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, distance));
    return x;
}

template <class Tile> static __device__ __forceinline__ float join_sum(float x)
{
#pragma unroll
    for (int distance = Tile::COLUMN_THREADS / 2; distance > 0; distance /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
}

/* Of this thread's rows. */
template <class Tile> struct Output {
    float o[Tile::PART_ROWS][Tile::PART_WIDTH];
    float bound[Tile::PART_ROWS], sum[Tile::PART_ROWS]; /* the sum over this thread's keys only */
};

/* S becomes P, in shared memory. visible[r]: keys of this step that row r sees. */
template <class Tile>
static __device__ void soften(Output<Tile> &out, PlainShared<Tile> &shared,
                              float (&s)[Tile::PART_ROWS][Tile::PART_KEYS],
                              const int64_t (&visible)[Tile::PART_ROWS], float scale_log2)
{
    const int key = Tile::column_thread() * Tile::PART_KEYS;
#pragma unroll
    for (int r = 0; r < Tile::PART_ROWS; ++r) {
        float highest = -INFINITY;
#pragma unroll
        for (int i = 0; i < Tile::PART_KEYS; ++i) {
            s[r][i] = key + i < visible[r] ? s[r][i] : -INFINITY;
            highest = fmaxf(highest, s[r][i]);
        }
        const float bound = fmaxf(out.bound[r], join_maximum<Tile>(highest) * scale_log2);
        const float factor = rp_exp2(out.bound[r] - bound);
        out.bound[r] = bound;
        out.sum[r] *= factor;
#pragma unroll
        for (int c = 0; c < Tile::PART_WIDTH; ++c)
            out.o[r][c] *= factor;
#pragma unroll
        for (int i = 0; i < Tile::PART_KEYS; ++i) {
            s[r][i] = rp_exp2(fmaf(s[r][i], scale_log2, -bound));
            out.sum[r] += s[r][i];
            shared.p[key + i][Tile::first_row() + r] = s[r][i];
        }
    }
}

/* O += P V. */
template <class Tile>
static __device__ void weigh(Output<Tile> &out, PlainShared<Tile> &shared, const PlainRows &v)
{
    for (int first = 0; first < Tile::KEYS; first += SLICE) {
        for (int i = static_cast<int>(threadIdx.x); i < SLICE * Tile::WIDTH; i += Tile::THREADS) {
            const int key = first + i / Tile::WIDTH;
            const int column = i % Tile::WIDTH;
            const bool inside = key < v.count && column < v.head_dim;
            shared.v[i / Tile::WIDTH][column] =
                inside ? v.data[static_cast<int64_t>(key) * v.head_dim + column] : 0.0f;
        }
        __syncthreads(); /* P, and this slice of V, are there */
#pragma unroll
        for (int d = 0; d < SLICE; ++d) {
            const auto p = *reinterpret_cast<const Vector<Tile::PART_ROWS> *>(
                &shared.p[first + d][Tile::first_row()]);
#pragma unroll
            for (int c = 0; c < Tile::PART_WIDTH; c += Tile::VECTOR) {
                const auto x =
                    *reinterpret_cast<const Vector<Tile::VECTOR> *>(&shared.v[d][Tile::column(c)]);
#pragma unroll
                for (int i = 0; i < Tile::PART_ROWS * Tile::VECTOR; ++i) {
                    float &sum = out.o[i / Tile::VECTOR][c + i % Tile::VECTOR];
                    sum = fmaf(p.x[i / Tile::VECTOR], x.x[i % Tile::VECTOR], sum);
                }
            }
        }
        __syncthreads(); /* and are read: the next may take their place */
    }
}

/* Rows of `stride` floats at `to`: O over its sum; in a part's result, bound and sum behind it. */
template <class Tile>
static __device__ void store(const Output<Tile> &out, float *to, int64_t stride, const PlainCall &c,
                             const PlainWork &w)
{
#pragma unroll
    for (int r = 0; r < Tile::PART_ROWS; ++r) {
        const int64_t row = w.first_row + Tile::first_row() + r;
        const float sum = join_sum<Tile>(out.sum[r]);
        const float inverse =
            sum == 0.0f ? 0.0f : 1.0f / sum; /* a part that the row does not see */
        if (row >= c.rows)
            continue;
#pragma unroll
        for (int i = 0; i < Tile::PART_WIDTH; ++i) {
            if (Tile::column(i) < c.head_dim)
                to[row * stride + Tile::column(i)] = out.o[r][i] * inverse;
        }
        if (c.parts > 1 && Tile::column_thread() == 0) {
            to[row * stride + c.head_dim] = out.bound[r];
            to[row * stride + c.head_dim + 1] = sum;
        }
    }
}

template <class Tile>
static __global__ void __launch_bounds__(Tile::THREADS, Tile::WIDTH <= 128 ? 2 : 1)
    plain_kernel(const float *q, const float *k, const float *v, float *o, float *partials,
                 PlainCall c)
{
    __shared__ __align__(16) PlainShared<Tile> shared;
    const PlainWork w = find_work<Tile>(c);
    const int64_t stride = c.parts > 1 ? c.head_dim + 2 : c.head_dim;
    const int64_t kv_offset = w.set / c.sharing * c.seq_k * c.head_dim;
    const PlainRows queries = {q + (w.set * c.rows + w.first_row) * c.head_dim,
                               c.rows - w.first_row, c.head_dim};
    Output<Tile> out = {};
    for (int r = 0; r < Tile::PART_ROWS; ++r)
        out.bound[r] = LOWEST;
    for (int64_t key = w.first_key; key < w.end_key; key += Tile::KEYS) {
        const int64_t offset = kv_offset + key * c.head_dim;
        float s[Tile::PART_ROWS][Tile::PART_KEYS] = {};
        int64_t visible[Tile::PART_ROWS];
        for (int r = 0; r < Tile::PART_ROWS; ++r) {
            const int64_t query = (w.first_row + Tile::first_row() + r) % c.seq_q;
            visible[r] = min(c.causal ? c.seq_k - c.seq_q + query + 1 : c.seq_k, w.end_key) - key;
        }
        score<Tile>(s, shared, queries, {k + offset, w.end_key - key, c.head_dim});
        soften<Tile>(out, shared, s, visible, c.scale_log2);
        weigh<Tile>(out, shared, {v + offset, w.end_key - key, c.head_dim});
    }
    float *const to = c.parts > 1 ? partials : o;
    store<Tile>(out, to + (w.set * c.parts + w.part) * c.rows * stride, stride, c, w);
}

template <class Tile> static void launch(const rp_cuda_steps *s, const PlainCall &c, int64_t blocks)
{
    LAUNCH(plain_kernel<Tile>, dim3(static_cast<unsigned>(blocks)), dim3(Tile::THREADS), 0,
           s->stream, static_cast<const float *>(s->q), static_cast<const float *>(s->k),
           static_cast<const float *>(s->v), static_cast<float *>(s->o), s->partials, c);
}

template <int ROWS, int COLUMN_THREADS>
static void launch_width(const rp_cuda_steps *s, const PlainCall &c, int64_t blocks)
{
    switch (RP_CUDA_FUSED_WIDTH(s->head_dim)) {
    case 64:
        return launch<PlainTile<ROWS, COLUMN_THREADS, 64>>(s, c, blocks);
    case 128:
        return launch<PlainTile<ROWS, COLUMN_THREADS, 128>>(s, c, blocks);
    default:
        return launch<PlainTile<ROWS, COLUMN_THREADS, 256>>(s, c, blocks);
    }
}

extern "C" int64_t rp_cuda_plain_prefill_blocks(const rp_cuda_steps *s)
{
    const int64_t tiles = (s->seq_q + RP_CUDA_PLAIN_QUERIES - 1) / RP_CUDA_PLAIN_QUERIES;
    return s->kv_heads * (s->rows / s->seq_q) * tiles;
}

extern "C" cudaError_t rp_cuda_plain_prefill(const rp_cuda_steps *s)
{
    const int64_t group = s->rows / s->seq_q;
    const PlainCall c = {
        s->seq_q,          group,    s->seq_q, s->seq_k, 1, s->seq_k, static_cast<int>(s->head_dim),
        s->scale * LOG2_E, s->causal};
    launch_width<RP_CUDA_PLAIN_QUERIES, 16>(s, c, rp_cuda_plain_prefill_blocks(s));
    return cudaGetLastError();
}

extern "C" int64_t rp_cuda_plain_decode_blocks(const rp_cuda_steps *s)
{
    const int64_t tiles = (s->rows + RP_CUDA_PLAIN_ROWS - 1) / RP_CUDA_PLAIN_ROWS;
    return s->kv_heads * tiles * count_parts(s);
}

extern "C" cudaError_t rp_cuda_plain_decode(const rp_cuda_steps *s)
{
    const PlainCall c = {s->rows,
                         1,
                         s->seq_q,
                         s->seq_k,
                         count_parts(s),
                         s->part_keys,
                         static_cast<int>(s->head_dim),
                         s->scale * LOG2_E,
                         s->causal};
    launch_width<RP_CUDA_PLAIN_ROWS, 32>(s, c, rp_cuda_plain_decode_blocks(s));
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess && c.parts > 1 ? rp_cuda_combine(s) : error;
}
