/* cublas.c - see cublas.h. */
#include "kernels/cuda/cublas.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/library.h"

/* The symbol behind a name that a header may have replaced, cublasCreate_v2 say. */
#define SYMBOL_TEXT(name) #name
#define SYMBOL(name)      SYMBOL_TEXT(name)

#define FIND(library, member, name)                                                                \
    rp_library_find(library, SYMBOL(name), &loaded.member, sizeof loaded.member)

static struct rp_cublas loaded; /* one worker, one thread that launches */
static bool is_loaded;

/* One that is linked already comes first. */
static enum rp_status load(void)
{
    char name[32];
    snprintf(name, sizeof name, "libcublas.so.%d", CUDART_VERSION / 1000);
    void *library = RTLD_DEFAULT;
    if (!FIND(library, create, cublasCreate)) {
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return RP_FAIL(RP_ERR_ENVIRONMENT, "cuBLAS cannot be loaded: %s", dlerror());
    }
    is_loaded = FIND(library, create, cublasCreate) && FIND(library, destroy, cublasDestroy) &&
                FIND(library, set_stream, cublasSetStream) && FIND(library, gemm, cublasGemmEx) &&
                FIND(library, gemm_strided_batched, cublasGemmStridedBatchedEx) &&
                FIND(library, status_string, cublasGetStatusString);
    if (!is_loaded)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s lacks a function that is needed", name);
    return RP_OK;
}

static void close_handle(void *handle)
{
    loaded.destroy(handle);
}

enum rp_status rp_cublas_open(struct rp_cuda_queue *queue, const struct rp_cublas **cublas,
                              cublasHandle_t *handle)
{
    if (!is_loaded)
        RP_TRY(load());
    *cublas = &loaded;
    if (!queue->library) {
        RP_TRY(rp_cublas_check(&loaded, loaded.create(handle), "cublasCreate"));
        queue->library = *handle;
        queue->library_close = close_handle;
        RP_TRY(
            rp_cublas_check(&loaded, loaded.set_stream(*handle, queue->stream), "cublasSetStream"));
    }
    *handle = queue->library;
    return RP_OK;
}

enum rp_status rp_cublas_check(const struct rp_cublas *cublas, cublasStatus_t error,
                               const char *what)
{
    if (error == CUBLAS_STATUS_SUCCESS)
        return RP_OK;
    return RP_FAIL(RP_ERR_DEVICE, "%s: cuBLAS %s", what, cublas->status_string(error));
}
