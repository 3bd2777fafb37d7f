/* child.c - fork, wait, and say what a signal meant. */
#include "analysis/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct notes {
    char file[4096];
    int verdict;
};

static struct notes *notes; /* shared between parent and child; null outside of them */

void rp_child_note_file(const char *path)
{
    if (notes)
        snprintf(notes->file, sizeof notes->file, "%s", path ? path : "");
}

void rp_child_note_verdict(int exit_code)
{
    if (notes)
        notes->verdict = exit_code;
}

static enum rp_status wait_for(pid_t pid, int *exit_code)
{
    int state = 0;
    while (waitpid(pid, &state, 0) < 0) {
        if (errno != EINTR)
            return RP_FAIL(RP_ERR_INTERNAL, "waiting for the reading process failed: %s",
                           strerror(errno));
    }
    if (WIFEXITED(state)) {
        *exit_code = WEXITSTATUS(state);
        return RP_OK;
    }
    int number = WTERMSIG(state);
    if (number == SIGPIPE) { /* whoever read the output has seen enough */
        *exit_code = notes->verdict;
        return RP_OK;
    }
    if (notes->file[0])
        return RP_FAIL(RP_ERR_DAMAGED,
                       "%s: the HDF5 library was stopped by signal %d (%s) while reading this "
                       "file; it is damaged",
                       notes->file, number, strsignal(number));
    return RP_FAIL(RP_ERR_INTERNAL, "the working process was stopped by signal %d (%s)", number,
                   strsignal(number));
}

enum rp_status rp_child_split(bool *in_child, int *exit_code)
{
    *in_child = false;
    void *page =
        mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "no memory to share with the working process: %s",
                       strerror(errno));
    notes = page;
    fflush(NULL); /* or both would write what is buffered */
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "the working process could not be started: %s",
                       strerror(errno));
    if (pid > 0)
        return wait_for(pid, exit_code);
    *in_child = true;
    signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the child at once, quietly */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* gone before the line above */
        return RP_FAIL(RP_ERR_STOPPED, "the program was stopped");
    return RP_OK;
}
