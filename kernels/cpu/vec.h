/*
 * vec.h - one vector of the widest kind this copy's instruction set has, and 2^x on it.
 *
 * GCC vector extensions: one source for every instruction set. Static inline only, so that copies
 * never meet in the linker.
 */
#ifndef RP_KERNELS_CPU_VEC_H
#define RP_KERNELS_CPU_VEC_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "model/dtype.h"

#ifdef __FAST_MATH__
#error "masks and NaN checks break under -ffast-math"
#endif

#if defined(__AVX512F__)
#define RP_VEC_LANES 16
#elif defined(__AVX2__)
#define RP_VEC_LANES 8
#else
#define RP_VEC_LANES 4
#endif

typedef float rp_vec __attribute__((vector_size(4 * RP_VEC_LANES)));
typedef int32_t rp_vec_int __attribute__((vector_size(4 * RP_VEC_LANES)));
typedef uint32_t rp_vec_bits __attribute__((vector_size(4 * RP_VEC_LANES)));
typedef uint16_t rp_vec_halves __attribute__((vector_size(2 * RP_VEC_LANES)));

/* Lane numbers 0, 1, 2, ... through a macro of a lane and a parameter. */
#define RP_VEC_EACH_4(M, a, s)  M(a, s), M(a + 1, s), M(a + 2, s), M(a + 3, s)
#define RP_VEC_EACH_8(M, a, s)  RP_VEC_EACH_4(M, a, s), RP_VEC_EACH_4(M, a + 4, s)
#define RP_VEC_EACH_16(M, a, s) RP_VEC_EACH_8(M, a, s), RP_VEC_EACH_8(M, a + 8, s)
#if RP_VEC_LANES == 16
#define RP_VEC_EACH(M, s) RP_VEC_EACH_16(M, 0, s)
#elif RP_VEC_LANES == 8
#define RP_VEC_EACH(M, s) RP_VEC_EACH_8(M, 0, s)
#else
#define RP_VEC_EACH(M, s) RP_VEC_EACH_4(M, 0, s)
#endif

static inline rp_vec rp_vec_load(const float *from)
{
    rp_vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void rp_vec_store(float *to, rp_vec v)
{
    memcpy(to, &v, sizeof v);
}

static inline rp_vec_bits rp_vec_widen(rp_vec_halves halves)
{
#if defined(__AVX512F__)
    return (rp_vec_bits)_mm512_cvtepu16_epi32((__m256i)halves);
#elif defined(__AVX2__)
    return (rp_vec_bits)_mm256_cvtepu16_epi32((__m128i)halves);
#else
    return __builtin_convertvector(halves, rp_vec_bits);
#endif
}

#define RP_VEC_UPPER_WORD(l, unused) ((uint32_t)(l) << 16)

/* As many bf16 or fp16 numbers as a vector has lanes. bf16 is the upper half of an fp32. */
static inline rp_vec rp_vec_load_bf16(const void *from)
{
    rp_vec_halves halves;
    memcpy(&halves, from, sizeof halves);
#if defined(__AVX512BW__)
    /* Word l of 32 to the upper half of lane l, 0 below it: one instruction. */
    const rp_vec_bits words = {RP_VEC_EACH(RP_VEC_UPPER_WORD, 0)};
    return (rp_vec)_mm512_maskz_permutexvar_epi16(0xAAAAAAAAu, (__m512i)words,
                                                  _mm512_castsi256_si512((__m256i)halves));
#else
    return (rp_vec)(rp_vec_widen(halves) << 16);
#endif
}

/*
 * The fp16 fields shifted to fp32's places are 2^-112 of the value, subnormals too; 31 in the
 * exponent (infinity, NaN) becomes 255.
 */
static inline rp_vec rp_vec_load_fp16(const void *from)
{
    rp_vec_halves halves;
    memcpy(&halves, from, sizeof halves);
#if defined(__AVX512F__)
    return (rp_vec)_mm512_cvtph_ps((__m256i)halves);
#elif defined(__F16C__)
    return (rp_vec)_mm256_cvtph_ps((__m128i)halves);
#else
    rp_vec_bits bits = rp_vec_widen(halves);
    rp_vec_bits magnitude = (bits & 0x7FFFu) << 13;
    rp_vec_bits special = (rp_vec_bits)(magnitude >= 0x0F800000u) & 0x7F800000u;
    return (rp_vec)((bits & 0x8000u) << 16 | special | (rp_vec_bits)((rp_vec)magnitude * 0x1p112f));
#endif
}

static inline rp_vec rp_vec_load_stored(enum rp_dtype dtype, const void *from)
{
    return dtype == RP_DTYPE_fp16   ? rp_vec_load_fp16(from)
           : dtype == RP_DTYPE_bf16 ? rp_vec_load_bf16(from)
                                    : rp_vec_load(from);
}

static inline rp_vec rp_vec_all(float x)
{
    return x - (rp_vec){0}; /* not +: -0 + 0 is 0 */
}

/* The same as rp_vec_load by loads of 32 bytes: some processors read memory faster by these than by
 * wider ones. */
static inline rp_vec rp_vec_load_narrow(const float *from)
{
#if defined(__AVX512F__)
    return (rp_vec)_mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(from)),
                                      _mm256_loadu_ps(from + 8), 1);
