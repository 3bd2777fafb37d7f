/*
 * hopper_layout.h - where the prefill for sm_90a (attn_fused_hopper.cu) keeps Q, K and V in shared
 * memory, and how the copy unit (TMA) and the matrix unit (wgmma) are told. Arithmetic only, for C
 * and for CUDA: tests/unit/test_hopper_layout.c holds it against the PTX manual's layouts.
 *
 * Elements take 16 bits. A tile of `width` columns lies in boxes of 64 rows by 64 columns, one
 * behind the other; a row of a box is 128 bytes, 8 chunks of 16. The copy unit puts chunk c of row
 * r at place c ^ r % 8 (128-byte swizzle), and a box of 8 KB keeps the pattern, which begins anew
 * every 1024 bytes, as long as it begins at a multiple of them.
 */
#ifndef RP_KERNELS_CUDA_HOPPER_LAYOUT_H
#define RP_KERNELS_CUDA_HOPPER_LAYOUT_H

#include <stdint.h>

#ifdef __CUDACC__
#define RP_LAYOUT static __host__ __device__ __forceinline__ constexpr
#else
#define RP_LAYOUT static inline
#endif

enum {
    RP_HOPPER_GROUPS = 2,    /* warp groups of a block that compute, 64 query rows each */
    RP_HOPPER_QUERIES = 128, /* of a block */
    RP_HOPPER_KEYS = 64,     /* of a step */
    RP_HOPPER_STAGES = 4,    /* steps whose K and V have room */
    RP_HOPPER_CONSUMERS = 8, /* warps that read a stage, and say when they are done */
    RP_HOPPER_BOX_COLUMNS = 64,
    RP_HOPPER_BOX_ROWS = 64,
    RP_HOPPER_ROW_BYTES = 128, /* of a box */
    RP_HOPPER_BOX_BYTES = RP_HOPPER_BOX_ROWS * RP_HOPPER_ROW_BYTES,
    RP_HOPPER_PATTERN_BYTES = 1024, /* of the swizzle: 8 rows */
    RP_HOPPER_STEP_COLUMNS = 16     /* what a matrix instruction sums over */
};

/* Boxes side by side in a tile; bytes of a tile of 64 rows, which is what a barrier of K or V
 * expects; bytes of Q, which its barrier expects. */
RP_LAYOUT int rp_hopper_boxes(int width)
{
    return width / RP_HOPPER_BOX_COLUMNS;
}

RP_LAYOUT int rp_hopper_tile_bytes(int width)
{
    return rp_hopper_boxes(width) * RP_HOPPER_BOX_BYTES;
}

RP_LAYOUT int rp_hopper_q_bytes(int width)
{
    return RP_HOPPER_GROUPS * rp_hopper_tile_bytes(width);
}

/* Offsets in shared memory: Q of a warp group, then K and V of each stage, then barriers. */
RP_LAYOUT int rp_hopper_q_place(int width, int group)
{
    return group * rp_hopper_tile_bytes(width);
}

RP_LAYOUT int rp_hopper_k_place(int width, int stage)
{
    return rp_hopper_q_bytes(width) + stage * 2 * rp_hopper_tile_bytes(width);
}

RP_LAYOUT int rp_hopper_v_place(int width, int stage)
{
    return rp_hopper_k_place(width, stage) + rp_hopper_tile_bytes(width);
}

/* Barriers: Q is there; of each stage: K is there, V is there, both are read. */
enum { RP_HOPPER_Q_FULL, RP_HOPPER_K_FULL, RP_HOPPER_V_FULL, RP_HOPPER_READ, RP_HOPPER_KINDS };

enum { RP_HOPPER_BARRIERS = 1 + (RP_HOPPER_KINDS - 1) * RP_HOPPER_STAGES };

RP_LAYOUT int rp_hopper_barrier_place(int width, int kind, int stage)
{
    return rp_hopper_k_place(width, RP_HOPPER_STAGES) +
           8 * (kind == RP_HOPPER_Q_FULL ? 0 : kind + (RP_HOPPER_KINDS - 1) * stage);
}

/* To ask for: the kernel begins at the first multiple of the pattern. */
RP_LAYOUT int rp_hopper_shared_bytes(int width)
{
    return rp_hopper_k_place(width, RP_HOPPER_STAGES) + 8 * RP_HOPPER_BARRIERS +
           RP_HOPPER_PATTERN_BYTES;
}

/* Where a chunk of a row lies in its box, in bytes. */
RP_LAYOUT int rp_hopper_chunk_place(int row, int chunk)
{
    return row * RP_HOPPER_ROW_BYTES + (chunk ^ row % 8) * 16;
}

/*
 * How wgmma is told of an operand in shared memory (PTX ISA, "Matrix Descriptor Format"); each of
 * the first three in units of 16 bytes, 14 bits:
 *
 *     bits 0-13    where it begins
 *     bits 16-29   leading dimension: from 64 columns to the next 64, where columns are contiguous
 *                  but not summed over; else not used, 1 by convention
 *     bits 32-45   stride dimension: from 8 rows to the next 8
 *     bits 49-51   0: the pattern of the swizzle begins at a multiple of 1024 bytes
 *     bits 62-63   1: 128-byte swizzle
 */
RP_LAYOUT uint64_t rp_hopper_descriptor(uint32_t begin_bytes, uint32_t leading_bytes)
{
    return (uint64_t)(begin_bytes >> 4 & 0x3fffu) | (uint64_t)(leading_bytes >> 4 & 0x3fffu) << 16 |
           (uint64_t)(RP_HOPPER_PATTERN_BYTES >> 4) << 32 | (uint64_t)1 << 62;
}

/* Of K for S = Q K^T: columns 16 `step` ... of all 64 keys. */
RP_LAYOUT uint64_t rp_hopper_k_descriptor(uint32_t tile, int step)
{
    const uint32_t steps = RP_HOPPER_BOX_COLUMNS / RP_HOPPER_STEP_COLUMNS; /* of a box */
    const uint32_t n = (uint32_t)step;
    return rp_hopper_descriptor(
        tile + n / steps * RP_HOPPER_BOX_BYTES + n % steps * RP_HOPPER_STEP_COLUMNS * 2, 16);
}

/* Of V for O += P V: keys 16 `step` ..., all columns; "transposed", as it is summed over rows. */
RP_LAYOUT uint64_t rp_hopper_v_descriptor(uint32_t tile, int step)
{
    return rp_hopper_descriptor(
        tile + (uint32_t)step * RP_HOPPER_STEP_COLUMNS * RP_HOPPER_ROW_BYTES, RP_HOPPER_BOX_BYTES);
}

/* What cuTensorMapEncodeTiled is told of Q, K or V: (heads, rows, head_dim), innermost first. Rows
 * are a dimension of their own, so that those behind a head's last are zeros, not the next head's.
 */
struct rp_hopper_map {
    uint64_t size[3];         /* elements */
    uint64_t stride_bytes[2]; /* from a row to the next, from a head to the next */
    uint32_t box[3];
    uint32_t element_stride[3];
};

RP_LAYOUT struct rp_hopper_map rp_hopper_map_of(int64_t head_dim, int64_t rows, int64_t heads)
{
    const struct rp_hopper_map map = {
        {(uint64_t)head_dim, (uint64_t)rows, (uint64_t)heads},
        {2 * (uint64_t)head_dim, 2 * (uint64_t)head_dim * (uint64_t)rows},
        {RP_HOPPER_BOX_COLUMNS, RP_HOPPER_BOX_ROWS, 1},
        {1, 1, 1},
    };
    return map;
}

#endif
