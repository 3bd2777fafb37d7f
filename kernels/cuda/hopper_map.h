/*
 * hopper_map.h - tensor maps, on the host: how the copy unit of compute capability 9.0 is told
 * where Q, K and V are in memory (hopper_layout.h says what it is told).
 */
#ifndef RP_KERNELS_CUDA_HOPPER_MAP_H
#define RP_KERNELS_CUDA_HOPPER_MAP_H

#include <cudaTypedefs.h>

#include "kernels/cuda/hopper_layout.h"
#include "kernels/cuda/steps.h"

/* The driver's function that makes tensor maps, found at run time: programs have to start where
 * there is no driver. Null where it has none. */
static PFN_cuTensorMapEncodeTiled_v12000 find_encoder()
{
    const unsigned since = 12000; /* version of CUDA */
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                               since, cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess || result != cudaDriverEntryPointSuccess)
        return nullptr;
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

static cudaError_t encode_map(CUtensorMap *map, const void *data, rp_cuda_storage storage,
                              const rp_hopper_map &shape)
{
    static const PFN_cuTensorMapEncodeTiled_v12000 encode = find_encoder();
    if (encode == nullptr)
        return cudaErrorNotSupported;
    const CUresult result =
        encode(map,
               storage == RP_CUDA_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
               3, const_cast<void *>(data), shape.size, shape.stride_bytes, shape.box,
               shape.element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
