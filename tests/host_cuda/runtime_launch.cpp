/* runtime_launch.cpp - CUDA's runtime: streams, events and launches. A queue is empty at once: what
 * is put in it runs before the call returns, and what goes wrong is told when somebody waits. */
#include <algorithm>
#include <ctime>
#include <map>

#include "engine.h"
#include "runtime.h"

struct CUevent_st {
    int device;
    bool is_recorded;
    timespec time;
};

namespace host_cuda
{

enum { SHARED_BYTES_UNASKED = 49152 }; /* more must be asked for by cudaFuncSetAttribute */

int n_handles;
static std::map<const void *, int> shared_asked; /* bytes a kernel may have */

void launches_forget()
{
    n_handles = 0;
    shared_asked.clear();
}

bool stream_fits(cudaStream_t stream, const Device *device)
{
    return !stream || stream->device == device->index;
}

static bool is_size_possible(const Launch &l)
{
    uint64_t threads = static_cast<uint64_t>(l.block.x) * l.block.y * l.block.z;
    return threads >= 1 && threads <= 1024 && l.block.z <= 64 && l.grid.x >= 1 && l.grid.y >= 1 &&
           l.grid.z >= 1 && l.grid.x <= 0x7fffffff && l.grid.y <= 65535 && l.grid.z <= 65535;
}

static size_t shared_limit(const Launch &l)
{
    auto asked = shared_asked.find(l.kernel);
    int limit = asked == shared_asked.end() ? 0 : asked->second;
    return static_cast<size_t>(std::max<int>(limit, SHARED_BYTES_UNASKED));
}

static bool pointers_fit(const Launch &l, const Device *device)
{
    for (int i = 0; i < l.n_pointers; ++i) {
        if (!l.pointers[i] || memory_find(device, l.pointers[i], 0) == Where::inside)
            continue;
        report_fault("LAUNCH(" + std::string(l.name) + "): pointer " + std::to_string(i) +
                         " of its arguments is not memory of this device",
                     cudaErrorIllegalAddress);
        return false;
    }
    return true;
}

void launch(const Launch &l)
{
    Call call("LAUNCH");
    Device *device = call.device;
    if (call.error != cudaSuccess || device->pending != cudaSuccess)
        return;
    if (!is_size_possible(l))
        return (void)call.end(cudaErrorInvalidConfiguration);
    if (l.shared_bytes > shared_limit(l))
        return (void)call.end(cudaErrorInvalidValue);
    if (!stream_fits(l.stream, device))
        return (void)call.end(cudaErrorInvalidResourceHandle);
    if (l.stream && l.stream->capture)
        return (void)call.end(capture_launch(l));
    if (pointers_fit(l, device)) {
        MemoryOpen open;
        run_grid(l);
    }
    if (fault_seen())
        device->pending = fault_error();
}

static double seconds(const timespec &t)
{
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace host_cuda

using namespace host_cuda;

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    Call call("cudaFuncSetAttribute");
    if (call.error != cudaSuccess)
        return call.error;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > call.device->profile->shared_block_most_bytes)
        return call.end(cudaErrorInvalidValue);
    shared_asked[kernel] = value;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    Call call("cudaStreamCreateWithFlags");
    if (call.error != cudaSuccess)
        return call.error;
    *stream = new CUstream_st{call.device->index, nullptr};
    ++n_handles;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    Call call("cudaStreamDestroy");
    delete stream;
    --n_handles;
    return call.error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    Call call("cudaStreamSynchronize");
    if (call.error != cudaSuccess)
        return call.error;
    if (!stream_fits(stream, call.device))
        return call.end(cudaErrorInvalidResourceHandle);
    return call.end(wait_for(call.device));
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    Call call("cudaEventCreate");
    if (call.error != cudaSuccess)
        return call.error;
    *event = new CUevent_st{call.device->index, false, {}};
    ++n_handles;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    Call call("cudaEventDestroy");
    delete event;
    --n_handles;
    return call.error;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    Call call("cudaEventRecord");
    if (call.error != cudaSuccess)
        return call.error;
    if (event->device != call.device->index || !stream_fits(stream, call.device))
        return call.end(cudaErrorInvalidResourceHandle);
    event->is_recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    Call call("cudaEventSynchronize");
    if (call.error != cudaSuccess)
        return call.error;
    if (event->device != call.device->index)
        return call.end(cudaErrorInvalidResourceHandle);
    return call.end(wait_for(call.device));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    Call call("cudaEventElapsedTime");
    if (call.error != cudaSuccess)
        return call.error;
    if (!start->is_recorded || !end->is_recorded)
        return call.end(cudaErrorInvalidResourceHandle);
    *ms = static_cast<float>(1e3 * (seconds(end->time) - seconds(start->time)));
    return cudaSuccess;
}
