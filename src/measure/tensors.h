/*
 * tensors.h - Q, K, V and O of one point on a device, and how the host sees them.
 *
 * Where a device's buffers are host accessible nothing is copied; elsewhere host copies are kept.
 */
#ifndef RP_MEASURE_TENSORS_H
#define RP_MEASURE_TENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "device/device.h"
#include "measure/inputs.h"
#include "model/point.h"

struct rp_tensors {
    struct rp_buffer inputs[RP_TENSOR_COUNT];
    struct rp_buffer output;
    const void *host_inputs[RP_TENSOR_COUNT]; /* in the point's dtype */
    void *host_output;                        /* heap; filled by rp_tensors_read_output */
    void *reference_output;                   /* heap; null when nothing is compared with it */
    bool has_reference;                       /* it holds the output of impl=reference */
    void *copies[RP_TENSOR_COUNT];            /* heap; null where buffers are host accessible */
    size_t output_bytes;
    int64_t baseline_bytes; /* outside figure before anything of this point was on the device */
};

struct rp_tensors_request {
    const struct rp_point *point;
    int64_t seed;
    bool with_reference; /* room for the output of impl=reference, to compare others with */
};

/* RP_ERR_OUT_OF_MEMORY when they do not fit. On failure nothing is held. */
enum rp_status rp_tensors_create(struct rp_device *device, const struct rp_tensors_request *request,
                                 struct rp_tensors *tensors) RP_MUST_CHECK;
void rp_tensors_clear(struct rp_device *device, struct rp_tensors *tensors);

enum rp_status rp_tensors_read_output(struct rp_device *device,
                                      struct rp_tensors *tensors) RP_MUST_CHECK;

/* The output read last becomes the one others are compared with. */
void rp_tensors_keep_reference(struct rp_tensors *tensors);

#endif
