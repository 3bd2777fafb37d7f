/*
 * nvml.h - NVIDIA's management library, found at run time: what CUDA does not tell of a GPU.
 *
 * It comes with the driver and has no header of its own here, so nothing links it; where it is
 * missing, or says no, the figures are not known and measuring goes on.
 */
#ifndef RP_DEVICE_NVML_H
#define RP_DEVICE_NVML_H

#include <stddef.h>

struct rp_nvml;

/* Null when there is no library, or it does not know the device. `uuid` as CUDA has it, with the
 * prefix GPU- or MIG-. */
struct rp_nvml *rp_nvml_open(const char *uuid);
void rp_nvml_close(struct rp_nvml *nvml); /* takes null */

/* The rest takes null. NaN: not known. */
double rp_nvml_clock_hz(const struct rp_nvml *nvml); /* of the multiprocessors, now */
double rp_nvml_temperature_c(const struct rp_nvml *nvml);
double rp_nvml_power_w(const struct rp_nvml *nvml);
double rp_nvml_power_limit_w(const struct rp_nvml *nvml); /* the enforced one */
double rp_nvml_energy_j(const struct rp_nvml *nvml);      /* a sum since the driver was loaded */
double rp_nvml_throttled_s(const struct rp_nvml *nvml);   /* a sum: held back by power and heat */

/* The driver's version, or "". */
void rp_nvml_driver(const struct rp_nvml *nvml, char *text, size_t size);

#endif
