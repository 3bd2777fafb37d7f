/*
 * attention.c - the kernel tables of CUDA: what they support, and the steps of a call. The
 * arithmetic is in *.cu and, of `reference`, in products.c (cuBLAS).
 */
#include <inttypes.h>
#include <math.h>

#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/fused.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/steps.h"
#include "kernels/gpu_support.h"
#include "kernels/kernel.h"
#include "model/method_cuda.h"

static enum rp_cuda_storage storage_of(enum rp_dtype dtype)
{
    static const enum rp_cuda_storage storages[RP_DTYPE_COUNT] = {
        [RP_DTYPE_fp32] = RP_CUDA_FP32,
        [RP_DTYPE_tf32] = RP_CUDA_FP32,
        [RP_DTYPE_fp16] = RP_CUDA_FP16,
        [RP_DTYPE_bf16] = RP_CUDA_BF16,
    };
    return storages[dtype];
}

/* Sizes only: what `supports` can know. */
static struct rp_cuda_steps steps_of(const struct rp_point *p)
{
    return (struct rp_cuda_steps){
        .kv_heads = p->batch * p->kv_heads,
        .rows = p->heads / p->kv_heads * p->seq_q,
        .seq_q = p->seq_q,
        .seq_k = p->seq_k,
        .head_dim = p->head_dim,
        .scale = (float)(1.0 / sqrt((double)p->head_dim)),
        .causal = p->causal,
        .storage = storage_of(p->dtype),
    };
}

static struct rp_cuda_steps steps_of_call(const struct rp_attention *a)
{
    const struct rp_cuda_queue *queue = a->queue;
    struct rp_cuda_steps s = steps_of(a->point);
    s.q = a->q;
    s.k = a->k;
    s.v = a->v;
    s.o = a->o;
    s.stream = queue->stream;
    return s;
}

/* Scores first (fp32), probabilities behind them: as the method's cost counts them. */
static struct rp_cuda_steps three_steps_of_call(const struct rp_attention *a)
{
    struct rp_cuda_steps s = steps_of_call(a);
    s.scores = a->scores;
    s.probabilities = s.scores + s.kv_heads * s.rows * s.seq_k;
    return s;
}

static enum rp_status fits(const char *what, int64_t n)
{
    if (n > INT32_MAX)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "%s %" PRId64 " is beyond %d", what, n, INT32_MAX);
    return RP_OK;
}

static enum rp_status supports(enum rp_impl impl, const struct rp_point *p,
                               const struct rp_device_info *device)
{
    struct rp_method_cost cost;
    struct rp_method_device method = {.backend = "cuda",
                                      .multiprocessors = device->row.multiprocessors};
    RP_TRY(rp_gpu_supports_dtype(p, device));
    return rp_method_cost_of(&method, impl, p, &cost);
}

static enum rp_status three_steps_support(enum rp_impl impl, const struct rp_point *p,
                                          const struct rp_device_info *device)
{
    const struct rp_cuda_steps s = steps_of(p);
    RP_TRY(supports(impl, p, device));
    return fits("softmax: the number of thread blocks", rp_cuda_softmax_blocks(&s));
}

static enum rp_status naive_supports(const struct rp_point *p, const struct rp_device_info *device)
{
    const struct rp_cuda_steps s = steps_of(p);
    RP_TRY(three_steps_support(RP_IMPL_naive, p, device));
    RP_TRY(fits("QK^T: the number of thread blocks", rp_cuda_score_blocks(&s)));
    return fits("PV: the number of thread blocks", rp_cuda_weigh_blocks(&s));
}

static enum rp_status naive_launch(const struct rp_attention *a)
{
    const struct rp_cuda_steps s = three_steps_of_call(a);
    RP_TRY(rp_cuda_status(rp_cuda_score(&s), "QK^T"));
    RP_TRY(rp_cuda_status(rp_cuda_softmax(&s), "softmax"));
    return rp_cuda_status(rp_cuda_weigh(&s), "PV");
}

