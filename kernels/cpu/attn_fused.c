/*
 * attn_fused.c - attention in one pass with online softmax; the score matrix is never stored
 * (Dao et al. 2022). This file: many query rows on a kv head. Few of them: attn_fused_decode.c.
 *
 *   for each block of 96 query rows, for each 512 keys, for each tile of 12 rows:
 *       s = q k^T                                  (12, 512), in the first-level cache
 *       m' = max(m, max s)   p = 2^(s - m')        l = l 2^(m - m') + sum p
 *       o = o 2^(m - m') + p v
 *   o / l
 *
 * scale * log2(e) is folded into q. A tile stops at the last key one of its rows sees. Blocks are
 * computed alike whoever has them: the result does not depend on the number of threads.
 */
#include "kernels/cpu/attn_fused.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/panels.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"

#define LANES RP_CPU_LANES

/* A block of query rows of one span (rp_cpu_fused_span_rows), with this thread's scratch. */
struct block {
    int64_t first_row; /* of the matrix of all query rows */
    int64_t in_span;   /* the same, counted from the begin of its span */
    int64_t rows;
    const float *k_panels; /* of its kv head */
    const float *v_panels;
    float *q;      /* (96, head_dim), times scale * log2(e) */
    float *o;      /* (96, head_dim rounded up), not yet divided by the sums */
    float *scores; /* (12, 512) */
    struct rp_softmax_state *states;
};

/* Rows of a block that share one limit. */
struct tile {
    int64_t first; /* within the block */
    int64_t rows;
    int64_t keys; /* the limit */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct block block_at(const struct rp_attention *a, const struct rp_cpu_layout *layout,
                             int64_t index)
{
    const struct rp_point *p = a->point;
    const float *workspace = a->workspace;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t span_rows = rp_cpu_fused_span_rows(p);
    int64_t blocks = (span_rows + RP_CPU_BLOCK_ROWS - 1) / RP_CPU_BLOCK_ROWS;
    int64_t span = index / blocks;
    int64_t in_span = index % blocks * RP_CPU_BLOCK_ROWS;
    int64_t kv_head = span * span_rows / rp_cpu_group_rows(p);
    float *scratch = rp_thread_scratch(a, layout);
    struct block b = {
        .first_row = span * span_rows + in_span,
        .in_span = in_span,
        .rows = smaller(span_rows - in_span, RP_CPU_BLOCK_ROWS),
        .k_panels =
            workspace + layout->k_panels + kv_head * rp_cpu_lanes_up(p->seq_k) * p->head_dim,
        .v_panels = workspace + layout->v_panels + kv_head * p->seq_k * wide,
        .q = scratch,
        .o = scratch + RP_CPU_BLOCK_ROWS * wide,
        .scores = scratch + 2 * RP_CPU_BLOCK_ROWS * wide,
    };
    b.states = (struct rp_softmax_state *)(b.scores + RP_CPU_TILE_ROWS * RP_CPU_BLOCK_KEYS);
    return b;
}

static void block_begin(const struct rp_attention *a, const struct block *b)
{
    const struct rp_point *p = a->point;
    int64_t n = b->rows * p->head_dim;
    float factor = rp_softmax_factor(p);
    rp_row_load(p->dtype, rp_element(p->dtype, a->q, b->first_row * p->head_dim), b->q, n);
    for (int64_t i = 0; i < n; ++i)
        b->q[i] *= factor;
    memset(b->o, 0, (size_t)(b->rows * rp_cpu_lanes_up(p->head_dim)) * sizeof *b->o);
    for (int64_t row = 0; row < b->rows; ++row)
        b->states[row] = (struct rp_softmax_state){-INFINITY, 0.0f};
}

/* Online softmax of the tile's rows over `n` scores from key `key`, of which each row sees its own
 * part; what o holds is brought under the new maximum. */
static void tile_softmax(const struct rp_point *p, const struct block *b, const struct tile *t,
                         int64_t key, int64_t n)
{
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    struct rp_softmax_tile softmax = {
        .scores = b->scores,
        .stride = RP_CPU_BLOCK_KEYS,
        .rows = t->rows,
        .n = n,
        .states = b->states + t->first,
    };
    /* Limits grow by one from a row to the next but where a stacked head ends. */
    int64_t query = (b->in_span + t->first) % p->seq_q;
    for (int64_t row = 0; row < t->rows; ++row) {
        rp_softmax_hide(b->scores + row * RP_CPU_BLOCK_KEYS, n,
                        rp_cpu_visible_keys(p, query) - key);
        query = query + 1 < p->seq_q ? query + 1 : 0;
    }
    rp_softmax_step(&softmax);
    rp_softmax_correct(&softmax, b->o + t->first * wide, wide);
}

/* One tile meets up to 512 keys from `key`. */
static void tile_keys(const struct rp_point *p, const struct block *b, const struct tile *t,
                      int64_t key)
{
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t keys = smaller(t->keys - key, RP_CPU_BLOCK_KEYS);
    const struct rp_product score = {
        .a = b->q + t->first * p->head_dim,
        .a_stride = p->head_dim,
        .panels = b->k_panels + key * p->head_dim,
        .row_stride = LANES,
        .panel_stride = p->head_dim * LANES,
        .n_panels = rp_cpu_lanes_up(keys) / LANES,
        .depth = p->head_dim,
        .c = b->scores,
        .c_stride = RP_CPU_BLOCK_KEYS,
    };
    rp_panels_multiply(&score, t->rows);
    tile_softmax(p, b, t, key, rp_cpu_lanes_up(keys));
    const struct rp_product output = {
        .a = b->scores,
        .a_stride = RP_CPU_BLOCK_KEYS,
        .panels = b->v_panels + key * LANES,
        .row_stride = LANES,
        .panel_stride = p->seq_k * LANES,
        .n_panels = wide / LANES,
        .depth = keys,
        .c = b->o + t->first * wide,
        .c_stride = wide,
        .adds = true,
    };
    rp_panels_multiply(&output, t->rows);
}

static void block_end(const struct rp_attention *a, const struct block *b)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    for (int64_t row = 0; row < b->rows; ++row) {
        float *o = b->o + row * wide;
        float inverse = 1.0f / b->states[row].sum;
        for (int64_t d = 0; d < p->head_dim; ++d)
            o[d] *= inverse;
        rp_row_store(p->dtype, o,
                     rp_element_out(p->dtype, a->o, (b->first_row + row) * p->head_dim),
                     p->head_dim);
    }
}

