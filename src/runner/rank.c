/*
 * rank.c - the state of one rank and its worker.
 *
 * What a kernel, a driver or the OOM killer does to the worker becomes a row with a status; a fresh
 * worker then goes on with the rest of the task. A worker that dies again and again without
 * finishing a row, or cannot open the device any more, retires the rank's device.
 */
#include "runner/rank.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/host_memory.h"
#include "model/result.h"
#include "runner/worker.h"

enum { QUEUE_LENGTH = 2, DEATHS_TO_RETIRE = 3, LOSSES_TO_RETIRE = 2, OPENS_TO_RETIRE = 2 };

static const double open_limit_s = 120; /* opening a device, a driver's first start included */
static const double grace_s = 2;        /* beyond a step's own limit before the worker is ended */

struct rp_rank {
    struct rp_comm *comm;
    struct rp_comm_place place;
    struct rp_worker worker;
    struct rp_rank_setup setup;
    struct rp_device_info info;
    struct rp_task queue[QUEUE_LENGTH]; /* [0] is at the worker once it is open */
    size_t n_queue;
    bool opened, told_hello, retired, stopped;
    bool in_step; /* the worker said which implementation it is at */
    struct rp_wire_begin step;
    double deadline_s;  /* of the step; 0: none */
    int deaths, losses; /* in different tasks since the last good row; of the device */
    int64_t death_task; /* number of the task of the last death */
    long oom_kills;     /* of the kernel when the worker was started */
    int failed_opens;   /* since the device was open */
    struct rp_result row;
    struct rp_sample *samples; /* heap; of the row that is arriving */
    size_t n_samples, n_expected;
};

enum rp_status rp_rank_create(struct rp_rank **rank)
{
    *rank = NULL;
    struct rp_rank *made = calloc(1, sizeof *made);
    if (!made)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a rank");
    enum rp_status status = rp_worker_start(&made->worker);
    if (status != RP_OK) {
        free(made);
        return status;
    }
    *rank = made;
    return RP_OK;
}

void rp_rank_destroy(struct rp_rank *rank)
{
    if (!rank)
        return;
    rp_worker_stop(&rank->worker, NULL, 0);
    free(rank->samples);
    free(rank);
}

void rp_rank_join(struct rp_rank *rank, struct rp_comm *comm)
{
    rank->comm = comm;
    rp_comm_place(comm, &rank->place);
}

bool rp_rank_is_stopped(const struct rp_rank *rank)
{
    return rank->stopped;
}

int rp_rank_exit_code(const struct rp_rank *rank)
{
    return rank->setup.exit_code;
}

static enum rp_status tell(struct rp_rank *rank, enum rp_rank_tag tag, const void *data,
                           size_t bytes)
{
    return rp_comm_send(rank->comm, 0, (int)tag, data, bytes);
}

static enum rp_status say_hello(struct rp_rank *rank, enum rp_status status, const char *failure)
{
    struct rp_rank_hello hello = {.status = status, .info = rank->info};
    gethostname(hello.host, sizeof hello.host - 1);
    if (failure)
        snprintf(hello.failure, sizeof hello.failure, "%s", failure);
    rank->told_hello = true;
    return tell(rank, RP_TAG_HELLO, &hello, sizeof hello);
}

static enum rp_status retire(struct rp_rank *rank, enum rp_status status, const char *why)
{
    rp_worker_stop(&rank->worker, NULL, 0);
    rank->opened = false;
    rank->retired = true;
    rank->n_queue = 0;
    if (!rank->told_hello)
        return say_hello(rank, status, why);
    char text[1200];
    snprintf(text, sizeof text, "rank %d on %s retires: %s", rank->place.rank, rank->info.row.uuid,
             why);
    return tell(rank, RP_TAG_RETIRE, text, strlen(text) + 1);
}

/* A failed send is noticed as the worker's death at the next step. */
static void send_to_worker(struct rp_rank *rank, const struct rp_wire_message *message)
{
    if (rp_wire_send(rank->worker.fd, message) != RP_OK)
        rp_log(RP_LOG_DEBUG, "%s", rp_status_message());
}

