/* host_cgroup.c - reads /proc/self/cgroup: lines "id:controllers:path", v2 without controllers. */
#include "device/host_cgroup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

/* mount + path where that is there, else the mount itself. */
static bool choose(const char *mount, const char *path, char *folder, size_t size)
{
    snprintf(folder, size, "%s%s", mount, path);
    if (access(folder, X_OK) == 0)
        return true;
    snprintf(folder, size, "%s", mount);
    return access(folder, X_OK) == 0;
}

bool rp_host_cgroup_folder(const char *controller, char *folder, size_t size)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return false;
    char line[768];
    char mount[64];
    bool found_v1 = false;
    bool found_v2 = false;
    while (!found_v1 && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        ++controllers;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
        if (has_word(controllers, controller))
            found_v1 = choose(mount, path, folder, size);
        else if (controllers[0] == '\0')
            found_v2 = choose("/sys/fs/cgroup", path, folder, size);
    }
    fclose(file);
    return found_v1 || found_v2;
}
