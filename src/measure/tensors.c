/* tensors.c - allocation and filling of a point's tensors. */
#include "measure/tensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t tensor_bytes(const struct rp_point *p, enum rp_tensor tensor)
{
    return (size_t)rp_inputs_count(p, tensor) * (size_t)rp_dtype_info(p->dtype)->storage_bytes;
}

static enum rp_status host_alloc(size_t bytes, void **data)
{
    *data = malloc(bytes);
    if (!*data)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes of host memory needed", bytes);
    return RP_OK;
}

static enum rp_status fill_input(struct rp_device *device, const struct rp_point *p, int64_t seed,
                                 enum rp_tensor tensor, struct rp_tensors *tensors)
{
    struct rp_buffer *buffer = &tensors->inputs[tensor];
    if (rp_device_backend(device)->computes_nothing)
        return RP_OK;
    if (rp_device_backend(device)->host_accessible) {
        rp_inputs_fill(p, seed, tensor, buffer->data);
        tensors->host_inputs[tensor] = buffer->data;
        return RP_OK;
    }
    rp_inputs_fill(p, seed, tensor, tensors->copies[tensor]);
    tensors->host_inputs[tensor] = tensors->copies[tensor];
    return rp_device_write(device, buffer, tensors->copies[tensor], buffer->bytes);
}

/* Host memory first and touched, so that the baseline of the outside figure has it. */
static enum rp_status host_prepare(struct rp_device *device,
                                   const struct rp_tensors_request *request,
                                   struct rp_tensors *tensors)
{
    const struct rp_point *p = request->point;
    if (rp_device_backend(device)->computes_nothing)
        return RP_OK;
    RP_TRY(host_alloc(tensors->output_bytes, &tensors->host_output));
    memset(tensors->host_output, 0xFF, tensors->output_bytes);
    if (request->with_reference) {
        RP_TRY(host_alloc(tensors->output_bytes, &tensors->reference_output));
        memset(tensors->reference_output, 0xFF, tensors->output_bytes);
    }
    for (int t = 0; t < RP_TENSOR_COUNT && !rp_device_backend(device)->host_accessible; ++t)
        RP_TRY(host_alloc(tensor_bytes(p, (enum rp_tensor)t), &tensors->copies[t]));
    return RP_OK;
}

enum rp_status rp_tensors_create(struct rp_device *device, const struct rp_tensors_request *request,
                                 struct rp_tensors *tensors)
{
    const struct rp_point *p = request->point;
    *tensors = (struct rp_tensors){.output_bytes = tensor_bytes(p, RP_TENSOR_Q)};
    enum rp_status status = host_prepare(device, request, tensors);
    if (status != RP_OK)
        goto cleanup;
    tensors->baseline_bytes = rp_device_outside_used_bytes(device);
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        status = rp_device_alloc(device, RP_MEMORY_TENSORS, tensor_bytes(p, (enum rp_tensor)t),
                                 &tensors->inputs[t]);
        if (status != RP_OK)
            goto cleanup;
        status = fill_input(device, p, request->seed, (enum rp_tensor)t, tensors);
        if (status != RP_OK)
            goto cleanup;
    }
    status = rp_device_alloc(device, RP_MEMORY_TENSORS, tensors->output_bytes, &tensors->output);

cleanup:
    if (status != RP_OK)
        rp_tensors_clear(device, tensors);
    return status;
}

void rp_tensors_clear(struct rp_device *device, struct rp_tensors *tensors)
{
    for (int t = 0; t < RP_TENSOR_COUNT; ++t) {
        rp_device_free(device, &tensors->inputs[t]);
        free(tensors->copies[t]);
    }
    rp_device_free(device, &tensors->output);
    free(tensors->host_output);
    free(tensors->reference_output);
    *tensors = (struct rp_tensors){0};
}

enum rp_status rp_tensors_read_output(struct rp_device *device, struct rp_tensors *tensors)
{
    return rp_device_read(device, tensors->host_output, &tensors->output, tensors->output_bytes);
}

void rp_tensors_keep_reference(struct rp_tensors *tensors)
{
    if (!tensors->reference_output)
        return;
    memcpy(tensors->reference_output, tensors->host_output, tensors->output_bytes);
    tensors->has_reference = true;
}
