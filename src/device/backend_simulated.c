/*
 * backend_simulated.c - a GPU that is not here: times from the model, memory limits from the
 * datasheet, faults on request.
 *
 *   launch = max(flops_impl / (0.6 peak(path)), bytes_impl / (0.8 bandwidth)) + launches * latency
 *
 * with a spread of 1 % drawn from (seed, point, implementation, number of the launch): the same run
 * gives the same times. Probes of its ceilings take their work's time by the same formula. Its
 * buffers have addresses but no contents.
 */
#include "device/backend_simulated.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "device/backend.h"
#include "device/simulated_spec.h"
#include "model/gpu_spec.h"
#include "model/method_cost.h"

static const double noise_frac = 0.01;

struct simulated {
    struct rp_simulated_spec spec;
    struct rp_gpu_spec gpu;
    int index;
    int64_t seed;
    int64_t held_bytes, peak_bytes;
    double total_s;       /* modelled time of every launch */
    double timer_start_s; /* of those */
    double points_s;      /* of points since then: what is slept, unlike that of probes */
    int64_t n_launches;   /* of points, by this worker */
    uint64_t n_probes;
    bool lost;
    struct { /* of the point and implementation launched last */
        struct rp_point point;
        enum rp_impl impl;
        double launch_s;   /* 0: none yet */
        uint64_t stream;   /* of the spread */
        uint64_t launches; /* in a row */
    } model;
};

static int simulated_count(char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", "");
    return 1; /* as many as there are ranks: each opens its own */
}

static enum rp_status find_gpu(const struct rp_device_request *request, struct simulated *s)
{
    struct rp_gpu_list list = {0};
    const struct rp_gpu_spec *found = NULL;
    RP_TRY(rp_gpu_list_load(request->data_folder, &list));
    enum rp_status status = rp_gpu_list_find(&list, s->spec.gpu_type, &found);
    if (status == RP_OK)
        s->gpu = *found;
    rp_gpu_list_clear(&list);
    return status;
}

static enum rp_status simulated_open(const struct rp_device_request *request, void **state)
{
    struct simulated *s = request->model ? calloc(1, sizeof *s) : NULL;
    if (!request->model)
        return RP_FAIL(RP_ERR_USAGE, "--device simulated: name a type: simulated:TYPE");
    if (!s)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a simulated device");
    s->index = request->index;
    s->seed = request->seed;
    enum rp_status status = rp_simulated_spec_parse(request->model, request->index, &s->spec);
    if (status == RP_OK)
        status = find_gpu(request, s);
    if (status != RP_OK) {
        free(s);
        return status;
    }
    if (s->spec.memory_bytes == 0)
        s->spec.memory_bytes = s->gpu.memory_bytes;
    *state = s;
    return RP_OK;
}

static void simulated_close(void *state)
{
    free(state);
}

static void simulated_info(void *state, struct rp_device_info *info)
{
    const struct simulated *s = state;
    struct rp_device_row *row = &info->row;
    char text[96];
    RP_WORD_SET(row->gpu_type, s->gpu.gpu_type);
    snprintf(text, sizeof text, "simulated %.64s", s->gpu.gpu_type);
    RP_WORD_SET(row->name, text);
    snprintf(text, sizeof text, "simulated-%.64s-%d", s->gpu.gpu_type, s->index);
    RP_WORD_SET(row->uuid, text);
    gethostname(text, sizeof text - 1);
    RP_WORD_SET(row->host, text);
    RP_WORD_SET(row->backend, "simulated");
    RP_WORD_SET(row->compute_capability, s->gpu.compute_capability);
    row->multiprocessors = s->gpu.multiprocessors;
    row->memory_bytes = s->spec.memory_bytes;
    row->l2_bytes = s->gpu.l2_bytes;
    info->threads = -1;
    info->timer_tick_s = 5e-7; /* as CUDA events resolve */
    info->shares_cores = 0;
}

static enum rp_status simulated_alloc(void *state, size_t bytes, void **data)
{
    struct simulated *s = state;
    int64_t limit = s->spec.early_bytes > 0 ? s->spec.early_bytes : s->spec.memory_bytes;
    int64_t available = limit - s->held_bytes;
    if (bytes > (size_t)INT64_MAX || (int64_t)bytes > available)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, %" PRId64 " available", bytes,
                       available);
    s->held_bytes += (int64_t)bytes;
    if (s->held_bytes > s->peak_bytes)
        s->peak_bytes = s->held_bytes;
    *data = s; /* an address nobody looks behind */
    return RP_OK;
}

static void simulated_free(void *state, void *data, size_t bytes)
{
    (void)data;
    ((struct simulated *)state)->held_bytes -= (int64_t)bytes;
}

static enum rp_status simulated_write(void *state, void *to, const void *host, size_t bytes)
{
    (void)state, (void)to, (void)host, (void)bytes;
    return RP_OK;
}

static enum rp_status simulated_read(void *state, void *host, const void *from, size_t bytes)
{
    (void)state, (void)host, (void)from, (void)bytes;
    return RP_OK;
}

static enum rp_status simulated_fill(void *state, void *to, unsigned char byte, size_t bytes)
{
    (void)state, (void)to, (void)byte, (void)bytes;
    return RP_OK;
}

static void *simulated_queue(void *state)
{
    return state;
}

static enum rp_status simulated_timer_begin(void *state)
{
    struct simulated *s = state;
    s->timer_start_s = s->total_s;
    s->points_s = 0;
    return RP_OK;
}

static enum rp_status simulated_timer_end(void *state, double *elapsed_s)
{
    struct simulated *s = state;
    *elapsed_s = s->total_s - s->timer_start_s;
    if (s->spec.scale > 0)
        rp_clock_sleep_s(s->spec.scale * s->points_s);
    return RP_OK;
}

