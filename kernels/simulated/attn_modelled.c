/*
 * attn_modelled.c - kernels of the simulated device: nothing is computed, a launch adds its
 * modelled time to the device's clock. What a GPU of that type could not do is refused as it would
 * be there.
 */
#include "device/backend_simulated.h"
#include "kernels/gpu_support.h"
#include "kernels/kernel.h"

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

static enum rp_status launch_cudnn(const struct rp_attention *a)
{
    return rp_simulated_launch(a->queue, a->point, RP_IMPL_cudnn);
}

const struct rp_kernel rp_kernel_simulated_naive = {.impl = RP_IMPL_naive,
                                                    .backend = "simulated",
                                                    .supports = rp_gpu_supports_dtype,
                                                    .launch = launch_naive};
const struct rp_kernel rp_kernel_simulated_reference = {.impl = RP_IMPL_reference,
                                                        .backend = "simulated",
                                                        .supports = rp_gpu_supports_dtype,
                                                        .launch = launch_reference};
const struct rp_kernel rp_kernel_simulated_fused = {.impl = RP_IMPL_fused,
                                                    .backend = "simulated",
                                                    .supports = rp_gpu_supports_dtype,
                                                    .launch = launch_fused};
const struct rp_kernel rp_kernel_simulated_cudnn = {.impl = RP_IMPL_cudnn,
                                                    .backend = "simulated",
                                                    .supports = rp_gpu_supports_cudnn,
                                                    .launch = launch_cudnn};