static void run_block(const struct rp_attention *a, const struct block *b)
{
    const struct rp_point *p = a->point;
    struct tile tiles[RP_CPU_BLOCK_ROWS / RP_CPU_TILE_ROWS];
    int n_tiles = 0;
    int64_t most = 0;
    block_begin(a, b);
    for (int64_t first = 0; first < b->rows; first += RP_CPU_TILE_ROWS) {
        struct tile t = {.first = first, .rows = smaller(b->rows - first, RP_CPU_TILE_ROWS)};
        t.keys = rp_cpu_fused_tile_keys(p, b->in_span + first, t.rows);
        most = t.keys; /* limits only grow within a block */
        tiles[n_tiles++] = t;
    }
    for (int64_t key = 0; key < most; key += RP_CPU_BLOCK_KEYS) {
        for (int i = 0; i < n_tiles; ++i) {
            if (key < tiles[i].keys)
                tile_keys(p, b, &tiles[i], key);
        }
    }
    block_end(a, b);
}

static void run_prefill(const struct rp_attention *a, const struct rp_cpu_layout *layout)
{
    const struct rp_point *p = a->point;
    int64_t span_rows = rp_cpu_fused_span_rows(p);
    int64_t spans = p->batch * p->heads * p->seq_q / span_rows;
    int64_t blocks = (span_rows + RP_CPU_BLOCK_ROWS - 1) / RP_CPU_BLOCK_ROWS;
    rp_panels_pack_keys(a, layout);
    rp_panels_pack_values(a, layout);
    /* Dynamic: with a causal mask later blocks are longer. */
#pragma omp parallel for num_threads(a->threads) schedule(dynamic)
    for (int64_t i = spans * blocks - 1; i >= 0; --i) {
        struct block b = block_at(a, layout, i);
        run_block(a, &b);
    }
}

enum rp_status RP_ISA_NAME(rp_cpu_fused)(const struct rp_attention *a)
{
    struct rp_cpu_layout layout;
    RP_TRY(rp_cpu_layout_fused(a->point, a->threads, &layout));
    if (rp_cpu_fused_is_decode(a->point))
        rp_fused_decode(a, &layout);
    else
        run_prefill(a, &layout);
    return RP_OK;
}
