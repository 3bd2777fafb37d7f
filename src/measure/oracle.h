/*
 * oracle.h - attention in double precision on a budget of query rows, straight from the definition.
 *
 *   o_i = sum_j p_ij v_j,  p_ij = exp(s_ij - max_j s_ij) / sum,  s_ij = <q_i, k_j> / sqrt(head_dim)
 *
 * Shares no code with any kernel. The first and the last row of a head are always among the rows,
 * the others are drawn from the seed over batch and heads.
 */
#ifndef RP_MEASURE_ORACLE_H
#define RP_MEASURE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/point.h"

struct rp_oracle_row {
    int64_t batch, head, query;
    double score_magnitude; /* largest sum_d |q_d k_d| / sqrt(head_dim) over the visible keys */
    double value_magnitude; /* largest |v| over the visible keys */
};

struct rp_oracle {
    struct rp_oracle_row *rows; /* heap */
    double *outputs;            /* heap; (n_rows, head_dim) */
    size_t n_rows;
};

/* q, k, v are host copies in the point's dtype. */
enum rp_status rp_oracle_create(const struct rp_point *p, const void *q, const void *k,
                                const void *v, int64_t n_rows, int64_t seed,
                                struct rp_oracle *oracle) RP_MUST_CHECK;
void rp_oracle_clear(struct rp_oracle *oracle);

#endif
