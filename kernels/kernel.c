/* kernel.c - the list of kernel tables, from kernels.def. */
#include "kernels/kernel.h"

#include <string.h>

#define RP_KERNEL(backend, impl) extern const struct rp_kernel rp_kernel_##backend##_##impl;
#include "registry/kernels.def"

static const struct rp_kernel *const kernels[] = {
#define RP_KERNEL(backend, impl) &rp_kernel_##backend##_##impl,
#include "registry/kernels.def"
};

const struct rp_kernel *rp_kernel_find(const char *backend, enum rp_impl impl)
{
    for (size_t i = 0; i < RP_COUNT(kernels); ++i) {
        if (kernels[i]->impl == impl && strcmp(kernels[i]->backend, backend) == 0)
            return kernels[i];
    }
    return NULL;
}
