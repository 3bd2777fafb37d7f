/*
 * cost.h - work and traffic of one attention call, counted on paper (docs/MODEL.md).
 *
 * All in 64-bit integers; RP_ERR_CONFIG when a count does not fit.
 */
#ifndef RP_MODEL_COST_H
#define RP_MODEL_COST_H

#include <stdint.h>

#include "base/status.h"
#include "model/point.h"

struct rp_cost {
    int64_t pairs;       /* query-key pairs one head visits */
    int64_t flops;       /* 4 * batch * heads * head_dim * pairs */
    int64_t flops_dense; /* the same over the full rectangle: the notebook's count */
    int64_t bytes_min;   /* Q, K, V and O moved once */
};

enum rp_status rp_cost_of(const struct rp_point *p, struct rp_cost *cost) RP_MUST_CHECK;

/* Product of n factors, none negative; RP_ERR_CONFIG naming `what` when it does not fit. */
enum rp_status rp_cost_product(const char *what, const int64_t *factors, size_t n,
                               int64_t *product) RP_MUST_CHECK;

/* flops over bytes, FLOP/B. */
double rp_cost_intensity(int64_t flops, int64_t bytes);

#endif
