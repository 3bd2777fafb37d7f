/*
 * server.c - the study in the making.
 *
 * What has to run is the set of (device type, point, implementation) of the job on the device types
 * present, less what the file holds. Device types are known once every rank has said hello.
 */
#include "runner/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "model/result.h"
#include "runner/inventory.h"
#include "runner/rank.h"
#include "runner/worklist.h"
#include "store/lock.h"
#include "store/publish.h"
#include "store/results_hdf5.h"

static const double publish_interval_s = 30;
static const double tick_interval_s = 0.5;

struct peer { /* a rank as rank 0 sees it */
    bool said_hello;
    struct rp_rank_hello hello;
    int64_t device; /* row of /devices; -1 before work begins */
};

struct rp_server {
    struct rp_server_options options;
    struct rp_comm *comm;
    struct rp_comm_place place;
    struct rp_study study;
    struct rp_lock *lock;
    struct peer *peers; /* heap; one a rank */
    int n_hello;
    struct rp_worklist work; /* its schedule is null until every rank has said hello */
    int64_t run_index;       /* row of /runs; -1 while nothing had to be done */
    double finished_s;       /* predicted time of the finished tasks */
    double start_s, published_s, ticked_s;
    size_t unpublished_rows;
    bool stop_asked;
};

static enum rp_status load_old_file(struct rp_server *server)
{
    const struct rp_server_options *o = &server->options;
    if (o->overwrite)
        return rp_publish_move_aside(o->output);
    if (access(o->output, F_OK) != 0)
        return RP_OK;
    RP_TRY(rp_results_read(o->output, &server->study));
    return rp_inventory_check_job(&server->study, o->output, o->job);
}

enum rp_status rp_server_create(const struct rp_server_options *options, struct rp_comm *comm,
                                struct rp_server **server)
{
    *server = NULL;
    struct rp_server *made = calloc(1, sizeof *made);
    if (!made)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the study");
    made->options = *options;
    made->comm = comm;
    made->run_index = -1;
    rp_comm_place(comm, &made->place);
    rp_study_init(&made->study);
    enum rp_status status = RP_OK;
    size_t n = (size_t)made->place.size;
    made->peers = calloc(n, sizeof *made->peers);
    if (!made->peers) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ranks", n);
        goto cleanup;
    }
    status = rp_publish_probe(options->output);
    if (status != RP_OK)
        goto cleanup;
    status = rp_lock_acquire(options->output, options->run->run_id, &made->lock);
    if (status != RP_OK)
        goto cleanup;
    status = load_old_file(made);
    if (status != RP_OK)
        goto cleanup;
    made->start_s = made->published_s = made->ticked_s = rp_clock_now_s();
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
    rp_lock_release(server->lock);
    rp_study_clear(&server->study);
    free(server->peers);
    free(server);
}

static enum rp_status refuse_failed_peers(const struct rp_server *server)
{
    for (int r = 0; r < server->place.size; ++r) {
        const struct rp_rank_hello *hello = &server->peers[r].hello;
        if (hello->failed)
            return RP_FAIL(RP_ERR_ENVIRONMENT, "rank %d on %s has no device: %s", r, hello->host,
                           hello->failure);
    }
    return RP_OK;
}

/* Tasks of the device types present, less what the file holds. */
static enum rp_status plan(struct rp_server *server)
{
    size_t n = (size_t)server->place.size;
    struct rp_device_info *devices = calloc(n, sizeof *devices);
    if (!devices)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu devices", n);
    for (size_t r = 0; r < n; ++r)
        devices[r] = server->peers[r].hello.info;
    enum rp_status status =
        rp_worklist_create(server->options.job, &server->study, devices, n, &server->work);
    free(devices);
    return status;
}

/* A device of an earlier run of this file keeps its row. */
static enum rp_status register_device(struct rp_server *server, struct peer *peer)
{
    const struct rp_device_row *row = &peer->hello.info.row;
    size_t n = rp_study_count(&server->study, RP_TABLE_DEVICES);
    for (size_t i = 0; i < n; ++i) {
        const struct rp_device_row *old = rp_study_row(&server->study, RP_TABLE_DEVICES, i);
        if (strcmp(old->uuid, row->uuid) == 0 && strcmp(old->gpu_type, row->gpu_type) == 0) {
            peer->device = (int64_t)i;
            return RP_OK;
        }
    }
    peer->device = (int64_t)n;
    return rp_study_append(&server->study, RP_TABLE_DEVICES, row);
}

/* Hosts of the ranks, each once, in the order of ranks. */
static void list_hosts(const struct rp_server *server, struct rp_text *hosts)
{
    for (int r = 0; r < server->place.size; ++r) {
        const char *host = server->peers[r].hello.host;
        bool known = false;
        for (int before = 0; before < r && !known; ++before)
            known = strcmp(server->peers[before].hello.host, host) == 0;
        if (!known)
            rp_text_printf(hosts, "%s%s", hosts->length ? "," : "", host);
    }
}

