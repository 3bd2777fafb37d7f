/* runtime_device.cpp - CUDA's runtime: devices, errors and versions. */
#include <cstdio>
#include <cstring>

#include "engine.h"
#include "runtime.h"

namespace host_cuda
{

static std::recursive_mutex mutex;
static thread_local cudaError_t last_error;
static thread_local int current_device;

bool is_sticky(cudaError_t error)
{
    switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

static cudaError_t answer_of(const Machine &m)
{
    switch (m.answer) {
    case Answer::works:
        return cudaSuccess;
    case Answer::no_device:
        return cudaErrorNoDevice;
    case Answer::no_driver:
    case Answer::old_driver:
        break;
    }
    return cudaErrorInsufficientDriver;
}

Call::Call(const char *name) : lock(mutex)
{
    set_up_once();
    device = &machine.devices[current_device];
    error = answer_of(machine);
    int injected = error == cudaSuccess ? injected_failure(name) : -1;
    if (injected > 0) {
        error = static_cast<cudaError_t>(injected);
        device->sticky = is_sticky(error) ? error : device->sticky;
    }
    if (error == cudaSuccess)
        error = device->sticky;
    if (error != cudaSuccess)
        last_error = error;
}

cudaError_t Call::end(cudaError_t result)
{
    if (result != cudaSuccess)
        last_error = result;
    return result;
}

cudaError_t wait_for(Device *device)
{
    if (device->pending != cudaSuccess)
        device->sticky = device->pending;
    return device->sticky;
}

static void describe(const Device &device, cudaDeviceProp *properties)
{
    const Profile &p = *device.profile;
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "%s", p.name);
    memset(properties->uuid.bytes, 0xc0 + device.index, sizeof properties->uuid.bytes);
    properties->totalGlobalMem = device.limit_bytes;
    properties->major = p.major;
    properties->minor = p.minor;
    properties->multiProcessorCount = p.multiprocessors;
    properties->l2CacheSize = p.l2_bytes;
    properties->memoryBusWidth = p.bus_bits;
    properties->warpSize = WARP_LANES;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = p.threads_per_processor;
    properties->sharedMemPerBlock = 49152;
    properties->sharedMemPerBlockOptin = static_cast<size_t>(p.shared_block_most_bytes);
    properties->sharedMemPerMultiprocessor = static_cast<size_t>(p.shared_processor_bytes);
    properties->ECCEnabled = 1;
}

static int attribute_of(const Profile &p, cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrClockRate:
        return p.clock_khz;
    case cudaDevAttrMemoryClockRate:
        return p.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
        return p.bus_bits;
    case cudaDevAttrMultiProcessorCount:
        return p.multiprocessors;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return p.shared_block_most_bytes;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return p.shared_processor_bytes;
    case cudaDevAttrComputeCapabilityMajor:
        return p.major;
    case cudaDevAttrComputeCapabilityMinor:
        return p.minor;
    case cudaDevAttrL2CacheSize:
        return p.l2_bytes;
    case cudaDevAttrEccEnabled:
        return 1;
    default:
        return -1;
    }
}

} // namespace host_cuda

using namespace host_cuda;

/* Without a driver, or without a device, the count is left as it is: so does the real one. */
cudaError_t cudaGetDeviceCount(int *n)
{
    Call call("cudaGetDeviceCount");
    if (call.error != cudaSuccess)
        return call.error;
    *n = machine.n_devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int index)
{
    Call call("cudaSetDevice");
    if (machine.answer != Answer::works)
        return call.error;
    if (index < 0 || index >= machine.n_devices)
        return call.end(cudaErrorInvalidDevice);
    current_device = index;
    return call.end(machine.devices[index].sticky);
}

cudaError_t cudaGetDevice(int *index)
{
    Call call("cudaGetDevice");
    *index = current_device;
    return call.error;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int index)
{
    Call call("cudaGetDeviceProperties");
    if (call.error != cudaSuccess)
        return call.error;
    if (index < 0 || index >= machine.n_devices)
        return call.end(cudaErrorInvalidDevice);
    describe(machine.devices[index], properties);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int index)
{
    Call call("cudaDeviceGetAttribute");
    if (call.error != cudaSuccess)
        return call.error;
    if (index < 0 || index >= machine.n_devices)
        return call.end(cudaErrorInvalidDevice);
    int known = attribute_of(*machine.devices[index].profile, attribute);
    if (known < 0)
        return call.end(cudaErrorInvalidValue);
    *value = known;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    set_up_once();
    *version = machine.answer == Answer::no_driver    ? 0
               : machine.answer == Answer::old_driver ? 11040
                                                      : CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    Call call("cudaDeviceSynchronize");
    return call.error != cudaSuccess ? call.error : call.end(wait_for(call.device));
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = is_sticky(error) ? machine.devices[current_device].sticky : cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    case cudaErrorInsufficientDriver:
        return "cudaErrorInsufficientDriver";
    case cudaErrorIllegalAddress:
        return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    default:
        return "cudaError";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    default:
        return "an error of the host's CUDA";
    }
}
