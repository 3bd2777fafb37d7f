/* blas_threads.c - each library has its own word for it; those of the others are null. */
#include "kernels/cpu/blas_threads.h"

#include <stdint.h>

extern void openblas_set_num_threads(int n) __attribute__((weak));
extern void MKL_Set_Num_Threads(int n) __attribute__((weak));
extern void bli_thread_set_num_threads(int64_t n) __attribute__((weak));

void rp_blas_use_one_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    if (MKL_Set_Num_Threads)
        MKL_Set_Num_Threads(1);
    if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(1);
}
