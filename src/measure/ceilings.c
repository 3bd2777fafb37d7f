/*
 * ceilings.c - the ceilings of a device: every probe of its backend timed, the best of each kind
 * and path reported (docs/PROTOCOL.md). Nothing here knows one backend from another.
 *
 *   compute, bandwidths, anchor_read: work of a launch / its median time    latency, anchor: the
 * time
 */
#include "measure/ceilings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/stats.h"
#include "kernels/probe.h"
#include "measure/disturbance.h"
#include "model/gpu_spec.h"

enum { SAMPLES_MIN = 11, SAMPLES_MAX = 512, LAUNCHES_MAX = 1 << 24 };

static const double interval_level = 0.95;
static const double timer_ticks = 100;             /* a sample is at least this many long */
static const double first_touch_bytes_per_s = 5e6; /* what the slowest machines reach under load */
static const double sampling_limit_s = 120;

struct effort {
    double sample_s;   /* a sample is as many launches as take at least this long */
    double skip_s;     /* samples that begin earlier do not count */
    double total_s;    /* of all samples; more when there are too few of them */
    double patience_s; /* the same while too few of them are undisturbed */
};

static const struct effort burst = {.sample_s = 1e-3, .total_s = 0.1, .patience_s = 0.5};
static const struct effort sustained = {
    .sample_s = 2e-3, .skip_s = 1, .total_s = 2, .patience_s = 3};

/* A kind of /ceilings, and the set of probe kinds that can reach it. */
struct kind {
    const char *name;
    const char *units;
    unsigned probes;
};

static const struct kind kinds[] = {
    {"compute", "FLOP/s", 1u << RP_PROBE_COMPUTE},
    {"bandwidth", "B/s", 1u << RP_PROBE_BANDWIDTH | 1u << RP_PROBE_READ_BANDWIDTH},
    {"read_bandwidth", "B/s", 1u << RP_PROBE_READ_BANDWIDTH},
    {"cache_bandwidth", "B/s", 1u << RP_PROBE_CACHE_BANDWIDTH},
    {"latency", "s", 1u << RP_PROBE_LATENCY},
    {"graph_latency", "s", 1u << RP_PROBE_GRAPH_LATENCY},
};

static const struct kind compute_sustained = {"compute_sustained", "FLOP/s",
                                              1u << RP_PROBE_COMPUTE};

/* What is repeated to show drift: of arithmetic, and of the memory, which others may share. Of
 * probes of one kind the first of the table. */
static const struct kind anchors[] = {
    {"anchor", "s", 1u << RP_PROBE_ANCHOR},
    {"anchor_read", "B/s", 1u << RP_PROBE_READ_BANDWIDTH},
};

struct session {
    struct rp_device *device;
    const struct rp_ceilings_listener *listener;
    struct rp_buffer scratch; /* of the probe that needed most so far */
};

struct outcome {                  /* of one probe */
    const struct rp_probe *probe; /* null: it could not be measured */
    double median_s;              /* of a unit of work */
    struct rp_stats_interval interval_s;
    double clock_hz;
    bool is_disturbed; /* most samples were, so it may be too slow */
};

static enum rp_status launch_timed(const struct session *s, struct rp_probe_call *call,
                                   int64_t launches, double *elapsed_s)
{
    RP_TRY(rp_device_timer_begin(s->device));
    for (int64_t i = 0; i < launches; ++i, ++call->turn)
        RP_TRY(call->probe->launch(call));
    return rp_device_timer_end(s->device, elapsed_s);
}

/* How many launches make a sample; finding out is the warm-up. */
static enum rp_status launches_of_sample(const struct session *s, struct rp_probe_call *call,
                                         const struct effort *effort, int64_t *launches)
{
    double enough_s = fmax(effort->sample_s, timer_ticks * call->device->timer_tick_s);
    double elapsed_s = 0;
    *launches = 1;
    RP_TRY(launch_timed(s, call, 1, &elapsed_s)); /* the first meets cold code and data */
    RP_TRY(launch_timed(s, call, 1, &elapsed_s));
    while (elapsed_s < enough_s && *launches < LAUNCHES_MAX) {
        *launches *= 2;
        RP_TRY(launch_timed(s, call, *launches, &elapsed_s));
    }
    if (!(elapsed_s > 0))
        return RP_FAIL(RP_ERR_DEVICE, "timer: %" PRId64 " launches in %g s cannot be", *launches,
                       elapsed_s);
    return RP_OK;
}

