/*
 * sampling.h - when warm-up is over, when there are enough samples, and what they say.
 *
 * Pure state machines: no clock, no device. Whoever drives them passes the times in, so a test can
 * script every case.
 */
#ifndef RP_MEASURE_SAMPLING_H
#define RP_MEASURE_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/column.h"
#include "model/protocol.h"

enum { RP_WARMUP_BLOCK = 3 };

/* Warm-up ends when the medians of two successive blocks of launches agree, or when it has taken a
 * quarter of the time that sampling may take. */
struct rp_warmup {
    double block[RP_WARMUP_BLOCK];
    size_t in_block;
    double last_median_s; /* of the block before; 0: none yet */
    double spent_s;
    double budget_s;
    bool settled;
};

void rp_warmup_init(struct rp_warmup *warmup, const struct rp_protocol *protocol);
/* One launch that took `time_s`, `cost_s` with eviction and all. */
void rp_warmup_add(struct rp_warmup *warmup, double time_s, double cost_s);
/* The first launch pays for page faults: it costs time but says nothing about speed. */
void rp_warmup_add_cost(struct rp_warmup *warmup, double cost_s);
bool rp_warmup_is_over(const struct rp_warmup *warmup);

/* Launches a sample needs so that it lasts 100 ticks of the timer; at least 1. */
int64_t rp_sampling_launches(double launch_s, double tick_s);

enum rp_stop { RP_STOP_NONE, RP_STOP_TARGET_CI, RP_STOP_MAX_SAMPLES, RP_STOP_MAX_TIME };

const char *rp_stop_name(enum rp_stop stop);

struct rp_sampling {
    const struct rp_protocol *protocol;
    struct rp_sample *samples; /* heap */
    double *sorted;            /* heap, scratch */
    size_t count;
    size_t used;
    size_t next_look; /* the interval is looked at after 10, 20, 40, ... used samples */
    bool reached_target;
};

enum rp_status rp_sampling_init(struct rp_sampling *sampling,
                                const struct rp_protocol *protocol) RP_MUST_CHECK;
void rp_sampling_clear(struct rp_sampling *sampling);

/* Copied. RP_ERR_DEVICE when the timer said something impossible: zero, negative or not finite. */
enum rp_status rp_sampling_add(struct rp_sampling *sampling,
                               const struct rp_sample *sample) RP_MUST_CHECK;

/* `spent_s`: since sampling of this implementation began, eviction and all. */
enum rp_stop rp_sampling_stop(const struct rp_sampling *sampling, double spent_s);

/* Median, minimum, interval, its level and the counts into the row. */
void rp_sampling_summarise(const struct rp_sampling *sampling, enum rp_stop stop,
                           struct rp_result *row);

#endif
