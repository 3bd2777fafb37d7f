/*
 * row_blocks.h - the loops of row_stream.h for several query rows, whose arithmetic counts as much
 * as memory: a block of rows, in fp32 in the first-level cache, meets them while the next block is
 * read and converted.
 */
#ifndef RP_KERNELS_CPU_ROW_BLOCKS_H
#define RP_KERNELS_CPU_ROW_BLOCKS_H

#include <stdbool.h>

#include "kernels/cpu/row_stream.h"

#define rp_blocks_take_dots RP_ISA_NAME(rp_blocks_take_dots)
#define rp_blocks_take_sum  RP_ISA_NAME(rp_blocks_take_sum)
#define rp_blocks_place     RP_ISA_NAME(rp_blocks_place)
#define rp_blocks_dots      RP_ISA_NAME(rp_blocks_dots)
#define rp_blocks_sum       RP_ISA_NAME(rp_blocks_sum)

/* True where the loops of this file are there for rows of this kind, and are the faster ones. */
bool rp_blocks_take_dots(const struct rp_stream *x);
bool rp_blocks_take_sum(const struct rp_stream *x);

/* As those of row_stream.h; only where the above is true. */
void rp_blocks_place(const struct rp_stream *x, int64_t slot, const float *row, float *q);
void rp_blocks_dots(const struct rp_stream *x, const float *q, float *dots);
void rp_blocks_sum(const struct rp_stream *x, const float *weights, float *o);

#endif
