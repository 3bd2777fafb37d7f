/*
 * attn_naive.cu - the two products of attention from scratch, on plain cores.
 *
 * A block computes one tile of the result, a thread PART_ROWS x PART_COLUMNS elements of it. The
 * tile's rows of A and columns of B pass through shared memory in steps of DEPTH, as fp32 and with
 * the depth as the slow index, so that a thread reads neighbours as float4.
 *
 *   scores  A = Q (rows, head_dim), B = K^T; both are rows of head_dim elements in memory
 *   output  A = P (rows, seq_k),    B = V (seq_k, head_dim)
 */
#include "kernels/cuda/launch.h"
#include "kernels/cuda/steps.h"
#include "kernels/cuda/storage.h"

enum { DEPTH = 16 };

/* FEW rows on a kv head, as in decode: a low and wide tile, or most of it would be empty. */
enum { FEW = 16 };

template <int ROWS_, int COLUMNS_, int PART_ROWS_> struct Tile {
    static constexpr int ROWS = ROWS_;
    static constexpr int COLUMNS = COLUMNS_;
    static constexpr int PART_ROWS = PART_ROWS_; /* a multiple of 4 */
    static constexpr int PART_COLUMNS = 4;
    static constexpr int THREADS = ROWS / PART_ROWS * COLUMNS / PART_COLUMNS;
    static constexpr int THREAD_COLUMNS = COLUMNS / PART_COLUMNS;
};
using TallTile = Tile<128, 64, 8>;
using LowTile = Tile<8, 128, 4>;

/* What a block works on: its matrices of one kv head and the place of its tile. */
struct Place {
    int64_t kv_head;
    int64_t row, column;
};

struct Extent {
    int64_t rows, columns, depth; /* of the result, and of the products' sum */
};

template <class Tile> static __host__ __device__ int64_t count_tiles(const Extent &e)
{
    return (e.rows + Tile::ROWS - 1) / Tile::ROWS *
           ((e.columns + Tile::COLUMNS - 1) / Tile::COLUMNS);
}

/* Column tiles of the same rows run side by side: they share A in the L2 cache. */
template <class Tile> static __device__ Place find_place(const Extent &e)
{
    int64_t across = (e.columns + Tile::COLUMNS - 1) / Tile::COLUMNS;
    int64_t tile = blockIdx.x % count_tiles<Tile>(e);
    return {blockIdx.x / count_tiles<Tile>(e), tile / across * Tile::ROWS,
            tile % across * Tile::COLUMNS};
}

/* to[d][i] = from[first + i][depth + d], 0 beyond the end: n rows of `length` elements. */
template <int WIDTH, int THREADS, class T>
static __device__ void load_rows(float (*to)[WIDTH], const T *from, int64_t first, int64_t n,
                                 int64_t depth, int64_t length)
{
    for (int i = static_cast<int>(threadIdx.x); i < WIDTH * DEPTH; i += THREADS) {
        int row = i / DEPTH;
        int d = i % DEPTH;
        bool inside = first + row < n && depth + d < length;
        to[d][row] = inside ? rp_element_load(from[(first + row) * length + depth + d]) : 0.0f;
    }
}

/* to[d][i] = from[depth + d][first + i], 0 beyond the end: `length` rows of n elements. */
template <int WIDTH, int THREADS, class T>
static __device__ void load_columns(float (*to)[WIDTH], const T *from, int64_t first, int64_t n,
                                    int64_t depth, int64_t length)
{
    for (int i = static_cast<int>(threadIdx.x); i < WIDTH * DEPTH; i += THREADS) {
        int d = i / WIDTH;
        int column = i % WIDTH;
        bool inside = first + column < n && depth + d < length;
        to[d][column] = inside ? rp_element_load(from[(depth + d) * n + first + column]) : 0.0f;
    }
}

/* Four neighbours, then four of the next stripe: row or column of part p of thread t. */
template <int STRIPE> static __device__ int part_at(int t, int p)
{
    return p / 4 * STRIPE + 4 * t + p % 4;
}

/* One step of DEPTH: part += a b. */
template <class Tile>
static __device__ void multiply_step(float (&part)[Tile::PART_ROWS][4],
                                     const float (*a)[Tile::ROWS], const float (*b)[Tile::COLUMNS])
{
    const int row_thread = static_cast<int>(threadIdx.x) / Tile::THREAD_COLUMNS;
    const int column_thread = static_cast<int>(threadIdx.x) % Tile::THREAD_COLUMNS;
    const int stripe = 4 * Tile::ROWS / Tile::PART_ROWS;
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
        const float4 x = *reinterpret_cast<const float4 *>(&b[d][4 * column_thread]);
#pragma unroll
        for (int r = 0; r < Tile::PART_ROWS; r += 4) {
            const float4 y =
                *reinterpret_cast<const float4 *>(&a[d][part_at<stripe>(row_thread, r)]);
            const float rows[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                part[r + i][0] = fmaf(rows[i], x.x, part[r + i][0]);
                part[r + i][1] = fmaf(rows[i], x.y, part[r + i][1]);
                part[r + i][2] = fmaf(rows[i], x.z, part[r + i][2]);
                part[r + i][3] = fmaf(rows[i], x.w, part[r + i][3]);
            }
        }
    }
}

