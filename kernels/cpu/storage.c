/*
 * storage.c - conversions of whole rows. With F16C by its instructions, else without a branch, so
 * that a compiler makes vectors of the loops. Subnormals and infinities are exact, NaN stays NaN.
 */
#include "kernels/cpu/storage.h"

#include <string.h>

#include "kernels/cpu/vec.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

static inline float bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Normal results round by adding half a unit to the bits (a carry moves into the exponent, up to
 * infinity); subnormal ones by adding 1/2, whose unit in the last place is fp16's smallest step. */
static inline uint16_t half_encode(float x)
{
    uint32_t bits = float_bits(x);
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    uint32_t normal = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t tiny = float_bits(bits_float(magnitude) + 0.5f) - 0x3F000000u;
    uint32_t half = magnitude < 0x38800000u ? tiny : normal;
    half = magnitude >= 0x47800000u ? 0x7C00u : half;
    half = magnitude > 0x7F800000u ? 0x7E00u : half;
    return (uint16_t)(bits >> 16 & 0x8000u) | (uint16_t)half;
}

/* From fp16 or bf16; with `dtype` a constant. */
static inline void load_halves(enum rp_dtype dtype, const uint16_t *from, float *to, int64_t n)
{
    int64_t i = 0;
    for (; i + RP_VEC_LANES <= n; i += RP_VEC_LANES)
        rp_vec_store(to + i, rp_vec_load_stored(dtype, from + i));
    for (; i < n; ++i)
        to[i] = rp_load_stored(dtype, from + i);
}

static void half_store(const float *from, uint16_t *to, int64_t n)
{
    int64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; ++i)
        to[i] = half_encode(from[i]);
}

static void bf16_store(const float *from, uint16_t *to, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        uint32_t bits = float_bits(from[i]);
        uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
        uint32_t quiet = bits >> 16 | 0x40u;
        to[i] = (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
    }
}

void rp_row_load(enum rp_dtype dtype, const void *from, float *to, int64_t n)
{
    if (dtype == RP_DTYPE_fp16)
        load_halves(RP_DTYPE_fp16, from, to, n);
    else if (dtype == RP_DTYPE_bf16)
        load_halves(RP_DTYPE_bf16, from, to, n);
    else
        memcpy(to, from, (size_t)n * sizeof *to);
}

void rp_row_store(enum rp_dtype dtype, const float *from, void *to, int64_t n)
{
    if (dtype == RP_DTYPE_fp16)
        half_store(from, to, n);
    else if (dtype == RP_DTYPE_bf16)
        bf16_store(from, to, n);
    else
        memcpy(to, from, (size_t)n * sizeof *from);
}