static double simulated_now(void *state)
{
    return ((struct simulated *)state)->total_s;
}

static bool simulated_is_lost(void *state)
{
    return ((struct simulated *)state)->lost;
}

static int64_t simulated_available(void *state)
{
    const struct simulated *s = state;
    return s->spec.memory_bytes - s->held_bytes;
}

static int64_t simulated_used(void *state)
{
    return ((struct simulated *)state)->held_bytes;
}

static enum rp_status simulated_peak_reset(void *state)
{
    struct simulated *s = state;
    s->peak_bytes = s->held_bytes;
    return RP_OK;
}

static int64_t simulated_peak(void *state)
{
    return ((struct simulated *)state)->peak_bytes;
}

/* The fault that was asked for at this launch, if any. */
static enum rp_status fault(struct simulated *s)
{
    int64_t n = ++s->n_launches;
    if (n == s->spec.crash_at)
        raise(SIGSEGV);
    while (n == s->spec.hang_at)
        pause();
    if (n == s->spec.lost_at)
        s->lost = true;
    if (s->lost)
        return RP_FAIL(RP_ERR_DEVICE, "launch %" PRId64 ": the simulated device is lost", n);
    if (n == s->spec.fail_at)
        return RP_FAIL(RP_ERR_DEVICE, "launch %" PRId64 ": the simulated failure", n);
    return RP_OK;
}

/* Uniform in -1 .. 1, the same for the same launch of the same point. */
static double draw(const struct simulated *s, uint64_t stream, uint64_t counter)
{
    uint64_t bits = rp_rng_below((uint64_t)s->seed, stream, counter, 1u << 20);
    return 2 * ((double)bits / (1u << 20)) - 1;
}

/* Without launch latency and spread. */
static double roofline_s(const struct simulated *s, const char *path, double flops, double bytes)
{
    double compute_s = flops / (RP_GPU_COMPUTE_EFFICIENCY * rp_gpu_spec_peak(&s->gpu, path));
    double memory_s = bytes / (RP_GPU_MEMORY_EFFICIENCY * s->gpu.bandwidth_bytes_per_s);
    return fmax(compute_s, memory_s); /* a path without a peak: NaN, and memory's time */
}

/* Modelled time of one launch, without the spread. */
static enum rp_status model(struct simulated *s, const struct rp_point *p, enum rp_impl impl)
{
    char id[RP_POINT_ID_SIZE];
    struct rp_method_cost cost;
    const struct rp_method_device device = {.backend = "cuda",
                                            .multiprocessors = s->gpu.multiprocessors};
    RP_TRY(rp_method_cost_of(&device, impl, p, &cost));
    RP_TRY(rp_point_id(p, id));
    uint64_t stream = 0; /* the point's id as a number: it is hex digits */
    for (const char *digit = id; *digit; ++digit)
        stream = stream << 4 | (uint64_t)(*digit <= '9' ? *digit - '0' : *digit - 'a' + 10);
    s->model.point = *p;
    s->model.impl = impl;
    s->model.stream = stream + (uint64_t)impl;
    s->model.launches = 0;
    s->model.launch_s = roofline_s(s, cost.path, (double)cost.flops_impl, (double)cost.bytes_impl) +
                        (double)cost.launches * s->gpu.launch_latency_s;
    double off = draw(s, s->model.stream, UINT64_MAX) < 0 ? 1 / s->spec.wrong_by : s->spec.wrong_by;
    s->model.launch_s *= off * s->spec.slow_by;
    return RP_OK;
}

enum rp_status rp_simulated_launch(void *queue, const struct rp_point *p, enum rp_impl impl)
{
    struct simulated *s = queue;
    RP_TRY(fault(s));
    bool is_same =
        s->model.launch_s > 0 && s->model.impl == impl && rp_point_compare(&s->model.point, p) == 0;
    if (!is_same)
        RP_TRY(model(s, p, impl));
    double launch_s =
        s->model.launch_s * (1 + noise_frac * draw(s, s->model.stream, s->model.launches));
    s->total_s += launch_s;
    s->points_s += launch_s;
    ++s->model.launches;
    return RP_OK;
}

enum rp_status rp_simulated_launch_work(void *queue, const char *path, double flops, double bytes)
{
    struct simulated *s = queue;
    if (s->lost)
        return RP_FAIL(RP_ERR_DEVICE, "the simulated device is lost");
    if (flops > 0 && isnan(rp_gpu_spec_peak(&s->gpu, path)))
        return RP_FAIL(RP_ERR_UNSUPPORTED, "%s: the datasheet of %s has no such peak", path,
                       s->gpu.gpu_type);
    double launch_s = roofline_s(s, path, flops, bytes) + s->gpu.launch_latency_s;
    launch_s *= s->spec.slow_by * (1 + noise_frac * draw(s, UINT64_MAX, s->n_probes++));
    s->total_s += launch_s;
    return RP_OK;
}

const struct rp_backend rp_backend_simulated = {
    .name = "simulated",
    .cost_backend = "cuda",
    .computes_nothing = true,
    .count = simulated_count,
    .open = simulated_open,
    .close = simulated_close,
    .info = simulated_info,
    .buffer_alloc = simulated_alloc,
    .buffer_free = simulated_free,
    .buffer_write = simulated_write,
    .buffer_read = simulated_read,
    .buffer_fill = simulated_fill,
    .queue = simulated_queue,
    .timer_begin = simulated_timer_begin,
    .timer_end = simulated_timer_end,
    .now_s = simulated_now,
    .is_lost = simulated_is_lost,
    .memory_available_bytes = simulated_available,
    .memory_used_bytes = simulated_used,
    .memory_peak_reset = simulated_peak_reset,
    .memory_peak_bytes = simulated_peak,
};
