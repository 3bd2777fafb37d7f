/*
 * server.c - what rank 0 hears of the others: rows and ends of tasks, silence, and when all is
 * done. What is on disk is the ledger's; what ranks are given is in server_work.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/result.h"
#include "runner/rank.h"
#include "runner/report.h"
#include "runner/server_state.h"

static const double publish_interval_s = 30;
static const double tick_interval_s = 0.5;
static const double row_interval_s = 0.1; /* good rows are told of no more often than this */

enum rp_status rp_server_create(const struct rp_server_options *options, struct rp_comm *comm,
                                struct rp_server **server)
{
    *server = NULL;
    struct rp_server *made = calloc(1, sizeof *made);
    if (!made)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the study");
    made->options = *options;
    made->comm = comm;
    rp_comm_place(comm, &made->place);
    enum rp_status status = RP_OK;
    made->peers = calloc((size_t)made->place.size, sizeof *made->peers);
    if (!made->peers) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for %d ranks", made->place.size);
        goto cleanup;
    }
    status = rp_implied_create(&made->implied);
    if (status != RP_OK)
        goto cleanup;
    status = rp_ledger_open(options->output, options->job, options->run->run_id, options->overwrite,
                            &made->ledger);
    if (status != RP_OK)
        goto cleanup;
    made->start_s = made->published_s = made->ticked_s = rp_clock_now_s();
    for (int r = 0; r < made->place.size; ++r)
        made->peers[r].heard_s = made->start_s;
    *server = made;
    made = NULL;

cleanup:
    rp_server_destroy(made);
    return status;
}

void rp_server_destroy(struct rp_server *server)
{
    if (!server)
        return;
    rp_worklist_clear(&server->work);
    rp_inventory_destroy(server->old);
    rp_implied_destroy(server->implied);
    rp_ledger_close(server->ledger);
    free(server->peers);
    free(server);
}

static int64_t rows_done(const struct rp_server *server)
{
    return server->work.rows_done + rp_ledger_synced_rows(server->ledger);
}

static void report_progress(struct rp_server *server, const struct rp_result *row)
{
    const struct rp_progress_listener *listener = &server->options.progress;
    double now_s = rp_clock_now_s();
    enum rp_outcome outcome;
    bool is_good = row && rp_outcome_find(row->status, &outcome) && rp_outcome_is_good(outcome);
    if (is_good && now_s - server->ticked_s < row_interval_s)
        return;
    struct rp_progress progress = {
        .rows_done = rows_done(server),
        .rows_planned = server->work.rows_planned,
        .elapsed_s = now_s - server->start_s,
        .remaining_s = -1,
        .row = row,
    };
    server->ticked_s = now_s;
    if (!listener->update || !server->work.schedule)
        return;
    /* Predictions are corrected by how long the finished tasks took against theirs. */
    double ranks = (double)server->place.size;
    if (server->finished_s > 0)
        progress.remaining_s = rp_schedule_remaining_s(server->work.schedule) * progress.elapsed_s *
                               ranks / server->finished_s;
    listener->update(listener->context, &progress);
}

/* The sequence of the row this one stands for from now on; -1: of none. */
static int64_t find_replaced(const struct rp_server *server, int rank, const struct rp_result *row)
{
    if (!server->old)
        return -1;
    const char *key =
        rp_cover_key(server->options.selection.cover, &server->peers[rank].hello.info.row);
    const struct rp_held_row *old = rp_inventory_find(server->old, key, row->point, row->impl);
    return old ? old->sequence : -1;
}

enum rp_status rp_server_store_row(struct rp_server *server, int rank, struct rp_result *row,
                                   const struct rp_sample *samples)
{
    row->device = server->peers[rank].device;
    row->rank = rank;
    rp_implied_learn(server->implied, &server->peers[rank].hello.info, row);
    RP_TRY(rp_ledger_add_result(server->ledger, row, samples, find_replaced(server, rank, row)));
    report_progress(server, row);
    return RP_OK;
}

static enum rp_status take_end(struct rp_server *server, int rank, int64_t number)
{
    struct rp_task task;
    if (rp_calibration_is_task(number)) {
        rp_calibration_finish(&server->peers[rank].calibration);
        return RP_OK;
    }
    if (!rp_schedule_finish(server->work.schedule, (size_t)rank, number, &task))
        return RP_FAIL(RP_ERR_INTERNAL, "rank %d finished task %" PRId64 ", which it did not hold",
                       rank, number);
    server->finished_s += task.predicted_s;
    return RP_OK;
}

static enum rp_status take_row(struct rp_server *server, int rank, int64_t task,
                               struct rp_result *row)
{
    enum rp_impl impl;
    if (rp_impl_find(row->impl, &impl))
        rp_schedule_note_row(server->work.schedule, (size_t)rank, task, impl);
    return rp_server_store_row(server, rank, row, rp_report_samples(row));
}

static enum rp_status take_ceiling(struct rp_server *server, int rank, struct rp_ceiling *row)
{
    row->device = server->peers[rank].device;
    return rp_ledger_add_ceiling(server->ledger, row);
}

static enum rp_status take_report(struct rp_server *server, const struct rp_comm_message *message)
{
    struct rp_report report = {message->data, message->bytes};
    struct rp_report_item item;
    void *body;
    int rank = message->source;
    while (rp_report_next(&report, &item, &body)) {
        if (item.kind == RP_REPORT_ROW)
            RP_TRY(take_row(server, rank, item.task, body));
        else if (item.kind == RP_REPORT_CEILING)
            RP_TRY(take_ceiling(server, rank, body));
        else
            RP_TRY(take_end(server, rank, item.task));
    }
    return rp_schedule_is_low(server->work.schedule, (size_t)rank) ? rp_server_feed(server, rank)
                                                                   : RP_OK;
}

