/*
 * fit.h - one exponent for several series: log y = c(series) + slope * log x, least squares.
 *
 * The interval is the slope's 95 % interval by Student's t. Where y is no power of x it says how
 * far from one.
 */
#ifndef RP_ANALYSIS_FIT_H
#define RP_ANALYSIS_FIT_H

#include <stddef.h>

struct rp_fit_sums {   /* zero to begin with */
    double xx, xy, yy; /* about each series' own means */
    size_t points, series;
};

struct rp_fit {
    double slope;     /* NaN without a series of two different x */
    double low, high; /* NaN with too few points for an interval */
    size_t points, series;
};

/* A series of n points, all above 0; fewer than two say nothing of the slope and are left out. */
void rp_fit_add_series(struct rp_fit_sums *sums, const double *x, const double *y, size_t n);

struct rp_fit rp_fit_of(const struct rp_fit_sums *sums);

#endif
