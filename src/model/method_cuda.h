/*
 * method_cuda.h - how the fused methods of a CUDA GPU cut a point into blocks. Kernels and their
 * costs read the same numbers here, so that a count cannot drift from the code.
 */
#ifndef RP_MODEL_METHOD_CUDA_H
#define RP_MODEL_METHOD_CUDA_H

#include <stdbool.h>
#include <stdint.h>

struct rp_point;

#define RP_CUDA_FUSED_WIDTH_MOST 256 /* largest head_dim */
#define RP_CUDA_KEYS_BEYOND      128 /* how far indices of keys go behind the last one */
#define RP_CUDA_DECODE_ROWS      16  /* decode: query rows of one thread block */
#define RP_CUDA_PLAIN_QUERIES    64  /* the same of fp32, on plain cores: prefill */
#define RP_CUDA_PLAIN_ROWS       8   /* and decode */
#define RP_CUDA_PLAIN_KEYS       64  /* its keys of one step */

/* head_dim is rounded up to the width of a tile: 64, 128 or 256. */
#define RP_CUDA_FUSED_WIDTH(head_dim) ((head_dim) <= 64 ? 64 : (head_dim) <= 128 ? 128 : 256)

/* On matrix units, of tiles whose rows take `stride` bytes: query rows of one thread block of a
 * prefill, and keys of one step; tf32 of width 256 has shared memory for half of both. */
#define RP_CUDA_FUSED_QUERIES(stride) ((stride) <= 512 ? 128 : 64)
#define RP_CUDA_FUSED_KEYS(stride)    ((stride) <= 512 ? 64 : 32)

/* Decode on matrix units: groups of warps that compute the same scores, each for other columns of
 * the output, as many as fit the registers. */
#define RP_CUDA_DECODE_COLUMN_GROUPS(width, stride)                                                \
    ((width) <= 128 ? 1 : 128 / RP_CUDA_FUSED_KEYS(stride))

#ifdef __cplusplus
extern "C" {
#endif

/* `fused`: true when few rows share a kv head; the keys are then split into parts. */
bool rp_cuda_fused_is_decode(const struct rp_point *p);

/* `fused`, decode: keys of a part, a multiple of 64; parts of seq_k keys. */
int64_t rp_cuda_part_keys(const struct rp_point *p, int64_t multiprocessors);
int64_t rp_cuda_parts(const struct rp_point *p, int64_t multiprocessors);

#ifdef __cplusplus
}
#endif

#endif
