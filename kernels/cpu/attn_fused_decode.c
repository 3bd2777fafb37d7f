/*
 * attn_fused_decode.c - `fused` for few query rows on a kv head: memory, not arithmetic, decides.
 *
 * The keys are split into parts of 2048, whatever the number of threads. A part reads its keys
 * strictly one after another, then its values, in tiles of 64 keys, and leaves for each row an
 * output not yet divided, the maximum m and the sum l:
 *
 *   o = sum_i o_i 2^(m_i - m) / sum_i l_i 2^(m_i - m),   m = max_i m_i,   i over the parts in order
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/attn_fused.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

#define TILE RP_CPU_DECODE_TILE

/* One part of the keys of one kv head, its place among the partials and this thread's scratch. */
struct part {
    int64_t kv_head; /* batch * kv_heads + kv_head */
    int64_t first;   /* key */
    int64_t end;
    int64_t rows;                    /* of the group */
    float *o;                        /* (rows, head_dim rounded up), in the partials */
    struct rp_softmax_state *states; /* likewise */
    float *q;                        /* (rows, head_dim), times scale * log2(e) */
    float *key;                      /* one row of K or V in fp32 */
    float *scores;                   /* (rows, 64) */
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
        .end = first + (left < RP_CPU_SPLIT_KEYS ? left : RP_CPU_SPLIT_KEYS),
        .rows = rp_cpu_group_rows(p),
        .o = partial,
        .states = states_of(p, partial),
        .q = scratch,
        .key = scratch + RP_CPU_DECODE_ROWS * wide,
        .scores = scratch + (RP_CPU_DECODE_ROWS + 1) * wide,
    };
}

static void part_begin(const struct rp_attention *a, const struct part *t)
{
    const struct rp_point *p = a->point;
    int64_t n = t->rows * p->head_dim;
    float factor = rp_softmax_factor(p);
    rp_row_load(p->dtype, rp_element(p->dtype, a->q, t->kv_head * n), t->q, n);
    for (int64_t i = 0; i < n; ++i)
        t->q[i] *= factor;
    memset(t->o, 0, (size_t)(t->rows * rp_cpu_lanes_up(p->head_dim)) * sizeof *t->o);
    for (int64_t row = 0; row < t->rows; ++row)
        t->states[row] = (struct rp_softmax_state){-INFINITY, 0.0f};
}

/* Row `key` of K or V of the part's kv head in fp32: where it is, or converted. */
static const float *row_at(const struct rp_point *p, const void *tensor, const struct part *t,
                           int64_t key)
{
    const void *from = rp_element(p->dtype, tensor, (t->kv_head * p->seq_k + key) * p->head_dim);
    if (p->dtype == RP_DTYPE_fp32)
        return from;
    rp_row_load(p->dtype, from, t->key, p->head_dim);
    return t->key;
}

/* <a, b> over n elements: four chains of multiply-adds, so that they overlap. */
static float dot(const float *a, const float *b, int64_t n)
{
    rp_vec sum[4] = {0};
    int64_t d = 0;
    for (; d + 4 * RP_VEC_LANES <= n; d += 4 * RP_VEC_LANES) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            sum[i] += rp_vec_load(a + d + i * RP_VEC_LANES) * rp_vec_load(b + d + i * RP_VEC_LANES);
    }
    for (; d + RP_VEC_LANES <= n; d += RP_VEC_LANES)
        sum[0] += rp_vec_load(a + d) * rp_vec_load(b + d);
    float total = rp_vec_sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; d < n; ++d)
        total += a[d] * b[d];
    return total;
}

/* Scores of all rows with up to 64 keys from `key`, turned into 2^(s - maximum). */
static void tile_scores(const struct rp_attention *a, const struct part *t, int64_t key, int64_t n)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    for (int64_t j = 0; j < n; ++j) {
        const float *k = row_at(p, a->k, t, key + j);
        for (int64_t row = 0; row < t->rows; ++row)
            t->scores[row * TILE + j] = dot(t->q + row * p->head_dim, k, p->head_dim);
    }
    for (int64_t row = 0; row < t->rows; ++row) {
        int64_t seen = rp_cpu_visible_keys(p, row % p->seq_q) - key;
        float *o = t->o + row * wide;
        seen = seen < 0 ? 0 : seen < n ? seen : n;
        float correction = rp_softmax_step(&t->states[row], t->scores + row * TILE, TILE, seen);
        for (int64_t d = 0; correction != 1.0f && d < wide; ++d)
            o[d] *= correction;
    }
}

static void tile_values(const struct rp_attention *a, const struct part *t, int64_t key, int64_t n)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    for (int64_t j = 0; j < n; ++j) {
        const float *v = row_at(p, a->v, t, key + j);
        for (int64_t row = 0; row < t->rows; ++row) {
            float weight = t->scores[row * TILE + j];
            float *o = t->o + row * wide;
            for (int64_t d = 0; d < p->head_dim; ++d)
                o[d] += weight * v[d];
        }
    }
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
        part_begin(a, &t);
        for (int64_t key = t.first; key < t.end; key += TILE) {
            int64_t n = t.end - key < TILE ? t.end - key : TILE;
            tile_scores(a, &t, key, n);
            tile_values(a, &t, key, n);
        }
    }
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t row = 0; row < p->batch * p->heads * p->seq_q; ++row)
        combine_row(a, layout, row);
}
