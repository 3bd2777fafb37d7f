/* host_cgroup.h - where the kernel keeps the files of this process's control group. */
#ifndef RP_DEVICE_HOST_CGROUP_H
#define RP_DEVICE_HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Folder of the group for a controller ("cpu", "memory"): of cgroup v1 where that has it mounted,
 * else of v2. False when there is neither. Inside a container that shows only its own group, the
 * root of the mount is that group. */
bool rp_host_cgroup_folder(const char *controller, char *folder, size_t size);

#endif
