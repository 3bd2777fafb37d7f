/* ceilings.c - the ceilings of a device, one after the other. */
#include "measure/ceilings.h"

enum rp_status rp_measure_ceilings(struct rp_device *device,
                                   const struct rp_ceilings_listener *listener)
{
    return rp_measure_anchor(device, "start", listener);
}

enum rp_status rp_measure_anchor(struct rp_device *device, const char *moment,
                                 const struct rp_ceilings_listener *listener)
{
    (void)device, (void)moment, (void)listener;
    return RP_OK;
}
