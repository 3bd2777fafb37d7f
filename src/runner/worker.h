/*
 * worker.h - the rank's side of its worker process: start, talk, notice that it died or hangs.
 */
#ifndef RP_RUNNER_WORKER_H
#define RP_RUNNER_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "runner/wire.h"

struct rp_worker {
    pid_t pid;                   /* 0: none */
    struct rp_wire wire;         /* readable when there is a message or the worker is gone */
    struct rp_worker_step *step; /* what it is at, or was at when it died */
    int step_fd;
};

enum rp_status rp_worker_init(struct rp_worker *worker) RP_MUST_CHECK;
void rp_worker_clear(struct rp_worker *worker); /* ends the process; takes a zeroed worker */

/* Starts this very program again as a worker. Called before MPI is initialised, and later for a
 * fresh worker. */
enum rp_status rp_worker_start(struct rp_worker *worker) RP_MUST_CHECK;

/* Ends the process, at once if it must, and waits for it. `how` (of `size` bytes, may be null) gets
 * "killed by signal 11 (Segmentation fault)" or "ended with exit code 1". What it had said can
 * still be read. Takes one that is gone. Returns the signal that ended it, 0 when none did. */
int rp_worker_stop(struct rp_worker *worker, char *how, size_t size);

/* True when the step takes longer than its limit and a little more. */
bool rp_worker_is_overdue(const struct rp_worker *worker);

#endif
