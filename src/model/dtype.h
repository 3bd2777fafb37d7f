/* dtype.h - the storage types of Q, K, V and O, and one codec for all of them. */
#ifndef RP_MODEL_DTYPE_H
#define RP_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rp_dtype {
#define RP_DTYPE(name, storage_bytes, exponent_bits, mantissa_bits) RP_DTYPE_##name,
#include "registry/dtypes.def"
#undef RP_DTYPE
    RP_DTYPE_COUNT
};

struct rp_dtype_info {
    const char *name;
    int storage_bytes;
    int exponent_bits;
    int mantissa_bits; /* stored */
};

const struct rp_dtype_info *rp_dtype_info(enum rp_dtype dtype);

/* False when no dtype has this name. */
bool rp_dtype_find(const char *name, enum rp_dtype *dtype);

/* Unit round-off 2^-(mantissa_bits + 1): largest relative error of rounding to nearest. */
double rp_dtype_unit_roundoff(enum rp_dtype dtype);

/* Bits of x rounded to nearest even; overflow gives infinity, NaN stays NaN. For tf32 the bits are
 * those of an fp32 with a short mantissa. Generic and slow: kernels have their own. */
uint32_t rp_dtype_encode(enum rp_dtype dtype, float x);
float rp_dtype_decode(enum rp_dtype dtype, uint32_t bits);

/* Arrays; `stored` holds n elements of storage_bytes each. */
void rp_dtype_encode_array(enum rp_dtype dtype, const float *values, void *stored, size_t n);
void rp_dtype_decode_array(enum rp_dtype dtype, const void *stored, float *values, size_t n);

#endif