struct samples {
    double unit_s[SAMPLES_MAX]; /* time of a unit of work; the undisturbed ones come first */
    size_t n;
    size_t n_undisturbed;
};

static enum rp_status take_sample(const struct session *s, struct rp_probe_call *call,
                                  int64_t launches, struct samples *samples, double *elapsed_s)
{
    struct rp_disturbance disturbance = {.n_disturbed = 0};
    struct rp_sample_watch seen;
    rp_device_sample_begin(s->device);
    RP_TRY(launch_timed(s, call, launches, elapsed_s));
    rp_device_sample_end(s->device, &seen);
    double unit_s = *elapsed_s / ((double)launches * call->work);
    samples->unit_s[samples->n] = unit_s;
    if (rp_disturbance_add_sample(&disturbance, *elapsed_s, launches, &seen)) {
        samples->unit_s[samples->n] = samples->unit_s[samples->n_undisturbed];
        samples->unit_s[samples->n_undisturbed++] = unit_s;
    }
    ++samples->n;
    return RP_OK;
}

static bool is_enough(const struct samples *samples, const struct effort *effort, double spent_s)
{
    if (samples->n == SAMPLES_MAX)
        return true;
    if (samples->n_undisturbed < SAMPLES_MIN && spent_s < effort->patience_s)
        return false;
    return samples->n >= SAMPLES_MIN && spent_s >= effort->total_s;
}

/* Disturbed samples count only where there is little else. */
static void summarise(struct samples *samples, struct outcome *outcome)
{
    outcome->is_disturbed = samples->n_undisturbed < SAMPLES_MIN;
    size_t n = outcome->is_disturbed ? samples->n : samples->n_undisturbed;
    rp_stats_sort(samples->unit_s, n);
    outcome->median_s = rp_stats_median(samples->unit_s, n);
    outcome->interval_s = rp_stats_median_interval(samples->unit_s, n, interval_level);
}

static enum rp_status take_samples(const struct session *s, struct rp_probe_call *call,
                                   const struct effort *effort, struct outcome *outcome)
{
    struct samples samples = {.n = 0};
    int64_t launches = 1;
    double spent_s = 0;
    RP_TRY(launches_of_sample(s, call, effort, &launches));
    while (!is_enough(&samples, effort, spent_s)) {
        double elapsed_s = 0;
        if (spent_s < effort->skip_s)
            RP_TRY(launch_timed(s, call, launches, &elapsed_s));
        else
            RP_TRY(take_sample(s, call, launches, &samples, &elapsed_s));
        spent_s += elapsed_s;
    }
    summarise(&samples, outcome);
    return RP_OK;
}

static void tell(const struct session *s, const char *step, double limit_s)
{
    if (s->listener->begin)
        s->listener->begin(s->listener->context, step, limit_s);
}

/* One buffer serves all probes: getting fresh pages is slower than anything done with them. */
static enum rp_status reserve(struct session *s, size_t bytes)
{
    if (s->scratch.bytes >= bytes)
        return RP_OK;
    rp_device_free(s->device, &s->scratch);
    return rp_device_alloc(s->device, RP_MEMORY_WORKSPACE, bytes, &s->scratch);
}

/* Alone in the memory domain, as the points are. */
static enum rp_status sample_alone(const struct session *s, struct rp_probe_call *call,
                                   const struct effort *effort, struct outcome *outcome)
{
    struct rp_watch now;
    tell(s, "waiting for its turn", 0);
    if (!rp_device_exclusive_begin(s->device))
        rp_log(RP_LOG_WARN, "%s: others measured in the same memory domain", call->probe->method);
    tell(s, call->probe->method, sampling_limit_s);
    enum rp_status status = take_samples(s, call, effort, outcome);
    rp_device_exclusive_end(s->device);
    rp_device_watch(s->device, &now);
    outcome->clock_hz = now.clock_hz;
    return status;
}

