/*
 * attn_fused_decode.c - `fused` for few query rows on a kv head: memory, not arithmetic, decides.
 *
 * The keys are split into parts of 2048, whatever the number of threads. A part reads its keys
 * one after another, then its values, and leaves for each row an output not yet divided, the
 * maximum m and the sum l:
 *
 *   o = sum_i o_i 2^(m_i - m) / sum_i l_i 2^(m_i - m),   m = max_i m_i,   i over the parts in order
 *
 * One row meets K and V as they are stored; several share panels of them, read once.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/attn_fused.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/row_stream.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

#define LANES RP_CPU_LANES
#define KEYS  RP_CPU_DECODE_KEYS

/* One part of the keys of one kv head, its place among the partials and this thread's scratch. */
struct part {
    int64_t kv_head; /* batch * kv_heads + kv_head */
    int64_t first;   /* key */
    int64_t keys;
    int64_t rows;                    /* of the group */
    float *o;                        /* (rows, head_dim rounded up), in the partials */
    struct rp_softmax_state *states; /* likewise */
    float *q;                        /* (rows, head_dim), times scale * log2(e) */
    float *converted;                /* (KEYS, head_dim rounded up) of K or V in fp32 */
    float *panels;                   /* (KEYS / 16, head_dim, 16) */
    float *scores;                   /* (rows, RP_CPU_SPLIT_KEYS) */
};

static struct rp_softmax_state *states_of(const struct rp_point *p, float *partial)
{
    return (struct rp_softmax_state *)(partial +
                                       rp_cpu_group_rows(p) * rp_cpu_lanes_up(p->head_dim));
}

static struct part part_at(const struct rp_attention *a, const struct rp_cpu_layout *layout,
                           int64_t index)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t splits = rp_cpu_fused_splits(p);
    int64_t first = index % splits * RP_CPU_SPLIT_KEYS;
    int64_t left = p->seq_k - first;
    float *partial = (float *)a->workspace + layout->partials + index * rp_cpu_partial_floats(p);
    float *scratch = rp_thread_scratch(a, layout);
    return (struct part){
        .kv_head = index / splits,
        .first = first,
        .keys = left < RP_CPU_SPLIT_KEYS ? left : RP_CPU_SPLIT_KEYS,
        .rows = rp_cpu_group_rows(p),
        .o = partial,
        .states = states_of(p, partial),
        .q = scratch,
        .converted = scratch + RP_CPU_DECODE_ROWS * wide,
        .panels = scratch + (RP_CPU_DECODE_ROWS + KEYS) * wide,
        .scores = scratch + (RP_CPU_DECODE_ROWS + 2 * KEYS) * wide,
    };
}

static void part_begin(const struct rp_attention *a, const struct part *t)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t n = t->rows * p->head_dim;
    float factor = rp_softmax_factor(p);
    rp_row_load(p->dtype, rp_element(p->dtype, a->q, t->kv_head * n), t->q, n);
    for (int64_t i = 0; i < n; ++i)
        t->q[i] *= factor;
    memset(t->o, 0, (size_t)(t->rows * wide) * sizeof *t->o);
    for (int64_t row = 0; row < t->rows; ++row)
        t->states[row] = (struct rp_softmax_state){-INFINITY, 0.0f};
}

/* Key `key` of the part, of K or V, as it is stored. */
static const void *stored_at(const struct rp_point *p, const void *tensor, const struct part *t,
                             int64_t key)
{
    return rp_element(p->dtype, tensor, (t->kv_head * p->seq_k + t->first + key) * p->head_dim);
}

static void panel_scores(const struct rp_attention *a, const struct part *t, int64_t key)
{
    const struct rp_point *p = a->point;
    int64_t n = t->keys - key < KEYS ? t->keys - key : KEYS;
    const struct rp_product score = {
        .a = t->q,
        .a_stride = p->head_dim,
        .panels = t->panels,
        .row_stride = LANES,
        .panel_stride = p->head_dim * LANES,
        .n_panels = rp_cpu_lanes_up(n) / LANES,
        .depth = p->head_dim,
        .c = t->scores + key,
        .c_stride = RP_CPU_SPLIT_KEYS,
    };
    rp_row_load(p->dtype, stored_at(p, a->k, t, key), t->converted, n * p->head_dim);
    for (int64_t j = 0; j < n; j += LANES)
        rp_panels_transpose(t->converted + j * p->head_dim, p->head_dim,
                            t->panels + j * p->head_dim);
    rp_panels_multiply(&score, t->rows);
}

