/*
 * plausible.c - compulsory work against the measured ceilings.
 *
 *   least = flops / (peak * row clock / ceiling clock)    and    bytes_min / bandwidth
 */
#include "analysis/plausible.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/roof.h"

/* One count of the row against one ceiling, which may be null. */
struct demand {
    const char *count_name;
    double count;
    const struct rp_ceiling *ceiling;
    double scale; /* of the ceiling: row clock over ceiling clock */
};

static double clock_scale(const struct rp_result *row, const struct rp_ceiling *ceiling)
{
    return row->clock_hz > 0 && ceiling->clock_hz > 0 ? row->clock_hz / ceiling->clock_hz : 1;
}

static void hold(const struct demand *d, const struct rp_result *row, struct rp_plausibility *p)
{
    const double margin = 1.03;
    if (!d->ceiling || !(d->count > 0))
        return;
    double least_s = d->count / (d->scale * d->ceiling->value);
    double surely_s = d->count / (d->scale * rp_ceiling_high(d->ceiling));
    bool is_beaten = margin * row->time_median_s < least_s && row->time_ci_high_s < surely_s;
    if (is_beaten && !(p->is_implausible && p->least_s >= least_s))
        snprintf(p->reason, sizeof p->reason, "%s = %.15g at the measured %s ceiling, %.4g %s%s",
                 d->count_name, d->count, d->ceiling->kind, d->scale * d->ceiling->value,
                 d->ceiling->units, d->scale < 1 || d->scale > 1 ? " at the row's clock" : "");
    p->is_implausible = p->is_implausible || is_beaten;
    p->least_s = fmax(p->least_s, least_s); /* NaN before the first */
}

struct rp_plausibility rp_row_plausibility(const struct rp_study *study,
                                           const struct rp_result *row)
{
    struct rp_plausibility p = {.least_s = NAN};
    if (strcmp(row->cache, "cold") != 0 || !(row->time_median_s > 0))
        return p;
    struct rp_roof roof = rp_roof_of(study, row);
    if (roof.is_borrowed)
        return p; /* the device may have run at another clock then */
    const struct demand work = {"flops", (double)row->flops, roof.most_compute,
                                roof.most_compute ? clock_scale(row, roof.most_compute) : 1};
    const struct demand traffic = {"bytes_min", (double)row->bytes_min, roof.most_memory, 1};
    hold(&work, row, &p);
    hold(&traffic, row, &p);
    return p;
}
