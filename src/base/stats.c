/* stats.c - order statistics; the binomial sums are done in logarithms so that any n works. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void rp_stats_sort(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof values[0], compare);
}

double rp_stats_median(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

/* log of C(n, k) / 2^n. */
static double log_binomial_half(size_t n, size_t k)
{
    double dn = (double)n;
    double dk = (double)k;
    return lgamma(dn + 1) - lgamma(dk + 1) - lgamma(dn - dk + 1) - dn * log(2.0);
}

struct rp_stats_interval rp_stats_median_interval(const double *sorted, size_t n, double level)
{
    /* With both tails cut after `cut` values, P(outside) = 2 * sum_{k=0}^{cut} C(n,k) / 2^n. */
    double tail = exp(log_binomial_half(n, 0));
    double outside = 2 * tail;
    size_t cut = 0;
    while (cut + 1 < (n + 1) / 2) {
        double next = outside + 2 * exp(log_binomial_half(n, cut + 1));
        if (next > 1 - level)
            break;
        outside = next;
        ++cut;
    }
    struct rp_stats_interval interval = {sorted[cut], sorted[n - 1 - cut], 1 - outside};
    if (interval.level < 0) /* n = 1: a single value encloses nothing */
        interval.level = 0;
    return interval;
}
