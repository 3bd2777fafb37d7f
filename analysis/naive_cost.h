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
    const struct rp_device_row *device; /* owned by a study, as is the row */
    const struct rp_result *row;        /* of the other implementation */
    enum rp_impl impl;
    struct rp_point point;
    struct rp_paired_ratio time; /* naive over the other: above 1, naive is slower */
    double memory_ratio;         /* of the peaks; NaN when one was not counted */
};

bool rp_naive_wins(const struct rp_naive_cost *cost);

struct rp_naive_cost_list {
    struct rp_naive_cost *items; /* heap; by device, other implementation, shape */
    size_t count;
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
