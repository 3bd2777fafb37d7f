/*
 * worker.h - the rank's side of its worker process: start, talk, notice that it died.
 */
#ifndef RP_RUNNER_WORKER_H
#define RP_RUNNER_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "runner/wire.h"

struct rp_worker {
    pid_t pid; /* 0: none */
    int fd;    /* -1: none; readable when there is a message or the worker is gone */
};

/* Starts this very program again as a worker. Called before MPI is initialised, and later for a
 * fresh worker. */
enum rp_status rp_worker_start(struct rp_worker *worker) RP_MUST_CHECK;

/* Ends the worker, at once if it must, and waits for it. `how` (of `size` bytes, may be null) gets
 * "killed by signal 11 (Segmentation fault)" or "ended with exit code 1". Takes one that is gone.
 */
void rp_worker_stop(struct rp_worker *worker, char *how, size_t size);

#endif
