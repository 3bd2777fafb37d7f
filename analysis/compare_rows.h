/*
 * compare_rows.h - the rows that two files share, and whether the new time is another one.
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

#include "analysis/load.h"
#include "base/status.h"
#include "model/result.h"

enum rp_change { RP_CHANGE_SAME, RP_CHANGE_FASTER, RP_CHANGE_SLOWER, RP_CHANGE_UNDECIDED };
enum { RP_CHANGE_COUNT = RP_CHANGE_UNDECIDED + 1 };

const char *rp_change_name(enum rp_change change); /* "SAME", ... */

/* Of so many repeats of a point the medians are looked at; of the others all but those. */
enum { RP_COMPARED_MEDIANS = 100 };

/* What one file says of a point by one implementation under the same conditions: its repeats
 * together. */
struct rp_compared_side {
    struct rp_point point;
    char id[RP_POINT_ID_SIZE];
    enum rp_impl impl;
    const struct rp_device_row *device; /* of the first; owned by the file */
    int64_t threads;
    char protocol[sizeof((struct rp_result *)0)->protocol];
    bool is_new, unlike; /* `unlike`: the user compares unlike things on purpose */
    size_t repeats;
    double *medians; /* heap; of those that have a time */
    size_t timed, room;
    double median_s;         /* the middle one of these; NaN without a time */
    double low_s, high_s;    /* around all of the repeats' intervals */
    double level;            /* the lowest */
    double drift_frac;       /* of the anchor, the largest; NaN: not measured */
    double read_drift_frac;  /* the same of reading from memory */
    enum rp_outcome outcome; /* the worst */
    char *why;               /* heap; of the worst. Null: it gives no reason */
};

struct rp_comparison {
    const struct rp_compared_side *old_side, *new_side; /* owned by the list */
    enum rp_change change;
    double ratio, low, high, allowance_frac; /* NaN when a side has no time */
    char reason[400];                        /* of undecided; "" otherwise */
};

struct rp_comparisons {
    struct rp_compared_side *sides; /* heap; by device type, then shape and implementation */
    size_t n_sides, room;
    size_t *pairs; /* heap; indices of old sides whose new side is the next */
    size_t count;
    size_t old_only, new_only; /* points and implementations that only one side has */
    size_t status_changed;     /* of the undecided: right on one side, not on the other */
    size_t simulated;          /* rows left out because a simulated device answered them */
};

struct rp_compare_choice {
    bool unlike;    /* compare across device types, threads and protocols */
    bool simulated; /* take rows of simulated devices in */
};

/* Of the two files of the list, OLD and NEW. `comparisons` need not be initialised; on failure it
 * is empty. RP_ERR_USAGE when nothing can be compared, or only unlike things: says which differ.
 * RP_ERR_INTERNAL: host memory. */
enum rp_status rp_compare_files(const struct rp_study_list *files,
                                const struct rp_compare_choice *choice,
                                struct rp_comparisons *comparisons) RP_MUST_CHECK;
void rp_comparisons_clear(struct rp_comparisons *comparisons);

/* Of that the first part: the sides, in no order. `list` begins empty; to be cleared also on
 * failure. */
enum rp_status rp_compared_sides_collect(const struct rp_study_list *files,
                                         const struct rp_compare_choice *choice,
                                         struct rp_comparisons *list) RP_MUST_CHECK;

/* Number `index` of list->count. */
struct rp_comparison rp_comparison_of(const struct rp_comparisons *list, size_t index);

#endif
