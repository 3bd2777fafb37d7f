/*
 * method_cpu.h - how the CPU methods cut a point into blocks, and what lies where in a workspace.
 *
 * Kernels and their costs read the same numbers here, so that a count cannot drift from the code.
 * Widths are in fp32 elements; every region begins on a multiple of RP_CPU_LANES of them.
 */
#ifndef RP_MODEL_METHOD_CPU_H
#define RP_MODEL_METHOD_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/point.h"

#define RP_CPU_HEAD_DIM_MAX 512
#define RP_CPU_LANES        16   /* columns of a packed panel of K or V */
#define RP_CPU_BLOCK_ROWS   96   /* query rows that share one walk over the panels */
#define RP_CPU_TILE_ROWS    12   /* query rows that share one causal limit; a part of the above */
#define RP_CPU_BLOCK_KEYS   512  /* keys whose panels stay in the second-level cache */
#define RP_CPU_DECODE_ROWS  8    /* up to so many rows on one kv head are served without panels */
#define RP_CPU_SPLIT_KEYS   2048 /* keys of one part of a split decode, whatever the threads */
#define RP_CPU_BLAS_ROWS    256  /* query rows of one matrix product of `reference` */
#define RP_CPU_BLAS_KEYS    512  /* keys of it where K and V are converted first */

/* Workspace of one call: regions at offsets in fp32 elements; an absent one has no extent. */
struct rp_cpu_layout {
    int64_t k_panels;      /* (batch, kv_heads, seq_k / 16 rounded up, head_dim, 16) */
    int64_t v_panels;      /* (batch, kv_heads, head_dim / 16 rounded up, seq_k, 16) */
    int64_t partials;      /* (batch, kv_heads, splits, rp_cpu_partial_floats) */
    int64_t threads;       /* (threads, thread_floats): scratch of each thread */
    int64_t thread_floats; /* a multiple of RP_CPU_LANES */
    int64_t total_floats;
};

/* n rounded up to a multiple of RP_CPU_LANES. */
int64_t rp_cpu_lanes_up(int64_t n);

/* Query rows that read one kv head: seq_q * heads / kv_heads. They are adjacent in memory. */
int64_t rp_cpu_group_rows(const struct rp_point *p);

/* Keys the query at position `query` of its head sees. */
int64_t rp_cpu_visible_keys(const struct rp_point *p, int64_t query);

/* `fused`: true when few rows share a kv head; K and V are then streamed as they are. */
bool rp_cpu_fused_is_decode(const struct rp_point *p);

/* `fused`, decode: the group's rows padded to 1, 2, 4 or 8; parts the keys are split into; the size
 * of one part's result. */
int64_t rp_cpu_group_slots(const struct rp_point *p);
int64_t rp_cpu_fused_splits(const struct rp_point *p);
int64_t rp_cpu_partial_floats(const struct rp_point *p);

/* `fused`, prefill: rows that blocks are cut from: one head's, or, where heads are short, all of
 * the group's. A block is RP_CPU_BLOCK_ROWS of a span, a tile RP_CPU_TILE_ROWS of a block. */
int64_t rp_cpu_fused_span_rows(const struct rp_point *p);

/* `fused`, prefill: keys that the tile of `rows` rows from row `first` of its span visits. */
int64_t rp_cpu_fused_tile_keys(const struct rp_point *p, int64_t first, int64_t rows);

/* RP_ERR_CONFIG when a size does not fit 64 bits. `threads` at least 1. */
enum rp_status rp_cpu_layout_naive(const struct rp_point *p, int threads,
                                   struct rp_cpu_layout *layout) RP_MUST_CHECK;
enum rp_status rp_cpu_layout_reference(const struct rp_point *p, int threads,
                                       struct rp_cpu_layout *layout) RP_MUST_CHECK;
enum rp_status rp_cpu_layout_fused(const struct rp_point *p, int threads,
                                   struct rp_cpu_layout *layout) RP_MUST_CHECK;

#endif
