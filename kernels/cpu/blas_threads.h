/* blas_threads.h - the CBLAS inside this project's own parallel loops. */
#ifndef RP_KERNELS_CPU_BLAS_THREADS_H
#define RP_KERNELS_CPU_BLAS_THREADS_H

#include "base/status.h"

/* Before a loop of `threads` threads that call the library. From now on it computes in the thread
 * that calls it: a team of its own would know nothing of the cores a rank was given.
 * RP_ERR_OUT_OF_MEMORY when the library could not get its work memory and would hang. */
enum rp_status rp_blas_prepare(int threads) RP_MUST_CHECK;

#endif