static void panel_values(const struct rp_attention *a, const struct part *t, int64_t key)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t n = t->keys - key < KEYS ? t->keys - key : KEYS;
    const struct rp_product output = {
        .a = t->scores + key,
        .a_stride = RP_CPU_SPLIT_KEYS,
        .panels = t->converted,
        .row_stride = wide,
        .panel_stride = LANES,
        .n_panels = wide / LANES,
        .depth = n,
        .c = t->o,
        .c_stride = wide,
        .adds = true,
    };
    for (int64_t j = 0; j < n; ++j)
        rp_row_load(p->dtype, stored_at(p, a->v, t, key + j), t->converted + j * wide, p->head_dim);
    rp_panels_multiply(&output, t->rows);
}

static void part_softmax(const struct rp_point *p, const struct part *t)
{
    struct rp_softmax_tile softmax = {
        .scores = t->scores,
        .stride = RP_CPU_SPLIT_KEYS,
        .rows = t->rows,
        .n = rp_cpu_lanes_up(t->keys),
        .states = t->states,
    };
    for (int64_t row = 0; row < t->rows; ++row) {
        int64_t seen = rp_cpu_visible_keys(p, row % p->seq_q) - t->first;
        rp_softmax_hide(t->scores + row * RP_CPU_SPLIT_KEYS, softmax.n,
                        seen < t->keys ? seen : t->keys);
    }
    rp_softmax_step(&softmax);
}

static void run_part(const struct rp_attention *a, const struct part *t)
{
    const struct rp_point *p = a->point;
    struct rp_stream stream = {p->dtype, stored_at(p, a->k, t, 0), t->keys, p->head_dim};
    part_begin(a, t);
    if (t->rows == 1) {
        rp_stream_dots(&stream, t->q, t->scores);
        part_softmax(p, t);
        stream.rows = stored_at(p, a->v, t, 0);
        rp_stream_sum(&stream, t->scores, t->o);
        return;
    }
    /* Keys and columns beyond the tensor are computed too. */
    memset(t->converted, 0, (size_t)(KEYS * rp_cpu_lanes_up(p->head_dim)) * sizeof *t->converted);
    for (int64_t key = 0; key < t->keys; key += KEYS)
        panel_scores(a, t, key);
    part_softmax(p, t);
    for (int64_t key = 0; key < t->keys; key += KEYS)
        panel_values(a, t, key);
}

/* Row `row` of query rows (batch * heads * seq_q) from its parts. Sums in the first part's place.
 */
static void combine_row(const struct rp_attention *a, const struct rp_cpu_layout *layout,
                        int64_t row)
{
    const struct rp_point *p = a->point;
    int64_t rows = rp_cpu_group_rows(p);
    int64_t splits = rp_cpu_fused_splits(p);
    int64_t floats = rp_cpu_partial_floats(p);
    float *first = (float *)a->workspace + layout->partials + row / rows * splits * floats;
    float *o = first + row % rows * rp_cpu_lanes_up(p->head_dim);
    float maximum = -INFINITY;
    float sum = 0.0f;
    for (int64_t i = 0; i < splits; ++i) {
        float m = states_of(p, first + i * floats)[row % rows].maximum;
        maximum = m > maximum ? m : maximum;
    }
    for (int64_t i = 0; i < splits; ++i) {
        const struct rp_softmax_state *state = &states_of(p, first + i * floats)[row % rows];
        float weight = rp_vec_exp2_one(state->maximum - maximum);
        sum += state->sum * weight;
        for (int64_t d = 0; d < p->head_dim; ++d)
            o[d] = (i > 0 ? o[d] : 0.0f) + weight * o[i * floats + d];
    }
    float inverse = 1.0f / sum;
    for (int64_t d = 0; d < p->head_dim; ++d)
        o[d] *= inverse;
    rp_row_store(p->dtype, o, rp_element_out(p->dtype, a->o, row * p->head_dim), p->head_dim);
}

void rp_fused_decode(const struct rp_attention *a, const struct rp_cpu_layout *layout)
{
    const struct rp_point *p = a->point;
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < p->batch * p->kv_heads * rp_cpu_fused_splits(p); ++i) {
        struct part t = part_at(a, layout, i);
        run_part(a, &t);
    }
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t row = 0; row < p->batch * p->heads * p->seq_q; ++row)
        combine_row(a, layout, row);
}
