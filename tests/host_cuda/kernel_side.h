/*
 * kernel_side.h - the words of CUDA C++ for a compiler that knows none of them. Included in front
 * of every .cu file of the host build (-include), so that kernels/cuda/launch.h finds them defined.
 *
 * Types, prototypes and half-precision arithmetic are NVIDIA's own headers.
 */
#ifndef RP_TESTS_KERNEL_SIDE_H
#define RP_TESTS_KERNEL_SIDE_H

#include <cuda_runtime.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <type_traits>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __launch_bounds__
#undef __forceinline__
#define __global__
#define __device__
#define __host__
#define __constant__ const
#define __launch_bounds__(...)
#define __forceinline__ inline

/* An OS thread runs one block at a time, so its own copy is the block's. Sanitizers see a plain
 * static better, and run one block at a time anyhow. */
#ifdef HOST_CUDA_SERIAL
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

namespace host_cuda
{

/* What a running CUDA thread knows of itself. */
struct KernelThread {
    uint3 thread_index, block_index;
    dim3 block_size, grid_size;
    unsigned char *dynamic_shared;
    unsigned lane, warp;
};

extern __thread KernelThread *self;

struct Place {
    const char *file;
    int line;
};

enum class Reduction { none, any, all, count };

int barrier(Place place, Reduction reduction, bool predicate);

inline void synchronize(Place place)
{
    barrier(place, Reduction::none, false);
}

/* Ends the running thread, and with it the grid: the message goes to host_cuda_fault(). */
[[noreturn]] void trap(Place place, cudaError_t error, const char *message);

/* A grid to run: `body` calls the kernel with its arguments, once for every thread. */
struct Launch {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    const void *kernel = nullptr;
    const char *name = nullptr;
    void (*body)(const void *context) = nullptr;
    const void *context = nullptr;
    const void *const *pointers = nullptr; /* arguments that must be device memory */
    int n_pointers = 0;
    bool has_arguments = false;
};

void launch(const Launch &l);

/* LAUNCH: arguments are copied, pointers among them noted. */
template <class... Parameters, class... Arguments>
void launch_kernel(const char *name, Launch l, void (*kernel)(Parameters...),
                   Arguments... arguments)
{
    auto call = [&]() { kernel(static_cast<Parameters>(arguments)...); };
    using Call = decltype(call);
    const void *pointers[sizeof...(Arguments) + 1] = {};
    [[maybe_unused]] auto note = [&](auto argument) {
        if constexpr (std::is_pointer_v<decltype(argument)>)
            pointers[l.n_pointers++] = argument;
    };
    (note(arguments), ...);
    l.kernel = reinterpret_cast<const void *>(kernel);
    l.name = name;
    l.body = [](const void *context) { (*static_cast<const Call *>(context))(); };
    l.context = &call;
    l.pointers = pointers;
    l.has_arguments = sizeof...(Arguments) > 0;
    launch(l);
}

} // namespace host_cuda

#define LAUNCH(kernel, grid_, block_, shared_bytes_, stream_, ...)                                 \
    host_cuda::launch_kernel(#kernel,                                                              \
                             {.grid = (grid_),                                                     \
                              .block = (block_),                                                   \
                              .shared_bytes = (shared_bytes_),                                     \
                              .stream = (stream_)},                                                \
                             kernel __VA_OPT__(, ) __VA_ARGS__)

/* A heap block of exactly the launch's bytes: AddressSanitizer sees an overrun. */
#define DYN_SHARED(type, name)                                                                     \
    type *const name = reinterpret_cast<type *>(host_cuda::self->dynamic_shared)

#define threadIdx (host_cuda::self->thread_index)
#define blockIdx  (host_cuda::self->block_index)
#define blockDim  (host_cuda::self->block_size)
#define gridDim   (host_cuda::self->grid_size)

#define HOST_CUDA_HERE (host_cuda::Place{__FILE__, __LINE__})

#define __syncthreads()        host_cuda::synchronize(HOST_CUDA_HERE)
#define __syncthreads_or(p)    host_cuda::barrier(HOST_CUDA_HERE, host_cuda::Reduction::any, (p))
#define __syncthreads_and(p)   host_cuda::barrier(HOST_CUDA_HERE, host_cuda::Reduction::all, (p))
#define __syncthreads_count(p) host_cuda::barrier(HOST_CUDA_HERE, host_cuda::Reduction::count, (p))
#define __trap()               host_cuda::trap(HOST_CUDA_HERE, cudaErrorLaunchFailure, "__trap()")

#include "kernel_warp.h"

#include "kernel_math.h"

#include "kernel_ptx.h"

#ifdef RP_CUDA_HOPPER
#include "kernel_hopper.h"
#endif

#endif