static void ask_to_open(struct rp_rank *rank)
{
    struct rp_wire_message message = {.kind = RP_WIRE_OPEN};
    struct rp_wire_open *open = &message.body.open;
    memcpy(open->device, rank->setup.device, sizeof open->device);
    memcpy(open->data, rank->setup.data, sizeof open->data);
    open->request = (struct rp_device_request){
        .index = rank->place.node_rank,
        .local_rank = rank->place.share_rank,
        .local_size = rank->place.share_size,
        .threads = rank->setup.threads,
    };
    open->protocol = rank->setup.protocol;
    open->seed = rank->setup.seed;
    rank->deadline_s = rp_clock_now_s() + open_limit_s;
    rank->oom_kills = rp_host_oom_kills();
    send_to_worker(rank, &message);
}

static void start_first_task(struct rp_rank *rank)
{
    if (!rank->opened || rank->n_queue == 0)
        return;
    struct rp_wire_message message = {.kind = RP_WIRE_TASK};
    message.body.task = rank->queue[0];
    rank->in_step = false;
    send_to_worker(rank, &message);
}

/* The first task of the queue is finished. */
static enum rp_status finish_task(struct rp_rank *rank)
{
    int64_t number = rank->queue[0].number;
    --rank->n_queue;
    memmove(&rank->queue[0], &rank->queue[1], rank->n_queue * sizeof rank->queue[0]);
    rank->deadline_s = 0;
    start_first_task(rank);
    return tell(rank, RP_TAG_DONE, &number, sizeof number);
}

/* ROW between ranks: the row, then its samples. */
static enum rp_status pass_row_on(struct rp_rank *rank)
{
    size_t bytes = sizeof rank->row + rank->n_samples * sizeof rank->samples[0];
    char *data = malloc(bytes);
    if (!data)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a row of %zu bytes", bytes);
    memcpy(data, &rank->row, sizeof rank->row);
    if (rank->n_samples > 0)
        memcpy(data + sizeof rank->row, rank->samples, bytes - sizeof rank->row);
    enum rp_status status = tell(rank, RP_TAG_ROW, data, bytes);
    free(data);
    enum rp_impl impl;
    if (rank->n_queue > 0 && rp_impl_find(rank->row.impl, &impl))
        rank->queue[0].impls &= ~(1u << impl);
    rank->in_step = false;
    rank->deadline_s = 0;
    return status;
}

static enum rp_status begin_row(struct rp_rank *rank, const struct rp_wire_message *message)
{
    rank->row = message->body.row;
    rank->n_samples = 0;
    rank->n_expected = (size_t)message->number;
    enum rp_outcome outcome;
    if (rp_outcome_find(rank->row.status, &outcome) && outcome != RP_OUTCOME_ERROR &&
        outcome != RP_OUTCOME_TIMEOUT)
        rank->deaths = rank->losses = 0;
    if (rank->n_expected == 0)
        return pass_row_on(rank);
    void *samples = realloc(rank->samples, rank->n_expected * sizeof rank->samples[0]);
    if (!samples)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu samples", rank->n_expected);
    rank->samples = samples;
    return RP_OK;
}

static enum rp_status add_samples(struct rp_rank *rank, const struct rp_wire_samples *chunk)
{
    size_t n = (size_t)chunk->count;
    if (n > RP_WIRE_SAMPLES_MAX || rank->n_samples + n > rank->n_expected)
        return RP_FAIL(RP_ERR_INTERNAL, "the worker sent more samples than it announced");
    memcpy(rank->samples + rank->n_samples, chunk->samples, n * sizeof rank->samples[0]);
    rank->n_samples += n;
    return rank->n_samples == rank->n_expected ? pass_row_on(rank) : RP_OK;
}

/* The device is lost to its worker; a fresh process may get it back. The rows that failed are told
 * already. */