static enum rp_status reference_supports(const struct rp_point *p,
                                         const struct rp_device_info *device)
{
    const struct rp_cuda_steps s = steps_of(p);
    RP_TRY(three_steps_support(RP_IMPL_reference, p, device));
    RP_TRY(fits("cuBLAS: the number of rows", s.rows));
    return fits("cuBLAS: the number of matrices", s.kv_heads);
}

static enum rp_status reference_launch(const struct rp_attention *a)
{
    const struct rp_cuda_steps s = three_steps_of_call(a);
    bool as_tf32 = a->point->dtype == RP_DTYPE_tf32;
    RP_TRY(rp_products_score(a->queue, &s, as_tf32));
    RP_TRY(rp_cuda_status(rp_cuda_softmax(&s), "softmax"));
    return rp_products_weigh(a->queue, &s, as_tf32);
}

/* One of the fused methods. */
struct fused {
    const char *name;
    int64_t (*blocks)(const struct rp_cuda_steps *s);
    cudaError_t (*launch)(const struct rp_cuda_steps *s);
};

/* fp32 has plain cores only; few rows on a kv head are a decode. */
static const struct fused *find_fused(const struct rp_point *p)
{
    static const struct fused methods[2][2] = {
        {{"fused prefill", rp_cuda_prefill_blocks, rp_cuda_prefill},
         {"fused decode", rp_cuda_decode_blocks, rp_cuda_decode}},
        {{"fused prefill in fp32", rp_cuda_plain_prefill_blocks, rp_cuda_plain_prefill},
         {"fused decode in fp32", rp_cuda_plain_decode_blocks, rp_cuda_plain_decode}},
    };
    return &methods[p->dtype == RP_DTYPE_fp32][rp_cuda_fused_is_decode(p)];
}

static enum rp_status fused_supports(const struct rp_point *p, const struct rp_device_info *device)
{
    struct rp_cuda_steps s = steps_of(p);
    RP_TRY(supports(RP_IMPL_fused, p, device));
    RP_TRY(fits("fused: seq_k", p->seq_k + RP_CUDA_KEYS_BEYOND));
    s.part_keys = rp_cuda_part_keys(p, device->row.multiprocessors);
    return fits("fused: the number of thread blocks", find_fused(p)->blocks(&s));
}

/* The parts of a decode are as many as the method's cost says for this device. */
static enum rp_status set_parts(const struct rp_attention *a, struct rp_cuda_steps *s)
{
    int device = 0;
    int multiprocessors = 0;
    RP_TRY(rp_cuda_status(cudaGetDevice(&device), "cudaGetDevice"));
    RP_TRY(rp_cuda_status(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute"));
    s->partials = a->workspace;
    s->part_keys = rp_cuda_part_keys(a->point, multiprocessors);
    return RP_OK;
}

static enum rp_status fused_launch(const struct rp_attention *a)
{
    const struct fused *method = find_fused(a->point);
    struct rp_cuda_steps s = steps_of_call(a);
    if (rp_cuda_fused_is_decode(a->point))
        RP_TRY(set_parts(a, &s));
    return rp_cuda_status(method->launch(&s), method->name);
}

extern const struct rp_kernel rp_kernel_cuda_naive;
extern const struct rp_kernel rp_kernel_cuda_reference;
extern const struct rp_kernel rp_kernel_cuda_fused;

const struct rp_kernel rp_kernel_cuda_naive = {
    .impl = RP_IMPL_naive,
    .backend = "cuda",
    .supports = naive_supports,
    .launch = naive_launch,
};

const struct rp_kernel rp_kernel_cuda_reference = {
    .impl = RP_IMPL_reference,
    .backend = "cuda",
    .supports = reference_supports,
    .launch = reference_launch,
};

const struct rp_kernel rp_kernel_cuda_fused = {
    .impl = RP_IMPL_fused,
    .backend = "cuda",
    .supports = fused_supports,
    .launch = fused_launch,
};
