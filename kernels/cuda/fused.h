/*
 * fused.h - attention in one pass, as CUDA launches. The members of struct rp_cuda_steps mean what
 * they mean in steps.h; scores and probabilities do not exist.
 */
#ifndef RP_KERNELS_CUDA_FUSED_H
#define RP_KERNELS_CUDA_FUSED_H

#include "kernels/cuda/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks of the larger launch of each. */
int64_t rp_cuda_prefill_blocks(const struct rp_cuda_steps *s);
int64_t rp_cuda_decode_blocks(const struct rp_cuda_steps *s);

/* Queue O = softmax(scale Q K^T, masked) V; what could not be launched is returned. head_dim up to
 * RP_CUDA_FUSED_WIDTH_MOST. On matrix units; fp32 storage is taken for tf32. Decode, for few rows
 * on a kv head, splits the keys into parts of part_keys; where that makes several, `partials` holds
 * their results. */
cudaError_t rp_cuda_prefill(const struct rp_cuda_steps *s);
cudaError_t rp_cuda_decode(const struct rp_cuda_steps *s);

/* Prefill with what compute capability 9.0 has of its own; in builds with RP_CUDA_HOPPER only.
 * Whether the current device and the call are such; `serves` is false where that is not known. */
cudaError_t rp_cuda_hopper_serves(const struct rp_cuda_steps *s, bool *serves);
cudaError_t rp_cuda_hopper_prefill(const struct rp_cuda_steps *s);

/* The same on plain cores, fp32. */
int64_t rp_cuda_plain_prefill_blocks(const struct rp_cuda_steps *s);
int64_t rp_cuda_plain_decode_blocks(const struct rp_cuda_steps *s);
cudaError_t rp_cuda_plain_prefill(const struct rp_cuda_steps *s);
cudaError_t rp_cuda_plain_decode(const struct rp_cuda_steps *s);

/* The last step of a decode in several parts: O from `partials`. */
cudaError_t rp_cuda_combine(const struct rp_cuda_steps *s);

#ifdef __cplusplus
}
#endif

#endif
