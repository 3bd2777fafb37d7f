/*
 * attention.c - the kernel tables of the CPU: what they support, and the way to the copy for this
 * processor. Compiled once; the kernels themselves are in attn_*.c, compiled per instruction set.
 */
#include "kernels/cpu/isa.h"
#include "kernels/kernel.h"

/* A method's cost refuses what the method cannot do, so that plan and kernel say the same. */
static enum rp_status supports(enum rp_impl impl, const struct rp_point *p,
                               const struct rp_device_info *device)
{
    struct rp_method_cost cost;
    struct rp_method_device method = {.backend = "cpu", .threads = device->threads};
    return rp_method_cost_of(&method, impl, p, &cost);
}

static enum rp_status naive_supports(const struct rp_point *p, const struct rp_device_info *device)
{
    return supports(RP_IMPL_naive, p, device);
}

static enum rp_status naive_launch(const struct rp_attention *a)
{
    return rp_cpu_isa_copy()->naive(a);
}

static enum rp_status reference_supports(const struct rp_point *p,
                                         const struct rp_device_info *device)
{
    return supports(RP_IMPL_reference, p, device);
}

static enum rp_status reference_launch(const struct rp_attention *a)
{
    return rp_cpu_isa_copy()->reference(a);
}

static enum rp_status fused_supports(const struct rp_point *p, const struct rp_device_info *device)
{
    return supports(RP_IMPL_fused, p, device);
}

static enum rp_status fused_launch(const struct rp_attention *a)
{
    return rp_cpu_isa_copy()->fused(a);
}

extern const struct rp_kernel rp_kernel_cpu_naive;
extern const struct rp_kernel rp_kernel_cpu_reference;
extern const struct rp_kernel rp_kernel_cpu_fused;

const struct rp_kernel rp_kernel_cpu_naive = {
    .impl = RP_IMPL_naive,
    .backend = "cpu",
    .supports = naive_supports,
    .launch = naive_launch,
};

const struct rp_kernel rp_kernel_cpu_reference = {
    .impl = RP_IMPL_reference,
    .backend = "cpu",
    .supports = reference_supports,
    .launch = reference_launch,
};

const struct rp_kernel rp_kernel_cpu_fused = {
    .impl = RP_IMPL_fused,
    .backend = "cpu",
    .supports = fused_supports,
    .launch = fused_launch,
};
