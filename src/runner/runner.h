/*
 * runner.h - one rank from SETUP to STOP; on rank 0 with the server beside it.
 */
#ifndef RP_RUNNER_RUNNER_H
#define RP_RUNNER_RUNNER_H

#include "base/status.h"
#include "runner/comm.h"
#include "runner/rank.h"
#include "runner/server.h"

struct rp_runner_options { /* rank 0 */
    struct rp_server_options server;
    const char *device;  /* as typed after --device */
    int threads;         /* of a CPU device, per rank; 0: as many as cores were given */
    bool counts_traffic; /* devices count what launches move to and from their memory */
};

/* Rank 0: the whole run. *exit_code is the contract's; RP_OK when a file says how it ended. */
enum rp_status rp_runner_lead(struct rp_rank *rank, struct rp_comm *comm,
                              const struct rp_runner_options *options,
                              int *exit_code) RP_MUST_CHECK;

/* Rank 0 cannot begin: the others are told to leave with this exit code. */
enum rp_status rp_runner_refuse(struct rp_comm *comm, int exit_code) RP_MUST_CHECK;

/* Every other rank. */
enum rp_status rp_runner_follow(struct rp_rank *rank, struct rp_comm *comm,
                                int *exit_code) RP_MUST_CHECK;

#endif
