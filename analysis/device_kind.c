/* device_kind.c - what of a row of /devices makes it unlike another. */
#include "analysis/device_kind.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

void rp_device_kind_text(const struct rp_device_row *device, char text[RP_DEVICE_KIND_SIZE])
{
    char power[24] = "";
    bool has_mig = device->mig[0] && strcmp(device->mig, "off") != 0;
    if (!isnan(device->power_limit_w))
        snprintf(power, sizeof power, " %.4g W", device->power_limit_w);
    snprintf(text, RP_DEVICE_KIND_SIZE, "%s%s%s%s%s%s", device->gpu_type, has_mig ? " MIG " : "",
             has_mig ? device->mig : "", device->ecc == 0 ? " ECC off" : "", power,
             strcmp(device->backend, "simulated") == 0 ? " simulated" : "");
}
