/*
 * dtype.c - one generic codec driven by dtypes.def.
 *
 * A value is sign, exponent (bias 2^(e-1) - 1) and m stored mantissa bits; subnormals included;
 * rounding to nearest, ties to even, done on the fp32 bits.
 */
#include "model/dtype.h"

#include <string.h>

static const struct rp_dtype_info infos[] = {
#define RP_DTYPE(name, storage_bytes, exponent_bits, mantissa_bits)                                \
    {#name, storage_bytes, exponent_bits, mantissa_bits},
#include "registry/dtypes.def"
#undef RP_DTYPE
};

const struct rp_dtype_info *rp_dtype_info(enum rp_dtype dtype)
{
    return &infos[dtype];
}

bool rp_dtype_find(const char *name, enum rp_dtype *dtype)
{
    for (int i = 0; i < RP_DTYPE_COUNT; ++i) {
        if (strcmp(infos[i].name, name) == 0) {
            *dtype = (enum rp_dtype)i;
            return true;
        }
    }
    return false;
}

double rp_dtype_unit_roundoff(enum rp_dtype dtype)
{
    return 1.0 / (double)((int64_t)2 << infos[dtype].mantissa_bits);
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* value >> shift, rounded to nearest even; shift in 0..31. */
static uint32_t shift_right_even(uint32_t value, int shift)
{
    if (shift == 0)
        return value;
    uint32_t half = 1u << (shift - 1);
    uint32_t rest = value & ((1u << shift) - 1);
    uint32_t result = value >> shift;
    return result + (rest > half || (rest == half && (result & 1u)));
}

/* Sign, exponent and mantissa packed at the type's own width. */
static uint32_t pack(const struct rp_dtype_info *t, float x)
{
    uint32_t bits = float_bits(x);
    uint32_t sign = bits >> 31 << (t->exponent_bits + t->mantissa_bits);
    int exponent = (int)(bits >> 23 & 0xFF);
    uint32_t mantissa = bits & 0x7FFFFF;
    int bias = (1 << (t->exponent_bits - 1)) - 1;
    uint32_t infinity = ((1u << t->exponent_bits) - 1) << t->mantissa_bits;
    if (exponent == 0xFF)
        return sign | infinity | (mantissa ? 1u << (t->mantissa_bits - 1) : 0);
    if (exponent == 0 && bias == 127) /* the same exponents as fp32: subnormals only get shorter */
        return sign | shift_right_even(mantissa, 23 - t->mantissa_bits);
    int target = exponent - 127 + bias;
    if (exponent == 0)
        return sign; /* far below the smallest subnormal of a narrower exponent */
    mantissa |= 0x800000;
    int shift = 23 - t->mantissa_bits;
    if (target <= 0) {
        shift += 1 - target;
        target = 0;
        if (shift > 25)
            return sign;
        return sign | shift_right_even(mantissa, shift);
    }
    /* The hidden bit adds one to the exponent field, so the field starts one lower; a carry out of
     * the mantissa moves into the exponent by itself. */
    uint32_t packed =
        ((uint32_t)(target - 1) << t->mantissa_bits) + shift_right_even(mantissa, shift);
    return sign | (packed >= infinity ? infinity : packed);
}

static float unpack(const struct rp_dtype_info *t, uint32_t packed)
{
    int bias = (1 << (t->exponent_bits - 1)) - 1;
    uint32_t sign = packed >> (t->exponent_bits + t->mantissa_bits) & 1u;
    uint32_t exponent = packed >> t->mantissa_bits & ((1u << t->exponent_bits) - 1);
    uint32_t mantissa = packed & ((1u << t->mantissa_bits) - 1);
    if (exponent == (1u << t->exponent_bits) - 1)
        return bits_float(sign << 31 | 0x7F800000u | mantissa << (23 - t->mantissa_bits));
    if (bias == 127)
        return bits_float(sign << 31 | exponent << 23 | mantissa << (23 - t->mantissa_bits));
    if (exponent == 0) { /* subnormal here, normal in fp32 */
        float unit = bits_float((uint32_t)(1 - bias - t->mantissa_bits + 127) << 23);
        return sign ? -(float)mantissa * unit : (float)mantissa * unit;
    }
    return bits_float(sign << 31 | (exponent + 127u - (uint32_t)bias) << 23 |
                      mantissa << (23 - t->mantissa_bits));
}

/* Bits an fp32-stored type keeps unused at the low end (13 for tf32). */
static int padding_bits(const struct rp_dtype_info *t)
{
    return 8 * t->storage_bytes - 1 - t->exponent_bits - t->mantissa_bits;
}

uint32_t rp_dtype_encode(enum rp_dtype dtype, float x)
{
    return pack(&infos[dtype], x) << padding_bits(&infos[dtype]);
}

float rp_dtype_decode(enum rp_dtype dtype, uint32_t bits)
{
    return unpack(&infos[dtype], bits >> padding_bits(&infos[dtype]));
}

void rp_dtype_encode_array(enum rp_dtype dtype, const float *values, void *stored, size_t n)
{
    const struct rp_dtype_info *t = &infos[dtype];
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits = rp_dtype_encode(dtype, values[i]);
        uint16_t half = (uint16_t)bits;
        if (t->storage_bytes == 4)
            memcpy((char *)stored + 4 * i, &bits, 4);
        else
            memcpy((char *)stored + 2 * i, &half, 2);
    }
}

void rp_dtype_decode_array(enum rp_dtype dtype, const void *stored, float *values, size_t n)
{
    const struct rp_dtype_info *t = &infos[dtype];
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits = 0;
        uint16_t half = 0;
        if (t->storage_bytes == 4)
            memcpy(&bits, (const char *)stored + 4 * i, 4);
        else
            memcpy(&half, (const char *)stored + 2 * i, 2);
        values[i] = rp_dtype_decode(dtype, t->storage_bytes == 4 ? bits : half);
    }
}
