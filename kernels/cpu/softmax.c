/* softmax.c - rows of probabilities: at once for a matrix in memory, by tiles for a fused kernel.
 */
#include "kernels/cpu/softmax.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/cpu/vec.h"
#include "model/method_cpu.h"

#define LOG2_E 1.44269504f

float rp_softmax_factor(const struct rp_point *p)
{
    return LOG2_E / sqrtf((float)p->head_dim);
}

/* Four chains, or the latency of one would be all that counts. */
static float row_maximum(const float *scores, int64_t n)
{
    enum { STEP = 4 * RP_VEC_LANES };
    rp_vec lanes[4];
    int64_t j = 0;
    for (int i = 0; i < 4; ++i)
        lanes[i] = rp_vec_all(-INFINITY);
    for (; j + STEP <= n; j += STEP) {
        for (int i = 0; i < 4; ++i)
            lanes[i] = rp_vec_max(rp_vec_load(scores + j + i * RP_VEC_LANES), lanes[i]);
    }
    for (; j + RP_VEC_LANES <= n; j += RP_VEC_LANES)
        lanes[0] = rp_vec_max(rp_vec_load(scores + j), lanes[0]);
    float largest = rp_vec_max_lanes(
        rp_vec_max(rp_vec_max(lanes[0], lanes[1]), rp_vec_max(lanes[2], lanes[3])));
    for (; j < n; ++j)
        largest = scores[j] > largest ? scores[j] : largest;
    return largest;
}

/* scores = 2^((scores - maximum) * factor); yields their sum. */
static inline __attribute__((always_inline)) float row_exponentials(float *scores, int64_t n,
                                                                    float maximum, float factor)
{
    enum { STEP = 2 * RP_VEC_LANES };
    rp_vec sums[2] = {{0}, {0}};
    int64_t j = 0;
    for (; j + STEP <= n; j += STEP) {
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            float *at = scores + j + i * RP_VEC_LANES;
            rp_vec e = rp_vec_exp2((rp_vec_load(at) - maximum) * factor);
            rp_vec_store(at, e);
            sums[i] += e;
        }
    }
    float total = rp_vec_sum_lanes(sums[0] + sums[1]);
    for (; j < n; ++j) {
        scores[j] = rp_vec_exp2_one((scores[j] - maximum) * factor);
        total += scores[j];
    }
    return total;
}

static void row_softmax(float *scores, int64_t n, int64_t visible, float factor)
{
    float maximum = row_maximum(scores, visible);
    float inverse = 1.0f / row_exponentials(scores, visible, maximum, factor);
    for (int64_t j = 0; j < visible; ++j)
        scores[j] *= inverse;
    memset(scores + visible, 0, (size_t)(n - visible) * sizeof *scores);
}

void rp_softmax_rows(const struct rp_attention *a)
{
    const struct rp_point *p = a->point;
    float factor = rp_softmax_factor(p);
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t row = 0; row < p->batch * p->heads * p->seq_q; ++row) {
        float *scores = (float *)a->scores + row * p->seq_k;
        row_softmax(scores, p->seq_k, rp_cpu_visible_keys(p, row % p->seq_q), factor);
    }
}

void rp_softmax_hide(float *scores, int64_t n, int64_t visible)
{
    for (int64_t j = visible > 0 ? visible : 0; j < n; ++j)
        scores[j] = -INFINITY; /* 2^-infinity is exactly 0 */
}

/* The new maxima, and what brings sums and outputs from the old ones under them. */
static void tile_maxima(struct rp_softmax_tile *t, float *maxima)
{
    float old[RP_SOFTMAX_SLOTS] = {0};
    for (int64_t row = 0; row < t->rows; ++row) {
        float maximum = row_maximum(t->scores + row * t->stride, t->n);
        old[row] = t->states[row].maximum;
        maximum = maximum > old[row] ? maximum : old[row];
        maxima[row] = maximum > -FLT_MAX ? maximum : -FLT_MAX; /* infinities have no difference */
    }
    for (int64_t row = 0; row < t->rows; row += RP_VEC_LANES)
        rp_vec_store(t->corrections + row,
                     rp_vec_exp2(rp_vec_load(old + row) - rp_vec_load(maxima + row)));
}

