/* data_folder.c - places relative to /proc/self/exe, in order. */
#include "model/data_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const places[] = {"../data", "data", "../share/ridgepoint/data"};

/* The folder the running program is in. */
static enum rp_status executable_folder(char *folder, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n < 0 || (size_t)n == size - 1)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "/proc/self/exe cannot be read: %s",
                       n < 0 ? strerror(errno) : "the path is too long");
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return RP_OK;
}

static bool join(const char *folder, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s", folder, name);
    return n > 0 && (size_t)n < size;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static enum rp_status find_installed(char *path, size_t size)
{
    char folder[RP_DATA_PATH_SIZE];
    RP_TRY(executable_folder(folder, sizeof folder));
    for (size_t i = 0; i < RP_COUNT(places); ++i) {
        char place[RP_DATA_PATH_SIZE];
        char marker[RP_DATA_PATH_SIZE];
        char real[PATH_MAX];
        if (!join(folder, places[i], place, sizeof place) ||
            !join(place, "gpus.tsv", marker, sizeof marker) || !is_file(marker))
            continue;
        /* Without the "..", so that messages name the folder as a person would. */
        const char *clean = realpath(place, real) ? real : place;
        if (strlen(clean) < size) {
            memcpy(path, clean, strlen(clean) + 1);
            return RP_OK;
        }
    }
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "no data folder beside the program: looked for gpus.tsv in %s/%s, %s/%s and "
                   "%s/%s; name one with --data DIR",
                   folder, places[0], folder, places[1], folder, places[2]);
}

enum rp_status rp_data_folder_find(const char *override, char *path, size_t size)
{
    struct stat info;
    if (!override)
        return find_installed(path, size);
    if (stat(override, &info) != 0 || !S_ISDIR(info.st_mode))
        return RP_FAIL(RP_ERR_USAGE, "--data '%s' is no folder", override);
    if (strlen(override) >= size)
        return RP_FAIL(RP_ERR_USAGE, "--data '%s' is too long a path", override);
    memcpy(path, override, strlen(override) + 1);
    return RP_OK;
}

enum rp_status rp_data_file_find(const char *override, const char *name, char *path, size_t size)
{
    char folder[RP_DATA_PATH_SIZE];
    if (override) {
        RP_TRY(rp_data_folder_find(override, folder, sizeof folder));
        if (join(folder, name, path, size) && is_file(path))
            return RP_OK;
    }
    RP_TRY(find_installed(folder, sizeof folder));
    if (!join(folder, name, path, size))
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s/%s is too long a path", folder, name);
    return RP_OK;
}
