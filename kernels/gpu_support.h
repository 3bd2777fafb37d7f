/* gpu_support.h - what no kernel can do on a GPU of some compute capability, real or simulated. */
#ifndef RP_KERNELS_GPU_SUPPORT_H
#define RP_KERNELS_GPU_SUPPORT_H

#include "device/backend.h"
#include "model/point.h"

/* RP_ERR_UNSUPPORTED when the device's matrix units do not know the point's dtype. */
enum rp_status rp_gpu_supports_dtype(const struct rp_point *p,
                                     const struct rp_device_info *device) RP_MUST_CHECK;

/* RP_ERR_UNSUPPORTED when the device is older than cuDNN's fused attention needs. */
enum rp_status rp_gpu_supports_cudnn(const struct rp_point *p,
                                     const struct rp_device_info *device) RP_MUST_CHECK;

#endif
