/*
 * host_memory.c - reads /proc/meminfo, /proc/self/status and the cgroup files; nothing is cached.
 */
#include "device/host_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "Name:  123 kB" in a /proc file, in bytes; -1 when it is not there. */
static int64_t read_kb_field(const char *path, const char *field)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    char line[256];
    size_t n = strlen(field);
    long long kb = -1;
    while (kb < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, field, n) == 0 && line[n] == ':' &&
            sscanf(line + n + 1, "%lld", &kb) != 1)
            kb = -1;
    }
    fclose(file);
    return kb < 0 ? -1 : (int64_t)kb * 1024;
}

/* One number in a file; -1 when it is not there or not a number ("max"). */
static int64_t read_number(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    long long value = -1;
    if (fscanf(file, "%lld", &value) != 1)
        value = -1;
    fclose(file);
    return value;
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

/* A limit of any ancestor binds, so the path is walked up to the root. */
static void walk_cgroup(struct limit *limit, const char *mount, char *path, bool v2)
{
    for (;;) {
        char file[1024];
        const char *total_name = v2 ? "memory.max" : "memory.limit_in_bytes";
        const char *used_name = v2 ? "memory.current" : "memory.usage_in_bytes";
        snprintf(file, sizeof file, "%s%s/%s", mount, path, total_name);
        int64_t total = read_number(file);
        snprintf(file, sizeof file, "%s%s/%s", mount, path, used_name);
        tighten(limit, total, read_number(file));
        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void read_cgroups(struct limit *limit)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return;
    char line[768];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        ++controllers;
        if (controllers[0] == '\0')
            walk_cgroup(limit, "/sys/fs/cgroup", path, true);
        else if (strcmp(controllers, "memory") == 0)
            walk_cgroup(limit, "/sys/fs/cgroup/memory", path, false);
    }
    fclose(file);
}

int64_t rp_host_memory_total_bytes(void)
{
    struct limit limit = {read_kb_field("/proc/meminfo", "MemTotal"), -1};
    read_cgroups(&limit);
    return limit.total;
}

int64_t rp_host_memory_available_bytes(void)
{
    struct limit limit = {-1, read_kb_field("/proc/meminfo", "MemAvailable")};
    read_cgroups(&limit);
    return limit.available;
}

int64_t rp_host_memory_resident_bytes(void)
{
    return read_kb_field("/proc/self/status", "VmRSS");
}

int64_t rp_host_memory_resident_peak_bytes(void)
{
    return read_kb_field("/proc/self/status", "VmHWM");
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

long rp_host_oom_kills(void)
{
    FILE *file = fopen("/proc/vmstat", "re");
    if (!file)
        return 0;
    char line[128];
    long kills = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "oom_kill ", 9) == 0 && sscanf(line + 9, "%ld", &kills) != 1)
            kills = 0;
    }
    fclose(file);
    return kills;
}
