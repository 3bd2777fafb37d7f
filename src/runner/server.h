/*
 * server.h - rank 0's other half: hands tasks out, gathers rows, keeps and publishes the study.
 */
#ifndef RP_RUNNER_SERVER_H
#define RP_RUNNER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/job.h"
#include "runner/comm.h"
#include "runner/worklist.h"

struct rp_progress {
    int64_t rows_done, rows_planned; /* of the device types present */
    double elapsed_s;
    double remaining_s;          /* estimate; negative while there is none */
    const struct rp_result *row; /* the one just finished; null on a mere tick */
};

struct rp_progress_listener {
    void *context;
    void (*update)(void *context, const struct rp_progress *progress); /* may be null */
};

struct rp_server_options {
    const struct rp_job *job;
    const char *output;   /* path of the HDF5 file */
    bool overwrite;       /* move an old file aside */
    bool no_ceilings;     /* do not measure what the devices can do at most */
    const char *data;     /* --data, or null */
    const char *gpu_type; /* every device has to be of this one; null or "": of any */
    struct rp_selection selection;
    const struct rp_run *run; /* provenance of this invocation; copied */
    struct rp_progress_listener progress;
};

struct rp_server;

/* Takes the output (lock, old rows). Nothing on disk has changed when it fails, but for folders. */
enum rp_status rp_server_create(const struct rp_server_options *options, struct rp_comm *comm,
                                struct rp_server **server) RP_MUST_CHECK;
void rp_server_destroy(struct rp_server *server);

/* A message from a rank: HELLO, REPORT, RETIRE, BEAT or STOPPING. */
enum rp_status rp_server_take_message(struct rp_server *server,
                                      const struct rp_comm_message *message) RP_MUST_CHECK;

/* Tick: sync, estimate to the listener, publication now and then. RP_ERR_TIMEOUT when a rank
 * has not been heard of for too long. */
enum rp_status rp_server_tick(struct rp_server *server) RP_MUST_CHECK;

/* Nothing is left to hand out or to wait for, or a rank was asked to stop. */
bool rp_server_is_done(const struct rp_server *server);
void rp_server_ask_stop(struct rp_server *server);

/* Publishes what there is and says how it ended: exit code of the contract, section 1. */
enum rp_status rp_server_finish(struct rp_server *server, int *exit_code) RP_MUST_CHECK;

#endif
