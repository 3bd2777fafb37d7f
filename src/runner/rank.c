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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/host_memory.h"
#include "model/result.h"
#include "runner/calibration.h"
#include "runner/report.h"
#include "runner/schedule.h"
#include "runner/worker.h"

enum { DEATHS_TO_RETIRE = 3, LOSSES_TO_RETIRE = 2, OPENS_TO_RETIRE = 2 };

/* Of few and short points half are handed out before the ceilings are measured. */
enum { QUEUE_LENGTH = RP_TASKS_PER_RANK + RP_CALIBRATIONS };

static const double open_limit_s = 120; /* opening a device, a driver's first start included */

struct rp_rank {
    struct rp_comm *comm;
    struct rp_comm_place place;
    struct rp_worker worker;
    struct rp_rank_setup setup;
    struct rp_device_info info;
    struct rp_task queue[QUEUE_LENGTH]; /* all at the worker once it is open */
    size_t n_queue;
    bool opened, told_hello, retired, stopped;
    int deaths, losses; /* in different tasks since the last good row; of the device */
    int64_t death_task; /* number of the task of the last death */
    int64_t oom_kills;  /* of the kernel when the worker was started */
    int failed_opens;   /* since the device was open */
};

enum rp_status rp_rank_create(struct rp_rank **rank)
{
    *rank = NULL;
    struct rp_rank *made = calloc(1, sizeof *made);
    if (!made)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a rank");
    enum rp_status status = rp_worker_init(&made->worker);
    if (status == RP_OK)
        status = rp_worker_start(&made->worker);
    if (status == RP_OK)
        *rank = made;
    else
        rp_rank_destroy(made);
    return status;
}

void rp_rank_destroy(struct rp_rank *rank)
{
    if (!rank)
        return;
    rp_worker_clear(&rank->worker);
    free(rank);
}

void rp_rank_join(struct rp_rank *rank, struct rp_comm *comm)
{
    rank->comm = comm;
    rp_comm_place(comm, &rank->place);
}

