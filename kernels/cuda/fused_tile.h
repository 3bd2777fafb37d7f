/*
 * fused_tile.h - how the fused kernels keep tiles of Q, K and V in shared memory: the layout, the
 * way in from global memory, and the way out as operands of the matrix unit.
 *
 * A row of a tile is WIDTH elements in chunks of 16 bytes. Chunk c of row r lies at place
 * c ^ (r % 8): ldmatrix takes the same chunk of eight neighbouring rows, which then lie in eight
 * different places of 128 bytes, all 32 banks once; eight lanes that write neighbouring chunks of
 * one row only change places among themselves. tests/host_cuda counts it.
 */
#ifndef RP_KERNELS_CUDA_FUSED_TILE_H
#define RP_KERNELS_CUDA_FUSED_TILE_H

#include "kernels/cuda/launch.h"
#include "kernels/cuda/ptx.h"
#include "model/method_cuda.h"

static constexpr float LOWEST =
    -1.7e38f; /* below every score, and so that differences are finite */

enum { CHUNK_BYTES = 16, SWIZZLE_ROWS = 8, WARP = 32 };

/* Tiles of K and V of a block of WARPS warps. What a warp does with them: PrefillTile, DecodeTile.
 */
template <class T_, int WIDTH_, int WARPS_, bool ASYNC_> struct Tile {
    using T = T_;
    static constexpr int WIDTH = WIDTH_; /* head_dim, rounded up */
    static constexpr int WARPS = WARPS_;
    static constexpr bool ASYNC = ASYNC_; /* cp.async: sm_80 and up; else through registers */
    static constexpr int STRIDE = WIDTH * static_cast<int>(sizeof(T)); /* bytes of a row */
    static constexpr int KEYS = RP_CUDA_FUSED_KEYS(STRIDE);            /* of one step */
    static constexpr int THREADS = WARPS * WARP;
    static constexpr int CHUNKS = STRIDE / CHUNK_BYTES;                     /* of a row */
    static constexpr int CHUNK = CHUNK_BYTES / static_cast<int>(sizeof(T)); /* elements of one */
    static constexpr int STEPS = CHUNKS / 2; /* a matrix instruction takes two chunks of a row */
    static constexpr int KV_BYTES = KEYS * STRIDE; /* of each of the two */
    static_assert(WIDTH == RP_CUDA_FUSED_WIDTH(WIDTH), "costs are counted so");

    static __device__ __forceinline__ int warp()
    {
        return static_cast<int>(threadIdx.x) / WARP;
    }
};

/* Rows of head_dim elements each, one behind the other; those up to `end` are there. */
template <class T> struct Rows {
    const T *data;
    int end;
    int head_dim;
};

/* Where `chunk` of `row` lies, in bytes. */
template <class Tile> static __device__ __forceinline__ int place_of(int row, int chunk)
{
    return row * Tile::STRIDE + (chunk ^ row % SWIZZLE_ROWS) * CHUNK_BYTES;
}

static __device__ __forceinline__ unsigned bits_of(float x)
{
    return __float_as_uint(x);
}

static __device__ __forceinline__ unsigned bits_of(__half x)
{
    return __half_as_ushort(x);
}

