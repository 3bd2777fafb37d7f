/* probes.h - what probe_table.c launches: streams through memory, arithmetic in registers, nothing.
 */
#ifndef RP_KERNELS_CUDA_PROBES_H
#define RP_KERNELS_CUDA_PROBES_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "kernels/cuda/steps.h"

/* FLOP of a thread of rp_cuda_probe_fma for each of its steps. */
#define RP_CUDA_FMA_CHAINS 8
#define RP_CUDA_FMA_FLOP   (2 * RP_CUDA_FMA_CHAINS)

/* Threads of a block of every probe. */
#define RP_CUDA_PROBE_THREADS 256

#ifdef __cplusplus
extern "C" {
#endif

/* Queue one launch of `blocks` blocks. `n` counts elements of 16 bytes of each array; arrays follow
 * one another in `data`. A launch that reads writes one word only where all it read is impossible.
 */
cudaError_t rp_cuda_probe_read(void *data, int64_t n, int passes, unsigned blocks,
                               cudaStream_t stream);
cudaError_t rp_cuda_probe_copy(void *data, int64_t n, unsigned blocks, cudaStream_t stream);
cudaError_t rp_cuda_probe_triad(void *data, int64_t n, unsigned blocks, cudaStream_t stream);
cudaError_t rp_cuda_probe_fma(void *data, int steps, unsigned blocks, cudaStream_t stream);
cudaError_t rp_cuda_probe_nothing(cudaStream_t stream);

/* `n` elements of 2 or 4 bytes, uniform in -1 .. 1 (zeros would draw less power and run faster):
 * fp16, bf16 or fp32 by `storage`. */
cudaError_t rp_cuda_probe_fill(void *data, int64_t n, enum rp_cuda_storage storage,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
