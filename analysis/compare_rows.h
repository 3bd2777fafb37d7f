/*
 * compare_rows.h - the rows that two studies share, and whether the new time is another one.
 *
 *   ratio      new median over old median; its interval from the intervals of both
 *   allowance  the larger of 3 % and what the anchors of either run drifted by
 *
 *   slower     all of the interval is above 1 + allowance
 *   faster     all of it is below 1 / (1 + allowance)
 *   same       all of it is between the two
 *   undecided  neither, or there is no 95 % interval, or one side has no right result
 */
#ifndef RP_ANALYSIS_COMPARE_ROWS_H
#define RP_ANALYSIS_COMPARE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/result.h"
#include "store/study.h"

enum rp_change { RP_CHANGE_SAME, RP_CHANGE_FASTER, RP_CHANGE_SLOWER, RP_CHANGE_UNDECIDED };
enum { RP_CHANGE_COUNT = RP_CHANGE_UNDECIDED + 1 };

const char *rp_change_name(enum rp_change change); /* "SAME", ... */

/* What one study says of a point: its repeats together. */
struct rp_compared_side {
    const struct rp_result *row; /* the first of them; owned by the study */
    const struct rp_device_row *device;
    size_t repeats;
    double median_s;         /* the middle one of the repeats' medians; NaN without a time */
    double low_s, high_s;    /* around all of the repeats' intervals */
    double level;            /* the lowest */
    double drift_frac;       /* of the anchors, the largest; NaN: not measured */
    enum rp_outcome outcome; /* the worst */
    const char *why;         /* of the worst; owned by the study */
};

struct rp_comparison {
    struct rp_compared_side old_side, new_side;
    enum rp_change change;
    double ratio, low, high, allowance_frac; /* NaN when a side has no time */
    char reason[400];                        /* of undecided; "" otherwise */
};

struct rp_comparisons {
    struct rp_comparison *items; /* heap; by device type, then shape and implementation */
    size_t count;
    size_t old_only, new_only; /* points and implementations that only one side has */
    size_t status_changed;     /* of the undecided: right on one side, not on the other */
    size_t simulated;          /* rows left out because a simulated device answered them */
};

struct rp_compare_choice {
    bool unlike;    /* compare across device types, threads and protocols */
    bool simulated; /* take rows of simulated devices in */
};

/* `comparisons` need not be initialised; on failure it is empty. RP_ERR_USAGE when nothing can be
 * compared, or only unlike things: says which differ. RP_ERR_INTERNAL: host memory. */
enum rp_status rp_compare_studies(const struct rp_study *old_study,
                                  const struct rp_study *new_study,
                                  const struct rp_compare_choice *choice,
                                  struct rp_comparisons *comparisons) RP_MUST_CHECK;
void rp_comparisons_clear(struct rp_comparisons *comparisons);

#endif
