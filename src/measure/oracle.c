/*
 * oracle.c - the definition of attention, in double precision, row by row.
 *
 * Each row is computed by one thread from beginning to end, so the result does not depend on how
 * many there are. Exact inputs: a product of two fp32 is exact in double precision.
 */
#include "measure/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#ifdef __FAST_MATH__
#error "the oracle must see NaN and infinity: build it without -ffast-math"
#endif

#define ROW_STREAM 0x6F7261636C65u /* apart from the streams of the inputs */

/* What all rows of one oracle share. */
struct inputs {
    const struct rp_point *point;
    const void *q, *k, *v;
    const float *halves; /* value of each 16-bit pattern; null for 32-bit types */
};

/* Scratch of one row. */
struct scratch {
    double *probabilities; /* (seq_k) */
    double *q;             /* (head_dim) */
    double *row;           /* (head_dim), of K or V */
};

/*
 * Rows are spread evenly over the batch * heads pairs, beginning at a drawn one; where a pair has
 * several, each comes from its own equal part of the queries, so none is drawn twice. The first of
 * all is the first query of a head, the last of all the last one.
 */
static void choose_row(const struct rp_point *p, int64_t n_rows, int64_t index, int64_t seed,
                       struct rp_oracle_row *row)
{
    int64_t pairs = p->batch * p->heads;
    int64_t start = (int64_t)rp_rng_below((uint64_t)seed, ROW_STREAM, 0, (uint64_t)pairs);
    int64_t visits = (n_rows + pairs - 1) / pairs; /* at most, of one pair */
    int64_t visit = index / pairs;
    int64_t pair = (start + (visits > 1 ? index : index * pairs / n_rows)) % pairs;
    int64_t low = visit * p->seq_q / visits;
    int64_t high = (visit + 1) * p->seq_q / visits;
    *row = (struct rp_oracle_row){
        .batch = pair / p->heads,
        .head = pair % p->heads,
        .query = low + (int64_t)rp_rng_below((uint64_t)seed, ROW_STREAM, (uint64_t)index + 1,
                                             (uint64_t)(high - low)),
    };
    if (index == 0)
        row->query = 0;
    if (index == n_rows - 1 && n_rows > 1)
        row->query = p->seq_q - 1;
}

static void load_row(const struct inputs *in, const void *tensor, int64_t row, double *values)
{
    int64_t width = in->point->head_dim;
    if (in->halves) {
        const char *from = (const char *)tensor + row * width * 2;
        for (int64_t d = 0; d < width; ++d) {
            uint16_t bits = 0;
            memcpy(&bits, from + 2 * d, sizeof bits);
            values[d] = (double)in->halves[bits];
        }
    } else {
        const char *from = (const char *)tensor + row * width * 4;
        for (int64_t d = 0; d < width; ++d) {
            float x = 0.0f;
            memcpy(&x, from + 4 * d, sizeof x);
            values[d] = (double)x;
        }
    }
}

/* p_j for the `visible` keys of one row; fills the row's score_magnitude. */
static void compute_probabilities(const struct inputs *in, int64_t first_key, int64_t visible,
                                  struct scratch *s, struct rp_oracle_row *row)
{
    int64_t width = in->point->head_dim;
    double scale = 1.0 / sqrt((double)width);
    double maximum = -INFINITY;
    double sum = 0.0;
    row->score_magnitude = 0.0;
    for (int64_t j = 0; j < visible; ++j) {
        double score = 0.0;
        double magnitude = 0.0;
        load_row(in, in->k, first_key + j, s->row);
        for (int64_t d = 0; d < width; ++d) {
            score += s->q[d] * s->row[d];
            magnitude += fabs(s->q[d] * s->row[d]);
        }
        s->probabilities[j] = score * scale;
        if (s->probabilities[j] > maximum)
            maximum = s->probabilities[j];
        if (magnitude * scale > row->score_magnitude)
            row->score_magnitude = magnitude * scale;
    }
    for (int64_t j = 0; j < visible; ++j) {
        s->probabilities[j] = exp(s->probabilities[j] - maximum);
        sum += s->probabilities[j];
    }
    for (int64_t j = 0; j < visible; ++j)
        s->probabilities[j] /= sum;
}

