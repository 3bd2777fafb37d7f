/*
 * row_stream.h - a few query rows against rows of K or V as they are stored: each element is read
 * once, strictly forward, converted near the registers and met by all query rows.
 *
 * Query rows are padded to 1, 2, 4 or 8 slots (rp_cpu_group_slots). Scores and weights of one key
 * lie side by side, (n, slots).
 */
#ifndef RP_KERNELS_CPU_ROW_STREAM_H
#define RP_KERNELS_CPU_ROW_STREAM_H

#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "model/dtype.h"

#define rp_stream_dots  RP_ISA_NAME(rp_stream_dots)
#define rp_stream_place RP_ISA_NAME(rp_stream_place)
#define rp_stream_sum   RP_ISA_NAME(rp_stream_sum)

struct rp_stream {
    enum rp_dtype dtype;
    const void *rows; /* (n, width) */
    int64_t n;
    int64_t width;
    int64_t slots;
    int64_t stride; /* from one slot's o to the next, a multiple of RP_CPU_LANES */
};

/* A query row, padded with zeros to whole vectors, to its slot of q: as many floats as slots times
 * the width rounded up to RP_CPU_LANES, in an order of the dots' own; 0 for slots without a row. */
void rp_stream_place(const struct rp_stream *x, int64_t slot, const float *row, float *q);

/* dots (n, slots): <q_s, row_j>. Overwrites up to n rounded up to RP_CPU_LANES rows. */
void rp_stream_dots(const struct rp_stream *x, const float *q, float *dots);

/* o_s += the sum over j of weights (n, slots) times row_j, o (slots, stride). */
void rp_stream_sum(const struct rp_stream *x, const float *weights, float *o);

#endif
