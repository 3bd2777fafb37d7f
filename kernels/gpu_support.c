/* gpu_support.c - see gpu_support.h. */
#include "kernels/gpu_support.h"

#include "base/parse.h"

static enum rp_status need_ampere(const char *what, const struct rp_device_info *device)
{
    const char *capability = device->row.compute_capability;
    double version = 0;
    if (rp_parse_f64(capability, &version) && version < 8)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "%s needs compute capability 8.0, this device (%s) has %s", what,
                       device->row.gpu_type, capability);
    return RP_OK;
}

enum rp_status rp_gpu_supports_dtype(const struct rp_point *p, const struct rp_device_info *device)
{
    if (p->dtype == RP_DTYPE_bf16 || p->dtype == RP_DTYPE_tf32)
        return need_ampere(rp_dtype_info(p->dtype)->name, device);
    return RP_OK;
}

enum rp_status rp_gpu_supports_cudnn(const struct rp_point *p, const struct rp_device_info *device)
{
    (void)p;
    return need_ampere("cuDNN's fused attention", device);
}
