/*
 * attn_naive.c - attention from scratch, the way it is written on paper, the score matrix in
 * memory.
 *
 *   1. S = Q K^T                    (batch, heads, seq_q, seq_k), hidden pairs too
 *   2. P = softmax(scale * S)       in place, hidden ones 0
 *   3. O = P V
 *
 * Each step runs over all heads before the next begins. Shared out by blocks of query rows, each
 * computed alike whoever has it, so the result does not depend on the number of threads.
 */
#include <string.h>

#include "kernels/cpu/panels.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"

#define LANES RP_CPU_LANES

/* A block of query rows of one query head. */
struct block {
    int64_t head;      /* batch * heads + head */
    int64_t kv_head;   /* batch * kv_heads + kv_head */
    int64_t first_row; /* of the matrix of all query rows, (batch * heads * seq_q) */
    int64_t rows;
};

static int64_t blocks_per_head(const struct rp_point *p)
{
    return (p->seq_q + RP_CPU_BLOCK_ROWS - 1) / RP_CPU_BLOCK_ROWS;
}

static struct block block_at(const struct rp_point *p, int64_t index)
{
    int64_t head = index / blocks_per_head(p);
    int64_t query = index % blocks_per_head(p) * RP_CPU_BLOCK_ROWS;
    int64_t left = p->seq_q - query;
    return (struct block){
        .head = head,
        .kv_head = head / (p->heads / p->kv_heads), /* heads of a batch fill whole groups */
        .first_row = head * p->seq_q + query,
        .rows = left < RP_CPU_BLOCK_ROWS ? left : RP_CPU_BLOCK_ROWS,
    };
}

/* Step 1. The last few keys go by way of a tile, for a row of S ends with seq_k. */
static void score_block(const struct rp_attention *a, const struct block *b, const float *panels,
                        float *q)
{
    const struct rp_point *p = a->point;
    float *scores = (float *)a->scores + b->first_row * p->seq_k;
    float last[RP_CPU_BLOCK_ROWS * LANES];
    int64_t left = p->seq_k % LANES;
    struct rp_product product = {
        .a = q,
        .a_stride = p->head_dim,
        .panels = panels,
        .row_stride = LANES,
        .panel_stride = p->head_dim * LANES,
        .n_panels = p->seq_k / LANES,
        .depth = p->head_dim,
        .c = scores,
        .c_stride = p->seq_k,
    };
    rp_row_load(p->dtype, rp_element(p->dtype, a->q, b->first_row * p->head_dim), q,
                b->rows * p->head_dim);
    rp_panels_multiply(&product, b->rows);
    if (left == 0)
        return;
    product.panels += product.n_panels * product.panel_stride;
    product.n_panels = 1;
    product.c = last;
    product.c_stride = LANES;
    rp_panels_multiply(&product, b->rows);
    for (int64_t row = 0; row < b->rows; ++row)
        memcpy(scores + row * p->seq_k + p->seq_k - left, last + row * LANES,
               (size_t)left * sizeof *last);
}

/* Step 3: 512 keys at a time, so that a panel of V and the probabilities stay in the cache. */
static void output_block(const struct rp_attention *a, const struct block *b, const float *panels,
                         float *o)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    for (int64_t key = 0; key < p->seq_k; key += RP_CPU_BLOCK_KEYS) {
        int64_t left = p->seq_k - key;
        const struct rp_product product = {
            .a = (const float *)a->scores + b->first_row * p->seq_k + key,
            .a_stride = p->seq_k,
            .panels = panels + key * LANES,
            .row_stride = LANES,
            .panel_stride = p->seq_k * LANES,
            .n_panels = wide / LANES,
            .depth = left < RP_CPU_BLOCK_KEYS ? left : RP_CPU_BLOCK_KEYS,
            .c = o,
            .c_stride = wide,
            .adds = key > 0,
        };
        rp_panels_multiply(&product, b->rows);
    }
    for (int64_t row = 0; row < b->rows; ++row)
        rp_row_store(p->dtype, o + row * wide,
                     rp_element_out(p->dtype, a->o, (b->first_row + row) * p->head_dim),
                     p->head_dim);
}

enum rp_status RP_ISA_NAME(rp_cpu_naive)(const struct rp_attention *a)
{
    const struct rp_point *p = a->point;
    const float *workspace = a->workspace;
    int64_t n_blocks = p->batch * p->heads * blocks_per_head(p);
    int64_t k_floats = rp_cpu_lanes_up(p->seq_k) * p->head_dim;
    int64_t v_floats = p->seq_k * rp_cpu_lanes_up(p->head_dim);
    struct rp_cpu_layout layout;
    RP_TRY(rp_cpu_layout_naive(p, a->threads, &layout));

    rp_panels_pack_keys(a, &layout);
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < n_blocks; ++i) {
        struct block b = block_at(p, i);
        score_block(a, &b, workspace + layout.k_panels + b.kv_head * k_floats,
                    rp_thread_scratch(a, &layout));
    }
    rp_softmax_rows(a);
    rp_panels_pack_values(a, &layout); /* over the panels of K, which are done with */
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < n_blocks; ++i) {
        struct block b = block_at(p, i);
        output_block(a, &b, workspace + layout.v_panels + b.kv_head * v_floats,
                     rp_thread_scratch(a, &layout));
    }
    return RP_OK;
}
