/*
 * row_loops.h - what the loops of row_stream.c and row_blocks.c share: what is fetched ahead, and
 * the values that become constants inside them.
 */
#ifndef RP_KERNELS_CPU_ROW_LOOPS_H
#define RP_KERNELS_CPU_ROW_LOOPS_H

#include <stdbool.h>

#include "kernels/cpu/row_stream.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"
#include "model/method_cpu.h"

#define LANES RP_VEC_LANES

/* A sanitizer makes minutes of compiling of the copies below; one of each loop shows it as much. */
#ifdef RP_SANITIZED
#define INLINE static
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* Elements of a line of memory. */
INLINE int64_t line_of(const struct rp_stream *x)
{
    return x->dtype == RP_DTYPE_fp32 ? 16 : 32;
}

/* The line that lies so many bytes behind element i. */
INLINE void fetch_behind(const struct rp_stream *x, const void *rows, int64_t i, int64_t bytes)
{
    __builtin_prefetch((const char *)rp_element(x->dtype, rows, i) + bytes);
}

/* A loop, inlined with each combination of constants. */
typedef void stream_loop(const struct rp_stream *x, const float *from, float *to);

/* The usual widths are constants, too: a row takes few instructions. */
INLINE void with_width(stream_loop *loop, const struct rp_stream *x, const float *from, float *to)
{
    struct rp_stream y = *x;
    if (x->width == 64) {
        y.width = 64;
        loop(&y, from, to);
    } else if (x->width == 128) {
        y.width = 128;
        loop(&y, from, to);
    } else
        loop(&y, from, to);
}

INLINE void with_dtype(stream_loop *loop, const struct rp_stream *x, const float *from, float *to)
{
    struct rp_stream y = *x;
    if (x->dtype == RP_DTYPE_fp16) {
        y.dtype = RP_DTYPE_fp16;
        loop(&y, from, to);
    } else if (x->dtype == RP_DTYPE_bf16) {
        y.dtype = RP_DTYPE_bf16;
        loop(&y, from, to);
    } else {
        y.dtype = RP_DTYPE_fp32;
        loop(&y, from, to);
    }
}

#endif
