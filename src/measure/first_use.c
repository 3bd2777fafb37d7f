/* first_use.c - one launch of each kernel before anything is measured. */
#include "measure/first_use.h"

#include "kernels/kernel.h"
#include "measure/tensors.h"

/* Work for every thread, since a library may keep a buffer for each. */
static struct rp_point tiny_point(const struct rp_device_info *info)
{
    int64_t heads = info->threads > 0 ? 2 * (int64_t)info->threads : 2;
    return (struct rp_point){.stage = RP_STAGE_PREFILL,
                             .batch = 1,
                             .heads = heads,
                             .kv_heads = heads,
                             .seq_q = 64,
                             .seq_k = 64,
                             .head_dim = 64,
                             .dtype = RP_DTYPE_fp32,
                             .causal = true};
}

static enum rp_status launch_once(struct rp_device *device, const struct rp_kernel *kernel,
                                  const struct rp_point *p, const struct rp_tensors *tensors)
{
    const struct rp_device_info *info = rp_device_info(device);
    const struct rp_method_device method = rp_method_device_of(&info->row, info->threads);
    struct rp_method_cost cost;
    struct rp_buffer scores = {0};
    struct rp_buffer workspace = {0};
    double elapsed_s = 0;
    RP_TRY(kernel->supports(p, info));
    RP_TRY(rp_method_cost_of(&method, kernel->impl, p, &cost));
    enum rp_status status =
        rp_device_alloc(device, RP_MEMORY_SCORES, (size_t)cost.scores_bytes, &scores);
    if (status == RP_OK)
        status =
            rp_device_alloc(device, RP_MEMORY_WORKSPACE, (size_t)cost.workspace_bytes, &workspace);
    const struct rp_attention args = {.point = p,
                                      .q = tensors->inputs[RP_TENSOR_Q].data,
                                      .k = tensors->inputs[RP_TENSOR_K].data,
                                      .v = tensors->inputs[RP_TENSOR_V].data,
                                      .o = tensors->output.data,
                                      .scores = scores.data,
                                      .workspace = workspace.data,
                                      .queue = rp_device_queue(device),
                                      .threads = info->threads};
    if (status == RP_OK)
        status = rp_device_timer_begin(device);
    if (status == RP_OK)
        status = kernel->launch(&args);
    if (status == RP_OK)
        status = rp_device_timer_end(device, &elapsed_s);
    rp_device_free(device, &workspace);
    rp_device_free(device, &scores);
    return status;
}

int64_t rp_measure_first_use(struct rp_device *device)
{
    const struct rp_backend *backend = rp_device_backend(device);
    struct rp_point p = tiny_point(rp_device_info(device));
    const struct rp_tensors_request request = {.point = &p};
    struct rp_tensors tensors;
    int64_t before = rp_device_outside_used_bytes(device);
    if (backend->computes_nothing || before < 0 ||
        rp_tensors_create(device, &request, &tensors) != RP_OK)
        return -1;
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl) {
        const struct rp_kernel *kernel = rp_kernel_find(backend->name, (enum rp_impl)impl);
        if (kernel && launch_once(device, kernel, &p, &tensors) != RP_OK)
            break;
    }
    rp_tensors_clear(device, &tensors);
    int64_t after = rp_device_outside_used_bytes(device);
    return after > before ? after - before : 0;
}
