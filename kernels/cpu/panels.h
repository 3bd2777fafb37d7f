/*
 * panels.h - K and V packed into fp32 panels of 16 columns, and the product with such a panel.
 *
 *   K panel (head_dim, 16): column j is key j, so a row of Q times a panel is 16 scores.
 *   V panel (seq_k, 16):    16 columns of V, so a row of probabilities times a panel is 16 outputs.
 *
 * Columns beyond the tensor are 0. One product routine serves both matrix products of attention.
 */
#ifndef RP_KERNELS_CPU_PANELS_H
#define RP_KERNELS_CPU_PANELS_H

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"
#include "model/method_cpu.h"

#define rp_panels_pack_keys   RP_ISA_NAME(rp_panels_pack_keys)
#define rp_panels_pack_values RP_ISA_NAME(rp_panels_pack_values)
#define rp_panels_multiply    RP_ISA_NAME(rp_panels_multiply)

/* Packs all of K, or all of V, with the whole team; each thread uses its scratch. */
void rp_panels_pack_keys(const struct rp_attention *a, const struct rp_cpu_layout *layout);
void rp_panels_pack_values(const struct rp_attention *a, const struct rp_cpu_layout *layout);

/* This thread's scratch, for use inside a parallel region. */
static inline float *rp_thread_scratch(const struct rp_attention *a,
                                       const struct rp_cpu_layout *layout)
{
    return (float *)a->workspace + layout->threads + omp_get_thread_num() * layout->thread_floats;
}

/* c (rows, 16 n) = a (rows, depth) * n panels (depth, 16) side by side, added to what c holds where
 * `adds`. */
struct rp_product {
    const float *a;
    int64_t a_stride;
    const float *panels;
    int64_t row_stride;   /* from one of a panel's rows to the next */
    int64_t panel_stride; /* from one panel to the next */
    int64_t n_panels;
    int64_t depth;
    float *c;
    int64_t c_stride;
    bool adds;
};

void rp_panels_multiply(const struct rp_product *x, int64_t rows);

#endif
