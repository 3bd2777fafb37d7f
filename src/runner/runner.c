/*
 * runner.c - the loop of a rank: wait for the worker with a back-off, then look for messages.
 *
 * A blocking MPI receive burns a core; poll() on the worker's socket costs nothing, and since a
 * rank has one task queued ahead, messages may wait for the next look.
 */
#include "runner/runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "runner/stop.h"

static const double shortest_wait_s = 0.002;
static const double sending_wait_s = 0.05;      /* until rank 0 has taken what it is sent */
static const double longest_wait_s = 0.08;      /* the next task is queued at the rank already */
static const double longest_wait_busy_s = 0.25; /* what other ranks have to say can wait */
static const double farewell_s = 15;            /* a rank that does not leave by then is hung */

enum { MOST_MESSAGES = 64 }; /* before rows are written and the worker is looked after again */

struct loop {
    struct rp_rank *rank;
    struct rp_comm *comm;
    struct rp_server *server; /* null on other ranks than 0 */
    struct rp_comm_place place;
    double wait_s;
    double beat_s;  /* when this rank last said that it is there */
    double heard_s; /* when rank 0 was heard of last */
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
static bool is_for_rank(const struct loop *loop, int tag)
{
    return !loop->server || tag == RP_TAG_SETUP || tag == RP_TAG_TASKS || tag == RP_TAG_STOP;
}

/* Rank 0 tells all, the others tell rank 0. Rank 0 looks after silent ranks in its tick. */
static enum rp_status beat(struct loop *loop)
{
    double now_s = rp_clock_now_s();
    int first = loop->server ? 1 : 0;
    int last = loop->server ? loop->place.size - 1 : 0;
    if (!loop->server && now_s - loop->heard_s > RP_RANK_SILENCE_S)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "rank 0 has not been heard of for %.0f s",
                       now_s - loop->heard_s);
    if (now_s - loop->beat_s < RP_RANK_BEAT_S)
        return RP_OK;
    loop->beat_s = now_s;
    for (int r = first; r <= last; ++r)
        RP_TRY(rp_comm_send(loop->comm, r, RP_TAG_BEAT, NULL, 0));
    return RP_OK;
}

static enum rp_status take_messages(struct loop *loop, bool *acted)
{
    for (int i = 0; i < MOST_MESSAGES; ++i) {
        struct rp_comm_message message;
        bool got = false;
        RP_TRY(rp_comm_receive(loop->comm, &message, &got));
        if (!got)
            return RP_OK;
        *acted = *acted || message.tag != RP_TAG_BEAT; /* nothing follows a beat */
        loop->heard_s = rp_clock_now_s();
        if (is_for_rank(loop, message.tag))
            RP_TRY(rp_rank_take_message(loop->rank, &message));
        else
            RP_TRY(rp_server_take_message(loop->server, &message));
    }
    return RP_OK;
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

/* Until the next look at the other ranks. While its worker is busy a rank has no need of them, but
 * rank 0: they need it. */
static void set_wait(struct loop *loop, bool acted)
{
    bool is_needed = loop->server && loop->place.size > 1;
    if (rp_rank_is_busy(loop->rank) && !is_needed)
        loop->wait_s = rp_comm_is_busy(loop->comm) ? sending_wait_s : longest_wait_busy_s;
    else if (acted)
        loop->wait_s = shortest_wait_s;
    else
        loop->wait_s = fmin(1.5 * loop->wait_s, longest_wait_s);
}

static enum rp_status turn(struct loop *loop)
{
    bool acted = false;
    RP_TRY(rp_rank_step(loop->rank, loop->wait_s, &acted));
    RP_TRY(take_messages(loop, &acted));
    RP_TRY(notice_signal(loop));
    RP_TRY(beat(loop));
    if (loop->server)
        RP_TRY(rp_server_tick(loop->server));
    set_wait(loop, acted);
    return RP_OK;
}

static void loop_init(struct loop *loop, struct rp_rank *rank, struct rp_comm *comm)
{
    double now_s = rp_clock_now_s();
    *loop = (struct loop){
        .rank = rank, .comm = comm, .wait_s = shortest_wait_s, .beat_s = now_s, .heard_s = now_s};
    rp_comm_place(comm, &loop->place);
}

enum rp_status rp_runner_refuse(struct rp_comm *comm, int exit_code)
{
    const struct rp_rank_setup setup = {.exit_code = exit_code};
    return send_to_all(comm, RP_TAG_SETUP, &setup, sizeof setup);
}

/* Tells every rank to stop and hears them out: a row on its way is taken while `keep_rows`, and a
 * message nobody receives would keep its sender from leaving. False when a rank is still there
 * after farewell_s. */
static bool part(struct loop *loop, bool keep_rows)
{
    int left = 1; /* rank 0 itself says nothing */
    double end_s = rp_clock_now_s() + farewell_s;
    if (send_to_all(loop->comm, RP_TAG_STOP, NULL, 0) != RP_OK)
        return false;
    while (left < loop->place.size && rp_clock_now_s() < end_s) {
        struct rp_comm_message message;
        bool got = false;
        if (rp_comm_receive(loop->comm, &message, &got) != RP_OK)
            return false;
        if (!got)
            rp_clock_sleep_s(shortest_wait_s);
        else if (message.tag == RP_TAG_BYE)
            ++left;
        else if (message.tag == RP_TAG_REPORT && keep_rows &&
                 rp_server_take_message(loop->server, &message) != RP_OK)
            return false;
    }
    return left >= loop->place.size;
}

enum rp_status rp_runner_lead(struct rp_rank *rank, struct rp_comm *comm,
                              const struct rp_runner_options *options, int *exit_code)
{
    struct loop loop;
    loop_init(&loop, rank, comm);
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
                                  .threads = options->threads,
                                  .counts_traffic = options->counts_traffic};
    snprintf(setup.device, sizeof setup.device, "%s", options->device);
    snprintf(setup.data, sizeof setup.data, "%s", options->server.data ? options->server.data : "");
    status = send_to_all(comm, RP_TAG_SETUP, &setup, sizeof setup);
    while (status == RP_OK && !rp_server_is_done(loop.server))
        status = turn(&loop);
    char why[1024];
    snprintf(why, sizeof why, "%s", rp_status_message());
    bool all_left = status != RP_ERR_TIMEOUT && part(&loop, status == RP_OK);
    if (status == RP_OK) {
        status = rp_server_finish(loop.server, exit_code);
        snprintf(why, sizeof why, "%s", rp_status_message());
    }
    rp_server_destroy(loop.server);
    if (status != RP_OK)
        *exit_code = rp_status_exit_code(status);
    if (!all_left) {
        /* A hung rank would keep this one in MPI's own farewell for ever. */
        rp_log(RP_LOG_ERROR, "%s", status != RP_OK ? why : "a rank does not leave; ending the job");
        rp_comm_abort(comm, *exit_code ? *exit_code : 3);
    }
    return status == RP_OK ? RP_OK : RP_FAIL(status, "%s", why);
}

enum rp_status rp_runner_follow(struct rp_rank *rank, struct rp_comm *comm, int *exit_code)
{
    struct loop loop;
    loop_init(&loop, rank, comm);
    while (!rp_rank_is_stopped(rank))
        RP_TRY(turn(&loop));
    *exit_code = rp_rank_exit_code(rank);
    return *exit_code == 0 ? rp_comm_send(comm, 0, RP_TAG_BYE, NULL, 0) : RP_OK;
}
