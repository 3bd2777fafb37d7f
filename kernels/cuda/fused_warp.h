/*
 * fused_warp.h - what a warp of the fused kernels does with tiles in shared memory, all of it in
 * registers: S = Q K^T, online softmax, O += P V. S becomes P in the registers it lies in, as the
 * layout of a result is the layout of an operand.
 *
 *   p_j = 2^(c s_j - b),  c = scale log2(e)    b: a bound of the row, in powers of two
 *   O   = sum_j p_j v_j / sum_j p_j
 *
 * b need not be the row's maximum, as it cancels: it is raised only when the maximum passes it by
 * more than RAISE, which p <= 2^RAISE pays for. So O is hardly ever rescaled.
 *
 * A tile says which part of the block's work is this warp's: WARP_ROWS rows from first_row() on,
 * WARP_KEYS keys of a step from first_key() on, WARP_WIDTH columns of O from first_column() on.
 */
#ifndef RP_KERNELS_CUDA_FUSED_WARP_H
#define RP_KERNELS_CUDA_FUSED_WARP_H

#include "kernels/cuda/fused_tile.h"

static constexpr float RAISE = 8.0f;

/* Of a lane, as the matrix unit has it: its parts of S and O, by 16 x 8 results. Rows g and g + 8
 * of each 16 are this lane's, with the three others of its four. */
template <class Tile> struct Registers {
    static constexpr int M = Tile::WARP_ROWS / 16;
    unsigned q[Tile::Q_STAYS ? M * Tile::STEPS : 1][4];
    float s[M][Tile::WARP_KEYS / 8][4];
    float o[M][Tile::WARP_WIDTH / 8][4];
    float bound[M][2], sum[M][2];
};

static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                                unsigned b1, __half)
{
    rp_mma_m16n8k16_fp16(d, a, {b0, b1});
}

static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                                unsigned b1, __nv_bfloat16)
{
    rp_mma_m16n8k16_bf16(d, a, {b0, b1});
}

/* fp32 in memory is tf32 here: the elements of a tf32 point are tf32 numbers as they are. */
static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                                unsigned b1, float)
{
    rp_mma_m16n8k8_tf32(d, a, {b0, b1});
}

static __device__ __forceinline__ unsigned pack(float low, float high, __half)
{
    const __half2 x = __floats2half2_rn(low, high);
    return bits_of(x.x) | bits_of(x.y) << 16;
}

static __device__ __forceinline__ unsigned pack(float low, float high, __nv_bfloat16)
{
    const __nv_bfloat162 x = __floats2bfloat162_rn(low, high);
    return bits_of(x.x) | bits_of(x.y) << 16;
}

template <class Tile>
static __device__ __forceinline__ void load_q(unsigned (&a)[4], const unsigned char *q, int m,
                                              int step)
{
    const LanePlace lane = find_tall_place<Tile>();
    rp_ldmatrix_x4(a, q + lane.at<Tile>(step, Tile::first_row() + 16 * m));
}

/* S = Q K^T of this warp's rows. */
template <class Tile>
static __device__ __forceinline__ void score(Registers<Tile> &r, const unsigned char *q,
                                             const unsigned char *k)
{
    constexpr int M = Registers<Tile>::M;
    const LanePlace lane = find_wide_place<Tile>();
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int n = 0; n < Tile::WARP_KEYS / 8; ++n) {
#pragma unroll
            for (int e = 0; e < 4; ++e)
                r.s[m][n][e] = 0.0f;
        }
    }
#pragma unroll
    for (int step = 0; step < Tile::STEPS; ++step) {
        unsigned a[M][4];
#pragma unroll
        for (int m = 0; m < M; ++m) {
            if constexpr (Tile::Q_STAYS) {
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    a[m][i] = r.q[m * Tile::STEPS + step][i];
            } else {
                load_q<Tile>(a[m], q, m, step);
            }
        }
#pragma unroll
        for (int n = 0; n < Tile::WARP_KEYS / 8; n += 2) {
            unsigned b[4];
            rp_ldmatrix_x4(b, k + lane.at<Tile>(step, Tile::first_key() + 8 * n));
#pragma unroll
            for (int m = 0; m < M; ++m) {
                multiply(r.s[m][n], a[m], b[0], b[1], typename Tile::T());
                multiply(r.s[m][n + 1], a[m], b[2], b[3], typename Tile::T());
            }
        }
    }
}

