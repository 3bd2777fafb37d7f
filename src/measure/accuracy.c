/*
 * accuracy.c - the difference from the oracle, and how much of it rounding explains.
 *
 * With u = 2^-24 (all kernels accumulate in fp32), S = score_magnitude, M = value_magnitude, n the
 * visible keys and D = head_dim, an element o of a correct output differs by at most
 *
 *   u_out |o| + d_min            rounding to the output's dtype, its subnormals included
 *   u_p M                        each probability rounded before it meets V
 *   2 e M, e = c u S, c = 8 + log2(D)   an error e of a score changes its probability by the factor
 *                                1 + e, and through the sum all others by as much. D products are
 *                                summed: the worst order errs by D u S, a tree by log2(D) u S, and
 *                                rounding errors of any real order cancel to about that; c also
 *                                pays for the scale, the maximum's subtraction and the base of exp
 *   (8 + sqrt(n)) u M            exp itself, the sum of the probabilities and that over V: n
 *                                roundings of either sign
 *
 * and what rounding to the output does to that error once more. Nothing here is fitted. A kernel
 * that leaves a key out or adds one is off by p M or so: the first row of a head, always checked,
 * makes that visible in every dtype.
 */
#include "measure/accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "these checks must fail on NaN and infinity: build them without -ffast-math"
#endif

#define FP32_ROUNDOFF 0x1p-24

/* Where an output stands against one element of the oracle. */
struct comparison {
    const struct rp_point *point;
    const char *o;
    double probability_roundoff;
    double worst_ratio; /* largest |difference| / tolerance; infinity for anything not finite */
    double square_difference;
    double square_oracle;
};

static float element_at(enum rp_dtype dtype, const void *values, int64_t i)
{
    float x = 0.0f;
    uint16_t half = 0;
    if (rp_dtype_info(dtype)->storage_bytes == 4) { /* every type this wide is stored as fp32 */
        memcpy(&x, (const char *)values + 4 * i, sizeof x);
        return x;
    }
    memcpy(&half, (const char *)values + 2 * i, sizeof half);
    return rp_dtype_decode(dtype, half);
}

/* Largest error of rounding a subnormal: half of the smallest step, u * 2^(2 - 2^(e-1)). */
static double subnormal_roundoff(enum rp_dtype dtype)
{
    int bias = (1 << (rp_dtype_info(dtype)->exponent_bits - 1)) - 1;
    return ldexp(rp_dtype_unit_roundoff(dtype), 1 - bias);
}

/* Of an element of the row, less the part that grows with |o|. See the head of this file. */
static double row_tolerance(const struct rp_point *p, const struct rp_oracle_row *row,
                            double probability_roundoff)
{
    double visible = (double)(p->causal ? p->seq_k - p->seq_q + row->query + 1 : p->seq_k);
    double score_error = (8.0 + log2((double)p->head_dim)) * FP32_ROUNDOFF * row->score_magnitude;
    double relative =
        probability_roundoff + 2.0 * score_error + (8.0 + sqrt(visible)) * FP32_ROUNDOFF;
    return relative * row->value_magnitude;
}

static int64_t first_element(const struct rp_point *p, const struct rp_oracle_row *row)
{
    return ((row->batch * p->heads + row->head) * p->seq_q + row->query) * p->head_dim;
}

static void compare_row(struct comparison *c, const struct rp_oracle_row *row,
                        const double *expected, struct rp_accuracy *accuracy)
{
    const struct rp_point *p = c->point;
    double roundoff = rp_dtype_unit_roundoff(p->dtype);
    double base = row_tolerance(p, row, c->probability_roundoff);
    for (int64_t d = 0; d < p->head_dim; ++d) {
        double got = (double)element_at(p->dtype, c->o, first_element(p, row) + d);
        double difference = fabs(got - expected[d]);
        double tolerance =
            base + roundoff * (fabs(expected[d]) + base) + subnormal_roundoff(p->dtype);
        double ratio = difference / tolerance;
        if (!isfinite(difference) || !isfinite(ratio)) {
            difference = INFINITY;
            ratio = INFINITY;
        }
        c->square_difference += difference * difference;
        c->square_oracle += expected[d] * expected[d];
        if (difference > accuracy->error_max_abs)
            accuracy->error_max_abs = difference;
        if (ratio > c->worst_ratio) {
            c->worst_ratio = ratio;
            accuracy->tolerance = tolerance;
            snprintf(accuracy->reason, sizeof accuracy->reason,
                     "o[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                     "] is %.9g, should be %.9g within %.3g",
                     row->batch, row->head, row->query, d, got, expected[d], tolerance);
        }
    }
}

/* First element of the whole output that is not finite, or -1. Exponent all ones, in any dtype. */
static int64_t find_not_finite(enum rp_dtype dtype, const void *values, int64_t n)
{
    const struct rp_dtype_info *info = rp_dtype_info(dtype);
    bool is_half = info->storage_bytes == 2;
    int place = 8 * info->storage_bytes - 1 - info->exponent_bits;
    uint32_t mask = ((1u << info->exponent_bits) - 1u) << place;
    int64_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < n; ++i) {
        uint32_t bits = 0;
        uint16_t half = 0;
        if (is_half)
            memcpy(&half, (const char *)values + 2 * i, sizeof half);
        else
            memcpy(&bits, (const char *)values + 4 * i, sizeof bits);
        if (((bits | half) & mask) == mask && i < first)
            first = i;
    }
    return first < n ? first : -1;
}

static void report_not_finite(const struct comparison *c, int64_t i, struct rp_accuracy *accuracy)
{
    const struct rp_point *p = c->point;
    int64_t row = i / p->head_dim;
    int64_t head = row / p->seq_q;
    accuracy->error_max_abs = INFINITY;
    accuracy->error_rel_l2 = INFINITY;
    snprintf(accuracy->reason, sizeof accuracy->reason,
             "o[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "] is %g, not finite",
             head / p->heads, head % p->heads, row % p->seq_q, i % p->head_dim,
             (double)element_at(p->dtype, c->o, i));
}

void rp_accuracy_check(const struct rp_point *p, const struct rp_oracle *oracle, const void *o,
                       double probability_roundoff, struct rp_accuracy *accuracy)
{
    struct comparison c = {
        .point = p, .o = o, .probability_roundoff = probability_roundoff, .worst_ratio = -1.0};
    *accuracy = (struct rp_accuracy){0};
    for (size_t i = 0; i < oracle->n_rows; ++i)
        compare_row(&c, &oracle->rows[i], oracle->outputs + i * (size_t)p->head_dim, accuracy);
    if (!isfinite(accuracy->error_max_abs))
        accuracy->error_rel_l2 = INFINITY;
    else if (c.square_difference > 0.0)
        accuracy->error_rel_l2 = sqrt(c.square_difference / c.square_oracle);

    int64_t n = p->batch * p->heads * p->seq_q * p->head_dim;
    int64_t bad = find_not_finite(p->dtype, o, n);
    if (bad >= 0)
        report_not_finite(&c, bad, accuracy);
    accuracy->passed = oracle->n_rows > 0 && bad < 0 && c.worst_ratio <= 1.0;
    if (accuracy->passed)
        accuracy->reason[0] = '\0';
}

double rp_accuracy_difference(enum rp_dtype dtype, const void *a, const void *b, int64_t n)
{
    double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t i = 0; i < n; ++i) {
        double difference = fabs((double)element_at(dtype, a, i) - (double)element_at(dtype, b, i));
        if (!isfinite(difference))
            difference = INFINITY;
        if (difference > largest)
            largest = difference;
    }
    return largest;
}
