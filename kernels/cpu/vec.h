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

static inline rp_vec rp_vec_all(float x)
{
    return x - (rp_vec){0}; /* not +: -0 + 0 is 0 */
}

/* Lanes of `a` where `mask` is all ones, of `b` where it is 0. */
static inline rp_vec rp_vec_select(rp_vec_int mask, rp_vec a, rp_vec b)
{
    return (rp_vec)((mask & (rp_vec_int)a) | (~mask & (rp_vec_int)b));
}

static inline rp_vec rp_vec_max(rp_vec a, rp_vec b)
{
    return rp_vec_select(a > b, a, b);
}

static inline float rp_vec_sum_lanes(rp_vec v)
{
    float lanes[RP_VEC_LANES];
    rp_vec_store(lanes, v);
    for (int half = RP_VEC_LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i)
            lanes[i] += lanes[i + half];
    }
    return lanes[0];
}

static inline float rp_vec_max_lanes(rp_vec v)
{
    float largest = v[0];
    for (int i = 1; i < RP_VEC_LANES; ++i)
        largest = v[i] > largest ? v[i] : largest;
    return largest;
}

/*
 * 2^x for x <= 0, to a few units in the last place; exactly 0 for x <= -126.5, -infinity
 * included; NaN stays NaN.
 *
 *   x = n + f, n = round(x), |f| <= 1/2;  2^f = 1 + f q(f), q the interpolation of
 *   (2^f - 1) / f at Chebyshev's nodes (relative error 2^-26.7);  2^n by its exponent bits.
 * Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits; n = -127 gives the bits
 * of 0.
 */
static inline rp_vec rp_vec_exp2(rp_vec x)
{
    const float magic = 12582912.0f;
    rp_vec low = rp_vec_all(-127.0f);
    x = rp_vec_select(x < low, low, x);
    rp_vec shifted = x + magic;
    rp_vec f = x - (shifted - magic);
    rp_vec p = rp_vec_all(0.000154531634f);
    p = p * f + 0.00133908633f;
    p = p * f + 0.00961808302f;
    p = p * f + 0.0555035695f;
    p = p * f + 0.240226507f;
    p = p * f + 0.693147182f;
    p = p * f + 1.0f;
    return p * (rp_vec)(((rp_vec_bits)shifted + 127u) << 23);
}

static inline float rp_vec_exp2_one(float x)
{
    return rp_vec_exp2(rp_vec_all(x))[0];
}

#endif
