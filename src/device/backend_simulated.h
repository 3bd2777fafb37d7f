/*
 * backend_simulated.h - what a modelled kernel tells the simulated device it runs on.
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

#endif