/* Scores of the keys behind last[i], counted from the first key of the step, become -inf. Row
 * 8 i + lane / 4 of this warp's rows. */
template <class Tile>
static __device__ __forceinline__ void mask(Registers<Tile> &r,
                                            const int (&last)[2 * Registers<Tile>::M])
{
    const int own = Tile::first_key() + rp_opaque(static_cast<int>(threadIdx.x)) % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2 * Registers<Tile>::M; ++i) {
        const int visible = last[i] - own;
#pragma unroll
        for (int e = 0; e < Tile::WARP_KEYS / 4; ++e) {
            if (e / 2 * 8 + e % 2 > visible)
                r.s[i / 2][e / 2][i % 2 * 2 + e % 2] = -INFINITY;
        }
    }
}

/* The larger of four neighbouring lanes, which share their rows. */
static __device__ __forceinline__ float join_maximum(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/* A row whose bound is passed: it becomes `highest`, and what was summed below the old one is
 * brought along. Other rows stay as they are, to the bit. */
template <class Tile>
static __device__ __forceinline__ void raise_bound(Registers<Tile> &r, int m, int i, float highest)
{
    const bool is_passed = highest > r.bound[m][i] + RAISE;
    const float bound = is_passed ? highest : r.bound[m][i];
    const float factor = rp_exp2(r.bound[m][i] - bound);
    r.bound[m][i] = bound;
    r.sum[m][i] *= factor;
#pragma unroll
    for (int n = 0; n < Tile::WARP_WIDTH / 8; ++n) {
        r.o[m][n][2 * i] *= factor;
        r.o[m][n][2 * i + 1] *= factor;
    }
}

/* S becomes P. */
template <class Tile>
static __device__ __forceinline__ void soften(Registers<Tile> &r, float scale_log2)
{
    constexpr int M = Registers<Tile>::M;
    float highest[M][2];
    bool is_passed = false;
#pragma unroll
    for (int i = 0; i < 2 * M; ++i) {
        float x = -INFINITY;
#pragma unroll
        for (int n = 0; n < Tile::WARP_KEYS / 8; ++n)
            x = fmaxf(x, fmaxf(r.s[i / 2][n][i % 2 * 2], r.s[i / 2][n][i % 2 * 2 + 1]));
        highest[i / 2][i % 2] = join_maximum(x) * scale_log2;
        is_passed |= highest[i / 2][i % 2] > r.bound[i / 2][i % 2] + RAISE;
    }
    if (__any_sync(0xffffffffu, is_passed)) {
#pragma unroll
        for (int i = 0; i < 2 * M; ++i)
            raise_bound<Tile>(r, i / 2, i % 2, highest[i / 2][i % 2]);
    }
#pragma unroll
    for (int m = 0; m < M; ++m) {
#pragma unroll
        for (int n = 0; n < Tile::WARP_KEYS / 8; ++n) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float p = rp_exp2(fmaf(r.s[m][n][e], scale_log2, -r.bound[m][e / 2]));
                r.sum[m][e / 2] += p;
                r.s[m][n][e] = p;
            }
        }
    }
}

/* O += P V, keys 16 at a time: results n and n + 1 of P, side by side, are one operand. */
template <class Tile>
static __device__ __forceinline__ void weigh_halves(Registers<Tile> &r, const unsigned char *v)
{
    using T = typename Tile::T;
    constexpr int M = Registers<Tile>::M;
    const LanePlace lane = find_tall_place<Tile>();
    v += Tile::first_column() * sizeof(T);
#pragma unroll
    for (int n = 0; n < Tile::WARP_KEYS / 8; n += 2) {
        unsigned a[M][4];
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float *p = &r.s[m][n + i / 2][i % 2 * 2];
                a[m][i] = pack(p[0], p[1], T());
            }
        }
