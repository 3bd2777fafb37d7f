/* worker_main.c - open the device once, then measure task after task. */
#include "runner/worker_main.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "measure/ceilings.h"
#include "measure/first_use.h"
#include "measure/measure.h"
#include "runner/report.h"
#include "runner/stop.h"
#include "runner/wire.h"

/* What is finished sooner after the last message waits for company, unless nothing comes or a long
 * task: waking the rank costs more than a short row. */
static const double gather_s = 0.2;
static const double start_limit_s = 120; /* until a task's first step of its own begins */

struct worker {
    struct rp_wire wire;
    struct rp_worker_step *step; /* the rank sees it too */
    struct rp_device *device;
    struct rp_protocol protocol;
    int64_t seed;
    struct rp_text report; /* what is not told yet; its memory is kept */
    double told_s;         /* when that was told last */
    bool is_over;          /* the rank is gone, or the device */
};

static void tell(struct worker *worker, enum rp_wire_kind kind, const void *body, size_t bytes)
{
    if (rp_wire_send(&worker->wire, kind, body, bytes) != RP_OK)
        worker->is_over = true;
}

static void tell_failure(struct worker *worker, enum rp_status status)
{
    struct rp_wire_failure failure = {.status = status};
    snprintf(failure.text, sizeof failure.text, "%s", rp_status_message());
    tell(worker, RP_WIRE_FAILED, &failure, sizeof failure);
    worker->is_over = true;
}

/* auto: the first GPU backend with a usable device, else the CPU. */
static const struct rp_backend *choose_automatically(void)
{
    static const char *const never[] = {"cpu", "simulated"};
    char reason[256];
    for (size_t i = 0; rp_backends()[i]; ++i) {
        const struct rp_backend *candidate = rp_backends()[i];
        bool is_candidate = true;
        for (size_t n = 0; n < RP_COUNT(never); ++n)
            is_candidate = is_candidate && strcmp(candidate->name, never[n]) != 0;
        if (is_candidate && candidate->count(reason, sizeof reason) > 0)
            return candidate;
    }
    return rp_backend_find("cpu");
}

/* `word` is what stands after --device; *model what follows its colon, or null. */
static enum rp_status choose_backend(const char *word, const struct rp_backend **backend,
                                     const char **model)
{
    char name[RP_WIRE_WORD_SIZE];
    char reason[256] = "";
    const char *colon = strchr(word, ':');
    *model = colon ? colon + 1 : NULL;
    snprintf(name, sizeof name, "%.*s", (int)(colon ? colon - word : (long)strlen(word)), word);
    *backend = strcmp(name, "auto") == 0 ? choose_automatically() : rp_backend_find(name);
    if (!*backend && strcmp(name, "cuda") == 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--device cuda: this build has no CUDA");
    if (!*backend)
        return RP_FAIL(RP_ERR_USAGE, "--device %s: there are auto, cpu, cuda and simulated:TYPE",
                       word);
    if ((*backend)->computes_nothing != (*model != NULL))
        return RP_FAIL(RP_ERR_USAGE, "--device %s: %s", word,
                       *model ? "only simulated takes a type" : "name a type: simulated:TYPE");
    if ((*backend)->count(reason, sizeof reason) < 1)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "--device %s: %s", word, reason);
    return RP_OK;
}

static void open_device(struct worker *worker, const struct rp_wire_open *open)
{
    const struct rp_backend *backend = NULL;
    struct rp_device_request request = open->request;
    worker->protocol = open->protocol;
    worker->seed = open->seed;
    request.data_folder = open->data[0] ? open->data : NULL;
    request.seed = open->seed;
    enum rp_status status = choose_backend(open->device, &backend, &request.model);
    if (status == RP_OK)
        status = rp_device_open(backend, &request, &worker->device);
    if (status != RP_OK) {
        worker->step->deadline_s = 0;
        tell_failure(worker, status);
        return;
    }
    struct rp_device_info info = *rp_device_info(worker->device);
    info.row.library_bytes = rp_measure_first_use(worker->device);
    worker->step->deadline_s = 0;
    if (rp_device_is_lost(worker->device))
        tell_failure(worker, RP_FAIL(RP_ERR_DEVICE, "the device is lost in its first launches: %s",
                                     rp_status_message()));
    else
        tell(worker, RP_WIRE_OPENED, &info, sizeof info);
}

static void tell_report(struct worker *worker)
{
    struct rp_text *report = &worker->report;
    worker->step->kept_bytes = 0; /* first: better measured again than told twice */
    if (!rp_text_ok(report))
        worker->is_over = true; /* no host memory: the rank sees this process end */
    else if (report->length > 0)
        tell(worker, RP_WIRE_REPORT, report->data, report->length);
    report->length = 0;
    worker->told_s = rp_clock_now_s();
}

