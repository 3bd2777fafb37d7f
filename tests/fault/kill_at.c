/*
 * kill_at.c - a preload library: the n-th call of the store's kind (write to a file, fsync,
 * fdatasync, rename, link, unlink, ftruncate, open that creates) in the first process that loads it
 * ends it with SIGKILL (RP_KILL_AT=n), or fails (RP_FAIL_AT=n, RP_FAIL_ERRNO=e, RP_FAIL_FOR_GOOD=1:
 * all later ones of the same kind, too). RP_CALLS=FILE: how many there were, at exit.
 *
 * Workers are left alone: they only measure.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long kill_at, fail_at, fail_errno, calls;
static int is_armed, for_good;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void arm(void)
{
    char line[256] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
    if (fd >= 0)
        close(fd);
    is_armed = n > 0 && strstr(line, "ridgepoint") && memmem(line, (size_t)n, "\0run\0", 5);
    kill_at = number("RP_KILL_AT");
    fail_at = number("RP_FAIL_AT");
    fail_errno = number("RP_FAIL_ERRNO");
    for_good = number("RP_FAIL_FOR_GOOD") != 0;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("RP_CALLS");
    FILE *file = is_armed && path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}

/* True when this call is to fail; errno is set. */
static int strike(void)
{
    if (!is_armed)
        return 0;
    ++calls;
    if (calls == kill_at)
        raise(SIGKILL);
    if (fail_at == 0 || calls < fail_at || (calls > fail_at && !for_good))
        return 0;
    errno = (int)fail_errno;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Standard output and error, pipes and sockets are not the store's. */
static int is_file(int fd)
{
    struct stat info;
    return fd > 2 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

ssize_t write(int fd, const void *data, size_t n)
{
    return is_file(fd) && strike() ? -1 : REAL(write)(fd, data, n);
}

int fsync(int fd)
{
    return strike() ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    return strike() ? -1 : REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size)
{
    return strike() ? -1 : REAL(ftruncate)(fd, size);
}

int rename(const char *from, const char *to)
{
    return strike() ? -1 : REAL(rename)(from, to);
}

int link(const char *from, const char *to)
{
    return strike() ? -1 : REAL(link)(from, to);
}

int unlink(const char *path)
{
    return strike() ? -1 : REAL(unlink)(path);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return flags & O_CREAT && strike() ? -1 : REAL(open)(path, flags, mode);
}
