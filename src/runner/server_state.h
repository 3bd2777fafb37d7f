/*
 * server_state.h - what server.c and server_work.c share.
 */
#ifndef RP_RUNNER_SERVER_STATE_H
#define RP_RUNNER_SERVER_STATE_H

#include "runner/calibration.h"
#include "runner/implied.h"
#include "runner/ledger.h"
#include "runner/server.h"

struct rp_peer { /* a rank as rank 0 sees it */
    bool said_hello;
    struct rp_rank_hello hello;
    int64_t device; /* row of /devices; -1 before work begins */
    double heard_s; /* when it was heard of last */
    struct rp_calibration calibration;
};

struct rp_server {
    struct rp_server_options options;
    struct rp_comm *comm;
    struct rp_comm_place place;
    struct rp_ledger *ledger;
    struct rp_peer *peers; /* heap; one a rank */
    int n_hello;
    struct rp_worklist work;    /* its schedule is null until every rank has said hello */
    struct rp_implied *implied; /* what need not be tried any more */
    struct rp_inventory *old;   /* of the rows that --retry or --only replaces */
    bool working;               /* the run has its row of /runs */
    double finished_s;          /* predicted time of the finished tasks */
    double start_s, published_s, ticked_s;
    int64_t rows_reported; /* of this run */
    bool stop_asked;
};

/* Every rank has said hello: checks their devices, plans the work and hands out the first of it. */
enum rp_status rp_server_begin_work(struct rp_server *server) RP_MUST_CHECK;

/* Gives a rank what it can take. */
enum rp_status rp_server_feed(struct rp_server *server, int rank) RP_MUST_CHECK;

/* A row of the device of `rank`: into the ledger, and told to who follows the progress. */
enum rp_status rp_server_store_row(struct rp_server *server, int rank, struct rp_result *row,
                                   const struct rp_sample *samples) RP_MUST_CHECK;

#endif