static enum rp_status append_labels(struct rp_server *server)
{
    const struct rp_job *job = server->options.job;
    for (size_t i = 0; i < job->n_labels; ++i) {
        struct rp_label label;
        rp_row_init(RP_TABLE_LABELS, &label);
        label.run = server->run_index;
        RP_TRY(rp_point_id(&job->points[job->labels[i].point].point, label.point));
        RP_WORD_SET(label.model, job->labels[i].model);
        RP_TRY(rp_study_append(&server->study, RP_TABLE_LABELS, &label));
    }
    return RP_OK;
}

/* The row of /runs, once it is known that there is something to do. */
static enum rp_status register_run(struct rp_server *server)
{
    const struct rp_job *job = server->options.job;
    struct rp_run run = *server->options.run; /* TEXT columns are copied by the append */
    struct rp_text hosts;
    rp_text_init(&hosts);
    list_hosts(server, &hosts);
    RP_WORD_SET(run.job_name, job->name);
    RP_WORD_SET(run.job_hash, job->hash);
    RP_WORD_SET(run.mpi, server->place.library);
    run.job_text = job->text;
    run.hosts = hosts.data;
    run.seed = job->seed;
    run.ranks = server->place.size;
    run.rows_planned = server->work.rows_planned;
    server->run_index = (int64_t)rp_study_count(&server->study, RP_TABLE_RUNS);
    enum rp_status status = rp_study_append(&server->study, RP_TABLE_RUNS, &run);
    rp_text_clear(&hosts);
    RP_TRY(status);
    return append_labels(server);
}

/* Gives a rank what it can take: one task to work on and one to have ready. */
static enum rp_status feed(struct rp_server *server, int rank)
{
    struct rp_task task;
    while (rp_schedule_take(server->work.schedule, (size_t)rank, &task))
        RP_TRY(rp_comm_send(server->comm, rank, RP_TAG_TASK, &task, sizeof task));
    return RP_OK;
}

static enum rp_status begin_work(struct rp_server *server)
{
    RP_TRY(refuse_failed_peers(server));
    RP_TRY(plan(server));
    if (server->work.rows_done == server->work.rows_planned)
        return RP_OK;
    for (int r = 0; r < server->place.size; ++r)
        RP_TRY(register_device(server, &server->peers[r]));
    RP_TRY(register_run(server));
    for (int r = 0; r < server->place.size; ++r)
        RP_TRY(feed(server, r));
    return RP_OK;
}

static void report_progress(struct rp_server *server, const struct rp_result *row)
{
    const struct rp_progress_listener *listener = &server->options.progress;
    struct rp_progress progress = {
        .rows_done = server->work.rows_done,
        .rows_planned = server->work.rows_planned,
        .elapsed_s = rp_clock_now_s() - server->start_s,
        .remaining_s = -1,
        .row = row,
    };
    server->ticked_s = rp_clock_now_s();
    if (!listener->update || !server->work.schedule)
        return;
    /* Predictions are corrected by how long the finished tasks took against theirs. */
    double ranks = (double)server->place.size;
    if (server->finished_s > 0)
        progress.remaining_s = rp_schedule_remaining_s(server->work.schedule) * progress.elapsed_s *
                               ranks / server->finished_s;
    listener->update(listener->context, &progress);
}

static enum rp_status take_row(struct rp_server *server, const struct rp_comm_message *message)
{
    struct rp_result row;
    struct rp_sample sample;
    const char *data = message->data;
    size_t n_samples = (message->bytes - sizeof row) / sizeof sample;
    memcpy(&row, data, sizeof row);
    row.run = server->run_index;
    row.device = server->peers[message->source].device;
    row.sequence = (int64_t)rp_study_count(&server->study, RP_TABLE_RESULTS);
    row.samples = (int64_t)n_samples;
    row.sample_offset = (int64_t)rp_study_count(&server->study, RP_TABLE_SAMPLES);
    for (size_t i = 0; i < n_samples; ++i) {
        memcpy(&sample, data + sizeof row + i * sizeof sample, sizeof sample);
        RP_TRY(rp_study_append(&server->study, RP_TABLE_SAMPLES, &sample));
    }
    RP_TRY(rp_study_append(&server->study, RP_TABLE_RESULTS, &row));
    ++server->work.rows_done;
    ++server->unpublished_rows;
    report_progress(server, &row);
    return RP_OK;
}

