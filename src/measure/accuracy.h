/*
 * accuracy.h - is an output right? Comparisons are written so that NaN and infinity fail them.
 */
#ifndef RP_MEASURE_ACCURACY_H
#define RP_MEASURE_ACCURACY_H

#include <stdbool.h>

#include "measure/oracle.h"
#include "model/point.h"

struct rp_accuracy {
    bool passed;
    double error_max_abs; /* infinity when anything is not finite */
    double error_rel_l2;
    double tolerance; /* largest allowed |difference| of the row that came closest to it */
    char reason[200]; /* when not passed: which element, what it is, what it should be */
};

/* `o` is a host copy of the whole output in the point's dtype. Besides the oracle's rows, every
 * element of the output must be finite. `probability_roundoff`: unit round-off of the type that
 * probabilities are rounded to before they meet V (2^-24 for fp32). */
void rp_accuracy_check(const struct rp_point *p, const struct rp_oracle *oracle, const void *o,
                       double probability_roundoff, struct rp_accuracy *accuracy);

/* Largest |a - b| over n elements; infinity when one side is not finite. */
double rp_accuracy_difference(enum rp_dtype dtype, const void *a, const void *b, int64_t n);

#endif
