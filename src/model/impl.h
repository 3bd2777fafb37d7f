/* impl.h - the implementations of attention by name and as a small set. */
#ifndef RP_MODEL_IMPL_H
#define RP_MODEL_IMPL_H

#include <stdbool.h>
#include <stdint.h>

enum rp_impl {
#define RP_IMPL(name, meaning) RP_IMPL_##name,
#include "registry/kernels.def"
    RP_IMPL_COUNT
};

typedef uint32_t rp_impl_set; /* bit i: enum rp_impl i */

#define RP_IMPL_ALL ((rp_impl_set)((1u << RP_IMPL_COUNT) - 1u))

/* What is measured where a job names none: those before cudnn, which is measured when asked for. */
enum { RP_IMPL_DEFAULT_COUNT = RP_IMPL_cudnn };
#define RP_IMPL_DEFAULT ((rp_impl_set)((1u << RP_IMPL_DEFAULT_COUNT) - 1u))

const char *rp_impl_name(enum rp_impl impl);
bool rp_impl_find(const char *name, enum rp_impl *impl);
bool rp_impl_in(rp_impl_set set, enum rp_impl impl);

#endif
