/* storage.h - elements of Q, K, V, P and O to fp32 and back, and the type for a storage word. */
#ifndef RP_KERNELS_CUDA_STORAGE_H
#define RP_KERNELS_CUDA_STORAGE_H

#include "kernels/cuda/launch.h"
#include "kernels/cuda/steps.h"

static __device__ __forceinline__ float rp_element_load(float x)
{
    return x;
}

static __device__ __forceinline__ float rp_element_load(__half x)
{
    return __half2float(x);
}

static __device__ __forceinline__ float rp_element_load(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

static __device__ __forceinline__ void rp_element_store(float *to, float x)
{
    *to = x;
}

static __device__ __forceinline__ void rp_element_store(__half *to, float x)
{
    *to = __float2half_rn(x);
}

static __device__ __forceinline__ void rp_element_store(__nv_bfloat16 *to, float x)
{
    *to = __float2bfloat16_rn(x);
}

/* Calls function(T()) with the element type of `storage`. */
template <class Function> static cudaError_t rp_storage_visit(rp_cuda_storage storage, Function f)
{
    switch (storage) {
    case RP_CUDA_FP32:
        return f(float());
    case RP_CUDA_FP16:
        return f(__half());
    case RP_CUDA_BF16:
        return f(__nv_bfloat16());
    }
    return cudaErrorInvalidValue;
}

#endif
