/*
 * cuda_call.h - a call of a CUDA kernel in a test: its shape, its tensors on the host and on the
 * device, and one launch with memory of exactly the size its cost says.
 */
#ifndef RP_TESTS_CUDA_CALL_H
#define RP_TESTS_CUDA_CALL_H

#include "check.h"

#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "device/backend_cuda.h"
#include "host_cuda.h"
#include "kernels/kernel.h"
#include "measure/inputs.h"

extern const struct rp_kernel rp_kernel_cuda_naive;
extern const struct rp_kernel rp_kernel_cuda_reference;
extern const struct rp_kernel rp_kernel_cuda_fused;
extern const struct rp_kernel rp_kernel_cuda_cudnn;

static const struct rp_device_info t4 = {
    .row = {.gpu_type = "t4", .compute_capability = "7.5", .multiprocessors = 40}};
static const struct rp_device_info a100 = {
    .row = {.gpu_type = "a100", .compute_capability = "8.0", .multiprocessors = 108}};

struct shape {
    int64_t batch, heads, kv_heads, seq_q, seq_k, head_dim;
    bool causal;
    float q_scale; /* 0: 1 */
};

static struct rp_point point_of(const struct shape *s, enum rp_dtype dtype)
{
    return (struct rp_point){
        .stage = s->seq_q == 1 ? RP_STAGE_DECODE : RP_STAGE_PREFILL,
        .batch = s->batch,
        .heads = s->heads,
        .kv_heads = s->kv_heads,
        .seq_q = s->seq_q,
        .seq_k = s->seq_k,
        .head_dim = s->head_dim,
        .dtype = dtype,
        .causal = s->causal,
    };
}

/* A point with its tensors on the host, as floats and in the point's dtype. */
struct call {
    struct rp_point p;
    float *values[RP_TENSOR_COUNT];
    void *stored[RP_TENSOR_COUNT];
    void *o;
};

static size_t tensor_bytes(const struct rp_point *p, enum rp_tensor tensor)
{
    return (size_t)rp_inputs_count(p, tensor) * (size_t)rp_dtype_info(p->dtype)->storage_bytes;
}

static void call_pack(struct call *c)
{
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        size_t n = (size_t)rp_inputs_count(&c->p, (enum rp_tensor)t);
        rp_dtype_encode_array(c->p.dtype, c->values[t], c->stored[t], n);
        rp_dtype_decode_array(c->p.dtype, c->stored[t], c->values[t], n);
    }
}

static void call_begin(struct call *c, const struct rp_point *p)
{
    c->p = *p;
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        int64_t n = rp_inputs_count(p, (enum rp_tensor)t);
        c->values[t] = malloc((size_t)n * sizeof(float));
        c->stored[t] = malloc(tensor_bytes(p, (enum rp_tensor)t));
        rp_inputs_values(1, (enum rp_tensor)t, 0, n, c->values[t]);
    }
    c->o = malloc(tensor_bytes(p, RP_TENSOR_Q));
    call_pack(c);
}

static void call_end(struct call *c)
{
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        free(c->values[t]);
        free(c->stored[t]);
    }
    free(c->o);
}

static const char *call_name(const struct call *c, const struct rp_kernel *kernel)
{
    static char name[RP_POINT_TEXT_SIZE + 32];
    char text[RP_POINT_TEXT_SIZE];
    rp_point_text(&c->p, text);
    snprintf(name, sizeof name, "%s: %s", rp_impl_name(kernel->impl), text);
    return name;
}

static void *device_copy(const void *from, size_t bytes)
{
    void *data = NULL;
    CHECK_EQ_I64(cudaMalloc(&data, bytes), cudaSuccess, "cudaMalloc");
    if (from)
        CHECK_EQ_I64(cudaMemcpy(data, from, bytes, cudaMemcpyHostToDevice), cudaSuccess, "copy");
    return data;
}

/* Of the device the kernels run on. */
static int multiprocessors(void)
{
    int n = 0;
    CHECK_EQ_I64(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0), cudaSuccess,
                 "multiprocessors");
    return n;
}

/* One launch with scores and workspace of exactly the size that the method's cost, and the library
 * behind it, say; what the kernel came to, with the reason in host_cuda_fault(). */
static cudaError_t call_try(struct call *c, const struct rp_kernel *kernel)
{
    const char *name = call_name(c, kernel);
    const struct rp_method_device device = {.backend = "cuda",
                                            .multiprocessors = multiprocessors()};
    struct rp_cuda_queue queue = {0};
    struct rp_method_cost cost;
    void *buffers[6];
    int64_t asked_bytes = 0;
    CHECK_OK(rp_method_cost_of(&device, kernel->impl, &c->p, &cost), name);
    if (kernel->prepare)
        CHECK_OK(kernel->prepare(&c->p, &queue, &asked_bytes), name);
    for (int t = 0; t < RP_TENSOR_COUNT; ++t)
        buffers[t] = device_copy(c->stored[t], tensor_bytes(&c->p, (enum rp_tensor)t));
    buffers[3] = device_copy(NULL, tensor_bytes(&c->p, RP_TENSOR_Q));
    buffers[4] = device_copy(NULL, (size_t)cost.scores_bytes);
    buffers[5] = device_copy(NULL, (size_t)(cost.workspace_bytes + asked_bytes));
    const struct rp_attention a = {
        .point = &c->p,
        .q = buffers[RP_TENSOR_Q],
        .k = buffers[RP_TENSOR_K],
        .v = buffers[RP_TENSOR_V],
        .o = buffers[3],
        .scores = buffers[4],
        .workspace = buffers[5],
        .queue = &queue,
    };
    CHECK_OK(kernel->launch(&a), name);
    const cudaError_t ran =
        cudaMemcpy(c->o, a.o, tensor_bytes(&c->p, RP_TENSOR_Q), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < RP_COUNT(buffers); ++i)
        cudaFree(buffers[i]);
    if (queue.library)
        queue.library_close(queue.library);
    if (queue.cudnn)
        queue.cudnn_close(queue.cudnn);
    CHECK_EQ_I64(host_cuda_leaks(), 0, name);
    return ran;
}

static void call_launch(struct call *c, const struct rp_kernel *kernel)
{
    const char *name = call_name(c, kernel);
    const cudaError_t ran = call_try(c, kernel);
    if (host_cuda_fault()[0] != '\0')
        fail_msg("%s: %s", name, host_cuda_fault());
    CHECK_EQ_I64(ran, cudaSuccess, name);
}

#endif
