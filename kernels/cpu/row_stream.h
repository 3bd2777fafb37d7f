/*
 * row_stream.h - one query row against rows of K or V as they are stored: each element is read
 * once, strictly forward, and converted in a register.
 */
#ifndef RP_KERNELS_CPU_ROW_STREAM_H
#define RP_KERNELS_CPU_ROW_STREAM_H

#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "model/dtype.h"

#define rp_stream_dots RP_ISA_NAME(rp_stream_dots)
#define rp_stream_sum  RP_ISA_NAME(rp_stream_sum)

struct rp_stream {
    enum rp_dtype dtype;
    const void *rows; /* (n, width) */
    int64_t n;
    int64_t width;
};

/* dots_j = <q, row_j>, q of `width` elements. */
void rp_stream_dots(const struct rp_stream *x, const float *q, float *dots);

/* o += the sum over j of weights_j * row_j, o of `width` elements. */
void rp_stream_sum(const struct rp_stream *x, const float *weights, float *o);

#endif
