/* device_kind.c - what of a row of /devices makes it unlike another. */
#include "analysis/device_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool rp_device_is_simulated(const struct rp_device_row *device)
{
    return strcmp(device->backend, "simulated") == 0;
}

int rp_device_kind_compare(const struct rp_device_row *a, const struct rp_device_row *b)
{
    double x = isnan(a->power_limit_w) ? -1 : a->power_limit_w;
    double y = isnan(b->power_limit_w) ? -1 : b->power_limit_w;
    int order = strcmp(a->gpu_type, b->gpu_type);
    order = order ? order : strcmp(a->backend, b->backend);
    order = order ? order : strcmp(a->mig, b->mig);
    order = order ? order : (a->ecc > b->ecc) - (a->ecc < b->ecc);
    return order ? order : (x > y) - (x < y);
}

void rp_device_setup_text(const struct rp_device_row *device, bool with_power,
                          char text[RP_DEVICE_SETUP_SIZE])
{
    char power[24] = "";
    bool has_mig = device->mig[0] && strcmp(device->mig, "off") != 0;
    if (with_power && !isnan(device->power_limit_w))
        snprintf(power, sizeof power, " %.4g W", device->power_limit_w);
    snprintf(text, RP_DEVICE_SETUP_SIZE, "%s%s%s%s", has_mig ? " MIG " : "",
             has_mig ? device->mig : "", device->ecc == 0 ? " ECC off" : "", power);
}

void rp_device_kind_text(const struct rp_device_row *device, char text[RP_DEVICE_KIND_SIZE])
{
    char setup[RP_DEVICE_SETUP_SIZE];
    rp_device_setup_text(device, true, setup);
    snprintf(text, RP_DEVICE_KIND_SIZE, "%s%s%s", device->gpu_type, setup,
             rp_device_is_simulated(device) ? " simulated" : "");
}
