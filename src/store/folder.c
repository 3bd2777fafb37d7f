/* folder.c - mkdir and fsync of folders. */
#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *rp_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static enum rp_status create(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) == 0)
        return RP_OK;
    int error = errno;
    /* The error of a folder that is there may be EEXIST, or EROFS and the like above it. */
    if (stat(folder, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return RP_OK;
        error = ENOTDIR;
    }
    return RP_FAIL(RP_ERR_ENVIRONMENT, "the folder %s cannot be created: %s", folder,
                   strerror(error));
}

enum rp_status rp_folder_create(const char *path)
{
    enum rp_status status = RP_OK;
    char *folder = rp_folder_of(path);
    if (!folder)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    for (char *end = folder + 1; *folder && status == RP_OK; ++end) {
        if (*end != '/' && *end != '\0')
            continue;
        bool last = *end == '\0';
        *end = '\0';
        status = create(folder);
        if (last)
            break;
        *end = '/';
    }
    free(folder);
    return status;
}

enum rp_status rp_folder_sync(const char *path)
{
    char *folder = rp_folder_of(path);
    int error = 0;
    if (!folder)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems have nothing to sync in a folder and say EINVAL. */
    if (descriptor < 0 || (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP))
        error = errno;
    if (descriptor >= 0)
        close(descriptor);
    enum rp_status status = RP_OK;
    if (error != 0)
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "the folder %s cannot be synced: %s", folder,
                         strerror(error));
    free(folder);
    return status;
}