static void compute_row(const struct inputs *in, struct scratch *s, struct rp_oracle_row *row,
                        double *output)
{
    const struct rp_point *p = in->point;
    int64_t kv_head = row->head / (p->heads / p->kv_heads);
    int64_t first_key = (row->batch * p->kv_heads + kv_head) * p->seq_k;
    int64_t visible = p->causal ? p->seq_k - p->seq_q + row->query + 1 : p->seq_k;
    load_row(in, in->q, (row->batch * p->heads + row->head) * p->seq_q + row->query, s->q);
    compute_probabilities(in, first_key, visible, s, row);
    memset(output, 0, (size_t)p->head_dim * sizeof *output);
    row->value_magnitude = 0.0;
    for (int64_t j = 0; j < visible; ++j) {
        load_row(in, in->v, first_key + j, s->row);
        for (int64_t d = 0; d < p->head_dim; ++d) {
            output[d] += s->probabilities[j] * s->row[d];
            if (fabs(s->row[d]) > row->value_magnitude)
                row->value_magnitude = fabs(s->row[d]);
        }
    }
}

/* False when there is no memory for the scratch. */
static bool compute_row_alone(const struct inputs *in, struct rp_oracle_row *row, double *output)
{
    size_t width = (size_t)in->point->head_dim;
    double *memory = malloc(((size_t)in->point->seq_k + 2 * width) * sizeof *memory);
    if (!memory)
        return false;
    struct scratch s = {
        .q = memory,
        .row = memory + width,
        .probabilities = memory + 2 * width,
    };
    compute_row(in, &s, row, output);
    free(memory);
    return true;
}

static float *decode_all_halves(enum rp_dtype dtype)
{
    float *halves = malloc(65536 * sizeof *halves);
    for (uint32_t bits = 0; halves && bits < 65536; ++bits)
        halves[bits] = rp_dtype_decode(dtype, bits);
    return halves;
}

static int64_t count_rows(const struct rp_point *p, int64_t asked)
{
    int64_t all = p->batch * p->heads * p->seq_q;
    int64_t n = asked < 2 ? 2 : asked; /* the first and the last query of a head */
    return n < all ? n : all;
}

enum rp_status rp_oracle_create(const struct rp_point *p, const void *q, const void *k,
                                const void *v, int64_t n_rows, int64_t seed,
                                struct rp_oracle *oracle)
{
    bool is_half = rp_dtype_info(p->dtype)->storage_bytes == 2;
    int64_t n = count_rows(p, n_rows);
    float *halves = is_half ? decode_all_halves(p->dtype) : NULL;
    oracle->n_rows = (size_t)n;
    oracle->rows = calloc((size_t)n, sizeof *oracle->rows);
    oracle->outputs = calloc((size_t)(n * p->head_dim), sizeof *oracle->outputs);
    bool has_memory = (halves || !is_half) && oracle->rows && oracle->outputs;
    int64_t failures = has_memory ? 0 : n;
    /* Not from `failures`: a late thread would read it while the first ones add to it. */
    int64_t n_computed = has_memory ? n : 0;

    struct inputs in = {.point = p, .q = q, .k = k, .v = v, .halves = halves};
#pragma omp parallel for schedule(dynamic) reduction(+ : failures)
    for (int64_t i = 0; i < n_computed; ++i) {
        choose_row(p, n, i, seed, &oracle->rows[i]);
        failures += !compute_row_alone(&in, &oracle->rows[i], oracle->outputs + i * p->head_dim);
    }
    free(halves);
    if (failures == 0)
        return RP_OK;
    rp_oracle_clear(oracle);
    return RP_FAIL(RP_ERR_OUT_OF_MEMORY,
                   "no host memory to check %" PRId64 " rows of %" PRId64 " keys", n, p->seq_k);
}

void rp_oracle_clear(struct rp_oracle *oracle)
{
    free(oracle->rows);
    free(oracle->outputs);
    *oracle = (struct rp_oracle){0};
}