static enum rp_status replace_lost(struct rp_rank *rank, const char *why)
{
    rp_worker_stop(&rank->worker, NULL, 0);
    rank->opened = false;
    ++rank->losses;
    rp_log(RP_LOG_WARN, "rank %d: %s; a fresh worker goes on", rank->place.rank, why);
    if (rank->n_queue > 0 && rank->queue[0].impls == 0)
        RP_TRY(finish_task(rank));
    if (rank->losses >= LOSSES_TO_RETIRE)
        return retire(rank, RP_ERR_DEVICE, why);
    RP_TRY(rp_worker_start(&rank->worker));
    ask_to_open(rank);
    return RP_OK;
}

static enum rp_status on_opened(struct rp_rank *rank, const struct rp_device_info *info)
{
    rank->info = *info;
    rank->opened = true;
    rank->failed_opens = 0;
    rank->deadline_s = 0;
    start_first_task(rank);
    return rank->told_hello ? RP_OK : say_hello(rank, RP_OK, NULL);
}

static enum rp_status take_worker_message(struct rp_rank *rank,
                                          const struct rp_wire_message *message)
{
    switch (message->kind) {
    case RP_WIRE_OPENED:
        return on_opened(rank, &message->body.opened);
    case RP_WIRE_FAILED:
        return rank->opened ? replace_lost(rank, message->body.failure)
                            : retire(rank, (enum rp_status)message->number, message->body.failure);
    case RP_WIRE_BEGIN:
        rank->step = message->body.begin;
        rank->in_step = true;
        rank->deadline_s =
            rank->step.limit_s > 0 ? rp_clock_now_s() + rank->step.limit_s + grace_s : 0;
        return RP_OK;
    case RP_WIRE_ROW:
        return begin_row(rank, message);
    case RP_WIRE_SAMPLES:
        return add_samples(rank, &message->body.samples);
    case RP_WIRE_DONE:
        return finish_task(rank);
    case RP_WIRE_OPEN:
    case RP_WIRE_TASK:
        break;
    }
    return RP_FAIL(RP_ERR_INTERNAL, "the worker sent a message of kind %d", (int)message->kind);
}

/* The implementation the worker was at; the first one left when it had not said. */
static enum rp_impl current_impl(const struct rp_rank *rank)
{
    if (rank->in_step && rp_impl_in(rank->queue[0].impls, rank->step.impl))
        return rank->step.impl;
    int impl = 0;
    while (!rp_impl_in(rank->queue[0].impls, (enum rp_impl)impl))
        ++impl;
    return (enum rp_impl)impl;
}

/* The row of the implementation the worker died in. */
static enum rp_status report_death(struct rp_rank *rank, enum rp_outcome outcome, const char *how)
{
    const struct rp_task *task = &rank->queue[0];
    char reason[240];
    RP_TRY(rp_result_begin(&rank->row, &task->point, current_impl(rank)));
    RP_TRY(rp_result_set_protocol(&rank->row, &rank->setup.protocol));
    rank->row.threads = rank->info.threads;
    if (outcome == RP_OUTCOME_TIMEOUT)
        snprintf(reason, sizeof reason, "%s took longer than %.3g s; the worker was ended",
                 rank->step.step, rank->step.limit_s);
    else if (outcome == RP_OUTCOME_OOM)
        snprintf(reason, sizeof reason,
                 "the kernel's out-of-memory killer ended the worker during %s",
                 rank->in_step ? rank->step.step : "start");
    else
        snprintf(reason, sizeof reason, "the worker was %s during %s", how,
                 rank->in_step ? rank->step.step : "start");
    rp_result_set_outcome(&rank->row, outcome, reason);
    rank->row.samples = 0;
    rank->n_samples = 0;
    return pass_row_on(rank);
}

/* The worker ended while it opened the device: once more, then the device is given up. */
static enum rp_status reopen(struct rp_rank *rank, const char *how)
{
    char why[160];
    snprintf(why, sizeof why, "the worker was %s while opening the device", how);
    if (++rank->failed_opens >= OPENS_TO_RETIRE)
        return retire(rank, RP_ERR_ENVIRONMENT, why);
    rp_log(RP_LOG_WARN, "rank %d: %s; a fresh one tries again", rank->place.rank, why);
    RP_TRY(rp_worker_start(&rank->worker));
    ask_to_open(rank);
    return RP_OK;
}

