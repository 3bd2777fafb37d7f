/* fused_launch.h - from a call to the tile that serves it, on the host. */
#ifndef RP_KERNELS_CUDA_FUSED_LAUNCH_H
#define RP_KERNELS_CUDA_FUSED_LAUNCH_H

#include "kernels/cuda/launch.h"
#include "kernels/cuda/steps.h"
#include "model/method_cuda.h"

static constexpr float LOG2_E = 1.44269504f;

/* Bytes of a row of the tile that serves the call. */
static inline int64_t tile_stride(const rp_cuda_steps *s)
{
    return RP_CUDA_FUSED_WIDTH(s->head_dim) * (s->storage == RP_CUDA_FP32 ? 4 : 2);
}

/* Of a decode. */
static inline int64_t count_parts(const rp_cuda_steps *s)
{
    return (s->seq_k + s->part_keys - 1) / s->part_keys;
}

/* Whether the current device has cp.async and what came with it, sm_80. */
static inline cudaError_t find_ampere(bool *is_ampere)
{
    int device = 0;
    int major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    *is_ampere = major >= 8;
    return error;
}

/* Lets the kernel's blocks have so much shared memory; without asking it is 48 KB. */
template <class Kernel> static cudaError_t allow_shared(Kernel *kernel, int bytes)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

/* sm_75 has matrix units for fp16 only. */
template <class T> static constexpr bool has_turing = false;
template <> constexpr bool has_turing<__half> = true;

/* Calls f(tile) with TileOf<T, WIDTH>::Turing or ::Ampere. What no tile serves is refused before
 * (attention.c). */
template <template <class, int> class TileOf, class T, int WIDTH, class Function>
static cudaError_t visit_architecture(Function f)
{
    bool is_ampere = false;
    const cudaError_t error = find_ampere(&is_ampere);
    if (error != cudaSuccess)
        return error;
    if (is_ampere)
        return f(typename TileOf<T, WIDTH>::Ampere());
    if constexpr (has_turing<T>)
        return f(typename TileOf<T, WIDTH>::Turing());
    return cudaErrorInvalidValue;
}

template <template <class, int> class TileOf, class T, class Function>
static cudaError_t visit_width(int64_t head_dim, Function f)
{
    switch (RP_CUDA_FUSED_WIDTH(head_dim)) {
    case 64:
        return visit_architecture<TileOf, T, 64>(f);
    case 128:
        return visit_architecture<TileOf, T, 128>(f);
    default:
        return visit_architecture<TileOf, T, 256>(f);
    }
}

template <template <class, int> class TileOf, class Function>
static cudaError_t visit_tile(const rp_cuda_steps *s, Function f)
{
    switch (s->storage) {
    case RP_CUDA_FP32: /* tf32: fp32 itself is on plain cores */
        return visit_width<TileOf, float>(s->head_dim, f);
    case RP_CUDA_FP16:
        return visit_width<TileOf, __half>(s->head_dim, f);
    case RP_CUDA_BF16:
        return visit_width<TileOf, __nv_bfloat16>(s->head_dim, f);
    }
    return cudaErrorInvalidValue;
}

#endif
