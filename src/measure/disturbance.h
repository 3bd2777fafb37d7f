/*
 * disturbance.h - what happened beside a row's samples: which of them do not count, and the row's
 * clock, temperature, power and energy (docs/PROTOCOL.md).
 *
 * Pure: readings go in, verdicts come out.
 */
#ifndef RP_MEASURE_DISTURBANCE_H
#define RP_MEASURE_DISTURBANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/backend.h"
#include "model/column.h"

/* Sum and number of the readings of one quantity that were known. */
struct rp_reading_mean {
    double sum;
    size_t n;
};

struct rp_disturbance {
    struct rp_reading_mean clock_hz, temperature_c, power_w;
    double energy_j;         /* of the samples whose energy could be resolved */
    int64_t energy_launches; /* in those */
    size_t n_disturbed; /* samples that lost their cores, or were in a turn that was stolen from */
    bool was_throttled; /* in any turn */
    size_t n_throttled; /* samples of turns in which the device was held back */
};

/* One sample that lasted `sample_s`. False: disturbed, a thread was without its core for more than
 * 1 % of it. */
bool rp_disturbance_add_sample(struct rp_disturbance *d, double sample_s, int64_t launches,
                               const struct rp_sample_watch *seen);

/* A turn, `turn_s` long, between two readings, with `n_samples` that are not disturbed by
 * themselves. False: none of its samples counts. */
bool rp_disturbance_add_turn(struct rp_disturbance *d, const struct rp_watch *before,
                             const struct rp_watch *after, double turn_s, size_t n_samples);

/* Clock, temperature, power, energy, flags and reason into a row whose samples are summarised:
 * `count` of them, of which `used` count. */
void rp_disturbance_conclude(const struct rp_disturbance *d, size_t count, size_t used,
                             struct rp_result *row);

/* Adds a word to the row's comma-separated flags, once. */
void rp_flag_add(struct rp_result *row, const char *flag);

#endif