#pragma unroll
        for (int c = 0; c < Tile::WARP_WIDTH / 8; c += 2) {
            unsigned b[4];
            rp_ldmatrix_x4_trans(b, v + lane.at<Tile>(c / 2, Tile::first_key() + 8 * n));
#pragma unroll
            for (int m = 0; m < M; ++m) {
                multiply(r.o[m][c], a[m], b[0], b[1], T());
                multiply(r.o[m][c + 1], a[m], b[2], b[3], T());
            }
        }
    }
}

/* O += P V in tf32, keys 8 at a time. A sum over keys may take them in any order: P is an operand
 * as it lies when key 2t counts as t, and 2t + 1 as t + 4. */
template <class Tile>
static __device__ __forceinline__ void weigh_tf32(Registers<Tile> &r, const unsigned char *v)
{
    constexpr int M = Registers<Tile>::M;
    const LanePlace even = find_element_place<Tile>(0);
    const LanePlace odd = find_element_place<Tile>(1);
    v += Tile::first_column() * sizeof(float);
#pragma unroll
    for (int n = 0; n < Tile::WARP_KEYS / 8; ++n) {
        const int below = Tile::first_key() + 8 * n;
        unsigned a[M][4];
#pragma unroll
        for (int m = 0; m < M; ++m) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                a[m][i] = rp_tf32_round(r.s[m][n][i % 2 * 2 + i / 2]);
        }
#pragma unroll
        for (int c = 0; c < Tile::WARP_WIDTH / 8; ++c) {
            const float b0 = *reinterpret_cast<const float *>(v + even.at<Tile>(c, below));
            const float b1 = *reinterpret_cast<const float *>(v + odd.at<Tile>(c, below));
#pragma unroll
            for (int m = 0; m < M; ++m)
                multiply(r.o[m][c], a[m], bits_of(b0), bits_of(b1), float());
        }
    }
}

/* O += P V. */
template <class Tile>
static __device__ __forceinline__ void weigh(Registers<Tile> &r, const unsigned char *v)
{
    if constexpr (sizeof(typename Tile::T) == sizeof(float))
        weigh_tf32(r, v);
    else
        weigh_halves(r, v);
}

/* The sum of the row over the four lanes that share it. */
static __device__ __forceinline__ float join_sum(float x)
{
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/* O is empty. */
template <class Tile> static __device__ __forceinline__ void clear_rows(Registers<Tile> &r)
{
#pragma unroll
    for (int i = 0; i < 2 * Registers<Tile>::M; ++i) {
        r.bound[i / 2][i % 2] = LOWEST;
        r.sum[i / 2][i % 2] = 0.0f;
#pragma unroll
        for (int e = 0; e < Tile::WARP_WIDTH / 4; ++e)
            r.o[i / 2][e / 2][i % 2 * 2 + e % 2] = 0.0f;
    }
}

/* Q passes through shared memory at `place`; where it stays in registers, into these. O is empty.
 */
template <class Tile>
static __device__ __forceinline__ void begin_rows(Registers<Tile> &r, unsigned char *place,
                                                  const Rows<typename Tile::T> &rows)
{
    Transfer<Tile, Tile::ROWS> transfer;
    begin_transfer(transfer, place, rows, 0);
    end_transfer(transfer, place, rows, 0);
    if constexpr (Tile::Q_STAYS) {
        __syncthreads(); /* Q is there */
#pragma unroll
        for (int i = 0; i < Registers<Tile>::M * Tile::STEPS; ++i)
            load_q<Tile>(r.q[i], place, i / Tile::STEPS, i % Tile::STEPS);
        __syncthreads(); /* Q is read: K and V may take its place */
    }
    clear_rows(r);
}

#endif
