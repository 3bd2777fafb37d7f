/*
 * publish.c - F.tmp, verified, becomes F.
 *
 * Nothing here opens F for writing. F.tmp belongs to whoever holds the lock of F: one that is there
 * is what a killed run left and is removed.
 */
#include "store/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/folder.h"
#include "store/results_scan.h"
#include "store/results_source.h"

static enum rp_status fail_errno(const char *what, const char *path)
{
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s: %s: %s", path, what, strerror(errno));
}

/* What was written is read back from the file and must fit the digest, which was taken of it on its
 * way there. */
static enum rp_status verify(const char *path)
{
    static const char *const no_columns[] = {NULL};
    struct rp_results_scan *scan = NULL;
    enum rp_status status = rp_results_scan_open(path, no_columns, 0, &scan);
    if (status == RP_OK)
        status = rp_results_scan_check_digest(scan);
    rp_results_scan_close(scan);
    if (status == RP_OK)
        return RP_OK;
    return RP_FAIL(RP_ERR_ENVIRONMENT, "what was just written does not read back: %s",
                   rp_status_message());
}

static enum rp_status replace(const char *temporary, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s is a folder; nothing was written", path);
    if (rename(temporary, path) != 0)
        return fail_errno("the finished file cannot be renamed into place", path);
    return rp_folder_sync(path);
}

enum rp_status rp_publish_sweep(const char *path)
{
    struct rp_text temporary;
    rp_text_init(&temporary);
    rp_text_printf(&temporary, "%s.tmp", path);
    enum rp_status status = RP_OK;
    if (!rp_text_ok(&temporary))
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    else if (unlink(temporary.data) != 0 && errno != ENOENT)
        status = fail_errno("what an earlier run left cannot be removed", temporary.data);
    rp_text_clear(&temporary);
    return status;
}

enum rp_status rp_publish(const char *path, const struct rp_study *study)
{
    return rp_publish_from(path, study, NULL);
}

enum rp_status rp_publish_from(const char *path, const struct rp_study *study,
                               const struct rp_results_source *source)
{
    struct rp_text temporary;
    enum rp_status status = RP_OK;
    rp_text_init(&temporary);
    rp_text_printf(&temporary, "%s.tmp", path);
    const char *name = rp_text_string(&temporary);
    if (!rp_text_ok(&temporary)) {
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
        goto cleanup;
    }
    if (unlink(name) != 0 && errno != ENOENT) {
        status = fail_errno("what an earlier run left cannot be removed", name);
        goto cleanup;
    }
    status = rp_results_write_from(name, study, source);
    if (status != RP_OK)
        goto cleanup;
    status = verify(name);
    if (status == RP_OK)
        status = replace(name, path);
    if (status != RP_OK)
        unlink(name); /* after the rename there is none */

cleanup:
    rp_text_clear(&temporary);
    return status;
}

/* "20260131T120000Z" of "2026-01-31T12:00:00.123Z". */
static void compact_utc(char text[RP_UTC_SIZE])
{
    char utc[RP_UTC_SIZE];
    rp_clock_utc(utc);
    snprintf(text, RP_UTC_SIZE, "%.4s%.2s%.2sT%.2s%.2s%.2sZ", utc, utc + 5, utc + 8, utc + 11,
             utc + 14, utc + 17);
}

/* Never onto an existing file, not even one that appears meanwhile. */
static int rename_exclusive(const char *from, const char *to)
{
    struct stat about;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* This file system cannot; the lock of F keeps others away. */
    if (lstat(to, &about) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

/* F and its journal to one new name; 0, or errno. */
static int move_both(const char *path, const char *journal, const char *aside)
{
    struct rp_text aside_journal;
    rp_text_init(&aside_journal);
    rp_text_printf(&aside_journal, "%s.journal", aside);
    int error = rp_text_ok(&aside_journal) ? 0 : ENOMEM;
    if (error == 0 && (exists(aside) || exists(aside_journal.data)))
        error = EEXIST;
    if (error == 0 && exists(path) && rename_exclusive(path, aside) != 0)
        error = errno;
    if (error == 0 && exists(journal) && rename_exclusive(journal, aside_journal.data) != 0)
        error = errno;
    rp_text_clear(&aside_journal);
    return error;
}

/* F.<utc>.h5, or F.<utc>-<number>.h5 where that is taken. */
static void aside_name(const char *path, const char *utc, int number, struct rp_text *aside)
{
    size_t stem = strlen(path);
    if (stem > 3 && strcmp(path + stem - 3, ".h5") == 0)
        stem -= 3;
    rp_text_add(aside, path, stem);
    rp_text_printf(aside, ".%s", utc);
    if (number > 0)
        rp_text_printf(aside, "-%d", number);
    rp_text_printf(aside, ".h5");
}

enum rp_status rp_publish_move_aside(const char *path)
{
    enum { MOST = 1000 };
    char utc[RP_UTC_SIZE];
    int error = EEXIST;
    struct rp_text journal;
    rp_text_init(&journal);
    rp_text_printf(&journal, "%s.journal", path);
    compact_utc(utc);
    if (!rp_text_ok(&journal) || (!exists(path) && !exists(journal.data))) {
        rp_text_clear(&journal);
        return RP_OK;
    }
    for (int i = 0; i < MOST && error == EEXIST; ++i) {
        struct rp_text aside;
        rp_text_init(&aside);
        aside_name(path, utc, i, &aside);
        error = rp_text_ok(&aside) ? move_both(path, journal.data, aside.data) : ENOMEM;
        rp_text_clear(&aside);
    }
    rp_text_clear(&journal);
    if (error != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be moved aside: %s", path, strerror(error));
    return rp_folder_sync(path);
}

/* In a folder with the sticky bit only the owner of a file may rename over it. */
static enum rp_status may_replace(const char *path)
{
    struct stat file;
    struct stat folder;
    char *name = rp_folder_of(path);
    if (!name)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    bool present = stat(path, &file) == 0;
    bool sticky = stat(name, &folder) == 0 && (folder.st_mode & S_ISVTX);
    free(name);
    if (!present)
        return RP_OK;
    if (S_ISDIR(file.st_mode))
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s is a folder; the output is a file", path);
    uid_t me = geteuid();
    if (sticky && me != 0 && file.st_uid != me && folder.st_uid != me)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s belongs to another user and cannot be replaced",
                       path);
    return RP_OK;
}

enum rp_status rp_publish_probe(const char *path)
{
    struct rp_text name;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return RP_FAIL(RP_ERR_ENVIRONMENT, "'%s' names no file to write results to", path);
    RP_TRY(rp_folder_create(path));
    RP_TRY(may_replace(path));
    rp_text_init(&name);
    rp_text_printf(&name, "%s.probe-XXXXXX", path);
    if (!rp_text_ok(&name)) {
        rp_text_clear(&name);
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    }
    int descriptor = mkstemp(name.data);
    bool writable = descriptor >= 0 && write(descriptor, "\n", 1) == 1;
    int error = errno;
    if (descriptor >= 0) {
        writable = close(descriptor) == 0 && writable;
        unlink(name.data);
    }
    rp_text_clear(&name);
    if (!writable)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "results cannot be written to %s: %s", path,
                       strerror(error));
    return RP_OK;
}
