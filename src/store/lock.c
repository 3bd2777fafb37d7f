/*
 * lock.c - the lock file of a result file.
 *
 * Making it: the text is written and synced under F.lock.HOST, then linked to F.lock, which fails
 * when F.lock exists. So F.lock is never seen empty, and a crash leaves nothing that has to age.
 *
 * Taking over: F.lock.HOST is renamed onto the stale F.lock, so that there is no moment without a
 * lock. Two contenders for one stale lock must not both do that. Both are on this host, because
 * only here its holder can be known to be gone; so a socket address of the kernel, which one
 * process can be bound to and which goes with it, lets them through one by one, and who comes
 * second finds a lock that is not stale.
 */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/folder.h"
#include "store/lock_holder.h"

struct rp_lock {
    char *file;      /* F.lock */
    char *candidate; /* F.lock.HOST */
    struct rp_lock_holder self;
};

enum sight { SIGHT_NONE, SIGHT_HOLDER, SIGHT_TORN, SIGHT_ERROR };

/* What F.lock says now; `age_s` by the file system's clock against `now`, its time of our file. */
static enum sight look(const char *file, time_t now, struct rp_lock_holder *holder, double *age_s)
{
    char text[RP_LOCK_TEXT_SIZE];
    struct stat about;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return errno == ENOENT ? SIGHT_NONE : SIGHT_ERROR;
    ssize_t n = read(descriptor, text, sizeof text - 1);
    bool known = fstat(descriptor, &about) == 0;
    close(descriptor);
    if (n < 0 || !known)
        return errno == ESTALE ? SIGHT_NONE : SIGHT_ERROR;
    text[n] = '\0';
    *age_s = difftime(now, about.st_mtime);
    return rp_lock_holder_parse(text, holder) ? SIGHT_HOLDER : SIGHT_TORN;
}

static bool write_candidate(const struct rp_lock *lock, time_t *now)
{
    char text[RP_LOCK_TEXT_SIZE];
    struct stat about;
    rp_lock_holder_text(&lock->self, text);
    unlink(lock->candidate); /* what a killed run left */
    int descriptor = open(lock->candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return false;
    const ssize_t length = (ssize_t)strlen(text);
    ssize_t n = write(descriptor, text, (size_t)length);
    if (n >= 0 && n < length)
        errno = ENOSPC;
    bool done = n == length && fsync(descriptor) == 0 && fstat(descriptor, &about) == 0;
    int error = errno;
    if (close(descriptor) != 0 && done) {
        error = errno;
        done = false;
    }
    if (done)
        *now = about.st_mtime;
    errno = error;
    return done;
}

/* Where there are no hard links: the lock file is seen empty for a moment, and may stay so. */
static bool create_plainly(const struct rp_lock *lock)
{
    char text[RP_LOCK_TEXT_SIZE];
    rp_lock_holder_text(&lock->self, text);
    int descriptor = open(lock->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return false;
    const ssize_t length = (ssize_t)strlen(text);
    bool done = write(descriptor, text, (size_t)length) == length && fsync(descriptor) == 0;
    int error = errno;
    done = close(descriptor) == 0 && done;
    if (!done)
        unlink(lock->file);
    errno = error;
    return done;
}

/* Fails with EEXIST when there is a lock. */
static bool create(const struct rp_lock *lock)
{
    struct stat about;
    if (link(lock->candidate, lock->file) == 0)
        return true;
    int error = errno;
    if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK)
        return create_plainly(lock);
    /* Over NFS the answer to a link that was made can get lost, and the second try says EEXIST. */
    if (error == EEXIST && stat(lock->candidate, &about) == 0 && about.st_nlink == 2)
        return true;
    errno = error;
    return false;
}

static enum rp_status fail_held(const struct rp_lock *lock, const struct rp_lock_holder *holder)
{
    bool job = holder->slurm_job[0] != '\0';
    return RP_FAIL(RP_ERR_ENVIRONMENT,
                   "another run holds this output: process %" PRId64 " on host %s%s%s (run %s); "
                   "when that run is no more, remove %s",
                   holder->pid, holder->host, job ? ", Slurm job " : "",
                   job ? holder->slurm_job : "", holder->run, lock->file);
}

static enum rp_status fail_errno(const char *what, const char *file)
{
    return RP_FAIL(RP_ERR_ENVIRONMENT, "the lock file %s cannot be %s: %s", file, what,
                   strerror(errno));
}

/* Alone on this host among those who want this lock. */
static enum rp_status take(const struct rp_lock *lock)
{
    enum { TRIES = 100 }; /* a holder that ends meanwhile leaves no lock; then once more */
    time_t now = 0;
    if (!write_candidate(lock, &now))
        return fail_errno("written", lock->candidate);
    for (int i = 0; i < TRIES; ++i) {
        struct rp_lock_holder holder = {.pid = 0};
        double age_s = 0;
        if (create(lock))
            return RP_OK;
        if (errno != EEXIST)
            return fail_errno("created", lock->file);
        enum sight sight = look(lock->file, now, &holder, &age_s);
        if (sight == SIGHT_NONE)
            continue;
        if (sight == SIGHT_ERROR)
            return fail_errno("read", lock->file);
        if (sight == SIGHT_TORN && age_s < RP_LOCK_TORN_S)
            return RP_FAIL(RP_ERR_ENVIRONMENT,
                           "another run seems to be taking this output: %s is incomplete and "
                           "younger than %d s; wait, or remove it when there is no such run",
                           lock->file, RP_LOCK_TORN_S);
        if (sight == SIGHT_HOLDER && !rp_lock_holder_is_gone(&holder, &lock->self))
            return fail_held(lock, &holder);
        if (rename(lock->candidate, lock->file) == 0)
            return RP_OK;
        return fail_errno("taken over", lock->file);
    }
    return RP_FAIL(RP_ERR_ENVIRONMENT, "the lock file %s comes and goes; try again", lock->file);
}

/* One process at a time is bound to this address; the kernel frees it when the process ends,
 * however it ends. -1 after a while of waiting. */
static int enter_host(const char *folder)
{
    enum { TRIES = 1000 };
    const double pause_s = 0.01;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat about;
    if (stat(folder, &about) != 0)
        return -1;
    /* The null in front makes it a name of the kernel's, not of a file. */
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "ridgepoint-lock-%jx-%jx",
             (uintmax_t)about.st_dev, (uintmax_t)about.st_ino);
    const socklen_t size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
    int door = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int i = 0; door >= 0 && i < TRIES; ++i) {
        if (bind(door, (const struct sockaddr *)&address, size) == 0)
            return door;
        rp_clock_sleep_s(pause_s);
    }
    int error = errno;
    if (door >= 0)
        close(door);
    errno = error;
    return -1;
}

