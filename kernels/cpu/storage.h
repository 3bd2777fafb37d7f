/*
 * storage.h - rows of fp32, fp16 or bf16 to fp32 and back. Rounding is to nearest even.
 *
 * Reads and writes exactly n elements, on any alignment.
 */
#ifndef RP_KERNELS_CPU_STORAGE_H
#define RP_KERNELS_CPU_STORAGE_H

#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "model/dtype.h"

#define rp_row_load  RP_ISA_NAME(rp_row_load)
#define rp_row_store RP_ISA_NAME(rp_row_store)

void rp_row_load(enum rp_dtype dtype, const void *from, float *to, int64_t n);
void rp_row_store(enum rp_dtype dtype, const float *from, void *to, int64_t n);

/* Address of element `index` of a tensor. */
static inline const void *rp_element(enum rp_dtype dtype, const void *tensor, int64_t index)
{
    return (const char *)tensor + index * (dtype == RP_DTYPE_fp32 ? 4 : 2);
}

static inline void *rp_element_out(enum rp_dtype dtype, void *tensor, int64_t index)
{
    return (char *)tensor + index * (dtype == RP_DTYPE_fp32 ? 4 : 2);
}

#endif
