/*
 * test_runtime.c - the host's CUDA answers as NVIDIA's does: from C, by NVIDIA's own headers.
 */
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "host_cuda.h"
#include "planted.h"

#define CHECK_CUDA(call, expected) CHECK_EQ_I64((int64_t)(call), (int64_t)(expected), #call)

static void reset(const char *devices, const char *fail)
{
    host_cuda_reset(&(struct host_cuda_settings){.devices = devices, .fail = fail});
}

static void machines_without_a_device(void **state)
{
    (void)state;
    static const struct {
        const char *devices;
        cudaError_t error;
        int driver;
    } cases[] = {
        {"nodriver", cudaErrorInsufficientDriver, 0},
        {"olddriver", cudaErrorInsufficientDriver, 11040},
        {"none", cudaErrorNoDevice, CUDART_VERSION},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        int n = 17;
        int driver = -1;
        void *data = NULL;
        cublasHandle_t library = NULL;
        reset(cases[i].devices, NULL);
        CHECK_CUDA(cudaGetDeviceCount(&n), cases[i].error);
        CHECK_EQ_I64(n, 17, "the count is left alone");
        CHECK_CUDA(cudaDriverGetVersion(&driver), cudaSuccess);
        CHECK_EQ_I64(driver, cases[i].driver, "driver");
        CHECK_CUDA(cudaMalloc(&data, 1), cases[i].error);
        CHECK_CUDA(cublasCreate(&library), CUBLAS_STATUS_NOT_INITIALIZED);
    }
}

static void devices_are_as_announced(void **state)
{
    (void)state;
    struct cudaDeviceProp first;
    struct cudaDeviceProp second;
    int n = 0;
    size_t available = 0;
    size_t total = 0;
    reset("h100:2", NULL);
    CHECK_CUDA(cudaGetDeviceCount(&n), cudaSuccess);
    CHECK_EQ_I64(n, 2, "devices");
    CHECK_CUDA(cudaGetDeviceProperties(&first, 0), cudaSuccess);
    CHECK_CUDA(cudaGetDeviceProperties(&second, 1), cudaSuccess);
    CHECK_CUDA(cudaGetDeviceProperties(&second, 2), cudaErrorInvalidDevice);
    CHECK_CUDA(cudaSetDevice(2), cudaErrorInvalidDevice);
    CHECK_EQ_TEXT(first.name, "NVIDIA H100 80GB HBM3", "name");
    CHECK_EQ_I64(10 * first.major + first.minor, 90, "compute capability");
    CHECK_TRUE(memcmp(&first.uuid, &second.uuid, sizeof first.uuid) != 0, "uuid");
    CHECK_CUDA(cudaMemGetInfo(&available, &total), cudaSuccess);
    CHECK_TRUE(available == total && total == first.totalGlobalMem, "memory");
}

