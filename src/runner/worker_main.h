/*
 * worker_main.h - the process that opens the device and measures. It is the same program, started
 * by its rank with the hidden subcommand "worker"; it never touches MPI or a file.
 */
#ifndef RP_RUNNER_WORKER_MAIN_H
#define RP_RUNNER_WORKER_MAIN_H

#define RP_WORKER_SUBCOMMAND "worker"

/* Serves the rank at the other end of RP_WORKER_FD until it goes away. Exit code. */
int rp_worker_main(void);

#endif
