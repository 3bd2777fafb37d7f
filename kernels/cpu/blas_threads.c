/* blas_threads.c - what has to be said to, and asked for, a CBLAS before it is called. */
#include "kernels/cpu/blas_threads.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Each library has its own word for it; those of the others are null. */
extern void openblas_set_num_threads(int n) __attribute__((weak));
extern void MKL_Set_Num_Threads(int n) __attribute__((weak));
extern void bli_thread_set_num_threads(int64_t n) __attribute__((weak));

static void use_one_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    if (MKL_Set_Num_Threads)
        MKL_Set_Num_Threads(1);
    if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(1);
}

/* OpenBLAS maps work memory for each thread that calls it, up to 128 MiB, keeps it, and asks again
 * for ever where the kernel refuses. So the kernel is asked first, once for a number of threads. */
static enum rp_status find_memory(int threads)
{
    static int threads_served;
    if (!openblas_set_num_threads || threads <= threads_served)
        return RP_OK;
    size_t bytes = (size_t)threads * ((size_t)128 << 20);
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed by OpenBLAS, the kernel refused: %s",
                       bytes, strerror(errno));
    munmap(room, bytes);
    threads_served = threads;
    return RP_OK;
}

enum rp_status rp_blas_prepare(int threads)
{
    RP_TRY(find_memory(threads));
    use_one_thread();
    return RP_OK;
}
