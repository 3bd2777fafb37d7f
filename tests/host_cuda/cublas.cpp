/*
 * cublas.cpp - cuBLAS over the host's CBLAS: operands are converted to fp32, multiplied by sgemm
 * and rounded to the result's type. TF32 rounds the operands first, as the matrix unit does.
 */
#include <algorithm>
#include <cstring>
#include <vector>

#include <cblas.h>
#include <cublas_v2.h>

#include "engine.h"
#include "runtime.h"

struct cublasContext {
    int device;
    cudaStream_t stream;
};

using namespace host_cuda;

/* A batch of column-major matrices. */
struct Matrix {
    const char *data;
    cudaDataType type;
    int rows, columns, leading;
    long long stride;
};

static size_t element_bytes(cudaDataType type)
{
    return type == CUDA_R_32F ? 4 : 2;
}

static bool is_type_known(cudaDataType type)
{
    return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

static bool is_inside(const Device *device, const Matrix &m, int batch)
{
    long long last = (batch - 1) * m.stride + static_cast<long long>(m.columns - 1) * m.leading;
    size_t bytes = static_cast<size_t>(last + m.rows) * element_bytes(m.type);
    return memory_find(device, m.data, bytes) == Where::inside;
}

static const char *column_of(const Matrix &m, int index, int column)
{
    long long elements = index * m.stride + static_cast<long long>(column) * m.leading;
    return m.data + elements * static_cast<long long>(element_bytes(m.type));
}

static float load(const char *data, cudaDataType type, int i)
{
    switch (type) {
    case CUDA_R_16F:
        return __half2float(reinterpret_cast<const __half *>(data)[i]);
    case CUDA_R_16BF:
        return __bfloat162float(reinterpret_cast<const __nv_bfloat16 *>(data)[i]);
    default:
        return reinterpret_cast<const float *>(data)[i];
    }
}

static void store(char *data, cudaDataType type, int i, float x)
{
    switch (type) {
    case CUDA_R_16F:
        reinterpret_cast<__half *>(data)[i] = __float2half(x);
        break;
    case CUDA_R_16BF:
        reinterpret_cast<__nv_bfloat16 *>(data)[i] = __float2bfloat16(x);
        break;
    default:
        reinterpret_cast<float *>(data)[i] = x;
    }
}

static std::vector<float> unpack(const Matrix &m, int index, bool as_tf32)
{
    std::vector<float> values;
    values.reserve(static_cast<size_t>(m.rows) * static_cast<size_t>(m.columns));
    for (int column = 0; column < m.columns; ++column) {
        const char *from = column_of(m, index, column);
        for (int row = 0; row < m.rows; ++row) {
            float x = load(from, m.type, row);
            values.push_back(as_tf32 ? __uint_as_float(rp_tf32_round(x)) : x);
        }
    }
    return values;
}

static void pack(const Matrix &m, int index, const std::vector<float> &values)
{
    for (int column = 0; column < m.columns; ++column) {
        char *to = const_cast<char *>(column_of(m, index, column));
        for (int row = 0; row < m.rows; ++row)
            store(to, m.type, row, values[static_cast<size_t>(column) * m.rows + row]);
    }
}

struct Product {
    Matrix a, b, c;
    bool a_transposed, b_transposed;
    int depth, batch;
    float alpha, beta;
    cublasComputeType_t compute;
};

static cublasStatus_t find_misuse(const Product &p, const Device *device)
{
    const Matrix *all[] = {&p.a, &p.b, &p.c};
    bool is_plain = p.compute == CUBLAS_COMPUTE_32F || p.compute == CUBLAS_COMPUTE_32F_PEDANTIC;
    bool is_tf32 = p.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && p.a.type == CUDA_R_32F;
    if (p.batch < 0 || p.depth < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (const Matrix *m : all) {
        if (m->rows < 0 || m->columns < 0 || m->leading < std::max(1, m->rows))
            return CUBLAS_STATUS_INVALID_VALUE;
        if (!is_type_known(m->type))
            return CUBLAS_STATUS_NOT_SUPPORTED;
        if (m->type == CUDA_R_16BF && device->profile->major < 8)
            return CUBLAS_STATUS_ARCH_MISMATCH;
    }
    bool fits_result = p.c.type == CUDA_R_32F || p.c.type == p.a.type;
    if (p.a.type != p.b.type || !fits_result || !(is_plain || is_tf32))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

static void multiply(const Product &p)
{
    bool as_tf32 = p.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    for (int i = 0; i < p.batch; ++i) {
        std::vector<float> a = unpack(p.a, i, as_tf32);
        std::vector<float> b = unpack(p.b, i, as_tf32);
        std::vector<float> c(static_cast<size_t>(p.c.rows) * static_cast<size_t>(p.c.columns));
        if (p.beta != 0)
            c = unpack(p.c, i, false);
        cblas_sgemm(CblasColMajor, p.a_transposed ? CblasTrans : CblasNoTrans,
                    p.b_transposed ? CblasTrans : CblasNoTrans, p.c.rows, p.c.columns, p.depth,
                    p.alpha, a.data(), std::max(1, p.a.rows), b.data(), std::max(1, p.b.rows),
                    p.beta, c.data(), std::max(1, p.c.rows));
        pack(p.c, i, c);
    }
}

static cublasStatus_t run(cublasHandle_t handle, const char *name, const Product &p)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    int injected = injected_failure(name);
    if (injected > 0)
        return static_cast<cublasStatus_t>(injected);
    Call call("cuBLAS");
    if (call.error != cudaSuccess || call.device->pending != cudaSuccess ||
        call.device->index != handle->device)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    cublasStatus_t misuse = find_misuse(p, call.device);
    if (misuse != CUBLAS_STATUS_SUCCESS)
        return misuse;
    if (p.c.rows == 0 || p.c.columns == 0 || p.batch == 0)
        return CUBLAS_STATUS_SUCCESS;
    for (const Matrix *m : {&p.a, &p.b, &p.c}) {
        if (p.depth == 0 && m != &p.c)
            continue;
        if (!is_inside(call.device, *m, p.batch)) {
            report_fault(std::string(name) + ": operand " +
                             (m == &p.a   ? "A"
                              : m == &p.b ? "B"
                                          : "C") +
                             " is not within one buffer of this device",
                         cudaErrorIllegalAddress);
            call.device->pending = cudaErrorIllegalAddress;
            return CUBLAS_STATUS_SUCCESS; /* as a kernel's fault: told when somebody waits */
        }
    }
    MemoryOpen open;
    multiply(p);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    Call call("cublasCreate");
    if (call.error != cudaSuccess)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext{call.device->index, nullptr};
    ++n_handles;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    --n_handles;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a_operation,
                                          cublasOperation_t b_operation, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int a_leading, long long a_stride, const void *b,
                                          cudaDataType b_type, int b_leading, long long b_stride,
                                          const void *beta, void *c, cudaDataType c_type,
                                          int c_leading, long long c_stride, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t)
{
    bool a_transposed = a_operation != CUBLAS_OP_N;
    bool b_transposed = b_operation != CUBLAS_OP_N;
    Product p = {
        .a = {static_cast<const char *>(a), a_type, a_transposed ? k : m, a_transposed ? m : k,
              a_leading, a_stride},
        .b = {static_cast<const char *>(b), b_type, b_transposed ? n : k, b_transposed ? k : n,
              b_leading, b_stride},
        .c = {static_cast<const char *>(c), c_type, m, n, c_leading, c_stride},
        .a_transposed = a_transposed,
        .b_transposed = b_transposed,
        .depth = k,
        .batch = batch,
        .alpha = *static_cast<const float *>(alpha),
        .beta = *static_cast<const float *>(beta),
        .compute = compute,
    };
    return run(handle, "cublasGemmStridedBatchedEx", p);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_operation,
                            cublasOperation_t b_operation, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType a_type, int a_leading, const void *b,
                            cudaDataType b_type, int b_leading, const void *beta, void *c,
                            cudaDataType c_type, int c_leading, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, a_operation, b_operation, m, n, k, alpha, a, a_type,
                                      a_leading, 0, b, b_type, b_leading, 0, beta, c, c_type,
                                      c_leading, 0, 1, compute, algorithm);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "an error of the host's cuBLAS";
}