/* Row after row in each step, so that the rows' chains of dependent instructions overlap. */
void rp_softmax_step(struct rp_softmax_tile *t)
{
    float maxima[RP_SOFTMAX_SLOTS] = {0};
    tile_maxima(t, maxima);
    for (int64_t row = 0; row < t->rows; ++row) {
        struct rp_softmax_state *state = &t->states[row];
        float sum = row_exponentials(t->scores + row * t->stride, t->n, maxima[row], 1.0f);
        state->sum = state->sum * t->corrections[row] + sum;
        state->maximum = maxima[row];
    }
}

void rp_softmax_correct(const struct rp_softmax_tile *t, float *o, int64_t wide)
{
    for (int64_t row = 0; row < t->rows; ++row) {
        if (t->corrections[row] == 1.0f)
            continue;
        for (int64_t d = 0; d < wide; d += RP_VEC_LANES)
            rp_vec_store(o + row * wide + d, rp_vec_load(o + row * wide + d) * t->corrections[row]);
    }
}

/* Vectors take turns, so element i of such a round belongs to slot i mod slots, a power of two.
 * What a vector holds of a slot is joined across ever shorter distances of lanes; every lane of the
 * slot then has the whole. */
enum { TURNS = RP_SOFTMAX_ROUND / RP_VEC_LANES };

/* Vectors that hold each slot at least once. */
static int64_t own_vectors(int64_t slots)
{
    return slots > RP_VEC_LANES ? slots / RP_VEC_LANES : 1;
}

static inline rp_vec joined(rp_vec a, rp_vec b, bool adds)
{
    return adds ? a + b : rp_vec_max(a, b);
}

/* The sum or the maximum of each slot in all of its lanes. */
static rp_vec join_across(rp_vec v, int64_t slots, bool adds)
{
#if RP_VEC_LANES >= 16
    v = slots <= 8 ? joined(v, RP_VEC_ACROSS(v, 8), adds) : v;
#endif
#if RP_VEC_LANES >= 8
    v = slots <= 4 ? joined(v, RP_VEC_ACROSS(v, 4), adds) : v;
#endif
    v = slots <= 2 ? joined(v, RP_VEC_ACROSS(v, 2), adds) : v;
    return slots <= 1 ? joined(v, RP_VEC_ACROSS(v, 1), adds) : v;
}

/* The sums or maxima over a round, in its first vectors. */
static void join_vectors(rp_vec *v, int64_t slots, bool adds)
{
    const int64_t own = own_vectors(slots);
    for (int64_t i = own; i < TURNS; ++i)
        v[i & (own - 1)] = joined(v[i & (own - 1)], v[i], adds);
    for (int64_t i = 0; i < own; ++i)
        v[i] = join_across(v[i], slots, adds);
}

static void slot_maxima(const float *scores, int64_t floats, int64_t slots, rp_vec *maxima)
{
    const int64_t own = own_vectors(slots);
    for (int i = 0; i < TURNS; ++i)
        maxima[i] = rp_vec_all(-FLT_MAX); /* infinities have no difference */
    for (int64_t j = 0; j < floats; j += RP_SOFTMAX_ROUND) {
        for (int i = 0; i < TURNS; ++i)
            maxima[i] = rp_vec_max(rp_vec_load(scores + j + i * RP_VEC_LANES), maxima[i]);
    }
    join_vectors(maxima, slots, false);
    for (int64_t i = own; i < TURNS; ++i)
        maxima[i] = maxima[i & (own - 1)];
}

void rp_softmax_slots(float *scores, int64_t n, int64_t slots, struct rp_softmax_state *states)
{
    rp_vec maxima[TURNS];
    rp_vec sums[TURNS] = {{0}};
    int64_t floats = n * slots;
    for (; floats % RP_SOFTMAX_ROUND != 0; ++floats)
        scores[floats] = -INFINITY;
    slot_maxima(scores, floats, slots, maxima);
    for (int64_t j = 0; j < floats; j += RP_SOFTMAX_ROUND) {
#pragma GCC unroll 4
        for (int i = 0; i < TURNS; ++i) {
            float *at = scores + j + i * RP_VEC_LANES;
            rp_vec e = rp_vec_exp2(rp_vec_load(at) - maxima[i]);
            rp_vec_store(at, e);
            sums[i] += e;
        }
    }
    join_vectors(sums, slots, true);
    for (int64_t slot = 0; slot < slots; ++slot)
        states[slot] = (struct rp_softmax_state){maxima[slot / RP_VEC_LANES][slot % RP_VEC_LANES],
                                                 sums[slot / RP_VEC_LANES][slot % RP_VEC_LANES]};
}