static __device__ __forceinline__ unsigned bits_of(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

/* A chunk of rows that are no whole number of chunks, and so not aligned either: element by
 * element, `n` of them, then zeros. */
template <class Tile>
static __device__ __forceinline__ int4 gather_chunk(const typename Tile::T *from, int n)
{
    constexpr int BITS = 8 * static_cast<int>(sizeof(typename Tile::T));
    unsigned words[4] = {};
#pragma unroll
    for (int e = 0; e < Tile::CHUNK; ++e)
        words[e * BITS / 32] |= e < n ? bits_of(from[e]) << e * BITS % 32 : 0u;
    return make_int4(static_cast<int>(words[0]), static_cast<int>(words[1]),
                     static_cast<int>(words[2]), static_cast<int>(words[3]));
}

/* A tile of N_ROWS rows on its way: thread t brings chunk t % CHUNKS of every row that is
 * t / CHUNKS modulo the rows one pass of the block takes. Without cp.async it is held in registers
 * meanwhile, where there are any left and rows are whole chunks; else it is not fetched ahead. */
template <class Tile, int N_ROWS> struct Transfer {
    static constexpr int STEP = Tile::THREADS / Tile::CHUNKS; /* rows of a pass */
    static constexpr int PASSES = N_ROWS / STEP;
    static constexpr bool IS_HELD = !Tile::ASYNC && Tile::WARP_WIDTH <= 128;
    static_assert((STEP & (STEP - 1)) == 0, "a power of two: rows modulo 8 change by exclusive or");
    int4 chunks[Tile::ASYNC ? 1 : PASSES];
};

/* x; with 32 rows a warp there are no registers for what could be kept that is computed from it. */
template <class Tile> static __device__ __forceinline__ int keep(int x)
{
    return Tile::ASYNC ? rp_opaque(x) : x;
}

/* This thread's part of it. */
template <class Tile, int N_ROWS> struct Share {
    using Way = Transfer<Tile, N_ROWS>;
    const typename Tile::T *from;
    int64_t pass_elements; /* from a pass to the next */
    int place, n, left;    /* of the first chunk; elements of a chunk; rows that are there */

    __device__ __forceinline__ Share(const Rows<typename Tile::T> &rows, int first)
    {
        const int thread = keep<Tile>(static_cast<int>(threadIdx.x));
        const int chunk = thread % Tile::CHUNKS;
        const int row = thread / Tile::CHUNKS;
        from = rows.data + static_cast<int64_t>(first + row) * rows.head_dim + chunk * Tile::CHUNK;
        pass_elements = static_cast<int64_t>(Way::STEP) * rows.head_dim;
        place = place_of<Tile>(row, chunk);
        n = min(rows.head_dim - chunk * Tile::CHUNK, Tile::CHUNK);
        left = n > 0 ? rows.end - first - row : 0;
    }

    __device__ __forceinline__ bool is_inside(int pass) const
    {
        return pass * Way::STEP < left;
    }

    /* Rows modulo 8, and with them the place, change from pass to pass. */
    __device__ __forceinline__ int place_in(int pass) const
    {
        const int moved = pass * Way::STEP % SWIZZLE_ROWS * CHUNK_BYTES;
        return (place ^ moved) + pass * Way::STEP * Tile::STRIDE;
    }

    /* Rows of whole chunks are aligned to them. */
    __device__ __forceinline__ int4 load(int pass, bool has_whole_chunks) const
    {
        const typename Tile::T *source = from + pass * pass_elements;
        if (!has_whole_chunks)
            return gather_chunk<Tile>(source, is_inside(pass) ? n : 0);
        return is_inside(pass) ? *reinterpret_cast<const int4 *>(source) : make_int4(0, 0, 0, 0);
    }
};

/* Begins to bring rows `first` ... to `to`; rows beyond the end become zeros. */
template <class Tile, int N_ROWS>
static __device__ __forceinline__ void begin_transfer(Transfer<Tile, N_ROWS> &transfer,
                                                      unsigned char *to,
                                                      const Rows<typename Tile::T> &rows, int first)
{
    using Way = Transfer<Tile, N_ROWS>;
    const bool has_whole_chunks = rows.head_dim % Tile::CHUNK == 0;
    const Share<Tile, N_ROWS> share(rows, first);
    if constexpr (Tile::ASYNC) {
        if (has_whole_chunks) {
#pragma unroll
            for (int i = 0; i < Way::PASSES; ++i)
                rp_copy_async_16(to + share.place_in(i), share.from + i * share.pass_elements,
                                 share.is_inside(i));
        } else {
#pragma unroll 1
            for (int i = 0; i < Way::PASSES; ++i)
                *reinterpret_cast<int4 *>(to + share.place_in(i)) = share.load(i, false);
        }
        rp_copy_async_commit();
    } else if (Way::IS_HELD && has_whole_chunks) {
        if (share.is_inside(Way::PASSES - 1)) { /* no zeros to prepare */
#pragma unroll
            for (int i = 0; i < Way::PASSES; ++i)
                transfer.chunks[i] =
                    *reinterpret_cast<const int4 *>(share.from + i * share.pass_elements);
        } else {
#pragma unroll
            for (int i = 0; i < Way::PASSES; ++i)
                transfer.chunks[i] = share.load(i, true);
        }
    }
}

/* This thread's part has arrived. */
template <class Tile, int N_ROWS>
static __device__ __forceinline__ void end_transfer(const Transfer<Tile, N_ROWS> &transfer,
                                                    unsigned char *to,
                                                    const Rows<typename Tile::T> &rows, int first)
{
    using Way = Transfer<Tile, N_ROWS>;
    const Share<Tile, N_ROWS> share(rows, first);
    const bool has_whole_chunks = rows.head_dim % Tile::CHUNK == 0;
    if constexpr (Tile::ASYNC) {
        rp_copy_async_wait<0>();
    } else if (Way::IS_HELD && has_whole_chunks) {
#pragma unroll
        for (int i = 0; i < Way::PASSES; ++i)
            *reinterpret_cast<int4 *>(to + share.place_in(i)) = transfer.chunks[i];
    } else {
#pragma unroll 1
        for (int i = 0; i < Way::PASSES; ++i)
            *reinterpret_cast<int4 *>(to + share.place_in(i)) = share.load(i, has_whole_chunks);
    }
}

/* What a lane tells ldmatrix: a row of the tile, and the first or second of each pair of chunks.
 * Pair p of the row, `below` rows (a multiple of 8) further down: at<Tile>(p, below). */
struct LanePlace {
    int offset;
    template <class Tile> __device__ __forceinline__ int at(int pair, int below) const
    {
        return (offset ^ pair * 2 * CHUNK_BYTES) + below * Tile::STRIDE;
    }
};

/* Matrices in the order of registers: rows 0-7 and 8-15 of the first chunk, then of the second.
 * So A is read, and V, transposed. */
template <class Tile> static __device__ __forceinline__ LanePlace find_tall_place()
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    return {keep<Tile>(place_of<Tile>(lane % 16, lane / 16))};
}

/* Rows 0-7 of the first and second chunk, then rows 8-15: so K is read, the columns of B. */
template <class Tile> static __device__ __forceinline__ LanePlace find_wide_place()
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    return {keep<Tile>(place_of<Tile>(lane / 16 * 8 + lane % 8, lane / 8 % 2))};
}

/* Where fp32 elements of V lie for one lane, as columns of B: element lane / 4 of a pair of chunks,
 * in row 2 (lane % 4) or the `next`. A warp's access meets eight places, so all banks. */
template <class Tile> static __device__ __forceinline__ LanePlace find_element_place(int next)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    return {keep<Tile>(place_of<Tile>(lane % 4 * 2 + next, lane / 16) + lane / 4 % 4 * 4)};
}

#endif
