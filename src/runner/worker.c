/*
 * worker.c - posix_spawn of /proc/self/exe with one end of a socket pair and the page of the step
 * as descriptors.
 */
#include "runner/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "runner/stop.h"
#include "runner/worker_main.h"

static const double grace_s = 2; /* beyond a step's own limit before the worker is ended */

extern char **environ;

/* Descriptors above those that the child gets: dup2 of one onto itself would leave close-on-exec
 * set. */
static int raise_fd(int fd)
{
    int raised = fcntl(fd, F_DUPFD_CLOEXEC, RP_WORKER_PAGE_FD + 1);
    close(fd);
    return raised;
}

enum rp_status rp_worker_init(struct rp_worker *worker)
{
    *worker = (struct rp_worker){.step_fd = -1};
    rp_wire_init(&worker->wire, -1);
    int fd = memfd_create("ridgepoint-step", MFD_CLOEXEC);
    worker->step_fd = fd >= 0 ? raise_fd(fd) : -1;
    void *page = MAP_FAILED;
    if (worker->step_fd >= 0 && ftruncate(worker->step_fd, sizeof *worker->step) == 0)
        page = mmap(NULL, sizeof *worker->step, PROT_READ | PROT_WRITE, MAP_SHARED, worker->step_fd,
                    0);
    if (page == MAP_FAILED) {
        int error = errno;
        rp_worker_clear(worker);
        return RP_FAIL(RP_ERR_ENVIRONMENT, "no memory shared with the worker: %s", strerror(error));
    }
    worker->step = page;
    return RP_OK;
}

void rp_worker_clear(struct rp_worker *worker)
{
    rp_worker_stop(worker, NULL, 0);
    rp_wire_close(&worker->wire);
    if (worker->step)
        munmap(worker->step, sizeof *worker->step);
    if (worker->step_fd >= 0)
        close(worker->step_fd);
    *worker = (struct rp_worker){.step_fd = -1};
    rp_wire_init(&worker->wire, -1);
}

/* A signal to the whole group may come before the worker ignores it: until then it waits. */
static int spawn(struct rp_worker *worker, const posix_spawn_file_actions_t *actions)
{
    char name[] = "ridgepoint";
    char subcommand[] = RP_WORKER_SUBCOMMAND;
    char *const argv[] = {name, subcommand, NULL};
    sigset_t blocked;
    posix_spawnattr_t attributes;
    rp_stop_signals(&blocked);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int code = posix_spawn(&worker->pid, "/proc/self/exe", actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return code;
}

enum rp_status rp_worker_start(struct rp_worker *worker)
{
    int ends[2];
    rp_wire_close(&worker->wire);
    *worker->step = (struct rp_worker_step){.task = -1, .impl = -1, .name = "start"};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "no socket pair for the worker: %s", strerror(errno));
    rp_wire_init(&worker->wire, ends[0]);
    int theirs = raise_fd(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs, RP_WORKER_FD);
    posix_spawn_file_actions_adddup2(&actions, worker->step_fd, RP_WORKER_PAGE_FD);
    int code = spawn(worker, &actions);
    posix_spawn_file_actions_destroy(&actions);
    if (theirs >= 0)
        close(theirs);
    if (code == 0)
        return RP_OK;
    worker->pid = 0;
    rp_wire_close(&worker->wire);
    return RP_FAIL(RP_ERR_ENVIRONMENT, "the worker process cannot be started: %s", strerror(code));
}

static void describe(int wait_status, char *how, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(how, size, "ended with exit code %d", WEXITSTATUS(wait_status));
}

int rp_worker_stop(struct rp_worker *worker, char *how, size_t size)
{
    int wait_status = 0;
    if (worker->pid > 0) {
        /* One that died by itself is a zombie until now: the signal then changes nothing. */
        kill(worker->pid, SIGKILL);
        while (waitpid(worker->pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
    }
    if (how)
        describe(wait_status, how, size);
    worker->pid = 0;
    return WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
}

bool rp_worker_is_overdue(const struct rp_worker *worker)
{
    double deadline_s = worker->pid > 0 ? worker->step->deadline_s : 0;
    return deadline_s > 0 && rp_clock_now_s() > deadline_s + grace_s;
}
