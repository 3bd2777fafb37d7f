/*
 * ceilings.h - what a device can do at most, measured on it: rows of /ceilings (docs/PROTOCOL.md).
 */
#ifndef RP_MEASURE_CEILINGS_H
#define RP_MEASURE_CEILINGS_H

#include "base/status.h"
#include "device/device.h"
#include "model/column.h"

/* Who is told; any member may be null. */
struct rp_ceilings_listener {
    void *context;
    /* A step begins that must not take longer than `limit_s`; 0: no limit. */
    void (*begin)(void *context, const char *step, double limit_s);
    /* A finished row; `run` and `device` are the receiver's to fill in. */
    void (*ceiling)(void *context, const struct rp_ceiling *row);
};

/* Measures every ceiling of the device and its anchor (`start`). One that cannot be measured is
 * left out; fails only when the device cannot go on (RP_ERR_DEVICE). */
enum rp_status rp_measure_ceilings(struct rp_device *device,
                                   const struct rp_ceilings_listener *listener) RP_MUST_CHECK;

/* Measures the anchors again: a small fixed point (naive code of a few milliseconds on a CPU, the
 * same on every device) and reading from memory, whose figures at the start, in the middle and at
 * the end of a run show drift and an odd device. A row of kind anchor, units s, and one of kind
 * anchor_read, units B/s; `moment` becomes their method. */
enum rp_status rp_measure_anchor(struct rp_device *device, const char *moment,
                                 const struct rp_ceilings_listener *listener) RP_MUST_CHECK;

#endif
