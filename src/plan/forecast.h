/*
 * forecast.h - about how long measuring will take and what memory it needs: for handing out the
 * longest point first, for the estimate a progress line shows, and for `ridgepoint plan`. A
 * prediction for people and queues, never a result.
 */
#ifndef RP_PLAN_FORECAST_H
#define RP_PLAN_FORECAST_H

#include <stdint.h>

#include "model/impl.h"
#include "model/point.h"
#include "model/protocol.h"
#include "plan/rates.h"

/* What is predicted to take more than this many times its limit is not tried: rates are right
 * within a factor of a few only. */
#define RP_FORECAST_HOPELESS 5.0

/* One launch of one implementation, leaving out what was measured; 0 when the device has no such
 * method. What is not tried is decided by this, so that every run of a job decides alike. */
double rp_forecast_launch_s(const struct rp_rates *rates, const struct rp_point *p,
                            enum rp_impl impl);

struct rp_forecast {    /* of one row; all 0 for what will not be tried */
    double launch_s;    /* one launch */
    int64_t launches;   /* of one sample */
    int64_t samples;    /* 0 when already the first launch is beyond its limit */
    double exclusive_s; /* warm-up and samples: nothing else may use the memory meanwhile */
    double wall_s;      /* that, the memory pass, and checking the outputs */
};

/* A row of `impl`. Not tried: no such method, more memory than the device has, hopeless. */
void rp_forecast_row(const struct rp_rates *rates, const struct rp_point *p, enum rp_impl impl,
                     const struct rp_protocol *protocol, struct rp_forecast *forecast);

/* What the rows of a point share: filling the inputs, and the oracle. */
double rp_forecast_prepare_s(const struct rp_rates *rates, const struct rp_point *p,
                             const struct rp_protocol *protocol);

/* Wall time of the point with these implementations: prepare_s and the sum of its rows. Always
 * finite and above zero. */
double rp_forecast_point_s(const struct rp_rates *rates, const struct rp_point *p,
                           rp_impl_set impls, const struct rp_protocol *protocol);

/* Host memory of a rank: of its processes, and what the row adds while its point is measured. */
int64_t rp_forecast_rank_bytes(const struct rp_rates *rates);
int64_t rp_forecast_row_bytes(const struct rp_rates *rates, const struct rp_point *p,
                              const struct rp_method_cost *cost);

#endif
