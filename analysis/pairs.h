/*
 * pairs.h - the rows of one point on one device in one run, whose times may be divided.
 *
 * Only such rows were measured side by side; a ratio across runs or devices is another thing. The
 * implementations took turns in rounds, so that a drifting clock hits all alike: the ratio is
 * formed round by round over the rounds both have samples in that count, and its median and
 * interval are order statistics of those. Rows flagged `unpaired`, and rows that share no round,
 * give the ratio of their medians.
 */
#ifndef RP_ANALYSIS_PAIRS_H
#define RP_ANALYSIS_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"
#include "model/impl.h"
#include "store/study.h"

struct rp_pairs {
    const struct rp_study *study;
    const struct rp_result **rows; /* heap; timed rows, sorted; owned by the study */
    size_t count;
};

/* Indexes the rows that have a time. */
enum rp_status rp_pairs_index(const struct rp_study *study, struct rp_pairs *pairs) RP_MUST_CHECK;
void rp_pairs_clear(struct rp_pairs *pairs);

/* The timed row of the same run, device and point by `impl`; null when there is none. */
const struct rp_result *rp_pairs_find(const struct rp_pairs *pairs, const struct rp_result *row,
                                      enum rp_impl impl);

struct rp_paired_ratio {
    double value, low, high; /* NaN when one of the rows has no time */
    double level;            /* of low..high; NaN for a ratio of medians */
    int64_t rounds;          /* shared ones; 0: a ratio of medians */
};

/* Time of the row of the same run, device and point by `impl` over time of `row`: above 1 when
 * `row` is the faster one. */
enum rp_status rp_pairs_ratio(const struct rp_pairs *pairs, const struct rp_result *row,
                              enum rp_impl impl, struct rp_paired_ratio *ratio) RP_MUST_CHECK;

#endif
