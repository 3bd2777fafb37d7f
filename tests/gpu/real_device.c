/* real_device.c - host_cuda.h on a GPU: nothing is planted, and the hardware reports no places. */
#include <cuda_runtime_api.h>

#include "host_cuda/host_cuda.h"

void host_cuda_reset(const struct host_cuda_settings *settings)
{
    (void)settings; /* there is the GPU that there is */
    cudaSetDevice(0);
}

const char *host_cuda_fault(void)
{
    cudaError_t error = cudaDeviceSynchronize();
    return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

long host_cuda_bank_conflicts(void)
{
    return 0;
}

int host_cuda_leaks(void)
{
    return 0;
}
