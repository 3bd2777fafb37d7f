/* cuda_status.h - a failed call of CUDA as this project's status. */
#ifndef RP_KERNELS_CUDA_STATUS_H
#define RP_KERNELS_CUDA_STATUS_H

#include <cuda_runtime_api.h>

#include "base/status.h"

static inline enum rp_status rp_cuda_status(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return RP_OK;
    return RP_FAIL(RP_ERR_DEVICE, "%s: %s (%s)", what, cudaGetErrorString(error),
                   cudaGetErrorName(error));
}

#endif
