/*
 * probe_compute.c - fp32 arithmetic of a CPU at its fastest: multiply-adds in registers, and the
 * matrix products of the CBLAS, one of its own for each thread.
 */
#include <cblas.h>

#include "kernels/cpu/blas_threads.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/probe_team.h"

/* extent: FLOP of each thread. */
static enum rp_status plan_fma(struct rp_probe_call *call)
{
    call->work = (double)call->probe->extent * call->device->threads;
    return RP_OK;
}

static enum rp_status launch_fma(const struct rp_probe_call *call)
{
    static volatile float sink;
    float sum = 0;
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1) reduction(+ : sum)
    for (int thread = 0; thread < call->device->threads; ++thread)
        sum += rp_cpu_isa_copy()->probe_fma(call->probe->extent);
    sink = sum;
    (void)sink;
    return RP_OK;
}

/* extent: order of the three matrices of each thread. */
static enum rp_status plan_gemm(struct rp_probe_call *call)
{
    int64_t n = call->probe->extent;
    int64_t threads = call->device->threads;
    call->scratch_bytes = (size_t)(threads * 3 * n * n) * sizeof(float);
    call->work = 2.0 * (double)threads * (double)n * (double)n * (double)n;
    return RP_OK;
}

static enum rp_status launch_gemm(const struct rp_probe_call *call)
{
    int n = (int)call->probe->extent;
    size_t matrix = (size_t)n * (size_t)n;
    RP_TRY(rp_blas_prepare(call->device->threads));
#pragma omp parallel for num_threads(call->device->threads) schedule(static, 1)
    for (int thread = 0; thread < call->device->threads; ++thread) {
        float *c = (float *)rp_cpu_probe_slice(call, thread).data;
        const float *a = c + matrix;
        const float *b = c + 2 * matrix;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a, n, b, n, 0.0f, c,
                    n);
    }
    return RP_OK;
}

extern const struct rp_probe rp_probe_cpu_fma;

const struct rp_probe rp_probe_cpu_fma = {
    .backend = "cpu",
    .kind = RP_PROBE_COMPUTE,
    .path = "cpu_fp32",
    .method = "multiply-adds in registers",
    .extent = (2 * 12 * 16) << 17, /* of whole rounds on every instruction set; some 0.3 ms */
    .plan = plan_fma,
    .launch = launch_fma,
};

#define GEMM(n)                                                                                    \
    extern const struct rp_probe rp_probe_cpu_gemm_##n;                                            \
    const struct rp_probe rp_probe_cpu_gemm_##n = {                                                \
        .backend = "cpu",                                                                          \
        .kind = RP_PROBE_COMPUTE,                                                                  \
        .path = "cpu_fp32",                                                                        \
        .method = "sgemm " #n "x" #n "x" #n " a thread",                                           \
        .extent = n,                                                                               \
        .plan = plan_gemm,                                                                         \
        .fill = rp_cpu_probe_fill,                                                                 \
        .launch = launch_gemm,                                                                     \
    }

GEMM(256);
GEMM(384);
GEMM(512);