static void memory_is_counted_and_kept_apart(void **state)
{
    (void)state;
    void *large = NULL;
    void *small = NULL;
    size_t available = 0;
    size_t total = 0;
    char host[100] = {0};
    host_cuda_reset(&(struct host_cuda_settings){.memory_bytes = 1 << 20});
    CHECK_CUDA(cudaMalloc(&large, 900 << 10), cudaSuccess);
    CHECK_CUDA(cudaMalloc(&small, 200 << 10), cudaErrorMemoryAllocation);
    CHECK_TRUE(!small, "no memory");
    CHECK_CUDA(cudaMalloc(&small, 100), cudaSuccess);
    CHECK_CUDA(cudaMemGetInfo(&available, &total), cudaSuccess);
    CHECK_EQ_I64((int64_t)available, (124 << 10) - 512, "available");
    CHECK_EQ_I64(host_cuda_leaks(), 2, "held");

    CHECK_CUDA(cudaMemset(small, 7, 100), cudaSuccess);
    CHECK_CUDA(cudaMemcpy(host, small, 100, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK_EQ_I64(host[99], 7, "last byte");
    CHECK_CUDA(cudaMemcpy(host, small, 101, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    CHECK_CUDA(cudaMemcpy(host, small, 100, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_CUDA(cudaMemset(host, 0, 100), cudaErrorInvalidValue);
    CHECK_CUDA(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK_CUDA(cudaGetLastError(), cudaSuccess);

    CHECK_CUDA(cudaFree(small), cudaSuccess);
    CHECK_CUDA(cudaFree(small), cudaErrorInvalidValue);
    CHECK_CUDA(cudaFree(large), cudaSuccess);
    CHECK_EQ_I64(host_cuda_leaks(), 0, "all given back");
}

/* A child touches device memory, as code that takes it for its own would. */
static void device_memory_is_out_of_reach(void **state)
{
    (void)state;
    void *data = NULL;
    int ended = 0;
    reset("t4", NULL);
    CHECK_CUDA(cudaMalloc(&data, 100), cudaSuccess);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*(volatile char *)data == 0);
    }
    CHECK_TRUE(waitpid(child, &ended, 0) == child, "child");
    CHECK_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGSEGV, "it crashed");
    CHECK_CUDA(cudaFree(data), cudaSuccess);
}

/* A kernel's fault is told when somebody waits, and then by every call. */
static void faults_of_kernels_stick(void **state)
{
    (void)state;
    void *data = NULL;
    reset("t4", NULL);
    CHECK_TRUE(!planted_misuse[0].run(true), planted_misuse[0].name);
    CHECK_CUDA(cudaMalloc(&data, 100), cudaErrorIllegalAddress);
    CHECK_CUDA(cudaGetLastError(), cudaErrorIllegalAddress);
    CHECK_CUDA(cudaGetLastError(), cudaErrorIllegalAddress);
    CHECK_CUDA(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK_CUDA(cudaSetDevice(0), cudaErrorIllegalAddress);
    CHECK_EQ_I64(host_cuda_leaks(), 0, "a lost context holds nothing");
    reset("t4", NULL);
    CHECK_TRUE(planted_misuse[0].run(false), "after a reset");
}

static void calls_fail_when_asked_to(void **state)
{
    (void)state;
    void *first = NULL;
    void *second = NULL;
    reset("t4", "cudaMalloc:2");
    CHECK_CUDA(cudaMalloc(&first, 8), cudaSuccess);
    CHECK_CUDA(cudaMalloc(&second, 8), cudaErrorMemoryAllocation);
    CHECK_CUDA(cudaMalloc(&second, 8), cudaSuccess);
    CHECK_CUDA(cudaFree(first), cudaSuccess);
    CHECK_CUDA(cudaFree(second), cudaSuccess);

    reset("t4", "cudaMemset:1:46");
    CHECK_CUDA(cudaMalloc(&first, 8), cudaSuccess);
    CHECK_CUDA(cudaMemset(first, 0, 8), cudaErrorDevicesUnavailable);
    CHECK_CUDA(cudaMemset(first, 0, 8), cudaSuccess);
    CHECK_CUDA(cudaFree(first), cudaSuccess);

    reset("t4", "LAUNCH:2");
    CHECK_TRUE(planted_races[0].run(false), "first launch");
    CHECK_TRUE(!planted_races[0].run(false), "second launch");
    CHECK_CUDA(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    CHECK_EQ_TEXT(host_cuda_fault(), "", "no kernel's fault");
}

static void queues_and_clocks(void **state)
{
    (void)state;
    cudaStream_t stream = NULL;
    cudaEvent_t begin = NULL;
    cudaEvent_t end = NULL;
    float elapsed_ms = -1.0f;
    reset("a100:2", NULL);
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    CHECK_CUDA(cudaEventCreate(&begin), cudaSuccess);
    CHECK_CUDA(cudaEventCreate(&end), cudaSuccess);
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, begin, end), cudaErrorInvalidResourceHandle);
    CHECK_CUDA(cudaEventRecord(begin, stream), cudaSuccess);
    CHECK_CUDA(cudaEventRecord(end, stream), cudaSuccess);
    CHECK_CUDA(cudaEventSynchronize(end), cudaSuccess);
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, begin, end), cudaSuccess);
    CHECK_TRUE(elapsed_ms >= 0.0f, "time");
    CHECK_CUDA(cudaStreamSynchronize(stream), cudaSuccess);
    CHECK_CUDA(cudaSetDevice(1), cudaSuccess);
    CHECK_CUDA(cudaEventRecord(begin, NULL), cudaErrorInvalidResourceHandle);
    CHECK_CUDA(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    CHECK_EQ_I64(host_cuda_leaks(), 3, "held");
    CHECK_CUDA(cudaStreamDestroy(stream), cudaSuccess);
    CHECK_CUDA(cudaEventDestroy(begin), cudaSuccess);
    CHECK_CUDA(cudaEventDestroy(end), cudaSuccess);
    CHECK_EQ_I64(host_cuda_leaks(), 0, "all given back");
}

enum { ROWS = 3, COLUMNS = 2, DEPTH = 4, BATCH = 2 };

/* C = A^T B of two pairs of matrices that share A, in fp32; `batch` of 3 runs out of C. */
static cublasStatus_t multiply(cublasHandle_t library, float *data, int batch,
                               cublasComputeType_t compute)
{
    const float one = 1.0f;
    const float zero = 0.0f;
    float *b = data + ROWS * DEPTH;
    float *c = b + BATCH * COLUMNS * DEPTH;
    return cublasGemmStridedBatchedEx(library, CUBLAS_OP_T, CUBLAS_OP_N, ROWS, COLUMNS, DEPTH, &one,
                                      data, CUDA_R_32F, DEPTH, 0, b, CUDA_R_32F, DEPTH,
                                      COLUMNS * DEPTH, &zero, c, CUDA_R_32F, ROWS, ROWS * COLUMNS,
                                      batch, compute, CUBLAS_GEMM_DEFAULT);
}

static void check_product(cublasHandle_t library, float *data, cublasComputeType_t compute,
                          float rounding)
{
    enum { N_INPUTS = ROWS * DEPTH + BATCH * COLUMNS * DEPTH, N_RESULTS = BATCH * ROWS * COLUMNS };
    float inputs[N_INPUTS];
    float results[N_RESULTS];
    for (int i = 0; i < N_INPUTS; ++i)
        inputs[i] = (float)(i % 5 - 2) * rounding;
    CHECK_CUDA(cudaMemcpy(data, inputs, sizeof inputs, cudaMemcpyHostToDevice), cudaSuccess);
    CHECK_CUDA(multiply(library, data, BATCH, compute), CUBLAS_STATUS_SUCCESS);
    CHECK_CUDA(cudaMemcpy(results, data + N_INPUTS, sizeof results, cudaMemcpyDeviceToHost),
               cudaSuccess);
    for (int i = 0; i < N_RESULTS; ++i) {
        const float *a = inputs + i % ROWS * DEPTH;
        const float *b = inputs + ROWS * DEPTH + i / ROWS * DEPTH;
        float expected = 0.0f;
        for (int k = 0; k < DEPTH; ++k)
            expected += a[k] * b[k] / (rounding * rounding);
        CHECK_NEAR((double)results[i], (double)expected, 0.0, "product");
    }
}

static void library_multiplies(void **state)
{
    (void)state;
    cublasHandle_t library = NULL;
    void *data = NULL;
    size_t bytes = sizeof(float) * (ROWS * DEPTH + BATCH * COLUMNS * (DEPTH + ROWS));
    reset("a100", "cublasGemmStridedBatchedEx:5:13");
    CHECK_CUDA(cublasCreate(&library), CUBLAS_STATUS_SUCCESS);
    CHECK_CUDA(cudaMalloc(&data, bytes), cudaSuccess);
    check_product(library, data, CUBLAS_COMPUTE_32F, 1.0f);
    check_product(library, data, CUBLAS_COMPUTE_32F_FAST_TF32, 1.00001f);
    CHECK_CUDA(multiply(library, data, -1, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_CUDA(multiply(library, data, BATCH, CUBLAS_COMPUTE_16F), CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_CUDA(multiply(library, data, BATCH, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_EXECUTION_FAILED);

    CHECK_CUDA(multiply(library, data, BATCH + 1, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_SUCCESS);
    CHECK_CUDA(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    CHECK_CONTAINS(host_cuda_fault(), "operand C is not within one buffer", "out of range");
    cudaFree(data);
    CHECK_CUDA(cublasDestroy(library), CUBLAS_STATUS_SUCCESS);
    CHECK_EQ_I64(host_cuda_leaks(), 0, "all given back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_without_a_device),
        cmocka_unit_test(devices_are_as_announced),
        cmocka_unit_test(memory_is_counted_and_kept_apart),
        cmocka_unit_test(device_memory_is_out_of_reach),
        cmocka_unit_test(faults_of_kernels_stick),
        cmocka_unit_test(calls_fail_when_asked_to),
        cmocka_unit_test(queues_and_clocks),
        cmocka_unit_test(library_multiplies),
    };
    setenv("HOST_CUDA_QUIET", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
