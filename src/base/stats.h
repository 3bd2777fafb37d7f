/*
 * stats.h - order statistics of a handful of samples. No normality is assumed anywhere.
 *
 * Interval of the median: the order statistics x(l) and x(u) enclose it with probability
 * sum_{k=l}^{u-1} C(n,k) / 2^n; the narrowest symmetric pair that reaches the level is taken.
 */
#ifndef RP_BASE_STATS_H
#define RP_BASE_STATS_H

#include <stddef.h>

struct rp_stats_interval {
    double low;
    double high;
    double level; /* the probability the interval really has; at least what was asked, or the
                     largest there is (the whole range) when n is too small for it */
};

void rp_stats_sort(double *values, size_t n);

/* Of sorted values; n at least 1. Mean of the middle two when n is even. */
double rp_stats_median(const double *sorted, size_t n);

/* Of sorted values; n at least 1; `level` in 0..1, for instance 0.95. */
struct rp_stats_interval rp_stats_median_interval(const double *sorted, size_t n, double level);

#endif
