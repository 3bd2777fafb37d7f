/*
 * cublas.h - cuBLAS, loaded when the first kernel needs it: starting it takes half a second of CPU
 * time and it is half a gigabyte, which `ridgepoint --help` on a login node should not pay.
 */
#ifndef RP_KERNELS_CUDA_CUBLAS_H
#define RP_KERNELS_CUDA_CUBLAS_H

#include <cublas_v2.h>

#include "base/status.h"
#include "device/backend_cuda.h"

struct rp_cublas { /* by NVIDIA's own prototypes */
    __typeof__(&cublasCreate) create;
    __typeof__(&cublasDestroy) destroy;
    __typeof__(&cublasSetStream) set_stream;
    __typeof__(&cublasGemmEx) gemm;
    __typeof__(&cublasGemmStridedBatchedEx) gemm_strided_batched;
    __typeof__(&cublasGetStatusString) status_string;
};

/* The library and the queue's handle, made at the first call and closed with the device.
 * RP_ERR_ENVIRONMENT when there is no such library. */
enum rp_status rp_cublas_open(struct rp_cuda_queue *queue, const struct rp_cublas **cublas,
                              cublasHandle_t *handle) RP_MUST_CHECK;

/* A failed call as this project's status. */
enum rp_status rp_cublas_check(const struct rp_cublas *cublas, cublasStatus_t error,
                               const char *what) RP_MUST_CHECK;

#endif
