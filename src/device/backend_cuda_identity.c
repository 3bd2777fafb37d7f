/*
 * backend_cuda_identity.c - which GPU this rank has, and what CUDA tells of it.
 */
#include "device/backend_cuda_identity.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/gpu_spec.h"

static void say_version(int version, char *text, size_t size)
{
    snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

/* Why there is no device, as the runtime's error has it. */
static void explain(cudaError_t error, char *reason, size_t reason_size)
{
    int driver = 0;
    char has[16];
    char needs[16];
    cudaDriverGetVersion(&driver);
    say_version(driver, has, sizeof has);
    say_version(CUDART_VERSION, needs, sizeof needs);
    if (error == cudaErrorNoDevice || error == cudaSuccess)
        snprintf(reason, reason_size, "no NVIDIA GPU is visible; CUDA_VISIBLE_DEVICES may hide it");
    else if (driver == 0)
        snprintf(reason, reason_size, "no NVIDIA driver is loaded on this machine");
    else if (error == cudaErrorInsufficientDriver)
        snprintf(reason, reason_size,
                 "the NVIDIA driver knows CUDA %s, this build needs %s: load a newer driver, or "
                 "build with an older toolkit",
                 has, needs);
    else
        snprintf(reason, reason_size, "%s (%s)", cudaGetErrorString(error),
                 cudaGetErrorName(error));
}

int rp_cuda_count(char *reason, size_t reason_size)
{
    int n = 0; /* which a failing call leaves as it is */
    cudaError_t error = cudaGetDeviceCount(&n);
    snprintf(reason, reason_size, "%s", "");
    if (error == cudaSuccess && n > 0)
        return n;
    explain(error, reason, reason_size);
    cudaGetLastError();
    return 0;
}

/* The one that is visible, else the one of the rank's number on its node. */
static enum rp_status choose_index(const struct rp_device_request *request, int *index)
{
    char reason[256];
    int n = rp_cuda_count(reason, sizeof reason);
    if (n == 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--device cuda: %s", reason);
    *index = n == 1 ? 0 : request->index;
    if (*index >= n)
        return RP_FAIL(RP_ERR_ENVIRONMENT,
                       "rank %d of its node has no GPU: %d are visible, start at most %d ranks a "
                       "node",
                       *index, n, n);
    return RP_OK;
}

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb": what follows MIG; null for a whole card. */
static const char *mig_profile(const char *name)
{
    const char *found = strstr(name, " MIG ");
    return found ? found + strlen(" MIG ") : NULL;
}

/* As nvidia-smi writes it. */
static void write_uuid(const struct cudaDeviceProp *properties, struct rp_device_row *row)
{
    char text[64];
    const unsigned char *b = (const unsigned char *)properties->uuid.bytes;
    int n = snprintf(text, sizeof text, "%s", mig_profile(properties->name) ? "MIG" : "GPU");
    for (size_t i = 0; i < sizeof properties->uuid.bytes; ++i) {
        bool begins_group = i == 0 || (i >= 4 && i <= 10 && i % 2 == 0);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%02x", begins_group ? "-" : "", b[i]);
    }
    RP_WORD_SET(row->uuid, text);
}

static enum rp_status find_type(const struct rp_device_request *request, struct rp_device_row *row)
{
    struct rp_gpu_list list = {0};
    RP_TRY(rp_gpu_list_load(request->data_folder, &list));
    const struct rp_gpu_spec *found =
        rp_gpu_list_find_driver_name(&list, row->name, row->memory_bytes);
    RP_WORD_SET(row->gpu_type, found ? found->gpu_type : "");
    rp_gpu_list_clear(&list);
    return RP_OK;
}

static void describe_versions(struct rp_device_row *row)
{
    char text[48];
    char version[16];
    int number = 0;
    if (cudaDriverGetVersion(&number) == cudaSuccess) {
        say_version(number, version, sizeof version);
        snprintf(text, sizeof text, "for CUDA %s", version);
        RP_WORD_SET(row->driver, text);
    }
    if (cudaRuntimeGetVersion(&number) == cudaSuccess) {
        say_version(number, version, sizeof version);
        snprintf(text, sizeof text, "CUDA %s", version);
        RP_WORD_SET(row->runtime, text);
    }
}

static void describe(const struct cudaDeviceProp *properties, struct rp_device_row *row)
{
    char text[64] = "";
    const char *mig = mig_profile(properties->name);
    RP_WORD_SET(row->name, properties->name);
    write_uuid(properties, row);
    gethostname(text, sizeof text - 1);
    RP_WORD_SET(row->host, text);
    RP_WORD_SET(row->backend, "cuda");
    snprintf(text, sizeof text, "%d.%d", properties->major, properties->minor);
    RP_WORD_SET(row->compute_capability, text);
    RP_WORD_SET(row->mig, mig ? mig : "off");
    row->multiprocessors = properties->multiProcessorCount;
    row->memory_bytes = (int64_t)properties->totalGlobalMem;
    row->l2_bytes = properties->l2CacheSize;
    row->ecc = properties->ECCEnabled != 0;
    describe_versions(row);
}

enum rp_status rp_cuda_identify(const struct rp_device_request *request, struct rp_device_row *row)
{
    struct cudaDeviceProp properties;
    int index = 0;
    int khz = 0;
    rp_row_init(RP_TABLE_DEVICES, row);
    RP_TRY(choose_index(request, &index));
    RP_TRY(rp_cuda_check(cudaSetDevice(index), "cudaSetDevice"));
    RP_TRY(rp_cuda_check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties"));
    describe(&properties, row);
    /* An attribute: CUDA 13 has no such property any more. */
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, index) == cudaSuccess)
        row->clock_max_hz = 1e3 * khz;
    return find_type(request, row);
}

enum rp_status rp_cuda_check(unsigned error, const char *what)
{
    if (error == cudaSuccess)
        return RP_OK;
    return RP_FAIL(RP_ERR_DEVICE, "%s: %s (%s)", what, cudaGetErrorString((cudaError_t)error),
                   cudaGetErrorName((cudaError_t)error));
}
