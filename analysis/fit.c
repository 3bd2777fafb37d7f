/* fit.c - sums about each series' means, so that every series keeps its own factor. */
#include "analysis/fit.h"

#include <math.h>

void rp_fit_add_series(struct rp_fit_sums *sums, const double *x, const double *y, size_t n)
{
    double mean_x = 0;
    double mean_y = 0;
    if (n < 2)
        return;
    for (size_t i = 0; i < n; ++i) {
        mean_x += log(x[i]) / (double)n;
        mean_y += log(y[i]) / (double)n;
    }
    for (size_t i = 0; i < n; ++i) {
        double dx = log(x[i]) - mean_x;
        double dy = log(y[i]) - mean_y;
        sums->xx += dx * dx;
        sums->xy += dx * dy;
        sums->yy += dy * dy;
    }
    sums->points += n;
    ++sums->series;
}

/* 97.5 % quantile of Student's t: by table, then by its expansion about the normal one. */
static double student(size_t freedom)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                   2.447,  2.365, 2.306, 2.262, 2.228};
    const size_t n = sizeof table / sizeof table[0];
    const double z = 1.959964;
    double f = (double)freedom;
    if (freedom <= n)
        return table[freedom - 1];
    return z + (pow(z, 3) + z) / (4 * f) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * f * f);
}

struct rp_fit rp_fit_of(const struct rp_fit_sums *sums)
{
    struct rp_fit fit = {NAN, NAN, NAN, sums->points, sums->series};
    if (!(sums->xx > 0))
        return fit;
    fit.slope = sums->xy / sums->xx;
    if (sums->points < sums->series + 2) /* a slope, and a factor for each series */
        return fit;
    size_t freedom = sums->points - sums->series - 1;
    double left = fmax(0, sums->yy - fit.slope * sums->xy);
    double half = student(freedom) * sqrt(left / (double)freedom / sums->xx);
    fit.low = fit.slope - half;
    fit.high = fit.slope + half;
    return fit;
}
