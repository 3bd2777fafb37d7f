/*
 * rounds.h - the timed part of a point: warm-up, and rounds in which the implementations take turns
 * until each has enough samples.
 */
#ifndef RP_MEASURE_ROUNDS_H
#define RP_MEASURE_ROUNDS_H

#include "measure/attempt.h"

/* Untimed launches until two successive medians agree; chooses the launches of a sample. */
enum rp_status rp_attempt_warm_up(struct rp_attempt *a) RP_MUST_CHECK;

/* Who fails on the way is given up by this; it fails when the device cannot go on. */
typedef enum rp_status rp_give_up(struct rp_attempt *a, enum rp_status status);

/* Rounds of those of the `n` attempts that are live: each ends sampled or given up. Fails only with
 * give_up. */
enum rp_status rp_rounds_run(struct rp_attempt *const *attempts, size_t n,
                             rp_give_up *give_up) RP_MUST_CHECK;

#endif
