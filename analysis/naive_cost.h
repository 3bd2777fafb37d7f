/*
 * naive_cost.h - what naive attention costs against each other implementation, shape by shape.
 *
 * Time: naive over the other one, paired round by round where they were measured side by side
 * (pairs.h), with its interval. Memory: the counted peaks, which have no noise. Naive wins where
 * the interval of the time ratio is below 1.
 */
#ifndef RP_ANALYSIS_NAIVE_COST_H
#define RP_ANALYSIS_NAIVE_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/load.h"
#include "analysis/pairs.h"
#include "base/status.h"
#include "model/point.h"

struct rp_naive_cost {
    const struct rp_device_row *device; /* owned by a study */
    int64_t threads;
    enum rp_impl impl; /* the other implementation */
    struct rp_point point;
    char id[RP_POINT_ID_SIZE];
    struct rp_paired_ratio time; /* naive over the other: above 1, naive is slower; of repeats the
                                    geometric mean, and an interval around all of theirs */
    double memory_ratio;         /* of the peaks; NaN when one was not counted */
    size_t repeats;              /* of the point on devices that are alike */
};

bool rp_naive_wins(const struct rp_naive_cost *cost);

struct rp_naive_cost_list {
    struct rp_naive_cost *items; /* heap; by device, other implementation, shape */
    size_t count, room;
};

/* Timed rows with a timed naive row of the same run, device and point; of simulated devices only
 * when asked. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_naive_cost_create(const struct rp_study_list *list, bool simulated,
                                    struct rp_naive_cost_list *costs) RP_MUST_CHECK;
void rp_naive_cost_clear(struct rp_naive_cost_list *costs);

/* Order of what is spoken of at once: device kind, threads, other implementation, stage, dtype,
 * mask; 0: the same. */
int rp_naive_cost_compare_subject(const struct rp_naive_cost *x, const struct rp_naive_cost *y);

#endif
