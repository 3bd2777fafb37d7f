/*
 * steps.h - the three steps of attention with the score matrix in memory, as CUDA launches. The
 * query rows of all heads that share a kv head are neighbours in memory, so they are the rows of
 * one matrix, and K and V are read where they are:
 *
 *   S (kv_heads, rows, seq_k) = scale Q K^T      Q, O (kv_heads, rows, head_dim)
 *   P = softmax of the rows of S, masked         K, V (kv_heads, seq_k, head_dim)
 *   O = P V                                      P as S, in the storage type
 */
#ifndef RP_KERNELS_CUDA_STEPS_H
#define RP_KERNELS_CUDA_STEPS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum rp_cuda_storage { RP_CUDA_FP32, RP_CUDA_FP16, RP_CUDA_BF16 };

struct rp_cuda_steps {
    int64_t kv_heads; /* over the whole batch */
    int64_t rows;     /* seq_q of every query head on a kv head, one head after the other */
    int64_t seq_q, seq_k, head_dim;
    float scale; /* 1 / sqrt(head_dim) */
    bool causal;
    enum rp_cuda_storage storage;
    const void *q, *k, *v;
    void *o;
    float *scores; /* scores and probabilities: the three steps */
    void *probabilities;
    float *partials;   /* fused decode: (kv_heads, parts, rows, head_dim + 2), or null */
    int64_t part_keys; /* fused decode: keys of a part */
    cudaStream_t stream;
};

/* Most blocks of a launch; more work than this is refused before (attention.c). */
#define RP_CUDA_BLOCKS_MOST INT32_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks of the launch of each step. */
int64_t rp_cuda_score_blocks(const struct rp_cuda_steps *s);
int64_t rp_cuda_softmax_blocks(const struct rp_cuda_steps *s);
int64_t rp_cuda_weigh_blocks(const struct rp_cuda_steps *s);

/* Queue one step; what could not be launched is returned. fp32 arithmetic on plain cores. */
cudaError_t rp_cuda_score(const struct rp_cuda_steps *s);
cudaError_t rp_cuda_softmax(const struct rp_cuda_steps *s);
cudaError_t rp_cuda_weigh(const struct rp_cuda_steps *s);

#ifdef __cplusplus
}
#endif

#endif
