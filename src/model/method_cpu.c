/*
 * method_cpu.c - block geometry and workspace of the CPU methods. Pure arithmetic.
 *
 * The limits of axes.def keep a product of two lengths, or of heads, group and length, below 2^63;
 * everything wider goes through rp_cost_product.
 */
#include "model/method_cpu.h"

#include "base/status.h"
#include "model/cost.h"

int64_t rp_cpu_lanes_up(int64_t n)
{
    return (n + RP_CPU_LANES - 1) / RP_CPU_LANES * RP_CPU_LANES;
}

int64_t rp_cpu_group_rows(const struct rp_point *p)
{
    return p->seq_q * (p->heads / p->kv_heads);
}

int64_t rp_cpu_visible_keys(const struct rp_point *p, int64_t query)
{
    return p->causal ? p->seq_k - p->seq_q + query + 1 : p->seq_k;
}

bool rp_cpu_fused_is_decode(const struct rp_point *p)
{
    return rp_cpu_group_rows(p) <= RP_CPU_DECODE_ROWS;
}

int64_t rp_cpu_group_slots(const struct rp_point *p)
{
    int64_t slots = 1;
    while (slots < rp_cpu_group_rows(p))
        slots *= 2;
    return slots;
}

int64_t rp_cpu_fused_splits(const struct rp_point *p)
{
    return (p->seq_k + RP_CPU_SPLIT_KEYS - 1) / RP_CPU_SPLIT_KEYS;
}

/* Unnormalised outputs of the group's slots, then their maxima and sums. */
int64_t rp_cpu_partial_floats(const struct rp_point *p)
{
    return rp_cpu_group_slots(p) * rp_cpu_lanes_up(p->head_dim) + 2 * RP_CPU_LANES;
}

/* Heads of at least half a block fill blocks of their own; shorter ones would leave them empty. */
static bool is_stacked(const struct rp_point *p)
{
    return p->seq_q <= RP_CPU_BLOCK_ROWS / 2;
}

int64_t rp_cpu_fused_span_rows(const struct rp_point *p)
{
    return is_stacked(p) ? rp_cpu_group_rows(p) : p->seq_q;
}

/* Rows of stacked heads have no common order of limits, and heads that short hide few keys. */
int64_t rp_cpu_fused_tile_keys(const struct rp_point *p, int64_t first, int64_t rows)
{
    return is_stacked(p) ? p->seq_k : rp_cpu_visible_keys(p, first + rows - 1);
}

/* Appends a region of factors[0] * ... floats; *offset is where it begins. */
static enum rp_status add_region(struct rp_cpu_layout *layout, const int64_t *factors, size_t n,
                                 int64_t *offset)
{
    int64_t floats = 0;
    *offset = layout->total_floats;
    RP_TRY(rp_cost_product("workspace", factors, n, &floats));
    if (floats > INT64_MAX / 8 - layout->total_floats)
        return RP_FAIL(RP_ERR_CONFIG, "workspace of this point does not fit 64 bits");
    layout->total_floats += floats;
    return RP_OK;
}

static enum rp_status add_threads(struct rp_cpu_layout *layout, int threads, int64_t floats)
{
    layout->thread_floats = rp_cpu_lanes_up(floats);
    return add_region(layout, (int64_t[]){threads, layout->thread_floats}, 2, &layout->threads);
}

/*
 * naive: first the panels of K, then, in the same place, those of V; each thread holds one block of
 * Q, later of O, in fp32 (and 16 rows of K or V while it packs).
 */
enum rp_status rp_cpu_layout_naive(const struct rp_point *p, int threads,
                                   struct rp_cpu_layout *layout)
{
    int64_t k_floats = rp_cpu_lanes_up(p->seq_k) * p->head_dim;
    int64_t v_floats = p->seq_k * rp_cpu_lanes_up(p->head_dim);
    int64_t floats = k_floats > v_floats ? k_floats : v_floats;
    *layout = (struct rp_cpu_layout){0};
    RP_TRY(add_region(layout, (int64_t[]){p->batch, p->kv_heads, floats}, 3, &layout->k_panels));
    layout->v_panels = layout->k_panels;
    return add_threads(layout, threads, RP_CPU_BLOCK_ROWS * rp_cpu_lanes_up(p->head_dim));
}

/* reference: nothing for fp32; else each thread converts a block of Q or O and one of K or V. */
enum rp_status rp_cpu_layout_reference(const struct rp_point *p, int threads,
                                       struct rp_cpu_layout *layout)
{
    *layout = (struct rp_cpu_layout){0};
    if (p->dtype == RP_DTYPE_fp32)
        return RP_OK;
    return add_threads(layout, threads, (RP_CPU_BLAS_ROWS + RP_CPU_BLAS_KEYS) * p->head_dim);
}

/*
 * fused: prefill packs all of K and of V once; each thread holds a block of Q and of O, the scores
 * of one tile, and the maximum and the sum of each row of the block. Decode holds the partial
 * results; each thread a group of Q rows and the scores of a part.
 */
enum rp_status rp_cpu_layout_fused(const struct rp_point *p, int threads,
                                   struct rp_cpu_layout *layout)
{
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    *layout = (struct rp_cpu_layout){0};
    if (rp_cpu_fused_is_decode(p)) {
        RP_TRY(add_region(
            layout,
            (int64_t[]){p->batch, p->kv_heads, rp_cpu_fused_splits(p), rp_cpu_partial_floats(p)}, 4,
            &layout->partials));
        return add_threads(layout, threads, rp_cpu_group_slots(p) * (wide + RP_CPU_SPLIT_KEYS));
    }
    RP_TRY(add_region(layout,
                      (int64_t[]){p->batch, p->kv_heads, rp_cpu_lanes_up(p->seq_k), p->head_dim}, 4,
                      &layout->k_panels));
    RP_TRY(add_region(layout, (int64_t[]){p->batch, p->kv_heads, p->seq_k, wide}, 4,
                      &layout->v_panels));
    return add_threads(layout, threads,
                       2 * RP_CPU_BLOCK_ROWS * wide + RP_CPU_TILE_ROWS * RP_CPU_BLOCK_KEYS +
                           2 * RP_CPU_BLOCK_ROWS);
}