static enum rp_status take_done(struct rp_server *server, const struct rp_comm_message *message)
{
    int64_t number = 0;
    memcpy(&number, message->data, sizeof number);
    struct rp_task task;
    if (!rp_schedule_finish(server->work.schedule, (size_t)message->source, number, &task))
        return RP_FAIL(RP_ERR_INTERNAL, "rank %d finished task %" PRId64 ", which it did not hold",
                       message->source, number);
    server->finished_s += task.predicted_s;
    return feed(server, message->source);
}

static enum rp_status take_retirement(struct rp_server *server,
                                      const struct rp_comm_message *message)
{
    rp_log(RP_LOG_WARN, "%s", (const char *)message->data);
    rp_schedule_retire(server->work.schedule, (size_t)message->source);
    /* What it held is back in the queue: ranks that had nothing to do can have it. */
    for (int r = 0; r < server->place.size; ++r)
        RP_TRY(feed(server, r));
    return RP_OK;
}

enum rp_status rp_server_take_message(struct rp_server *server,
                                      const struct rp_comm_message *message)
{
    struct peer *peer = &server->peers[message->source];
    switch (message->tag) {
    case RP_TAG_HELLO:
        memcpy(&peer->hello, message->data, sizeof peer->hello);
        peer->device = -1;
        server->n_hello += !peer->said_hello;
        peer->said_hello = true;
        return server->n_hello == server->place.size ? begin_work(server) : RP_OK;
    case RP_TAG_ROW:
        return take_row(server, message);
    case RP_TAG_DONE:
        return take_done(server, message);
    case RP_TAG_RETIRE:
        return take_retirement(server, message);
    case RP_TAG_STOPPING:
        server->stop_asked = true;
        return RP_OK;
    default:
        return RP_FAIL(RP_ERR_INTERNAL, "rank %d sent a message with tag %d", message->source,
                       message->tag);
    }
}

/* Counts over the whole file: every device type it has rows of or that is present. */
static void count_study(struct rp_server *server)
{
    struct rp_study *study = &server->study;
    size_t n = rp_study_count(study, RP_TABLE_DEVICES);
    int64_t types = 0;
    for (size_t i = 0; i < n; ++i) {
        const struct rp_device_row *device = rp_study_row(study, RP_TABLE_DEVICES, i);
        bool known = false;
        for (size_t j = 0; j < i && !known; ++j) {
            const struct rp_device_row *other = rp_study_row(study, RP_TABLE_DEVICES, j);
            known = strcmp(other->gpu_type, device->gpu_type) == 0;
        }
        types += !known;
    }
    study->rows_planned = types * rp_job_rows(server->options.job);
    study->complete = study->rows_planned == (int64_t)rp_study_count(study, RP_TABLE_RESULTS);
}

static enum rp_status publish(struct rp_server *server, int exit_code)
{
    struct rp_run *run = rp_study_row(&server->study, RP_TABLE_RUNS, (size_t)server->run_index);
    char utc[RP_UTC_SIZE];
    rp_clock_utc(utc);
    RP_WORD_SET(run->ended_utc, utc);
    run->exit = exit_code;
    count_study(server);
    RP_TRY(rp_publish(server->options.output, &server->study));
    server->unpublished_rows = 0;
    server->published_s = rp_clock_now_s();
    return RP_OK;
}

enum rp_status rp_server_tick(struct rp_server *server)
{
    double now_s = rp_clock_now_s();
    if (now_s - server->ticked_s > tick_interval_s)
        report_progress(server, NULL);
    if (server->unpublished_rows > 0 && now_s - server->published_s > publish_interval_s)
        return publish(server, 75); /* what it would be were this the end */
    return RP_OK;
}

bool rp_server_is_done(const struct rp_server *server)
{
    return server->stop_asked ||
           (server->work.schedule && rp_schedule_is_done(server->work.schedule));
}

void rp_server_ask_stop(struct rp_server *server)
{
    server->stop_asked = true;
}

/* 0 when every row of the types present is a good one, else 1. */
static int judge_rows(const struct rp_server *server)
{
    for (size_t i = 0; i < rp_study_count(&server->study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = rp_study_row(&server->study, RP_TABLE_RESULTS, i);
        enum rp_outcome outcome;
        if (!rp_outcome_find(row->status, &outcome) || !rp_outcome_is_good(outcome))
            return 1;
    }
    return 0;
}

enum rp_status rp_server_finish(struct rp_server *server, int *exit_code)
{
    bool finished = server->work.schedule && server->work.rows_done == server->work.rows_planned;
    *exit_code = finished ? judge_rows(server) : 75;
    size_t stranded = server->work.schedule ? rp_schedule_stranded(server->work.schedule) : 0;
    if (!finished && stranded > 0 && !server->stop_asked) {
        rp_log(RP_LOG_ERROR, "no device is left for %zu points; the same command tries them again",
               stranded);
        *exit_code = 3;
    }
    return server->run_index >= 0 ? publish(server, *exit_code) : RP_OK;
}
