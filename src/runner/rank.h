/*
 * rank.h - one rank: keeps its worker busy and alive, and tells rank 0.
 *
 * Messages to rank 0: HELLO (device), REPORT (runner/report.h), RETIRE (no more), STOPPING (a
 * signal), BYE (the last one, after STOP). Both ways: BEAT (still here).
 * Messages from rank 0: SETUP (once), TASKS, STOP.
 */
#ifndef RP_RUNNER_RANK_H
#define RP_RUNNER_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"
#include "model/protocol.h"
#include "model/task.h"
#include "runner/comm.h"
#include "runner/wire.h"

enum rp_rank_tag {
    RP_TAG_SETUP = 1,
    RP_TAG_TASKS,
    RP_TAG_STOP,
    RP_TAG_HELLO,
    RP_TAG_REPORT,
    RP_TAG_RETIRE,
    RP_TAG_STOPPING,
    RP_TAG_BEAT, /* both ways: still here */
    RP_TAG_BYE   /* a rank's last message, after STOP */
};

/* MPI sends so much at once; for more the ranks have to agree, and that takes a few looks. */
enum { RP_RANK_MESSAGE_BYTES = 4000 };

/* Every rank says something at least every so often; silence for longer is a hung process. */
#define RP_RANK_BEAT_S    3.0
#define RP_RANK_SILENCE_S 40.0

struct rp_rank_setup { /* rank 0 -> all */
    int exit_code;     /* not 0: rank 0 could not begin; leave with this code */
    struct rp_protocol protocol;
    int64_t seed;
    char device[RP_WIRE_WORD_SIZE];
    char data[RP_WIRE_PATH_SIZE]; /* --data, or "" */
    int threads;
    bool counts_traffic;
};

struct rp_rank_hello {     /* rank -> 0 */
    enum rp_status status; /* RP_OK: the device is open */
    struct rp_device_info info;
    char host[64];
    char failure[1024];
};

struct rp_rank;

/* The worker is started here, so before MPI is initialised. */
enum rp_status rp_rank_create(struct rp_rank **rank) RP_MUST_CHECK;
void rp_rank_destroy(struct rp_rank *rank); /* ends the worker */

void rp_rank_join(struct rp_rank *rank, struct rp_comm *comm);

/* A message from rank 0. */
enum rp_status rp_rank_take_message(struct rp_rank *rank,
                                    const struct rp_comm_message *message) RP_MUST_CHECK;

/* Waits up to `timeout_s` for the worker, deals with what it says or with its death.
 * *acted: something happened. */
enum rp_status rp_rank_step(struct rp_rank *rank, double timeout_s, bool *acted) RP_MUST_CHECK;

/* Its worker has something to do. */
bool rp_rank_is_busy(const struct rp_rank *rank);

/* Told to stop by rank 0: nothing is to be done any more. */
bool rp_rank_is_stopped(const struct rp_rank *rank);
int rp_rank_exit_code(const struct rp_rank *rank); /* of SETUP */

#endif
