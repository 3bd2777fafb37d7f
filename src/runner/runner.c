/*
 * runner.c - the loop of a rank: wait for the worker with a back-off, then look for messages.
 *
 * A blocking MPI receive burns a core; poll() on the worker's socket costs nothing, and since a
 * rank has one task queued ahead, messages may wait for the next look.
 */
#include "runner/runner.h"

#include <stdio.h>
#include <string.h>

#include "runner/stop.h"

static const double shortest_wait_s = 0.0005;
static const double longest_wait_s = 0.01;

struct loop {
    struct rp_rank *rank;
    struct rp_comm *comm;
    struct rp_server *server; /* null on other ranks than 0 */
    double wait_s;
    bool told_stopping;
};

static enum rp_status send_to_all(struct rp_comm *comm, enum rp_rank_tag tag, const void *data,
                                  size_t bytes)
{
    struct rp_comm_place place;
    rp_comm_place(comm, &place);
    for (int r = 0; r < place.size; ++r)
        RP_TRY(rp_comm_send(comm, r, (int)tag, data, bytes));
    return RP_OK;
}

/* Messages of rank 0 to a rank, as against those of a rank to rank 0. */
static bool is_for_rank(int tag)
{
    return tag == RP_TAG_SETUP || tag == RP_TAG_TASK || tag == RP_TAG_STOP;
}

static enum rp_status take_messages(struct loop *loop, bool *acted)
{
    for (;;) {
        struct rp_comm_message message;
        bool got = false;
        RP_TRY(rp_comm_receive(loop->comm, &message, &got));
        if (!got)
            return RP_OK;
        *acted = true;
        if (is_for_rank(message.tag))
            RP_TRY(rp_rank_take_message(loop->rank, &message));
        else
            RP_TRY(rp_server_take_message(loop->server, &message));
    }
}

static enum rp_status notice_signal(struct loop *loop)
{
    if (rp_stop_signal() == 0 || loop->told_stopping)
        return RP_OK;
    loop->told_stopping = true;
    if (loop->server)
        rp_server_ask_stop(loop->server);
    else
        return rp_comm_send(loop->comm, 0, RP_TAG_STOPPING, NULL, 0);
    return RP_OK;
}

static enum rp_status turn(struct loop *loop)
{
    bool acted = false;
    RP_TRY(rp_rank_step(loop->rank, loop->wait_s, &acted));
    RP_TRY(take_messages(loop, &acted));
    RP_TRY(notice_signal(loop));
    if (loop->server)
        RP_TRY(rp_server_tick(loop->server));
    loop->wait_s = acted ? shortest_wait_s : 1.5 * loop->wait_s;
    if (loop->wait_s > longest_wait_s)
        loop->wait_s = longest_wait_s;
    return RP_OK;
}

enum rp_status rp_runner_refuse(struct rp_comm *comm, int exit_code)
{
    const struct rp_rank_setup setup = {.exit_code = exit_code};
    return send_to_all(comm, RP_TAG_SETUP, &setup, sizeof setup);
}

enum rp_status rp_runner_lead(struct rp_rank *rank, struct rp_comm *comm,
                              const struct rp_runner_options *options, int *exit_code)
{
    struct loop loop = {.rank = rank, .comm = comm, .wait_s = shortest_wait_s};
    enum rp_status status = rp_server_create(&options->server, comm, &loop.server);
    *exit_code = rp_status_exit_code(status);
    if (status != RP_OK) {
        /* Its sentence is the one to report, whatever happens to the farewell. */
        char why[1024];
        snprintf(why, sizeof why, "%s", rp_status_message());
        if (rp_runner_refuse(comm, *exit_code) != RP_OK)
            return status;
        return RP_FAIL(status, "%s", why);
    }
    struct rp_rank_setup setup = {.protocol = options->server.job->protocol,
                                  .seed = options->server.job->seed,
                                  .threads = options->threads};
    snprintf(setup.device, sizeof setup.device, "%s", options->device);
    status = send_to_all(comm, RP_TAG_SETUP, &setup, sizeof setup);
    while (status == RP_OK && !rp_server_is_done(loop.server))
        status = turn(&loop);
    if (status == RP_OK)
        status = rp_server_finish(loop.server, exit_code);
    char why[1024];
    snprintf(why, sizeof why, "%s", rp_status_message());
    enum rp_status farewell = send_to_all(comm, RP_TAG_STOP, NULL, 0);
    rp_server_destroy(loop.server);
    if (status != RP_OK) {
        *exit_code = rp_status_exit_code(status);
        return RP_FAIL(status, "%s", why);
    }
    return farewell;
}

enum rp_status rp_runner_follow(struct rp_rank *rank, struct rp_comm *comm, int *exit_code)
{
    struct loop loop = {.rank = rank, .comm = comm, .wait_s = shortest_wait_s};
    while (!rp_rank_is_stopped(rank))
        RP_TRY(turn(&loop));
    *exit_code = rp_rank_exit_code(rank);
    return RP_OK;
}
