/*
 * measure.h - one point on one device, by the protocol (docs/PROTOCOL.md): inputs, oracle, and for
 * each implementation support, prediction, memory pass, warm-up, checked timed samples.
 */
#ifndef RP_MEASURE_MEASURE_H
#define RP_MEASURE_MEASURE_H

#include "base/status.h"
#include "device/device.h"
#include "model/column.h"
#include "model/impl.h"
#include "model/point.h"
#include "model/protocol.h"

/* Who is told what happens; any member may be null. */
struct rp_measure_listener {
    void *context;
    /* A step begins that must not take longer than `limit_s`; 0: no limit. */
    void (*begin)(void *context, enum rp_impl impl, const char *step, double limit_s);
    /* A finished row with its samples; owned by the caller of this function. */
    void (*row)(void *context, const struct rp_result *row, const struct rp_sample *samples,
                size_t n_samples);
};

struct rp_measure_plan {
    const struct rp_protocol *protocol;
    int64_t seed; /* of the inputs and of the rows that are checked */
    /* Of the job for this point. With reference among them and not among those to be measured, it
     * is launched once, untimed, so that the others can be compared with its output. */
    rp_impl_set planned;
    const double *launch_s; /* predicted time of one launch, by implementation; null: not known */
};

/* Measures the implementations of `impls` (reference first) and reports one row each, whatever
 * happens to them; fails only when the device cannot go on (RP_ERR_DEVICE). */
enum rp_status rp_measure_point(struct rp_device *device, const struct rp_point *point,
                                rp_impl_set impls, const struct rp_measure_plan *plan,
                                const struct rp_measure_listener *listener) RP_MUST_CHECK;

#endif
