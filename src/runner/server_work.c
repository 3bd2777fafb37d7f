/*
 * server_work.c - what rank 0 hands out. Which device types are present is known once every rank
 * has said hello; then the work is planned, the run registered, and each rank fed whenever it is
 * low.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "model/result.h"
#include "runner/rank.h"
#include "runner/roll_call.h"
#include "runner/server_state.h"

/* Every rank has the device it should have; says so. */
static enum rp_status call_roll(const struct rp_server *server)
{
    int n = server->place.size;
    const struct rp_rank_hello **hellos = calloc((size_t)n, sizeof *hellos);
    if (!hellos)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %d ranks", n);
    for (int r = 0; r < n; ++r)
        hellos[r] = &server->peers[r].hello;
    enum rp_status status = rp_roll_call_check(hellos, n, server->options.gpu_type);
    if (status == RP_OK)
        rp_roll_call_log(hellos, n);
    free(hellos);
    return status;
}

/* Tasks of the device types present, less what the file holds. */
static enum rp_status plan(struct rp_server *server)
{
    size_t n = (size_t)server->place.size;
    struct rp_gpu_list gpus;
    const struct rp_device_info **devices = calloc(n, sizeof *devices);
    if (!devices)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu devices", n);
    for (size_t r = 0; r < n; ++r)
        devices[r] = &server->peers[r].hello.info;
    if (rp_gpu_list_load(server->options.data, &gpus) != RP_OK)
        rp_log(RP_LOG_DEBUG, "forecasts at nominal rates: %s", rp_status_message());
    const struct rp_worklist_request request = {.job = server->options.job,
                                                .selection = &server->options.selection,
                                                .study = rp_ledger_study(server->ledger),
                                                .devices = devices,
                                                .n_ranks = n,
                                                .gpus = &gpus};
    enum rp_status status = rp_worklist_create(&request, &server->work);
    rp_gpu_list_clear(&gpus);
    free(devices);
    return status;
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
    enum rp_status status = rp_ledger_begin_run(server->ledger, &run);
    rp_text_clear(&hosts);
    server->working = status == RP_OK;
    return status;
}

/* Implementations that need not be tried become rows at once. */
static enum rp_status skip_implied(struct rp_server *server, int rank, struct rp_task *task)
{
    const struct rp_device_info *info = &server->peers[rank].hello.info;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        enum rp_impl impl = (enum rp_impl)i;
        char reason[200];
        struct rp_result row;
        if (!rp_impl_in(task->impls, impl) ||
            !rp_implied_find(server->implied, info, &task->point, impl, reason, sizeof reason))
            continue;
        RP_TRY(rp_result_begin(&row, &task->point, impl));
        RP_TRY(rp_result_set_protocol(&row, &server->options.job->protocol));
        rp_result_set_outcome(&row, RP_OUTCOME_SKIPPED, reason);
        row.samples = 0;
        RP_TRY(rp_server_store_row(server, rank, &row, NULL));
        rp_schedule_note_row(server->work.schedule, (size_t)rank, task->number, impl);
        task->impls &= ~(1u << i);
        task->planned &= ~(1u << i);
    }
    return RP_OK;
}

/* Its ceilings or an anchor, when they are due. */
static bool take_calibration(struct rp_server *server, int rank, struct rp_task *task)
{
    const struct rp_schedule *schedule = server->work.schedule;
    return !server->stop_asked && !server->options.no_ceilings &&
           rp_calibration_take(&server->peers[rank].calibration,
                               rp_schedule_waiting_s(schedule, (size_t)rank),
                               rp_schedule_is_idle(schedule, (size_t)rank), task);
}

/* The next point that is not implied. */
static enum rp_status take_point(struct rp_server *server, int rank, struct rp_task *task,
                                 bool *got)
{
    struct rp_schedule *schedule = server->work.schedule;
    *got = false;
    while (!*got && !server->stop_asked && rp_schedule_take(schedule, (size_t)rank, task)) {
        RP_TRY(skip_implied(server, rank, task));
        *got = task->impls != 0;
        if (!*got)
            rp_schedule_finish(schedule, (size_t)rank, task->number, task);
    }
    return RP_OK;
}

static enum rp_status send_tasks(struct rp_server *server, int rank, const struct rp_task *tasks,
                                 size_t n)
{
    enum { MOST = RP_RANK_MESSAGE_BYTES / sizeof *tasks };
    for (size_t i = 0; i < n; i += MOST) {
        size_t some = n - i < MOST ? n - i : MOST;
        RP_TRY(rp_comm_send(server->comm, rank, RP_TAG_TASKS, &tasks[i], some * sizeof tasks[0]));
    }
    return RP_OK;
}

enum rp_status rp_server_feed(struct rp_server *server, int rank)
{
    struct rp_task tasks[RP_TASKS_PER_RANK + RP_CALIBRATIONS];
    size_t n = take_calibration(server, rank, &tasks[0]);
    bool got = true;
    while (got) {
        RP_TRY(take_point(server, rank, &tasks[n], &got));
        n += got;
    }
    n += take_calibration(server, rank, &tasks[n]); /* the last one, when that was all */
    return send_tasks(server, rank, tasks, n);
}

enum rp_status rp_server_begin_work(struct rp_server *server)
{
    const struct rp_selection *selection = &server->options.selection;
    RP_TRY(call_roll(server));
    RP_TRY(plan(server));
    if (server->work.rows_done == server->work.rows_planned)
        return RP_OK;
    if (selection->only || selection->retry != 0)
        RP_TRY(
            rp_inventory_create(rp_ledger_study(server->ledger), selection->cover, &server->old));
    for (int r = 0; r < server->place.size; ++r) {
        struct rp_peer *peer = &server->peers[r];
        RP_TRY(rp_ledger_add_device(server->ledger, &peer->hello.info.row, &peer->device));
    }
    RP_TRY(register_run(server));
    for (int r = 0; r < server->place.size; ++r)
        RP_TRY(rp_server_feed(server, r));
    return RP_OK;
}
