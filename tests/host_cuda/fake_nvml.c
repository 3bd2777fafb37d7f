/* fake_nvml.c - stands in for libnvidia-ml.so.1: one GPU with round figures, one old function
 * missing (nvmlDeviceGetTemperature) and one that says no (nvmlDeviceGetPowerUsage). */
#include <stdio.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetClockInfo(void *device, unsigned kind, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetViolationStatus(void *device, unsigned policy, unsigned long long time[2]);
int nvmlSystemGetDriverVersion(char *text, unsigned size);

int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    static int gpu;
    if (strcmp(uuid, "GPU-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c0c0") != 0)
        return NOT_FOUND;
    *device = &gpu;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, unsigned kind, unsigned *mhz)
{
    (void)device;
    *mhz = kind == 1 ? 1410 : 1;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device, (void)mw;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw)
{
    (void)device;
    *mw = 70000;
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    (void)device;
    *mj = 12345;
    return SUCCESS;
}

int nvmlDeviceGetViolationStatus(void *device, unsigned policy, unsigned long long time[2])
{
    (void)device;
    time[0] = 1;
    time[1] = policy == 0 ? 2000000000 : 500000000; /* ns */
    return SUCCESS;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    snprintf(text, size, "535.104.05");
    return SUCCESS;
}