#else
    return rp_vec_load(from);
#endif
}

/* A piece of a vector is what a load can repeat in all of it, as fast as it loads all of it. */
#define RP_VEC_PIECE (RP_VEC_LANES > 4 ? RP_VEC_LANES / 2 : RP_VEC_LANES)
static inline rp_vec rp_vec_load_piece(const float *from)
{
#if defined(__AVX512F__)
    return (rp_vec)_mm512_broadcast_f32x8(_mm256_loadu_ps(from));
#elif defined(__AVX2__)
    return (rp_vec)_mm256_broadcast_ps((const __m128 *)(const void *)from);
#else
    return rp_vec_load(from);
#endif
}

/* Lanes of `a` where `mask` is all ones, of `b` where it is 0. */
static inline rp_vec rp_vec_select(rp_vec_int mask, rp_vec a, rp_vec b)
{
    return (rp_vec)((mask & (rp_vec_int)a) | (~mask & (rp_vec_int)b));
}

/* a > b ? a : b, so b where one of them is NaN: one instruction, which compilers do not find. */
static inline rp_vec rp_vec_max(rp_vec a, rp_vec b)
{
#if defined(__AVX512F__)
    return (rp_vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (rp_vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return rp_vec_select(a > b, a, b);
#endif
}

#ifdef __clang__
#define RP_VEC_SHUFFLE(a, b, M, s) __builtin_shufflevector(a, b, RP_VEC_EACH(M, s))
#else
#define RP_VEC_SHUFFLE(a, b, M, s) __builtin_shuffle(a, b, (rp_vec_int){RP_VEC_EACH(M, s)})
#endif

/* Groups of s lanes, of a and of b in turn: the first, third, ... of each, or those behind them. */
#define RP_VEC_FIRST(l, s)                                                                         \
    (((l) / (s) % 2 * RP_VEC_LANES) + (l) / (2 * (s)) * (2 * (s)) + (l) % (s))
#define RP_VEC_SECOND(l, s) (RP_VEC_FIRST(l, s) + (s))
#define RP_VEC_FOLD(a, b, s)                                                                       \
    (RP_VEC_SHUFFLE(a, b, RP_VEC_FIRST, s) + RP_VEC_SHUFFLE(a, b, RP_VEC_SECOND, s))

/* Of a and of b in turn the first of each two lanes of a quad, or the first of each two quads: one
 * instruction, and one more for those behind them. */
#define RP_VEC_LANE(l, second) ((l) / 4 * 4 + (l) % 2 * 2 + (l) % 4 / 2 * RP_VEC_LANES + (second))
#define RP_VEC_QUAD(l, second)                                                                     \
    ((l)*2 / RP_VEC_LANES * RP_VEC_LANES + (l) / 4 * 8 % RP_VEC_LANES + (l) % 4 + 4 * (second))
#define RP_VEC_ADD_PAIRS(a, b, PAIR) (RP_VEC_SHUFFLE(a, b, PAIR, 0) + RP_VEC_SHUFFLE(a, b, PAIR, 1))

/* The sums over the lanes of the first pieces of four of v, then of their second pieces, then the
 * same of the next four if there are as many. Overwrites v. */
static inline __attribute__((always_inline)) rp_vec rp_vec_sum_pieces(rp_vec v[RP_VEC_PIECE])
{
#pragma GCC unroll 4
    for (int i = 0; i < RP_VEC_PIECE / 2; ++i)
        v[i] = RP_VEC_ADD_PAIRS(v[2 * i], v[2 * i + 1], RP_VEC_LANE);
#pragma GCC unroll 2
    for (int i = 0; i < RP_VEC_PIECE / 4; ++i)
        v[i] = RP_VEC_ADD_PAIRS(v[2 * i], v[2 * i + 1], RP_VEC_LANE);
#if RP_VEC_LANES == 16
    v[0] = RP_VEC_ADD_PAIRS(v[0], v[1], RP_VEC_QUAD);
#endif
    return v[0];
}

/* Lane j of the result is the sum over the lanes of v[j]: each step makes one vector of two, in
 * which half as many lanes are left of each v. Overwrites v. */
static inline __attribute__((always_inline)) rp_vec rp_vec_sum_each(rp_vec v[RP_VEC_LANES])
{
    rp_vec sums = rp_vec_sum_pieces(v);
#if RP_VEC_LANES > RP_VEC_PIECE
    rp_vec others = rp_vec_sum_pieces(v + RP_VEC_PIECE);
    sums = RP_VEC_ADD_PAIRS(sums, others, RP_VEC_QUAD);
#endif
    return sums;
}

/* Lane l of the result is lane l ^ s of v. */
#define RP_VEC_XOR(l, s)    ((l) ^ (s))
#define RP_VEC_ACROSS(v, s) RP_VEC_SHUFFLE(v, v, RP_VEC_XOR, s)

/* One stored number: the vector's conversion of it alone. */
static inline float rp_load_stored(enum rp_dtype dtype, const void *from)
{
    float lanes[RP_VEC_LANES] = {0};
    memcpy(lanes, from, dtype == RP_DTYPE_fp32 ? 4 : 2);
    return rp_vec_load_stored(dtype, lanes)[0];
}

static inline float rp_vec_sum_lanes(rp_vec v)
{
    v = RP_VEC_FOLD(v, v, 1);
    v = RP_VEC_FOLD(v, v, 2);
#if RP_VEC_LANES >= 8
    v = RP_VEC_FOLD(v, v, 4);
#endif
#if RP_VEC_LANES >= 16
    v = RP_VEC_FOLD(v, v, 8);
#endif
    return v[0];
}

static inline float rp_vec_max_lanes(rp_vec v)
{
    v = rp_vec_max(RP_VEC_SHUFFLE(v, v, RP_VEC_FIRST, 1), RP_VEC_SHUFFLE(v, v, RP_VEC_SECOND, 1));
    v = rp_vec_max(RP_VEC_SHUFFLE(v, v, RP_VEC_FIRST, 2), RP_VEC_SHUFFLE(v, v, RP_VEC_SECOND, 2));
#if RP_VEC_LANES >= 8
    v = rp_vec_max(RP_VEC_SHUFFLE(v, v, RP_VEC_FIRST, 4), RP_VEC_SHUFFLE(v, v, RP_VEC_SECOND, 4));
#endif
#if RP_VEC_LANES >= 16
    v = rp_vec_max(RP_VEC_SHUFFLE(v, v, RP_VEC_FIRST, 8), RP_VEC_SHUFFLE(v, v, RP_VEC_SECOND, 8));
#endif
    return v[0];
}

/* One step of a transposition: swaps the blocks of s x s lanes beside the diagonal. */
#define RP_VEC_SWAP(v, s)                                                                          \
    for (int i = 0; i < RP_VEC_LANES; ++i) {                                                       \
        if (i / (s) % 2 == 0) {                                                                    \
            rp_vec first = RP_VEC_SHUFFLE(v[i], v[i + (s)], RP_VEC_FIRST, s);                      \
            v[i + (s)] = RP_VEC_SHUFFLE(v[i], v[i + (s)], RP_VEC_SECOND, s);                       \
            v[i] = first;                                                                          \
        }                                                                                          \
    }

/* Lane j of v[i] and lane i of v[j] change places. */
static inline void rp_vec_transpose(rp_vec v[RP_VEC_LANES])
{
    RP_VEC_SWAP(v, 1)
    RP_VEC_SWAP(v, 2)
#if RP_VEC_LANES >= 8
    RP_VEC_SWAP(v, 4)
#endif
#if RP_VEC_LANES >= 16
    RP_VEC_SWAP(v, 8)
#endif
}

/*
 * 2^x for x <= 0, to a few units in the last place; below 2^-126 exact only as far as 0 is; 0 for
 * -infinity, NaN stays NaN.
 *
 *   x = n + f, n whole;  2^f = 1 + f q(f);  2^n by its exponent.
 *
 * In pairs of terms (Estrin), for a longer chain of dependent instructions counts more than one
 * instruction. AVX-512 has one for f from 0 to 1 and one for 2^floor(x) times a number; q of degree
 * 5 interpolates at Chebyshev's nodes (relative error 2^-26.7). The others take f from -1/2 to 1/2,
 * where the minimax q of degree 4 does (2^-23.1; 2^-22.4 as evaluated).
 */
#if RP_VEC_LANES == 16
#define RP_VEC_EXP2_HIGH(f) ((f)*0.00020817915f + 0.00126921661f)
#define RP_VEC_EXP2_Q                                                                              \
    {                                                                                              \
        0.00965219506f, 0.0554960236f, 0.240227204f, 0.693147171f                                  \
    }
#else
#define RP_VEC_EXP2_HIGH(f) rp_vec_all(0.00132647273f)
#define RP_VEC_EXP2_Q                                                                              \
    {                                                                                              \
        0.00967151299f, 0.0555073358f, 0.240222424f, 0.693147004f                                  \
    }
#endif

/* 1 + f q(f). */
static inline rp_vec rp_vec_exp2_of_fraction(rp_vec f)
{
    const float c[] = RP_VEC_EXP2_Q;
    rp_vec square = f * f;
    rp_vec middle = f * c[0] + c[1];
    rp_vec q = f * c[2] + c[3];
    q = (RP_VEC_EXP2_HIGH(f) * square + middle) * square + q;
    return q * f + 1.0f;
}

static inline rp_vec rp_vec_exp2(rp_vec x)
{
#if RP_VEC_LANES == 16
    rp_vec f = (rp_vec)_mm512_reduce_ps((__m512)x, _MM_FROUND_TO_NEG_INF);
    return (rp_vec)_mm512_scalef_ps((__m512)rp_vec_exp2_of_fraction(f), (__m512)x);
#else
    /* Adding 1.5 * 2^23 + 127 rounds to a whole number and leaves n + 127 in the low bits; n = -127
     * gives the bits of 0. f is from -1/2 to 1/2. */
    const float magic = 12583039.0f;
    x = rp_vec_max(rp_vec_all(-127.0f), x);
    rp_vec shifted = x + magic;
    rp_vec p = rp_vec_exp2_of_fraction(x - (shifted - magic));
    return p * (rp_vec)((rp_vec_bits)shifted << 23);
#endif
}

static inline float rp_vec_exp2_one(float x)
{
    return rp_vec_exp2(rp_vec_all(x))[0];
}

#endif
