/*
 * products.c - strided-batched cuBLAS, one matrix product a kv head: the rows of all query heads of
 * a group are one matrix, so K and V are used where they are.
 *
 * cuBLAS is column-major: a row-major matrix is its transposed. Hence
 *   S^T (seq_k, rows)    = scale K Q^T, K given as its own transposed
 *   O^T (head_dim, rows) = V^T P^T
 * Sums are fp32 for every storage type; tensor cores multiply fp16 and bf16, and fp32 as tf32 only
 * where the row asks for tf32.
 */
#include "kernels/cuda/products.h"

#include "kernels/cuda/cublas.h"

struct matrices {
    const void *data;
    cudaDataType type;
    int leading;
    int64_t stride; /* elements from one kv head to the next */
};

struct product {
    cublasOperation_t a_operation;
    int m, n, k;
    float alpha;
    struct matrices a, b, c;
    void *result; /* of c */
};

static cudaDataType type_of(enum rp_cuda_storage storage)
{
    static const cudaDataType types[] = {
        [RP_CUDA_FP32] = CUDA_R_32F, [RP_CUDA_FP16] = CUDA_R_16F, [RP_CUDA_BF16] = CUDA_R_16BF};
    return types[storage];
}

static enum rp_status run(struct rp_cuda_queue *queue, const struct rp_cuda_steps *s, bool as_tf32,
                          const struct product *p)
{
    const float zero = 0.0f;
    const struct rp_cublas *cublas = NULL;
    cublasHandle_t handle = NULL;
    cublasComputeType_t compute = as_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    RP_TRY(rp_cublas_open(queue, &cublas, &handle));
    return rp_cublas_check(
        cublas,
        cublas->gemm_strided_batched(handle, p->a_operation, CUBLAS_OP_N, p->m, p->n, p->k,
                                     &p->alpha, p->a.data, p->a.type, p->a.leading, p->a.stride,
                                     p->b.data, p->b.type, p->b.leading, p->b.stride, &zero,
                                     p->result, p->c.type, p->c.leading, p->c.stride,
                                     (int)s->kv_heads, compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

enum rp_status rp_products_score(struct rp_cuda_queue *queue, const struct rp_cuda_steps *s,
                                 bool as_tf32)
{
    int width = (int)s->head_dim;
    int keys = (int)s->seq_k;
    cudaDataType type = type_of(s->storage);
    const struct product p = {
        .a_operation = CUBLAS_OP_T,
        .m = keys,
        .n = (int)s->rows,
        .k = width,
        .alpha = s->scale,
        .a = {s->k, type, width, s->seq_k * s->head_dim},
        .b = {s->q, type, width, s->rows * s->head_dim},
        .c = {NULL, CUDA_R_32F, keys, s->rows * s->seq_k},
        .result = s->scores,
    };
    return run(queue, s, as_tf32, &p);
}

enum rp_status rp_products_weigh(struct rp_cuda_queue *queue, const struct rp_cuda_steps *s,
                                 bool as_tf32)
{
    int width = (int)s->head_dim;
    int keys = (int)s->seq_k;
    cudaDataType type = type_of(s->storage);
    const struct product p = {
        .a_operation = CUBLAS_OP_N,
        .m = width,
        .n = (int)s->rows,
        .k = keys,
        .alpha = 1.0f,
        .a = {s->v, type, width, s->seq_k * s->head_dim},
        .b = {s->probabilities, type, keys, s->rows * s->seq_k},
        .c = {NULL, type, width, s->rows * s->head_dim},
        .result = s->o,
    };
    return run(queue, s, as_tf32, &p);
}
