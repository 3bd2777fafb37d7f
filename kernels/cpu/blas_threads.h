/* blas_threads.h - the CBLAS inside this project's own parallel loops. */
#ifndef RP_KERNELS_CPU_BLAS_THREADS_H
#define RP_KERNELS_CPU_BLAS_THREADS_H

/* From now on the library computes in the thread that calls it: a team of its own would know
 * nothing of the cores a rank was given. */
void rp_blas_use_one_thread(void);

#endif