static enum rp_status probe_steps(struct session *s, const struct rp_probe *probe,
                                  const struct effort *effort, struct outcome *outcome)
{
    struct rp_probe_call call = {.probe = probe, .device = rp_device_info(s->device)};
    RP_TRY(probe->plan(&call));
    tell(s, probe->method, 60 + (double)call.scratch_bytes / first_touch_bytes_per_s);
    RP_TRY(reserve(s, call.scratch_bytes));
    call.scratch = s->scratch.data;
    call.queue = rp_device_queue(s->device);
    if (probe->fill)
        RP_TRY(probe->fill(&call));
    RP_TRY(sample_alone(s, &call, effort, outcome));
    outcome->probe = probe;
    return RP_OK;
}

/* What cannot be measured is left out; only a lost device is a failure. */
static enum rp_status measure_probe(struct session *s, const struct rp_probe *probe,
                                    const struct effort *effort, struct outcome *outcome)
{
    *outcome = (struct outcome){0};
    enum rp_status status = probe_steps(s, probe, effort, outcome);
    if (status == RP_OK)
        return RP_OK;
    if (rp_device_is_lost(s->device))
        return RP_FAIL(RP_ERR_DEVICE, "the device is lost: %s", rp_status_message());
    rp_log(status == RP_ERR_UNSUPPORTED ? RP_LOG_DEBUG : RP_LOG_WARN,
           "no ceiling from the %s %s: %s", probe->backend, probe->method, rp_status_message());
    return RP_OK;
}

/* The datasheet of the device's type; false when data/gpus.tsv does not have it. */
static bool find_datasheet(const struct rp_device *device, struct rp_gpu_spec *spec)
{
    struct rp_gpu_list list = {0};
    const struct rp_gpu_spec *found = NULL;
    if (rp_gpu_list_load(rp_device_data_folder(device), &list) == RP_OK)
        found = rp_gpu_list_find_exact(&list, rp_device_info(device)->row.gpu_type);
    if (found)
        *spec = *found;
    rp_gpu_list_clear(&list);
    return found != NULL;
}

static double datasheet_value(const struct session *s, const struct rp_probe *probe)
{
    struct rp_gpu_spec spec;
    bool is_compute = probe->kind == RP_PROBE_COMPUTE;
    bool is_memory = probe->kind == RP_PROBE_BANDWIDTH || probe->kind == RP_PROBE_READ_BANDWIDTH;
    if ((!is_compute && !is_memory) || !find_datasheet(s->device, &spec))
        return NAN;
    return is_compute ? rp_gpu_spec_peak(&spec, probe->path) : spec.bandwidth_bytes_per_s;
}

static void report(const struct session *s, const struct kind *kind, const struct outcome *outcome,
                   const char *method)
{
    struct rp_ceiling row;
    bool is_time = strcmp(kind->units, "s") == 0;
    rp_row_init(RP_TABLE_CEILINGS, &row);
    row.threads = rp_device_info(s->device)->threads;
    RP_WORD_SET(row.kind, kind->name);
    RP_WORD_SET(row.path, outcome->probe->path);
    RP_WORD_SET(row.units, kind->units);
    RP_WORD_SET(row.method, method);
    row.clock_hz = outcome->clock_hz;
    row.value = is_time ? outcome->median_s : 1 / outcome->median_s;
    row.ci_low = is_time ? outcome->interval_s.low : 1 / outcome->interval_s.high;
    row.ci_high = is_time ? outcome->interval_s.high : 1 / outcome->interval_s.low;
    row.datasheet = datasheet_value(s, outcome->probe);
    if (s->listener->ceiling)
        s->listener->ceiling(s->listener->context, &row);
}

