/*
 * host_cuda.h - CUDA without a GPU, as a test sees it: which devices there are, in which order the
 * threads of a block run, what fails; and afterwards what a kernel did wrong.
 *
 * The kernels of kernels/cuda are compiled with the C++ compiler and run here, a fiber a CUDA
 * thread. A program that sets nothing is steered by the environment:
 *
 *   HOST_CUDA_DEVICES=t4 | a100:2 | h100 | none | nodriver    HOST_CUDA_MEMORY_MB=N
 *   HOST_CUDA_ORDER=up | down | random    HOST_CUDA_SEED=N    HOST_CUDA_COPIES=late | early
 *   HOST_CUDA_FAIL=cudaMalloc:3 or cudaMalloc:3:46            HOST_CUDA_WORKERS=N
 *
 * It says nothing about speed, bank conflicts but ldmatrix's, the rounding of matrix units or races
 * between blocks.
 */
#ifndef RP_TESTS_HOST_CUDA_H
#define RP_TESTS_HOST_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A warp runs until all its lanes wait; the order says which warp, and which lane, comes first. */
enum host_cuda_order { HOST_CUDA_UP, HOST_CUDA_DOWN, HOST_CUDA_RANDOM, HOST_CUDA_ORDER_COUNT };

struct host_cuda_settings {
    const char *devices; /* profile and number; null: one t4 */
    size_t memory_bytes; /* of each device; 0: the profile's */
    const char *fail;    /* "CALL:N[:CODE]": the N-th CALL from now returns CODE; null: none */
    uint64_t seed;       /* of the random order */
    enum host_cuda_order order;
    bool copies_early; /* cp.async lands at once, not when it is waited for */
    int workers;       /* blocks that run at once; 0: a block a core */
};

/* Forgets devices, memory and errors and starts over. Device memory still held is given back. */
void host_cuda_reset(const struct host_cuda_settings *settings);

/* What a kernel or a library call did wrong first since the reset: file, line, sentence, block and
 * thread. "" when nothing. */
const char *host_cuda_fault(void);

/* How often since the reset ldmatrix took rows that share banks: passes beyond one a matrix. */
long host_cuda_bank_conflicts(void);

/* How many boxes of tensor maps have been copied since the reset. */
long host_cuda_boxes(void);

/* Buffers, streams, events and library handles not given back. */
int host_cuda_leaks(void);

#ifdef __cplusplus
}
#endif

#endif
