/*
 * planted_fused.h - in front of a fused kernel's source, which is the product's word for word: any
 * one of its barriers can be left out, or every wait for cp.async be one group short.
 */
#ifndef RP_TESTS_PLANTED_FUSED_H
#define RP_TESTS_PLANTED_FUSED_H

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong: the barrier of this number in the source, or one of the two below. */
enum { PLANTED_NOTHING = -1, PLANTED_SHORT_WAITS = -2 };
extern int planted_fault;

/* Barriers in the source of each kernel. */
extern const int planted_prefill_barriers;
extern const int planted_decode_barriers;

#ifdef __cplusplus
}

template <int N> void planted_copy_async_wait()
{
    if (planted_fault == PLANTED_SHORT_WAITS)
        rp_copy_async_wait<N + 1>();
    else
        rp_copy_async_wait<N>();
}
#define rp_copy_async_wait planted_copy_async_wait

static constexpr int planted_first = __COUNTER__ + 1;
#undef __syncthreads
#define __syncthreads()                                                                            \
    (planted_fault == __COUNTER__ - planted_first ? (void)0                                        \
                                                  : host_cuda::synchronize(HOST_CUDA_HERE))
#endif

#endif
