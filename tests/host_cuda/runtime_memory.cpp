/* runtime_memory.cpp - CUDA's runtime: device memory and copies. */
#include <cstring>

#include "engine.h"
#include "runtime.h"

using namespace host_cuda;

cudaError_t cudaMalloc(void **data, size_t bytes)
{
    Call call("cudaMalloc");
    *data = nullptr;
    if (call.error != cudaSuccess)
        return call.error;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > call.device->limit_bytes - call.device->used_bytes)
        return call.end(cudaErrorMemoryAllocation);
    *data = memory_take(call.device, bytes);
    return call.end(*data ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *data)
{
    Call call("cudaFree");
    bool known = !data || memory_give_back(data);
    if (call.error != cudaSuccess)
        return call.error; /* of a lost context, whose memory is gone all the same */
    return call.end(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    Call call("cudaMemGetInfo");
    if (call.error != cudaSuccess)
        return call.error;
    *free_bytes = call.device->limit_bytes - call.device->used_bytes;
    *total_bytes = call.device->limit_bytes;
    return cudaSuccess;
}

static bool fits(const Device *device, const void *data, size_t bytes, bool is_device)
{
    return memory_find(device, data, bytes) == (is_device ? Where::inside : Where::elsewhere);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    Call call("cudaMemcpy");
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (call.error != cudaSuccess)
        return call.error;
    if (bytes == 0)
        return cudaSuccess;
    if (!fits(call.device, to, bytes, to_device) || !fits(call.device, from, bytes, from_device))
        return call.end(cudaErrorInvalidValue);
    if (wait_for(call.device) != cudaSuccess)
        return call.end(call.device->sticky);
    MemoryOpen open;
    memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    {
        Call call("cudaMemcpyAsync");
        if (call.error != cudaSuccess)
            return call.error;
        if (!stream_fits(stream, call.device))
            return call.end(cudaErrorInvalidResourceHandle);
    }
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void *data, int value, size_t bytes)
{
    Call call("cudaMemset");
    if (call.error != cudaSuccess)
        return call.error;
    if (bytes == 0)
        return cudaSuccess;
    if (!fits(call.device, data, bytes, true))
        return call.end(cudaErrorInvalidValue);
    MemoryOpen open;
    memset(data, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t stream)
{
    {
        Call call("cudaMemsetAsync");
        if (call.error != cudaSuccess)
            return call.error;
        if (!stream_fits(stream, call.device))
            return call.end(cudaErrorInvalidResourceHandle);
    }
    return cudaMemset(data, value, bytes);
}
