/*
 * inputs.h - Q, K and V of a point, the same bits on every device, rank count and thread count.
 *
 * Values are n / 64 with n a whole number in -127 .. 127 from Philox bytes: every dtype holds them
 * exactly (bf16 has 8 significant bits), no logarithm or cosine is involved, and |x| < 2.
 */
#ifndef RP_MEASURE_INPUTS_H
#define RP_MEASURE_INPUTS_H

#include <stdint.h>

#include "base/status.h"
#include "model/point.h"

enum rp_tensor { RP_TENSOR_Q, RP_TENSOR_K, RP_TENSOR_V, RP_TENSOR_COUNT };

/* Elements of a tensor of this point (Q's count is O's too). */
int64_t rp_inputs_count(const struct rp_point *p, enum rp_tensor tensor);

/* Elements first .. first + n - 1 in row-major order as floats. */
void rp_inputs_values(int64_t seed, enum rp_tensor tensor, int64_t first, int64_t n, float *values);

/* The whole tensor in the point's dtype; `stored` holds rp_inputs_count elements. Threaded. */
void rp_inputs_fill(const struct rp_point *p, int64_t seed, enum rp_tensor tensor, void *stored);

#endif