static void destroy(struct rp_lock *lock)
{
    if (!lock)
        return;
    free(lock->file);
    free(lock->candidate);
    free(lock);
}

static struct rp_lock *new_lock(const char *path, const char *run_id)
{
    struct rp_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return NULL;
    struct rp_text file;
    struct rp_text candidate;
    rp_text_init(&file);
    rp_text_init(&candidate);
    rp_lock_holder_self(&lock->self, run_id);
    rp_text_printf(&file, "%s.lock", path);
    rp_text_printf(&candidate, "%s.lock.%s", path, lock->self.host);
    lock->file = file.data;
    lock->candidate = candidate.data;
    if (rp_text_ok(&file) && rp_text_ok(&candidate))
        return lock;
    destroy(lock);
    return NULL;
}

enum rp_status rp_lock_acquire(const char *path, const char *run_id, struct rp_lock **lock)
{
    *lock = NULL;
    struct rp_lock *made = new_lock(path, run_id);
    char *folder = rp_folder_of(path);
    enum rp_status status = RP_OK;
    int door = -1;
    if (!made || !folder) {
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the lock of %s", path);
        goto cleanup;
    }
    door = enter_host(folder);
    if (door < 0) {
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "outputs in %s cannot be locked: %s", folder,
                         errno == EADDRINUSE ? "other runs on this host keep trying to; try again"
                                             : strerror(errno));
        goto cleanup;
    }
    status = take(made);
    unlink(made->candidate);
    close(door);
    if (status == RP_OK) {
        *lock = made;
        made = NULL;
    }

cleanup:
    destroy(made);
    free(folder);
    return status;
}

void rp_lock_release(struct rp_lock *lock)
{
    struct rp_lock_holder holder = {.pid = 0};
    double age_s = 0;
    if (!lock)
        return;
    /* A child that inherited it, or a lock that someone removed and another took, is not ours. */
    if (lock->self.pid == getpid() && look(lock->file, 0, &holder, &age_s) == SIGHT_HOLDER &&
        holder.pid == lock->self.pid && holder.start == lock->self.start &&
        strcmp(holder.run, lock->self.run) == 0 && strcmp(holder.host, lock->self.host) == 0)
        unlink(lock->file);
    destroy(lock);
}
