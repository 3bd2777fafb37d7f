/*
 * attn_fused_decode.c - `fused` for few query rows on a kv head: memory, not arithmetic, decides.
 *
 * The keys are split into parts of 2048, whatever the number of threads. A part reads its keys
 * one after another, then its values, and leaves for each row an output not yet divided, the
 * maximum m and the sum l:
 *
 *   o = sum_i o_i 2^(m_i - m) / sum_i l_i 2^(m_i - m),   m = max_i m_i,   i over the parts in order
 *
 * The rows of a group meet each element of K and V together, as it is stored.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/attn_fused.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/row_stream.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

/* One part of the keys of one kv head, its place among the partials and this thread's scratch. */
struct part {
    int64_t kv_head; /* batch * kv_heads + kv_head */
    int64_t first;   /* key */
    int64_t keys;
    int64_t rows;                    /* of the group */
    int64_t slots;                   /* the same, padded */
    float *o;                        /* (slots, head_dim rounded up), in the partials */
    struct rp_softmax_state *states; /* likewise */
    float *q;                        /* as row_stream.h wants it, times scale * log2(e) */
    float *scores;                   /* (RP_CPU_SPLIT_KEYS, slots) */
};

static struct rp_softmax_state *states_of(const struct rp_point *p, float *partial)
{
    return (struct rp_softmax_state *)(partial +
                                       rp_cpu_group_slots(p) * rp_cpu_lanes_up(p->head_dim));
}

static struct part part_at(const struct rp_attention *a, const struct rp_cpu_layout *layout,
                           int64_t index)
{
    const struct rp_point *p = a->point;
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
        .slots = rp_cpu_group_slots(p),
        .o = partial,
        .states = states_of(p, partial),
        .q = scratch,
        .scores = scratch + rp_cpu_group_slots(p) * rp_cpu_lanes_up(p->head_dim),
    };
}

/* What pads rows and slots is 0. */
static void part_begin(const struct rp_attention *a, const struct part *t,
                       const struct rp_stream *stream)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    float factor = rp_softmax_factor(p);
    memset(t->o, 0, (size_t)(t->slots * wide) * sizeof *t->o);
    memset(t->q, 0, (size_t)(t->slots * wide) * sizeof *t->q);
    for (int64_t row = 0; row < t->rows; ++row) {
        float q[RP_CPU_HEAD_DIM_MAX] = {0};
        int64_t element = (t->kv_head * t->rows + row) * p->head_dim;
        rp_row_load(p->dtype, rp_element(p->dtype, a->q, element), q, p->head_dim);
        for (int64_t d = 0; d < p->head_dim; ++d)
            q[d] *= factor;
        rp_stream_place(stream, row, q, t->q);
    }
}

/* The part's keys of K or V, as they are stored. */
static const void *stored_at(const struct rp_point *p, const void *tensor, const struct part *t)
{
    return rp_element(p->dtype, tensor, (t->kv_head * p->seq_k + t->first) * p->head_dim);
}

static void hide_keys(const struct rp_point *p, const struct part *t)
{
    for (int64_t row = 0; row < t->rows; ++row) {
        int64_t seen = rp_cpu_visible_keys(p, row % p->seq_q) - t->first;
        for (int64_t key = seen > 0 ? seen : 0; key < t->keys; ++key)
            t->scores[key * t->slots + row] = -INFINITY;
    }
}

static void run_part(const struct rp_attention *a, const struct part *t)
{
    const struct rp_point *p = a->point;
    struct rp_stream stream = {.dtype = p->dtype,
                               .rows = stored_at(p, a->k, t),
                               .n = t->keys,
                               .width = p->head_dim,
                               .slots = t->slots,
                               .stride = rp_cpu_lanes_up(p->head_dim)};
    part_begin(a, t, &stream);
    rp_stream_dots(&stream, t->q, t->scores);
    hide_keys(p, t);
    rp_softmax_slots(t->scores, t->keys, t->slots, t->states);
    stream.rows = stored_at(p, a->v, t);
    rp_stream_sum(&stream, t->scores, t->o);
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
