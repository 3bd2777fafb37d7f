/* runtime_tensor_map.cpp - the driver's maker of tensor maps, with the limits its manual names, and
 * the way to it. */
#include <cstring>

#include "kernel_hopper.h"
#include "runtime.h"

namespace host_cuda
{

static bool is_possible(const Tensor &t, CUtensorMapSwizzle swizzle)
{
    bool fits = reinterpret_cast<uintptr_t>(t.data) % 16 == 0 &&
                swizzle == CU_TENSOR_MAP_SWIZZLE_128B && t.box[0] * 2 <= 128 &&
                t.box[0] * 2 % 16 == 0;
    for (int i = 0; i < 3; ++i)
        fits &=
            t.size[i] >= 1 && t.size[i] <= UINT64_C(1) << 32 && t.box[i] >= 1 && t.box[i] <= 256;
    for (int i = 0; i < 2; ++i)
        fits &= t.stride_bytes[i] % 16 == 0 && t.stride_bytes[i] < UINT64_C(1) << 40;
    return fits;
}

/* Three dimensions of 16-bit elements, one behind the other. */
static CUresult CUDAAPI encode_tiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                     void *data, const cuuint64_t *size, const cuuint64_t *stride,
                                     const cuuint32_t *box, const cuuint32_t *element_stride,
                                     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill)
{
    if (rank != 3 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || reinterpret_cast<uintptr_t>(map) % 64 != 0 ||
        (type != CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type != CU_TENSOR_MAP_DATA_TYPE_BFLOAT16))
        return CUDA_ERROR_INVALID_VALUE;
    const Tensor tensor = {static_cast<const unsigned char *>(data),
                           {size[0], size[1], size[2]},
                           {stride[0], stride[1]},
                           {box[0], box[1], box[2]}};
    for (int i = 0; i < 3; ++i) {
        if (element_stride[i] != 1)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!is_possible(tensor, swizzle))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map, &tensor, sizeof tensor);
    return CUDA_SUCCESS;
}

} // namespace host_cuda

using namespace host_cuda;

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *result)
{
    Call call("cudaGetDriverEntryPointByVersion");
    if (call.error != cudaSuccess)
        return call.error;
    const bool is_known = strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
    *function = is_known ? reinterpret_cast<void *>(encode_tiled) : nullptr;
    *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
