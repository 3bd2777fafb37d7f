/*
 * pairs.h - the rows of one point on one device in one run, whose times may be divided.
 *
 * Only such rows were measured side by side; a ratio across runs or devices is another thing.
 */
#ifndef RP_ANALYSIS_PAIRS_H
#define RP_ANALYSIS_PAIRS_H

#include <stddef.h>

#include "base/status.h"
#include "model/column.h"
#include "store/study.h"

struct rp_pairs {
    const struct rp_result *
        *rows; /* heap; rows of one implementation, sorted; owned by the study */
    size_t count;
};

/* Indexes the rows of implementation `impl` that have a time. */
enum rp_status rp_pairs_index(const struct rp_study *study, const char *impl,
                              struct rp_pairs *pairs) RP_MUST_CHECK;
void rp_pairs_clear(struct rp_pairs *pairs);

/* Time of the indexed row of the same run, device and point over the time of `row`; NaN when either
 * is not there. */
double rp_pairs_time_ratio(const struct rp_pairs *pairs, const struct rp_result *row);

#endif
