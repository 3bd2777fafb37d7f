/* planted_run.h - what running a planted kernel takes: a buffer and the end of a launch. */
#ifndef RP_TESTS_PLANTED_RUN_H
#define RP_TESTS_PLANTED_RUN_H

#include <vector>

#include "kernels/cuda/launch.h"

/* n floats on the device, 0 1 2 ... */
class DeviceFloats
{
  public:
    explicit DeviceFloats(size_t n) : host(n)
    {
        for (size_t i = 0; i < n; ++i)
            host[i] = static_cast<float>(i);
        cudaMalloc(reinterpret_cast<void **>(&data), n * sizeof(float));
        cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    }

    ~DeviceFloats()
    {
        cudaFree(data);
    }

    DeviceFloats(const DeviceFloats &) = delete;

    /* After a launch: whether every element i is expected(i). */
    template <class Expected> bool become(Expected expected)
    {
        cudaError_t launched = cudaGetLastError();
        cudaError_t ran = cudaDeviceSynchronize();
        size_t bytes = host.size() * sizeof(float);
        cudaError_t copied = cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost);
        if (launched != cudaSuccess || ran != cudaSuccess || copied != cudaSuccess)
            return false;
        for (size_t i = 0; i < host.size(); ++i) {
            if (host[i] != static_cast<float>(expected(i)))
                return false;
        }
        return true;
    }

    float *data = nullptr;

  private:
    std::vector<float> host;
};

#endif
