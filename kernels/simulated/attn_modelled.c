/*
 * attn_modelled.c - kernels of the simulated device: nothing is computed, a launch adds its
 * modelled time to the device's clock. What a GPU of that type could not do is refused as it would
 * be there.
 */
#include "base/parse.h"
#include "device/backend_simulated.h"
#include "kernels/kernel.h"

/* Matrix units of compute capability 7.5 know neither bf16 nor tf32. */
static enum rp_status supports(const struct rp_point *p, const struct rp_device_info *device)
{
    const char *capability = device->row.compute_capability;
    bool needs_ampere = p->dtype == RP_DTYPE_bf16 || p->dtype == RP_DTYPE_tf32;
    double version = 0;
    if (needs_ampere && rp_parse_f64(capability, &version) && version < 8)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "%s needs compute capability 8.0, this device (%s) has %s",
                       rp_dtype_info(p->dtype)->name, device->row.gpu_type, capability);
    return RP_OK;
}

static enum rp_status launch_naive(const struct rp_attention *a)
{
    return rp_simulated_launch(a->queue, a->point, RP_IMPL_naive);
}

static enum rp_status launch_reference(const struct rp_attention *a)
{
    return rp_simulated_launch(a->queue, a->point, RP_IMPL_reference);
}

static enum rp_status launch_fused(const struct rp_attention *a)
{
    return rp_simulated_launch(a->queue, a->point, RP_IMPL_fused);
}

const struct rp_kernel rp_kernel_simulated_naive = {
    .impl = RP_IMPL_naive, .backend = "simulated", .supports = supports, .launch = launch_naive};
const struct rp_kernel rp_kernel_simulated_reference = {.impl = RP_IMPL_reference,
                                                        .backend = "simulated",
                                                        .supports = supports,
                                                        .launch = launch_reference};
const struct rp_kernel rp_kernel_simulated_fused = {
    .impl = RP_IMPL_fused, .backend = "simulated", .supports = supports, .launch = launch_fused};
