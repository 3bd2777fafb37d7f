/*
 * probe_gemm.c - matrix products of cuBLAS on every arithmetic path, square, on random data.
 */
#include "kernels/cuda/probe_gemm.h"

#include <string.h>

#include "kernels/cuda/cublas.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/probes.h"
#include "kernels/cuda/steps.h"
#include "kernels/gpu_support.h"

/* Of the path of a probe. */
struct arithmetic {
    const char *path;
    enum rp_dtype dtype;
    enum rp_cuda_storage storage;
    cudaDataType type;
    cublasComputeType_t compute;
};

static const struct arithmetic paths[] = {
    {"tensor_fp16", RP_DTYPE_fp16, RP_CUDA_FP16, CUDA_R_16F, CUBLAS_COMPUTE_32F},
    {"tensor_bf16", RP_DTYPE_bf16, RP_CUDA_BF16, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {"tensor_tf32", RP_DTYPE_tf32, RP_CUDA_FP32, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {"simt_fp32", RP_DTYPE_fp32, RP_CUDA_FP32, CUDA_R_32F, CUBLAS_COMPUTE_32F},
};

static const struct arithmetic *arithmetic_of(const struct rp_probe *probe)
{
    for (size_t i = 0; i < RP_COUNT(paths); ++i) {
        if (strcmp(paths[i].path, probe->path) == 0)
            return &paths[i];
    }
    return NULL;
}

static int64_t matrix_elements(const struct rp_probe_call *call)
{
    return call->probe->extent * call->probe->extent;
}

enum rp_status rp_cuda_probe_gemm_plan(struct rp_probe_call *call)
{
    const struct arithmetic *arithmetic = arithmetic_of(call->probe);
    const struct rp_point of_dtype = {.dtype = arithmetic->dtype};
    double n = (double)call->probe->extent;
    RP_TRY(rp_gpu_supports_dtype(&of_dtype, call->device));
    call->scratch_bytes =
        3 * (size_t)matrix_elements(call) * (size_t)rp_dtype_info(arithmetic->dtype)->storage_bytes;
    call->work = 2 * n * n * n;
    return RP_OK;
}

enum rp_status rp_cuda_probe_gemm_fill(const struct rp_probe_call *call)
{
    const struct rp_cuda_queue *queue = call->queue;
    return rp_cuda_status(rp_cuda_probe_fill(call->scratch, 3 * matrix_elements(call),
                                             arithmetic_of(call->probe)->storage, queue->stream),
                          "fill");
}

enum rp_status rp_cuda_probe_gemm_launch(const struct rp_probe_call *call)
{
    const struct arithmetic *arithmetic = arithmetic_of(call->probe);
    const float one = 1;
    const float zero = 0;
    int n = (int)call->probe->extent;
    size_t bytes = call->scratch_bytes / 3;
    char *a = call->scratch;
    const struct rp_cublas *cublas = NULL;
    cublasHandle_t handle = NULL;
    RP_TRY(rp_cublas_open(call->queue, &cublas, &handle));
    return rp_cublas_check(cublas,
                           cublas->gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a,
                                        arithmetic->type, n, a + bytes, arithmetic->type, n, &zero,
                                        a + 2 * bytes, arithmetic->type, n, arithmetic->compute,
                                        CUBLAS_GEMM_DEFAULT),
                           "cublasGemmEx");
}

#define GEMM(name, path_, n)                                                                       \
    extern const struct rp_probe rp_probe_cuda_##name##_##n;                                       \
    const struct rp_probe rp_probe_cuda_##name##_##n = {                                           \
        .backend = "cuda",                                                                         \
        .kind = RP_PROBE_COMPUTE,                                                                  \
        .path = (path_),                                                                           \
        .method = "cuBLAS GEMM " #n "x" #n "x" #n,                                                 \
        .extent = (n),                                                                             \
        .plan = rp_cuda_probe_gemm_plan,                                                           \
        .fill = rp_cuda_probe_gemm_fill,                                                           \
        .launch = rp_cuda_probe_gemm_launch,                                                       \
    }

GEMM(tensor_fp16, "tensor_fp16", 2048);
GEMM(tensor_fp16, "tensor_fp16", 4096);
GEMM(tensor_fp16, "tensor_fp16", 8192);
GEMM(tensor_bf16, "tensor_bf16", 4096);
GEMM(tensor_bf16, "tensor_bf16", 8192);
GEMM(tensor_tf32, "tensor_tf32", 4096);
GEMM(tensor_tf32, "tensor_tf32", 8192);
GEMM(simt_fp32, "simt_fp32", 2048);
GEMM(simt_fp32, "simt_fp32", 4096);
