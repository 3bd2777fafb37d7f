/* softmax.h - scores become probabilities in place: a whole matrix, or a row tile by tile. */
#ifndef RP_KERNELS_CPU_SOFTMAX_H
#define RP_KERNELS_CPU_SOFTMAX_H

#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "model/method_cpu.h"

#define rp_softmax_rows    RP_ISA_NAME(rp_softmax_rows)
#define rp_softmax_hide    RP_ISA_NAME(rp_softmax_hide)
#define rp_softmax_slots   RP_ISA_NAME(rp_softmax_slots)
#define rp_softmax_step    RP_ISA_NAME(rp_softmax_step)
#define rp_softmax_correct RP_ISA_NAME(rp_softmax_correct)
#define rp_softmax_factor  RP_ISA_NAME(rp_softmax_factor)

/* log2(e) / sqrt(head_dim): 2^(factor * s) is exp(scale * s). */
float rp_softmax_factor(const struct rp_point *p);

/* Turns the score matrix (batch, heads, seq_q, seq_k) into probabilities with the whole team:
 * p_j = exp(scale * (s_j - max)) / sum over the visible keys, scale = 1 / sqrt(head_dim); exactly 0
 * for the hidden ones, whatever their score is. */
void rp_softmax_rows(const struct rp_attention *a);

/* Running state of a row whose scores come a tile at a time (Milakov and Gimelshein 2018):
 * maximum so far, and the sum of 2^(s - maximum). Start from {-INFINITY, 0}. */
struct rp_softmax_state {
    float maximum;
    float sum;
};

/* RP_CPU_TILE_ROWS rounded up to whole vectors. */
enum { RP_SOFTMAX_SLOTS = (RP_CPU_TILE_ROWS + RP_CPU_LANES - 1) / RP_CPU_LANES * RP_CPU_LANES };

/* Scores already times log2(e) / sqrt(head_dim). */
struct rp_softmax_tile {
    float *scores; /* (rows, n) */
    int64_t stride;
    int64_t rows; /* at most RP_CPU_TILE_ROWS */
    int64_t n;
    struct rp_softmax_state *states;     /* of each row */
    float corrections[RP_SOFTMAX_SLOTS]; /* result: what brings earlier outputs under the new
                                            maximum */
};

/* Of n scores all but the first `visible` become -infinity: rp_softmax_step makes 0 of them. */
void rp_softmax_hide(float *scores, int64_t n, int64_t visible);

/* Scores become 2^(s - new maximum), states and corrections follow. */
void rp_softmax_step(struct rp_softmax_tile *t);

/* A whole part at once, slots side by side (row_stream.h): scores (n, slots) become 2^(s - maximum)
 * of their slot. slots: 1, 2, 4 or 8; room for n * slots rounded up to RP_SOFTMAX_ROUND. */
void rp_softmax_slots(float *scores, int64_t n, int64_t slots, struct rp_softmax_state *states);
enum { RP_SOFTMAX_ROUND = 4 * RP_CPU_LANES };

/* o (rows, wide), of earlier steps, times the corrections; wide a multiple of RP_CPU_LANES. */
void rp_softmax_correct(const struct rp_softmax_tile *t, float *o, int64_t wide);

#endif