/* Tells what is due; keeps the rest where the rank finds it should this process die. */
static void keep_report(struct worker *worker)
{
    const struct rp_text *report = &worker->report;
    struct rp_worker_step *step = worker->step;
    size_t kept = (size_t)step->kept_bytes;
    if (rp_clock_now_s() - worker->told_s > gather_s || report->length > sizeof step->kept) {
        tell_report(worker);
    } else if (rp_text_ok(report)) {
        memcpy(step->kept + kept, report->data + kept, report->length - kept);
        step->kept_bytes = (int64_t)report->length;
    }
}

static void on_begin(void *context, enum rp_impl impl, const char *step, double limit_s)
{
    struct worker *worker = context;
    rp_worker_step_begin(worker->step, (int)impl, step, limit_s);
}

static void on_row(void *context, const struct rp_result *row, const struct rp_sample *samples,
                   size_t n_samples)
{
    struct worker *worker = context;
    (void)n_samples; /* row->samples */
    worker->step->deadline_s = 0;
    rp_report_add_row(&worker->report, worker->step->task, row, samples);
    keep_report(worker);
}

static void on_ceiling(void *context, const struct rp_ceiling *row)
{
    struct worker *worker = context;
    rp_report_add_ceiling(&worker->report, worker->step->task, row);
}

static void on_ceiling_begin(void *context, const char *step, double limit_s)
{
    on_begin(context, (enum rp_impl) - 1, step, limit_s);
}

static enum rp_status calibrate(struct worker *worker, const struct rp_task *task)
{
    const struct rp_ceilings_listener listener = {
        .context = worker, .begin = on_ceiling_begin, .ceiling = on_ceiling};
    if (task->kind == RP_TASK_CEILINGS)
        return rp_measure_ceilings(worker->device, &listener);
    return rp_measure_anchor(worker->device, task->moment, &listener);
}

static enum rp_status measure_point(struct worker *worker, const struct rp_task *task)
{
    const struct rp_measure_plan plan = {.protocol = &worker->protocol,
                                         .seed = worker->seed,
                                         .planned = task->planned,
                                         .launch_s = task->launch_s};
    const struct rp_measure_listener listener = {
        .context = worker, .begin = on_begin, .row = on_row};
    return rp_measure_point(worker->device, &task->point, task->impls, &plan, &listener);
}

static void measure_task(struct worker *worker, const struct rp_task *task)
{
    if (task->predicted_s > gather_s || task->kind != RP_TASK_POINT)
        tell_report(worker);
    worker->step->task = task->number;
    rp_worker_step_begin(worker->step, -1, "start", start_limit_s);
    enum rp_status status =
        task->kind == RP_TASK_POINT ? measure_point(worker, task) : calibrate(worker, task);
    worker->step->deadline_s = 0;
    if (status == RP_OK) {
        rp_report_add_end(&worker->report, task->number);
        keep_report(worker);
    } else {
        tell_report(worker);
        tell_failure(worker, status);
    }
}

static void measure_tasks(struct worker *worker, const struct rp_task *tasks, size_t n)
{
    for (size_t i = 0; i < n && !worker->is_over; ++i)
        measure_task(worker, &tasks[i]);
}

/* Dies with its rank, is the OOM killer's first choice, and leaves signals to the rank. */
static void settle_process(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rp_stop_ignore();
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4)
            rp_log(RP_LOG_DEBUG, "oom_score_adj cannot be set");
        close(fd);
    }
}

static bool share_step(struct worker *worker)
{
    void *page =
        mmap(NULL, sizeof *worker->step, PROT_READ | PROT_WRITE, MAP_SHARED, RP_WORKER_PAGE_FD, 0);
    if (page != MAP_FAILED)
        worker->step = page;
    return page != MAP_FAILED;
}

int rp_worker_main(void)
{
    struct worker worker = {0};
    settle_process();
    rp_wire_init(&worker.wire, RP_WORKER_FD);
    if (!share_step(&worker))
        return 3;
    while (!worker.is_over && rp_wire_read(&worker.wire, true) > 0) {
        struct rp_wire_message message;
        while (!worker.is_over && rp_wire_take(&worker.wire, &message)) {
            if (message.kind == RP_WIRE_OPEN && !worker.device)
                open_device(&worker, message.body);
            else if (message.kind == RP_WIRE_TASKS && worker.device)
                measure_tasks(&worker, message.body, message.bytes / sizeof(struct rp_task));
        }
        tell_report(&worker); /* nothing is left to do */
    }
    rp_text_clear(&worker.report);
    rp_device_close(worker.device);
    rp_wire_close(&worker.wire);
    return 0;
}
