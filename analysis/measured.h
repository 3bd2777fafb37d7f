/*
 * measured.h - what the files' own devices reached, per kind of device and threads, group and
 * implementation. Unlike devices (device_kind.h) are never mixed, simulated ones least of all.
 */
#ifndef RP_ANALYSIS_MEASURED_H
#define RP_ANALYSIS_MEASURED_H

#include <stddef.h>

#include "analysis/groups.h"
#include "analysis/load.h"
#include "analysis/naive_cost.h"
#include "base/status.h"
#include "model/bound.h"
#include "model/result.h"

/* t_compute and t_memory of one point. */
struct rp_measured_time {
    struct rp_point point;
    double compute_s, memory_s;
};

struct rp_measured {
    const struct rp_device_row *device; /* the first of its kind; owned by a study */
    int64_t threads;                    /* of a CPU; -1: not applicable */
    size_t group;                       /* index into the groups */
    enum rp_impl impl;
    size_t rows, timed;
    size_t implausible; /* of the timed ones; left out of the best rates */
    size_t disturbed;   /* of the timed ones; flagged noisy or throttled */
    size_t outcomes[RP_OUTCOME_COUNT];
    double time_min_s, time_max_s; /* of the medians; NaN when none has a time */
    double flop_per_s;             /* best of flops over median */
    double bytes_per_s;            /* best of bytes_min over median */
    double ceiling_flop_per_s;     /* best of the ceilings the rows are held against; NaN without */
    double ceiling_bytes_per_s;
    double naive_ratio; /* median over the points of naive's time over this one's, paired */
    double attained_min, attained_max; /* floor over median, of class_measured; NaN: missing */
    size_t classes[RP_CLASS_COUNT];    /* class_measured of the timed rows */
    char missing_reason[240];          /* why one of them is missing */
    /* Where series turn from memory to compute by the measured ceilings, latency left out; NaN when
     * none does. */
    double seq_min, seq_max;
    struct rp_measured_time *times; /* heap; while rows are collected */
    size_t n_times, times_room;
};

struct rp_measured_list {
    struct rp_measured *items; /* heap; sorted by device, group, implementation */
    size_t count;
    size_t simulated; /* rows left out because a simulated device answered them */
};

/* `costs` are of the same files. */
enum rp_status rp_measured_create(const struct rp_study_list *list, bool simulated,
                                  const struct rp_groups *groups,
                                  const struct rp_naive_cost_list *costs,
                                  struct rp_measured_list *measured) RP_MUST_CHECK;
void rp_measured_clear(struct rp_measured_list *measured);

/* Index behind the last item of the device of item `begin`: for walking device by device. */
size_t rp_measured_end_of_device(const struct rp_measured_list *list, size_t begin);

/* The one class of the timed rows, "mixed", or "missing". */
const char *rp_measured_class(const struct rp_measured *m);

#endif
