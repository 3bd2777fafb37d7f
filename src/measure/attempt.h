/*
 * attempt.h - one implementation of a point on its way from prediction to row: the steps that
 * measure.c puts in order.
 */
#ifndef RP_MEASURE_ATTEMPT_H
#define RP_MEASURE_ATTEMPT_H

#include <stdbool.h>

#include "kernels/kernel.h"
#include "measure/accuracy.h"
#include "measure/disturbance.h"
#include "measure/measure.h"
#include "measure/oracle.h"
#include "measure/sampling.h"
#include "measure/tensors.h"

struct rp_attempt;

/* What the implementations of a point share. */
struct rp_session {
    struct rp_device *device;
    const struct rp_point *point;
    const struct rp_measure_plan *plan;
    const struct rp_measure_listener *listener;
    struct rp_tensors tensors;
    struct rp_oracle oracle;
    struct rp_arena arena;         /* scratch of whoever's turn it is */
    const struct rp_attempt *told; /* whose step the listener heard of last */
    double told_s;                 /* when */
    bool with_reference;           /* outputs are compared with that of impl=reference */
};

enum rp_attempt_state {
    RP_ATTEMPT_LIVE,
    RP_ATTEMPT_SAMPLED, /* enough samples, or no more time */
    RP_ATTEMPT_REPORTED /* its row is told */
};

struct rp_attempt {
    struct rp_session *session;
    enum rp_attempt_state state;
    bool is_untimed; /* only launched for its output: it has its row already */
    const struct rp_kernel *kernel;
    struct rp_method_cost cost;
    struct rp_result row;
    struct rp_buffer scores; /* of the arena, while it is its turn */
    struct rp_buffer workspace;
    struct rp_warmup warmup;
    struct rp_sampling sampling;
    struct rp_disturbance disturbance;
    struct rp_accuracy accuracy; /* the worst of the outputs that were checked */
    bool was_checked;
    int64_t launches_per_sample;
    double launch_s;      /* the last untimed one */
    double sample_cost_s; /* of the last one, eviction and all */
    double spent_s;       /* in its turns */
    double eviction_s;    /* in evicting caches, since it was last set to 0 */
    bool is_skipped;      /* predicted to take far longer than the limit */
};

/* Begins the row and says everything that can be said before a byte is allocated. */
enum rp_status rp_attempt_begin(struct rp_attempt *a, struct rp_session *session,
                                enum rp_impl impl) RP_MUST_CHECK;

/* Scratch of one implementation, out of the arena. */
size_t rp_attempt_scratch_bytes(const struct rp_attempt *a);
enum rp_status rp_attempt_take_scratch(struct rp_attempt *a) RP_MUST_CHECK;
void rp_attempt_return_scratch(struct rp_attempt *a);

/* Tells the listener of a step that must not take longer than `limit_s`; 0: no limit. */
void rp_attempt_tell(struct rp_attempt *a, const char *step, double limit_s);

/* Poison, evict, `launches` launches between two readings of the timer. `time_s` is of one launch;
 * `seen` may be null. Holds the scratch. */
enum rp_status rp_attempt_launch(struct rp_attempt *a, int64_t launches, double *time_s,
                                 struct rp_sample_watch *seen) RP_MUST_CHECK;

/* Compares the output with the oracle and with that of impl=reference. */
enum rp_status rp_attempt_check(struct rp_attempt *a) RP_MUST_CHECK;

/* The pass of its own: one launch with nothing else of the point in memory. */
enum rp_status rp_attempt_memory_pass(struct rp_attempt *a) RP_MUST_CHECK;

/* Ends it: the row is completed from what it has, told to the listener, and its memory freed. */
void rp_attempt_report(struct rp_attempt *a, enum rp_status status);

/* Frees what it holds without a row; takes one that is reported. */
void rp_attempt_abandon(struct rp_attempt *a);

#endif
