/*
 * launch.h - the one entry header of a .cu file: CUDA's own headers under nvcc. The same sources
 * run on a CPU in tests (tests/host_cuda), where these words are defined in front of the file.
 *
 * What has to run there keeps to: LAUNCH instead of <<<>>>; DYN_SHARED for dynamic shared memory;
 * pointers as arguments of their own, not in a struct; inline PTX only in ptx.h; no textures, no
 * cooperative groups, no cuda::pipeline.
 */
#ifndef RP_KERNELS_CUDA_LAUNCH_H
#define RP_KERNELS_CUDA_LAUNCH_H

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/* LAUNCH((kernel<float, 64>), grid, block, shared_bytes, stream, arguments...) */
#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                     \
    kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__)

/* The block's dynamic shared memory, aligned to 128 bytes. */
#define DYN_SHARED(type, name)                                                                     \
    extern __shared__ __align__(128) unsigned char rp_dynamic_shared[];                            \
    type *const name = reinterpret_cast<type *>(rp_dynamic_shared)

#elif !defined(LAUNCH)
#error "a .cu file is compiled by nvcc, or as tests/host_cuda/CMakeLists.txt does"
#endif

#endif