bool rp_rank_is_busy(const struct rp_rank *rank)
{
    return rank->n_queue > 0;
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

/* `why` may lie in what the worker said. */
static enum rp_status retire(struct rp_rank *rank, enum rp_status status, const char *why)
{
    char text[1200];
    snprintf(text, sizeof text, "rank %d on %s retires: %s", rank->place.rank, rank->info.row.uuid,
             why);
    enum rp_status told = rank->told_hello ? tell(rank, RP_TAG_RETIRE, text, strlen(text) + 1)
                                           : say_hello(rank, status, why);
    rp_worker_clear(&rank->worker);
    rank->opened = false;
    rank->retired = true;
    rank->n_queue = 0;
    return told;
}

/* A failed send is noticed as the worker's death at the next step. */
static void send_to_worker(struct rp_rank *rank, enum rp_wire_kind kind, const void *body,
                           size_t bytes)
{
    if (rp_wire_send(&rank->worker.wire, kind, body, bytes) != RP_OK)
        rp_log(RP_LOG_DEBUG, "%s", rp_status_message());
}

/* Simulated devices are on no node: they are numbered through the whole world. */
static int device_index(const struct rp_rank *rank)
{
    bool is_simulated = strncmp(rank->setup.device, "simulated:", strlen("simulated:")) == 0;
    return is_simulated ? rank->place.rank : rank->place.node_rank;
}

static void ask_to_open(struct rp_rank *rank)
{
    struct rp_wire_open open = {.protocol = rank->setup.protocol, .seed = rank->setup.seed};
    memcpy(open.device, rank->setup.device, sizeof open.device);
    memcpy(open.data, rank->setup.data, sizeof open.data);
    open.request = (struct rp_device_request){
        .index = device_index(rank),
        .local_rank = rank->place.share_rank,
        .local_size = rank->place.share_size,
        .threads = rank->setup.threads,
        .counts_traffic = rank->setup.counts_traffic,
    };
    rp_worker_step_begin(rank->worker.step, -1, "start", open_limit_s);
    rank->oom_kills = rp_host_oom_kills();
    send_to_worker(rank, RP_WIRE_OPEN, &open, sizeof open);
}

/* The last `n` of the queue. */
static void send_tasks(struct rp_rank *rank, size_t n)
{
    if (rank->opened && n > 0)
        send_to_worker(rank, RP_WIRE_TASKS, &rank->queue[rank->n_queue - n],
                       n * sizeof rank->queue[0]);
}

/* Null when the rank does not hold it. */
static struct rp_task *find_task(struct rp_rank *rank, int64_t number)
{
    for (size_t i = 0; i < rank->n_queue; ++i) {
        if (rank->queue[i].number == number)
            return &rank->queue[i];
    }
    return NULL;
}

/* The task the worker was at: those before it are not told yet, or it had begun none. */
static struct rp_task *current_task(struct rp_rank *rank)
{
    struct rp_task *task = find_task(rank, rank->worker.step->task);
    return task || rank->n_queue == 0 ? task : &rank->queue[0];
}

static void note_row(struct rp_rank *rank, struct rp_task *task, const struct rp_result *row)
{
    enum rp_outcome outcome;
    enum rp_impl impl;
    if (rp_outcome_find(row->status, &outcome) && outcome != RP_OUTCOME_ERROR &&
        outcome != RP_OUTCOME_TIMEOUT)
        rank->deaths = rank->losses = 0;
    if (rp_impl_find(row->impl, &impl))
        task->impls &= ~(1u << impl);
}

static void drop_task(struct rp_rank *rank, struct rp_task *task)
{
    size_t behind = (size_t)(&rank->queue[rank->n_queue] - task) - 1;
    memmove(task, task + 1, behind * sizeof *task);
    --rank->n_queue;
}

/* Looks at what the worker reports and passes it on as it is, in messages of whole items. */
static enum rp_status take_report(struct rp_rank *rank, char *data, size_t bytes)
{
    struct rp_report report = {data, bytes};
    struct rp_report_item item;
    char *begin = data; /* of what is not passed on yet */
    char *end = data;
    void *body;
    while (rp_report_next(&report, &item, &body)) {
        struct rp_task *task = find_task(rank, item.task);
        if (!task)
            return RP_FAIL(RP_ERR_INTERNAL, "the worker reports a task that it was not given");
        if (item.kind == RP_REPORT_ROW)
            note_row(rank, task, body);
        else if (item.kind == RP_REPORT_END)
            drop_task(rank, task);
        if (end > begin && report.at - begin > RP_RANK_MESSAGE_BYTES) {
            RP_TRY(tell(rank, RP_TAG_REPORT, begin, (size_t)(end - begin)));
            begin = end;
        }
        end = report.at;
    }
    return tell(rank, RP_TAG_REPORT, begin, (size_t)(end - begin));
}

/* A row (or null) that the worker does not tell, and the end of the task when nothing is left. */
static enum rp_status report_task(struct rp_rank *rank, struct rp_task *task,
                                  const struct rp_result *row)
{
    struct rp_text report;
    rp_text_init(&report);
    if (row)
        rp_report_add_row(&report, task->number, row, NULL);
    if (task->impls == 0) {
        rp_report_add_end(&report, task->number);
        drop_task(rank, task);
    }
    enum rp_status status = rp_text_ok(&report)
                                ? tell(rank, RP_TAG_REPORT, report.data, report.length)
                                : RP_FAIL(RP_ERR_INTERNAL, "no host memory for a report");
    rp_text_clear(&report);
    return status;
}

/* The device is lost to its worker; a fresh process may get it back. The rows that failed are told
 * already. */
static enum rp_status replace_lost(struct rp_rank *rank, const char *why)
{
    rp_worker_stop(&rank->worker, NULL, 0);
    rank->opened = false;
    ++rank->losses;
    rp_log(RP_LOG_WARN, "rank %d: %s; a fresh worker goes on", rank->place.rank, why);
    struct rp_task *task = current_task(rank);
    if (task && task->impls == 0)
        RP_TRY(report_task(rank, task, NULL));
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
    send_tasks(rank, rank->n_queue);
    return rank->told_hello ? RP_OK : say_hello(rank, RP_OK, NULL);
}

static enum rp_status on_failed(struct rp_rank *rank, const struct rp_wire_failure *failure)
{
    return rank->opened ? replace_lost(rank, failure->text)
                        : retire(rank, failure->status, failure->text);
}

static enum rp_status take_worker_message(struct rp_rank *rank,
                                          const struct rp_wire_message *message)
{
    switch (message->kind) {
    case RP_WIRE_OPENED:
        return on_opened(rank, message->body);
    case RP_WIRE_FAILED:
        return on_failed(rank, message->body);
    case RP_WIRE_REPORT:
        return take_report(rank, message->body, message->bytes);
    case RP_WIRE_OPEN:
    case RP_WIRE_TASKS:
        break;
    }
    return RP_FAIL(RP_ERR_INTERNAL, "the worker sent a message of kind %d", (int)message->kind);
}

/* The row of the implementation the worker died in; of the first that is left when it was at none.
 */
static enum rp_status report_death(struct rp_rank *rank, struct rp_task *task,
                                   enum rp_outcome outcome, const char *how)
{
    const struct rp_worker_step *step = rank->worker.step;
    bool had_begun = step->task == task->number;
    const char *name = had_begun ? step->name : "start";
    int impl = had_begun ? step->impl : -1;
    struct rp_result row;
    char reason[240];
    if (impl < 0 || !rp_impl_in(task->impls, (enum rp_impl)impl))
        impl = __builtin_ctz(task->impls);
    RP_TRY(rp_result_begin(&row, &task->point, (enum rp_impl)impl));
    RP_TRY(rp_result_set_protocol(&row, &rank->setup.protocol));
    row.threads = rank->info.threads;
    row.samples = 0;
    if (outcome == RP_OUTCOME_TIMEOUT)
        snprintf(reason, sizeof reason, "%s took longer than %.3g s; the worker was ended", name,
                 step->limit_s);
    else if (outcome == RP_OUTCOME_OOM)
        snprintf(reason, sizeof reason,
                 "the kernel's out-of-memory killer ended the worker during %s", name);
    else
        snprintf(reason, sizeof reason, "the worker was %s during %s", how, name);
    rp_result_set_outcome(&row, outcome, reason);
    task->impls &= ~(1u << impl);
    return report_task(rank, task, &row);
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
static void count_death(struct rp_rank *rank, const struct rp_task *task, enum rp_outcome outcome)
{
    int64_t number = task ? task->number : -1;
    if (outcome == RP_OUTCOME_TIMEOUT || (rank->deaths > 0 && number == rank->death_task))
        return;
    ++rank->deaths;
    rank->death_task = number;
}

/* What a worker said before its end, or was about to. */
static enum rp_status take_last_reports(struct rp_rank *rank)
{
    struct rp_wire_message message;
    do {
        while (rp_wire_take(&rank->worker.wire, &message)) {
            if (message.kind == RP_WIRE_REPORT)
                RP_TRY(take_report(rank, message.body, message.bytes));
        }
    } while (rp_wire_read(&rank->worker.wire, false) > 0);
    struct rp_worker_step *step = rank->worker.step;
    return step->kept_bytes > 0 ? take_report(rank, step->kept, (size_t)step->kept_bytes) : RP_OK;
}

static enum rp_status replace_worker(struct rp_rank *rank, enum rp_outcome outcome)
{
    char how[96];
    int signal_number = rp_worker_stop(&rank->worker, how, sizeof how);
    if (!rank->opened)
        return reopen(rank, how);
    rank->opened = false;
    RP_TRY(take_last_reports(rank));
    if (outcome == RP_OUTCOME_ERROR && signal_number == SIGKILL &&
        rp_host_oom_kills() > rank->oom_kills)
        outcome = RP_OUTCOME_OOM;
    struct rp_task *task = current_task(rank);
    count_death(rank, task, outcome);
    rp_log(RP_LOG_WARN, "rank %d: the worker was %s; a fresh one goes on", rank->place.rank, how);
    /* It may have died between its last row and saying that the task is done. */
    if (task && task->impls == 0)
        RP_TRY(report_task(rank, task, NULL));
    else if (task)
        RP_TRY(report_death(rank, task, outcome, how));
    if (rank->deaths >= DEATHS_TO_RETIRE)
        return retire(rank, RP_ERR_DEVICE, "its workers died in three points without a good row");
    RP_TRY(rp_worker_start(&rank->worker));
    ask_to_open(rank);
    return RP_OK;
}

/* All that the worker has said; its replacement, if one of them asks for it, has said nothing. */
static enum rp_status take_worker_messages(struct rp_rank *rank)
{
    struct rp_wire_message message;
    if (rp_wire_read(&rank->worker.wire, false) < 0)
        return replace_worker(rank, RP_OUTCOME_ERROR);
    while (rp_wire_take(&rank->worker.wire, &message))
        RP_TRY(take_worker_message(rank, &message));
    return RP_OK;
}

enum rp_status rp_rank_step(struct rp_rank *rank, double timeout_s, bool *acted)
{
    struct pollfd poll_fd = {.fd = rank->worker.wire.fd, .events = POLLIN};
    int ready = poll(&poll_fd, 1, (int)(timeout_s * 1e3 + 0.5)); /* a negative fd only waits */
    if (ready < 0 && errno != EINTR)
        return RP_FAIL(RP_ERR_INTERNAL, "poll failed: %s", strerror(errno));
    *acted = ready > 0;
    if (ready > 0)
        return take_worker_messages(rank);
    *acted = rp_worker_is_overdue(&rank->worker);
    return *acted ? replace_worker(rank, RP_OUTCOME_TIMEOUT) : RP_OK;
}

static enum rp_status take_tasks(struct rp_rank *rank, const struct rp_comm_message *message)
{
    size_t n = message->bytes / sizeof rank->queue[0];
    if (rank->retired) /* they crossed the notice; rank 0 has them back already */
        return RP_OK;
    if (n > QUEUE_LENGTH - rank->n_queue)
        return RP_FAIL(RP_ERR_INTERNAL, "rank 0 sent more tasks than a rank holds");
    memcpy(&rank->queue[rank->n_queue], message->data, message->bytes);
    rank->n_queue += n;
    send_tasks(rank, n);
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
    case RP_TAG_TASKS:
        return take_tasks(rank, message);
    case RP_TAG_STOP:
        rank->stopped = true;
        return RP_OK;
    case RP_TAG_BEAT:
        return RP_OK;
    default:
        return RP_FAIL(RP_ERR_INTERNAL, "rank 0 sent a message with tag %d", message->tag);
    }
}