static enum rp_status take_retirement(struct rp_server *server,
                                      const struct rp_comm_message *message)
{
    rp_log(RP_LOG_WARN, "%s", (const char *)message->data);
    rp_schedule_retire(server->work.schedule, (size_t)message->source);
    rp_calibration_retire(&server->peers[message->source].calibration);
    /* What it held is back in the queue: ranks that had nothing to do can have it. */
    for (int r = 0; r < server->place.size; ++r)
        RP_TRY(rp_server_feed(server, r));
    return RP_OK;
}

enum rp_status rp_server_take_message(struct rp_server *server,
                                      const struct rp_comm_message *message)
{
    struct rp_peer *peer = &server->peers[message->source];
    peer->heard_s = rp_clock_now_s();
    switch (message->tag) {
    case RP_TAG_HELLO:
        memcpy(&peer->hello, message->data, sizeof peer->hello);
        peer->device = -1;
        server->n_hello += !peer->said_hello;
        peer->said_hello = true;
        return server->n_hello == server->place.size ? rp_server_begin_work(server) : RP_OK;
    case RP_TAG_REPORT:
        return take_report(server, message);
    case RP_TAG_RETIRE:
        return take_retirement(server, message);
    case RP_TAG_BEAT:
        return RP_OK;
    case RP_TAG_STOPPING:
        server->stop_asked = true;
        return RP_OK;
    default:
        return RP_FAIL(RP_ERR_INTERNAL, "rank %d sent a message with tag %d", message->source,
                       message->tag);
    }
}

/* Rows of the whole file: of every device type (or device) it has rows of or that is present. */
static int64_t plan_of_file(const struct rp_server *server)
{
    const struct rp_study *study = rp_ledger_study(server->ledger);
    enum rp_cover cover = server->options.selection.cover;
    size_t n = rp_study_count(study, RP_TABLE_DEVICES);
    int64_t keys = 0;
    for (size_t i = 0; i < n; ++i) {
        const char *key = rp_cover_key(cover, rp_study_row(study, RP_TABLE_DEVICES, i));
        bool known = false;
        for (size_t j = 0; j < i && !known; ++j)
            known = strcmp(rp_cover_key(cover, rp_study_row(study, RP_TABLE_DEVICES, j)), key) == 0;
        keys += !known;
    }
    return keys * rp_job_rows(server->options.job);
}

static enum rp_status publish(struct rp_server *server, int exit_code)
{
    server->published_s = rp_clock_now_s();
    return rp_ledger_publish(server->ledger, plan_of_file(server), exit_code);
}

/* A stopped MPI process would hang the job for ever; the file is left resumable instead. */
static enum rp_status watch_peers(const struct rp_server *server, double now_s)
{
    for (int r = 1; r < server->place.size; ++r) {
        double silence_s = now_s - server->peers[r].heard_s;
        if (silence_s > RP_RANK_SILENCE_S)
            return RP_FAIL(RP_ERR_TIMEOUT,
                           "rank %d has not been heard of for %.0f s; what was measured is kept, "
                           "the same command goes on from there",
                           r, silence_s);
    }
    return RP_OK;
}

enum rp_status rp_server_tick(struct rp_server *server)
{
    double now_s = rp_clock_now_s();
    RP_TRY(rp_ledger_sync(server->ledger, false));
    if (now_s - server->ticked_s < tick_interval_s)
        return RP_OK;
    report_progress(server, NULL);
    if (server->working && rp_ledger_is_ahead(server->ledger) &&
        now_s - server->published_s > publish_interval_s)
        RP_TRY(publish(server, 75)); /* what it would be were this the end */
    return watch_peers(server, now_s);
}

bool rp_server_is_done(const struct rp_server *server)
{
    if (server->stop_asked)
        return true;
    if (!server->work.schedule || !rp_schedule_is_done(server->work.schedule))
        return false;
    for (int r = 0; r < server->place.size; ++r) {
        if (rp_calibration_is_busy(&server->peers[r].calibration))
            return false;
    }
    return true;
}

void rp_server_ask_stop(struct rp_server *server)
{
    server->stop_asked = true;
}

/* 0 when every row is a good one, else 1. */
static int judge_rows(const struct rp_server *server)
{
    const struct rp_study *study = rp_ledger_study(server->ledger);
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = rp_study_row(study, RP_TABLE_RESULTS, i);
        enum rp_outcome outcome;
        if (!rp_outcome_find(row->status, &outcome) || !rp_outcome_is_good(outcome))
            return 1;
    }
    return 0;
}

enum rp_status rp_server_finish(struct rp_server *server, int *exit_code)
{
    RP_TRY(rp_ledger_sync(server->ledger, true));
    bool finished = server->work.schedule && rows_done(server) >= server->work.rows_planned;
    *exit_code = finished ? judge_rows(server) : 75;
    size_t stranded = server->work.schedule ? rp_schedule_stranded(server->work.schedule) : 0;
    if (!finished && stranded > 0 && !server->stop_asked) {
        rp_log(RP_LOG_ERROR, "no device is left for %zu points; the same command tries them again",
               stranded);
        *exit_code = 3;
    }
    if (!server->working && !rp_ledger_is_ahead(server->ledger)) {
        /* Killed between publishing and this: the journal of a complete file says nothing new. */
        bool complete = rp_ledger_study(server->ledger)->complete;
        return complete ? rp_ledger_end_journal(server->ledger) : RP_OK;
    }
    RP_TRY(publish(server, *exit_code));
    report_progress(server, NULL);
    return RP_OK;
}
