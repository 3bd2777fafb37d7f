/*
 * host_memory.c - reads /proc/meminfo, /proc/self/status, /proc/vmstat and the files of the memory
 * cgroup, v1 or v2; nothing is cached.
 */
#include "device/host_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/host_cgroup.h"

/* The number after `prefix` at the beginning of a line; -1 when it is not there. */
static int64_t read_field(const char *path, const char *prefix)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    char line[256];
    size_t n = strlen(prefix);
    long long value = -1;
    while (value < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, prefix, n) == 0 && sscanf(line + n, "%lld", &value) != 1)
            value = -1;
    }
    fclose(file);
    return value;
}

/* "Name:  123 kB" in a /proc file, in bytes; -1 when it is not there. */
static int64_t read_kb_field(const char *path, const char *prefix)
{
    int64_t kb = read_field(path, prefix);
    return kb < 0 ? -1 : kb * 1024;
}

/* A field of a cgroup's file; with an empty prefix the file's one number. -1 when it is not there
 * or not a number ("max"). */
static int64_t read_group(const char *folder, const char *name, const char *prefix)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_field(path, prefix);
}

struct limit {
    int64_t total;     /* -1: none */
    int64_t available; /* -1: unknown */
};

static void tighten(struct limit *limit, int64_t total, int64_t used)
{
    if (total < 0 || total >= INT64_MAX / 2) /* cgroup v1 writes a huge number for "none" */
        return;
    if (limit->total < 0 || total < limit->total)
        limit->total = total;
    int64_t left = used >= 0 && used < total ? total - used : 0;
    if (used >= 0 && (limit->available < 0 || left < limit->available))
        limit->available = left;
}

/* A limit of any ancestor binds, so the folders are walked up to the root. */
static void read_limits(struct limit *limit)
{
    static const char root[] = "/sys/fs/cgroup";
    char folder[900];
    if (!rp_host_cgroup_folder("memory", folder, sizeof folder))
        return;
    while (strlen(folder) >= strlen(root)) {
        tighten(limit, read_group(folder, "memory.max", ""),
                read_group(folder, "memory.current", ""));
        tighten(limit, read_group(folder, "memory.limit_in_bytes", ""),
                read_group(folder, "memory.usage_in_bytes", ""));
        *strrchr(folder, '/') = '\0';
    }
}

int64_t rp_host_memory_total_bytes(void)
{
    struct limit limit = {read_kb_field("/proc/meminfo", "MemTotal:"), -1};
    read_limits(&limit);
    return limit.total;
}

int64_t rp_host_memory_available_bytes(void)
{
    struct limit limit = {-1, read_kb_field("/proc/meminfo", "MemAvailable:")};
    read_limits(&limit);
    return limit.available;
}

int64_t rp_host_memory_resident_bytes(void)
{
    return read_kb_field("/proc/self/status", "VmRSS:");
}

int64_t rp_host_memory_resident_peak_bytes(void)
{
    return read_kb_field("/proc/self/status", "VmHWM:");
}

bool rp_host_memory_peak_reset(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, "5", 1) == 1;
    close(fd);
    return done;
}

int64_t rp_host_oom_kills(void)
{
    char folder[900];
    int64_t kills = -1;
    if (rp_host_cgroup_folder("memory", folder, sizeof folder)) {
        kills = read_group(folder, "memory.events", "oom_kill ");
        if (kills < 0)
            kills = read_group(folder, "memory.oom_control", "oom_kill ");
    }
    if (kills < 0)
        kills = read_field("/proc/vmstat", "oom_kill ");
    return kills < 0 ? 0 : kills;
}
