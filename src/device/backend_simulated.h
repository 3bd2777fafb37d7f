/*
 * backend_simulated.h - what a modelled kernel or probe tells the simulated device it runs on.
 */
#ifndef RP_DEVICE_BACKEND_SIMULATED_H
#define RP_DEVICE_BACKEND_SIMULATED_H

#include "base/status.h"
#include "model/impl.h"
#include "model/point.h"

/* One launch on the queue of a simulated device: its modelled time is added to the device's clock,
 * or the fault that was asked for happens. */
enum rp_status rp_simulated_launch(void *queue, const struct rp_point *p,
                                   enum rp_impl impl) RP_MUST_CHECK;

/* One launch of a probe: so much work on an arithmetic path ("" for none) and so many bytes, by the
 * same model. No fault is counted and nothing is slept, so that what a run's points meet does not
 * depend on how ceilings are measured. RP_ERR_UNSUPPORTED when the datasheet lacks the path. */
enum rp_status rp_simulated_launch_work(void *queue, const char *path, double flops,
                                        double bytes) RP_MUST_CHECK;

#endif