/* The fastest probe that can reach `kind` on `path`; null when none was measured. */
static const struct outcome *best_of(const struct outcome *outcomes, const struct kind *kind,
                                     const char *path)
{
    const struct outcome *best = NULL;
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        const struct outcome *o = &outcomes[i];
        if (o->probe && (kind->probes >> o->probe->kind & 1u) != 0 &&
            strcmp(o->probe->path, path) == 0 && (!best || o->median_s < best->median_s))
            best = o;
    }
    return best;
}

/* The best of every path reports for the path. */
static bool is_best(const struct outcome *outcomes, const struct outcome *o,
                    const struct kind *kind)
{
    return o->probe && best_of(outcomes, kind, o->probe->path) == o;
}

/* `how` it was measured, and whether most samples were disturbed. */
static void report_method(const struct session *s, const struct kind *kind,
                          const struct outcome *outcome, const char *how)
{
    char method[96];
    snprintf(method, sizeof method, "%s%s", how, outcome->is_disturbed ? ", disturbed" : "");
    report(s, kind, outcome, method);
}

static enum rp_status measure_sustained(struct session *s, const struct outcome *outcomes)
{
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        struct outcome outcome;
        char how[64];
        if (!is_best(outcomes, &outcomes[i], &compute_sustained))
            continue;
        RP_TRY(measure_probe(s, outcomes[i].probe, &sustained, &outcome));
        snprintf(how, sizeof how, "%s, last of 2 s", outcomes[i].probe->method);
        if (outcome.probe)
            report_method(s, &compute_sustained, &outcome, how);
    }
    return RP_OK;
}

static bool is_of_device(const struct session *s, const struct rp_probe *probe)
{
    return strcmp(probe->backend, rp_device_backend(s->device)->name) == 0;
}

static enum rp_status measure_all(struct session *s)
{
    struct outcome outcomes[RP_PROBE_COUNT] = {{0}};
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        const struct rp_probe *probe = rp_probes()[i];
        if (is_of_device(s, probe) && probe->kind != RP_PROBE_ANCHOR)
            RP_TRY(measure_probe(s, probe, &burst, &outcomes[i]));
    }
    for (size_t k = 0; k < RP_COUNT(kinds); ++k) {
        for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
            if (is_best(outcomes, &outcomes[i], &kinds[k]))
                report_method(s, &kinds[k], &outcomes[i], outcomes[i].probe->method);
        }
    }
    return measure_sustained(s, outcomes);
}

/* Null: the device has none. */
static const struct rp_probe *first_probe(const struct session *s, const struct kind *kind)
{
    for (size_t i = 0; i < RP_PROBE_COUNT; ++i) {
        const struct rp_probe *probe = rp_probes()[i];
        if (is_of_device(s, probe) && (kind->probes >> probe->kind & 1u) != 0)
            return probe;
    }
    return NULL;
}

static enum rp_status measure_anchors(struct session *s, const char *moment)
{
    enum rp_status status = RP_OK;
    for (size_t k = 0; k < RP_COUNT(anchors) && status == RP_OK; ++k) {
        const struct rp_probe *probe = first_probe(s, &anchors[k]);
        struct outcome outcome = {0};
        if (probe)
            status = measure_probe(s, probe, &burst, &outcome);
        if (outcome.probe && status == RP_OK)
            report_method(s, &anchors[k], &outcome, moment);
    }
    return status;
}

enum rp_status rp_measure_ceilings(struct rp_device *device,
                                   const struct rp_ceilings_listener *listener)
{
    struct session s = {.device = device, .listener = listener};
    enum rp_status status = measure_all(&s);
    if (status == RP_OK)
        status = measure_anchors(&s, "start");
    rp_device_free(device, &s.scratch);
    return status;
}

enum rp_status rp_measure_anchor(struct rp_device *device, const char *moment,
                                 const struct rp_ceilings_listener *listener)
{
    struct session s = {.device = device, .listener = listener};
    enum rp_status status = measure_anchors(&s, moment);
    rp_device_free(device, &s.scratch);
    return status;
}
