/*
 * attn_fused_decode.c - `fused` for few query rows on a kv head: memory, not arithmetic, decides.
 *
 * The keys are split into parts of 2048, whatever the number of threads. A part reads its keys
 * one after another, then its values, in tiles of 64 keys, and leaves for each row an
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
    float *converted;                /* (RP_CPU_DECODE_KEYS, head_dim) of K or V in fp32 */
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
        .converted = scratch + RP_CPU_DECODE_ROWS * wide,
        .scores = scratch + (RP_CPU_DECODE_ROWS + RP_CPU_DECODE_KEYS) * wide,
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

/* `n` rows of K or V from `key` in fp32: where they are, or converted. */
static const float *rows_at(const struct rp_point *p, const void *tensor, const struct part *t,
                            int64_t key, int64_t n)
{
    const void *from = rp_element(p->dtype, tensor, (t->kv_head * p->seq_k + key) * p->head_dim);
    if (p->dtype == RP_DTYPE_fp32)
        return from;
    rp_row_load(p->dtype, from, t->converted, n * p->head_dim);
    return t->converted;
}

/* Whole vectors of <q_r, k_j> for `rows` rows of q and one key; what is left of the elements is
 * added to the first lane. With `rows` a constant the sums stay in registers. */
static inline void dots_of_key(const float *q, int64_t rows, const float *k, int64_t width,
                               rp_vec sum[])
{
    int64_t d = 0;
    for (int64_t row = 0; row < rows; ++row)
        sum[row] = rp_vec_all(0.0f);
    for (; d + RP_VEC_LANES <= width; d += RP_VEC_LANES) {
        rp_vec key = rp_vec_load(k + d);
#pragma GCC unroll 4
        for (int64_t row = 0; row < rows; ++row)
            sum[row] += rp_vec_load(q + row * width + d) * key;
    }
    for (; d < width; ++d) {
        for (int64_t row = 0; row < rows; ++row)
            sum[row][0] += q[row * width + d] * k[d];
    }
}

/* Scores of `rows` rows, at most 4, with one vector of keys. */
static inline void score_rows(const struct part *t, int64_t row, int64_t rows, const float *k,
                              int64_t width, float *scores)
{
    rp_vec sums[4][RP_VEC_LANES];
    for (int64_t j = 0; j < RP_VEC_LANES; ++j) {
        rp_vec of_key[4];
        dots_of_key(t->q + row * width, rows, k + j * width, width, of_key);
        for (int64_t r = 0; r < rows; ++r)
            sums[r][j] = of_key[r];
    }
    for (int64_t r = 0; r < rows; ++r)
        rp_vec_store(scores + (row + r) * TILE, rp_vec_sum_each(sums[r]));
}

/* The same for fewer keys than a vector holds, at the end of a tile. */
static void score_tail(const struct part *t, const float *k, int64_t n, int64_t width,
                       float *scores)
{
    for (int64_t row = 0; row < t->rows; ++row) {
        for (int64_t j = 0; j < n; ++j) {
            rp_vec sum[1];
            dots_of_key(t->q + row * width, 1, k + j * width, width, sum);
            scores[row * TILE + j] = rp_vec_sum_lanes(sum[0]);
        }
    }
}

static void score_keys(const struct part *t, const float *k, int64_t width, float *scores)
{
    int64_t row = 0;
    for (; row + 4 <= t->rows; row += 4)
        score_rows(t, row, 4, k, width, scores);
    for (; row < t->rows; ++row)
        score_rows(t, row, 1, k, width, scores);
}

/* Scores of all rows with up to 64 keys from `key`, turned into 2^(s - maximum). */
static void tile_scores(const struct rp_attention *a, const struct part *t, int64_t key, int64_t n)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t j = 0;
    for (; j + RP_VEC_LANES <= n; j += RP_VEC_LANES)
        score_keys(t, rows_at(p, a->k, t, key + j, RP_VEC_LANES), p->head_dim, t->scores + j);
    if (j < n)
        score_tail(t, rows_at(p, a->k, t, key + j, n - j), n - j, p->head_dim, t->scores + j);
    struct rp_softmax_tile softmax = {
        .scores = t->scores, .stride = TILE, .rows = t->rows, .n = TILE, .states = t->states};
    for (int64_t row = 0; row < t->rows; ++row) {
        int64_t seen = rp_cpu_visible_keys(p, row % p->seq_q) - key;
        rp_softmax_hide(t->scores + row * TILE, TILE, seen < n ? seen : n);
    }
    rp_softmax_step(&softmax);
    for (int64_t row = 0; row < t->rows; ++row) {
        float *o = t->o + row * wide;
        for (int64_t d = 0; softmax.corrections[row] != 1.0f && d < wide; ++d)
            o[d] *= softmax.corrections[row];
    }
}

/* o += weights * v over `keys` keys, at most 4 and a constant, for one row. */
static inline void add_values(float *restrict o, const float *weights, const float *restrict v,
                              int64_t keys, int64_t width)
{
    int64_t d = 0;
    for (; d + RP_VEC_LANES <= width; d += RP_VEC_LANES) {
        rp_vec sum = rp_vec_load(o + d);
#pragma GCC unroll 4
        for (int64_t j = 0; j < keys; ++j)
            sum += weights[j] * rp_vec_load(v + j * width + d);
        rp_vec_store(o + d, sum);
    }
    for (; d < width; ++d) {
        for (int64_t j = 0; j < keys; ++j)
            o[d] += weights[j] * v[j * width + d];
    }
}

static void tile_values(const struct rp_attention *a, const struct part *t, int64_t key, int64_t n)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    for (int64_t j = 0; j < n;) {
        int64_t keys = n - j >= 4 ? 4 : 1;
        const float *v = rows_at(p, a->v, t, key + j, keys);
        for (int64_t row = 0; row < t->rows; ++row) {
            const float *weights = t->scores + row * TILE + j;
            if (keys == 4)
                add_values(t->o + row * wide, weights, v, 4, p->head_dim);
            else
                add_values(t->o + row * wide, weights, v, 1, p->head_dim);
        }
        j += keys;
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
