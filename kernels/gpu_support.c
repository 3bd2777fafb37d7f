/* gpu_support.c - see gpu_support.h. */
#include "kernels/gpu_support.h"

#include "base/parse.h"

enum rp_status rp_gpu_supports_dtype(const struct rp_point *p, const struct rp_device_info *device)
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
