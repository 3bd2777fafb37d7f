/*
 * host_memory.h - what this process may take of the host's memory, and what it holds.
 *
 * Physical memory and the limits of cgroup v1 and v2 both count, so that a point which would make
 * the machine swap is an `oom` row instead.
 */
#ifndef RP_DEVICE_HOST_MEMORY_H
#define RP_DEVICE_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Total: the smaller of physical memory and the tightest cgroup limit. -1 unknown. */
int64_t rp_host_memory_total_bytes(void);

/* What can still be taken without swapping. -1 unknown. */
int64_t rp_host_memory_available_bytes(void);

/* Resident now, and at its highest since the last reset. -1 unknown. */
int64_t rp_host_memory_resident_bytes(void);
int64_t rp_host_memory_resident_peak_bytes(void);

/* False where the kernel does not allow it; the peak then only grows. */
bool rp_host_memory_peak_reset(void);

/* How often the kernel's out-of-memory killer has struck in this process's memory cgroup; where the
 * group does not tell, anywhere on this host since boot; 0 where neither does. */
int64_t rp_host_oom_kills(void);

#endif
