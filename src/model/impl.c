/* impl.c - names of implementations, from kernels.def. */
#include "model/impl.h"

#include <string.h>

static const char *const names[] = {
#define RP_IMPL(name, meaning) #name,
#include "registry/kernels.def"
};

const char *rp_impl_name(enum rp_impl impl)
{
    return names[impl];
}

bool rp_impl_find(const char *name, enum rp_impl *impl)
{
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (strcmp(names[i], name) == 0) {
            *impl = (enum rp_impl)i;
            return true;
        }
    }
    return false;
}

bool rp_impl_in(rp_impl_set set, enum rp_impl impl)
{
    return (set >> impl & 1u) != 0;
}
