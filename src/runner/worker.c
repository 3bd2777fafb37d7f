/* worker.c - posix_spawn of /proc/self/exe with one end of a socket pair as descriptor 3. */
#include "runner/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/worker_main.h"

extern char **environ;

enum rp_status rp_worker_start(struct rp_worker *worker)
{
    *worker = (struct rp_worker){.fd = -1};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "no socket pair for the worker: %s", strerror(errno));
    /* dup2 of a descriptor onto itself would leave close-on-exec set. */
    int theirs = ends[1] == RP_WORKER_FD ? fcntl(ends[1], F_DUPFD_CLOEXEC, 10) : ends[1];
    char name[] = "ridgepoint";
    char subcommand[] = RP_WORKER_SUBCOMMAND;
    char *const argv[] = {name, subcommand, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, theirs, RP_WORKER_FD);
    int code = posix_spawn(&worker->pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (theirs != ends[1])
        close(theirs);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        worker->pid = 0;
        return RP_FAIL(RP_ERR_ENVIRONMENT, "the worker process cannot be started: %s",
                       strerror(code));
    }
    worker->fd = ends[0];
    return RP_OK;
}

static void describe(int wait_status, char *how, size_t size)
{
    if (WIFSIGNALED(wait_status))
        snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(wait_status),
                 strsignal(WTERMSIG(wait_status)));
    else
        snprintf(how, size, "ended with exit code %d", WEXITSTATUS(wait_status));
}

void rp_worker_stop(struct rp_worker *worker, char *how, size_t size)
{
    int wait_status = 0;
    if (worker->fd >= 0)
        close(worker->fd);
    if (worker->pid > 0) {
        /* One that died by itself is a zombie until now: the signal then changes nothing. */
        kill(worker->pid, SIGKILL);
        while (waitpid(worker->pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
    }
    if (how)
        describe(wait_status, how, size);
    *worker = (struct rp_worker){.fd = -1};
}
