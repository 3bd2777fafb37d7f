/*
 * nvml.c - the functions used of libnvidia-ml.so.1, their prototypes and numbers written out after
 * NVIDIA's NVML reference; both have been stable since its version 2.
 */
#include "device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/library.h"

typedef void *device_handle;

struct violation { /* nvmlViolationTime_t */
    unsigned long long reference_us, violation_ns;
};

enum { SUCCESS = 0 };
enum { CLOCK_SM = 1, SENSOR_GPU = 0, VIOLATION_POWER = 0, VIOLATION_THERMAL = 1 };

struct rp_nvml {
    void *library;
    device_handle device;
    int (*shutdown)(void);
    int (*clock)(device_handle, unsigned kind, unsigned *mhz);
    int (*temperature)(device_handle, unsigned sensor, unsigned *degrees_c);
    int (*power)(device_handle, unsigned *mw);
    int (*power_limit)(device_handle, unsigned *mw);
    int (*energy)(device_handle, unsigned long long *mj);
    int (*violation)(device_handle, unsigned policy, struct violation *time);
    int (*driver)(char *text, unsigned size);
};

#define FIND(nvml, member, name)                                                                   \
    rp_library_find((nvml)->library, name, &(nvml)->member, sizeof(nvml)->member)

/* Older drivers lack some; what is missing stays null. */
static void find_optional(struct rp_nvml *nvml)
{
    FIND(nvml, clock, "nvmlDeviceGetClockInfo");
    FIND(nvml, temperature, "nvmlDeviceGetTemperature");
    FIND(nvml, power, "nvmlDeviceGetPowerUsage");
    FIND(nvml, power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    FIND(nvml, energy, "nvmlDeviceGetTotalEnergyConsumption");
    FIND(nvml, violation, "nvmlDeviceGetViolationStatus");
    FIND(nvml, driver, "nvmlSystemGetDriverVersion");
}

static bool find_device(struct rp_nvml *nvml, const char *uuid)
{
    int (*init)(void) = NULL;
    int (*by_uuid)(const char *uuid, device_handle *device) = NULL;
    if (!rp_library_find(nvml->library, "nvmlInit_v2", &init, sizeof init) ||
        !rp_library_find(nvml->library, "nvmlDeviceGetHandleByUUID", &by_uuid, sizeof by_uuid) ||
        !FIND(nvml, shutdown, "nvmlShutdown"))
        return false;
    if (init() != SUCCESS)
        return false;
    if (by_uuid(uuid, &nvml->device) == SUCCESS)
        return true;
    nvml->shutdown();
    return false;
}

struct rp_nvml *rp_nvml_open(const char *uuid)
{
    struct rp_nvml *nvml = calloc(1, sizeof *nvml);
    if (!nvml)
        return NULL;
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml->library && find_device(nvml, uuid)) {
        find_optional(nvml);
        return nvml;
    }
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
    return NULL;
}

void rp_nvml_close(struct rp_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

double rp_nvml_clock_hz(const struct rp_nvml *nvml)
{
    unsigned mhz = 0;
    bool known = nvml && nvml->clock && nvml->clock(nvml->device, CLOCK_SM, &mhz) == SUCCESS;
    return known ? 1e6 * mhz : NAN;
}

double rp_nvml_temperature_c(const struct rp_nvml *nvml)
{
    unsigned degrees_c = 0;
    bool known = nvml && nvml->temperature &&
                 nvml->temperature(nvml->device, SENSOR_GPU, &degrees_c) == SUCCESS;
    return known ? (double)degrees_c : (double)NAN;
}

double rp_nvml_power_w(const struct rp_nvml *nvml)
{
    unsigned mw = 0;
    bool known = nvml && nvml->power && nvml->power(nvml->device, &mw) == SUCCESS;
    return known ? 1e-3 * mw : NAN;
}

double rp_nvml_power_limit_w(const struct rp_nvml *nvml)
{
    unsigned mw = 0;
    bool known = nvml && nvml->power_limit && nvml->power_limit(nvml->device, &mw) == SUCCESS;
    return known ? 1e-3 * mw : NAN;
}

double rp_nvml_energy_j(const struct rp_nvml *nvml)
{
    unsigned long long mj = 0;
    bool known = nvml && nvml->energy && nvml->energy(nvml->device, &mj) == SUCCESS;
    return known ? 1e-3 * (double)mj : NAN;
}

double rp_nvml_throttled_s(const struct rp_nvml *nvml)
{
    static const unsigned policies[] = {VIOLATION_POWER, VIOLATION_THERMAL};
    double sum_s = 0;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; ++i) {
        struct violation time = {0};
        if (!nvml || !nvml->violation ||
            nvml->violation(nvml->device, policies[i], &time) != SUCCESS)
            return NAN;
        sum_s += 1e-9 * (double)time.violation_ns;
    }
    return sum_s;
}

void rp_nvml_driver(const struct rp_nvml *nvml, char *text, size_t size)
{
    if (!nvml || !nvml->driver || nvml->driver(text, (unsigned)size) != SUCCESS)
        snprintf(text, size, "%s", "");
}
