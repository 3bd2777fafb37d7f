/*
 * foresee.h - what can be said of a row before a byte is allocated: is there such a method, is it
 * hopelessly long, does it fit. The worker asks before it measures, and `ridgepoint plan` instead.
 */
#ifndef RP_MEASURE_FORESEE_H
#define RP_MEASURE_FORESEE_H

#include "base/status.h"
#include "kernels/kernel.h"
#include "model/method_cost.h"
#include "model/result.h"

struct rp_foresee_request {
    const struct rp_kernel *kernel;
    const struct rp_device_info *info;
    const struct rp_point *point;
    void *queue;             /* of the open device; null: there is none, nothing is prepared */
    double launch_s;         /* predicted time of one launch; 0: not known */
    double timeout_s;        /* its limit */
    int64_t available_bytes; /* what the point may take; -1: not known */
};

/* RP_OK: it will be tried. Else the sentence is the reason of its row: RP_ERR_UNSUPPORTED,
 * RP_ERR_TIMEOUT (hopeless) or RP_ERR_OUT_OF_MEMORY. *cost has an empty path where the device has
 * no such method. */
enum rp_status rp_foresee(const struct rp_foresee_request *request,
                          struct rp_method_cost *cost) RP_MUST_CHECK;

/* What becomes of a row that was foreseen to fail: what is hopeless is `skipped`. */
enum rp_outcome rp_foresee_outcome(enum rp_status status);

#endif
