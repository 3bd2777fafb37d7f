/* worker_main.c - open the device once, then measure task after task. */
#include "runner/worker_main.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "measure/measure.h"
#include "runner/wire.h"

struct worker {
    struct rp_device *device;
    struct rp_protocol protocol;
    int64_t seed;
    bool rank_is_gone;
};

static void tell(struct worker *worker, const struct rp_wire_message *message)
{
    if (rp_wire_send(RP_WORKER_FD, message) != RP_OK)
        worker->rank_is_gone = true;
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
    struct rp_wire_message answer = {.kind = RP_WIRE_OPENED};
    const struct rp_backend *backend = NULL;
    struct rp_device_request request = open->request;
    worker->protocol = open->protocol;
    worker->seed = open->seed;
    request.data_folder = open->data[0] ? open->data : NULL;
    request.seed = open->seed;
    enum rp_status status = choose_backend(open->device, &backend, &request.model);
    if (status == RP_OK)
        status = rp_device_open(backend, &request, &worker->device);
    if (status == RP_OK) {
        answer.body.opened = *rp_device_info(worker->device);
    } else {
        answer.kind = RP_WIRE_FAILED;
        answer.number = status;
        snprintf(answer.body.failure, sizeof answer.body.failure, "%s", rp_status_message());
    }
    tell(worker, &answer);
}

static void on_begin(void *context, enum rp_impl impl, const char *step, double limit_s)
{
    struct rp_wire_message message = {.kind = RP_WIRE_BEGIN};
    message.body.begin.impl = impl;
    message.body.begin.limit_s = limit_s;
    snprintf(message.body.begin.step, sizeof message.body.begin.step, "%s", step);
    tell(context, &message);
}

static void on_row(void *context, const struct rp_result *row, const struct rp_sample *samples,
                   size_t n_samples)
{
    struct rp_wire_message message = {.kind = RP_WIRE_ROW, .number = (int64_t)n_samples};
    message.body.row = *row;
    tell(context, &message);
    for (size_t sent = 0; sent < n_samples;) {
        struct rp_wire_message chunk = {.kind = RP_WIRE_SAMPLES};
        size_t n = n_samples - sent;
        if (n > RP_WIRE_SAMPLES_MAX)
            n = RP_WIRE_SAMPLES_MAX;
        chunk.body.samples.count = (int64_t)n;
        memcpy(chunk.body.samples.samples, samples + sent, n * sizeof samples[0]);
        tell(context, &chunk);
        sent += n;
    }
}

static void measure_task(struct worker *worker, const struct rp_task *task)
{
    struct rp_wire_message answer = {.kind = RP_WIRE_DONE, .number = task->number};
    const struct rp_measure_plan plan = {
        .protocol = &worker->protocol, .seed = worker->seed, .planned = task->planned};
    const struct rp_measure_listener listener = {
        .context = worker, .begin = on_begin, .row = on_row};
    if (rp_measure_point(worker->device, &task->point, task->impls, &plan, &listener) != RP_OK) {
        answer.kind = RP_WIRE_FAILED;
        snprintf(answer.body.failure, sizeof answer.body.failure, "%s", rp_status_message());
    }
    tell(worker, &answer);
}

/* Dies with its rank, is the OOM killer's first choice, and leaves signals to the rank. */
static void settle_process(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4)
            rp_log(RP_LOG_DEBUG, "oom_score_adj cannot be set");
        close(fd);
    }
}

int rp_worker_main(void)
{
    struct worker worker = {0};
    struct rp_wire_message message;
    settle_process();
    while (!worker.rank_is_gone && rp_wire_receive(RP_WORKER_FD, &message)) {
        if (message.kind == RP_WIRE_OPEN && !worker.device)
            open_device(&worker, &message.body.open);
        else if (message.kind == RP_WIRE_TASK && worker.device)
            measure_task(&worker, &message.body.task);
    }
    rp_device_close(worker.device);
    return 0;
}