/* The tile's part of this thread goes to `to` (rows, columns), times `scale`. */
template <class Tile, class T>
static __device__ void store_part(const float (&part)[Tile::PART_ROWS][4], float scale, T *to,
                                  const Place &place, const Extent &e)
{
    const int row_thread = static_cast<int>(threadIdx.x) / Tile::THREAD_COLUMNS;
    const int column_thread = static_cast<int>(threadIdx.x) % Tile::THREAD_COLUMNS;
    const int stripe = 4 * Tile::ROWS / Tile::PART_ROWS;
#pragma unroll
    for (int r = 0; r < Tile::PART_ROWS; ++r) {
        int64_t row = place.row + part_at<stripe>(row_thread, r);
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            int64_t column = place.column + 4 * column_thread + c;
            if (row < e.rows && column < e.columns)
                rp_element_store(&to[row * e.columns + column], part[r][c] * scale);
        }
    }
}

/* Blocks are tiles of all kv heads. Hidden keys are scored too; the softmax leaves them out. */
template <class Tile, class T>
static __global__ void __launch_bounds__(Tile::THREADS)
    score_kernel(const T *q, const T *k, float *scores, Extent e, float scale)
{
    __shared__ __align__(16) float a[DEPTH][Tile::ROWS];
    __shared__ __align__(16) float b[DEPTH][Tile::COLUMNS];
    const Place place = find_place<Tile>(e);
    float part[Tile::PART_ROWS][4] = {};
    q += place.kv_head * e.rows * e.depth;
    k += place.kv_head * e.columns * e.depth;
    for (int64_t depth = 0; depth < e.depth; depth += DEPTH) {
        load_rows<Tile::ROWS, Tile::THREADS>(a, q, place.row, e.rows, depth, e.depth);
        load_rows<Tile::COLUMNS, Tile::THREADS>(b, k, place.column, e.columns, depth, e.depth);
        __syncthreads(); /* this step of both is there */
        multiply_step<Tile>(part, a, b);
        __syncthreads(); /* and has been used: it may be overwritten */
    }
    store_part<Tile>(part, scale, scores + place.kv_head * e.rows * e.columns, place, e);
}

template <class Tile, class T>
static __global__ void __launch_bounds__(Tile::THREADS)
    weigh_kernel(const T *probabilities, const T *v, T *o, Extent e)
{
    __shared__ __align__(16) float a[DEPTH][Tile::ROWS];
    __shared__ __align__(16) float b[DEPTH][Tile::COLUMNS];
    const Place place = find_place<Tile>(e);
    float part[Tile::PART_ROWS][4] = {};
    probabilities += place.kv_head * e.rows * e.depth;
    v += place.kv_head * e.depth * e.columns;
    for (int64_t depth = 0; depth < e.depth; depth += DEPTH) {
        load_rows<Tile::ROWS, Tile::THREADS>(a, probabilities, place.row, e.rows, depth, e.depth);
        load_columns<Tile::COLUMNS, Tile::THREADS>(b, v, place.column, e.columns, depth, e.depth);
        __syncthreads(); /* this step of both is there */
        multiply_step<Tile>(part, a, b);
        __syncthreads(); /* and has been used: it may be overwritten */
    }
    store_part<Tile>(part, 1.0f, o + place.kv_head * e.rows * e.columns, place, e);
}

static Extent score_extent(const rp_cuda_steps *s)
{
    return {s->rows, s->seq_k, s->head_dim};
}

static Extent weigh_extent(const rp_cuda_steps *s)
{
    return {s->rows, s->head_dim, s->seq_k};
}

static int64_t count_blocks(const rp_cuda_steps *s, const Extent &e)
{
    return s->kv_heads * (s->rows <= FEW ? count_tiles<LowTile>(e) : count_tiles<TallTile>(e));
}

extern "C" int64_t rp_cuda_score_blocks(const rp_cuda_steps *s)
{
    return count_blocks(s, score_extent(s));
}

extern "C" int64_t rp_cuda_weigh_blocks(const rp_cuda_steps *s)
{
    return count_blocks(s, weigh_extent(s));
}

template <class Tile, class T> static void launch_score(const rp_cuda_steps *s)
{
    LAUNCH((score_kernel<Tile, T>), dim3(static_cast<unsigned>(rp_cuda_score_blocks(s))),
           dim3(Tile::THREADS), 0, s->stream, static_cast<const T *>(s->q),
           static_cast<const T *>(s->k), s->scores, score_extent(s), s->scale);
}

template <class Tile, class T> static void launch_weigh(const rp_cuda_steps *s)
{
    LAUNCH((weigh_kernel<Tile, T>), dim3(static_cast<unsigned>(rp_cuda_weigh_blocks(s))),
           dim3(Tile::THREADS), 0, s->stream, static_cast<const T *>(s->probabilities),
           static_cast<const T *>(s->v), static_cast<T *>(s->o), weigh_extent(s));
}

extern "C" cudaError_t rp_cuda_score(const rp_cuda_steps *s)
{
    return rp_storage_visit(s->storage, [s](auto element) {
        using T = decltype(element);
        if (s->rows <= FEW)
            launch_score<LowTile, T>(s);
        else
            launch_score<TallTile, T>(s);
        return cudaGetLastError();
    });
}

extern "C" cudaError_t rp_cuda_weigh(const rp_cuda_steps *s)
{
    return rp_storage_visit(s->storage, [s](auto element) {
        using T = decltype(element);
        if (s->rows <= FEW)
            launch_weigh<LowTile, T>(s);
        else
            launch_weigh<TallTile, T>(s);
        return cudaGetLastError();
    });
}