/* One point may end a worker once for each implementation; that says nothing about the device. A
 * timeout never does: the device answers. */
static void count_death(struct rp_rank *rank, enum rp_outcome outcome)
{
    int64_t task = rank->n_queue > 0 ? rank->queue[0].number : -1;
    if (outcome == RP_OUTCOME_TIMEOUT || (rank->deaths > 0 && task == rank->death_task))
        return;
    ++rank->deaths;
    rank->death_task = task;
}

static enum rp_status replace_worker(struct rp_rank *rank, enum rp_outcome outcome)
{
    char how[96];
    long kills_before = rank->oom_kills;
    rp_worker_stop(&rank->worker, how, sizeof how);
    if (!rank->opened)
        return reopen(rank, how);
    rank->opened = false;
    bool by_oom_killer = outcome == RP_OUTCOME_ERROR && rp_host_oom_kills() > kills_before;
    if (by_oom_killer)
        outcome = RP_OUTCOME_OOM;
    count_death(rank, outcome);
    rp_log(RP_LOG_WARN, "rank %d: the worker was %s; a fresh one goes on", rank->place.rank, how);
    if (rank->n_queue > 0) {
        /* It may have died between its last row and saying that the task is done. */
        if (rank->queue[0].impls != 0)
            RP_TRY(report_death(rank, outcome, how));
        if (rank->queue[0].impls == 0)
            RP_TRY(finish_task(rank));
    }
    if (rank->deaths >= DEATHS_TO_RETIRE)
        return retire(rank, RP_ERR_DEVICE, "its workers died in three points without a good row");
    RP_TRY(rp_worker_start(&rank->worker));
    ask_to_open(rank);
    return RP_OK;
}

enum rp_status rp_rank_step(struct rp_rank *rank, double timeout_s, bool *acted)
{
    struct pollfd poll_fd = {.fd = rank->worker.fd, .events = POLLIN};
    int ready = poll(&poll_fd, 1, (int)(timeout_s * 1e3 + 0.5)); /* a negative fd only waits */
    *acted = false;
    if (ready < 0 && errno != EINTR)
        return RP_FAIL(RP_ERR_INTERNAL, "poll failed: %s", strerror(errno));
    if (ready > 0) {
        struct rp_wire_message message;
        *acted = true;
        if (rp_wire_receive(rank->worker.fd, &message))
            return take_worker_message(rank, &message);
        return replace_worker(rank, RP_OUTCOME_ERROR);
    }
    if (rank->deadline_s > 0 && rp_clock_now_s() > rank->deadline_s) {
        *acted = true;
        rank->deadline_s = 0;
        return replace_worker(rank, RP_OUTCOME_TIMEOUT);
    }
    return RP_OK;
}

enum rp_status rp_rank_take_message(struct rp_rank *rank, const struct rp_comm_message *message)
{
    switch (message->tag) {
    case RP_TAG_SETUP:
        memcpy(&rank->setup, message->data, sizeof rank->setup);
        rank->stopped = rank->setup.exit_code != 0;
        if (!rank->stopped)
            ask_to_open(rank);
        return RP_OK;
    case RP_TAG_TASK:
        if (rank->retired) /* it crossed the notice; rank 0 has it back already */
            return RP_OK;
        if (rank->n_queue == QUEUE_LENGTH)
            return RP_FAIL(RP_ERR_INTERNAL, "rank 0 sent more tasks than a rank holds");
        memcpy(&rank->queue[rank->n_queue++], message->data, sizeof rank->queue[0]);
        if (rank->n_queue == 1)
            start_first_task(rank);
        return RP_OK;
    case RP_TAG_STOP:
        rank->stopped = true;
        return RP_OK;
    case RP_TAG_BEAT:
        return RP_OK;
    default:
        return RP_FAIL(RP_ERR_INTERNAL, "rank 0 sent a message with tag %d", message->tag);
    }
}
