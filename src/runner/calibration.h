/*
 * calibration.h - when a rank's device is calibrated: ceilings before its first point, the anchor
 * again in the middle and at the end of the work in its queue.
 *
 * A pure state machine. Its tasks have negative numbers, so that they are no point's.
 */
#ifndef RP_RUNNER_CALIBRATION_H
#define RP_RUNNER_CALIBRATION_H

#include <stdbool.h>

#include "model/task.h"

enum { RP_CALIBRATIONS = 3 }; /* tasks of a rank that are no points */

struct rp_calibration {
    int given, finished; /* tasks of this rank: ceilings, middle, end */
    double first_s;      /* predicted work that waited when it began */
};

/* The task that is due now, if any. `waiting_s`: predicted work in the rank's queue; `is_idle`:
 * there is none, and the rank holds nothing. */
bool rp_calibration_take(struct rp_calibration *c, double waiting_s, bool is_idle,
                         struct rp_task *task);

bool rp_calibration_is_task(int64_t number);

/* Finished, or lost with its rank. */
void rp_calibration_finish(struct rp_calibration *c);
void rp_calibration_retire(struct rp_calibration *c);
bool rp_calibration_is_busy(const struct rp_calibration *c);

#endif
