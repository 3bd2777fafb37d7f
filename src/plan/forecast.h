/*
 * forecast.h - about how long measuring a point will take: for handing out the longest first and
 * for the estimate a progress line shows. A prediction for people and queues, never a result.
 */
#ifndef RP_PLAN_FORECAST_H
#define RP_PLAN_FORECAST_H

#include "model/column.h"
#include "model/impl.h"
#include "model/point.h"
#include "model/protocol.h"

/* Wall time of the point with these implementations on this device, input filling, warm-up,
 * samples and oracle together. `threads` are those that compute on a CPU; a GPU ignores them.
 * Always finite and above zero. */
double rp_forecast_point_s(const struct rp_device_row *device, int threads,
                           const struct rp_point *p, rp_impl_set impls,
                           const struct rp_protocol *protocol);

/* What is predicted to take more than this many times its limit is not tried: nominal rates are
 * right within a factor of a few only. */
#define RP_FORECAST_HOPELESS 5.0

/* One launch of one implementation at nominal rates, right within a factor of a few; 0 when the
 * device has no such method. */
double rp_forecast_launch_s(const struct rp_device_row *device, int threads,
                            const struct rp_point *p, enum rp_impl impl);

#endif
