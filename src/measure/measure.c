/*
 * measure.c - the protocol of one point in the order it happens (docs/PROTOCOL.md).
 *
 * For each implementation: can it, would it fit, does it fit, memory pass and warm-up, timed
 * samples whose first and last outputs are checked against the oracle. What goes wrong becomes the
 * row's status; only a device that cannot go on ends the point.
 */
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/kernel.h"
#include "measure/accuracy.h"
#include "measure/oracle.h"
#include "measure/sampling.h"
#include "measure/tensors.h"
#include "model/result.h"
#include "plan/forecast.h"

static const double beat_interval_s = 0.25; /* the listener hears of launches at most this often */

struct session {
    struct rp_device *device;
    const struct rp_point *point;
    const struct rp_protocol *protocol;
    const struct rp_measure_listener *listener;
    int64_t seed;
    struct rp_tensors tensors; /* made when the first implementation needs them */
    struct rp_oracle oracle;
    bool prepared;
    bool with_reference; /* outputs are compared with that of impl=reference */
    double last_beat_s;
};

struct attempt { /* of one implementation */
    struct session *session;
    const struct rp_kernel *kernel;
    struct rp_method_cost cost;
    struct rp_result row;
    struct rp_buffer scores;
    struct rp_buffer workspace;
    struct rp_sampling sampling;
    struct rp_accuracy accuracy; /* the worse of the first and the last sample's */
    int64_t launches_per_sample;
    bool is_skipped; /* predicted to take far longer than the limit */
};

static void beat(struct attempt *a, const char *step, double limit_s)
{
    struct session *s = a->session;
    s->last_beat_s = rp_clock_now_s();
    if (s->listener->begin)
        s->listener->begin(s->listener->context, a->kernel->impl, step, limit_s);
}

/* One timed sample of `launches` launches; `time_s` is of one launch. */
static enum rp_status launch_timed(struct attempt *a, int64_t launches, double *time_s)
{
    struct session *s = a->session;
    const struct rp_attention args = {
        .point = s->point,
        .q = s->tensors.inputs[RP_TENSOR_Q].data,
        .k = s->tensors.inputs[RP_TENSOR_K].data,
        .v = s->tensors.inputs[RP_TENSOR_V].data,
        .o = s->tensors.output.data,
        .scores = a->scores.data,
        .workspace = a->workspace.data,
        .queue = rp_device_queue(s->device),
        .threads = rp_device_info(s->device)->threads,
    };
    /* Poison first, evict second: what is compared was written by this very launch. */
    RP_TRY(rp_device_poison(s->device, &s->tensors.output));
    if (s->protocol->cold)
        RP_TRY(rp_device_cache_evict(s->device));
    if (rp_clock_now_s() - s->last_beat_s > beat_interval_s)
        beat(a, "sample", s->protocol->timeout_s);
    double elapsed_s = 0;
    RP_TRY(rp_device_timer_begin(s->device));
    for (int64_t i = 0; i < launches; ++i)
        RP_TRY(a->kernel->launch(&args));
    RP_TRY(rp_device_timer_end(s->device, &elapsed_s));
    *time_s = elapsed_s / (double)launches;
    if (*time_s > s->protocol->timeout_s)
        return RP_FAIL(RP_ERR_TIMEOUT, "a launch took %.3g s, the limit is %.3g s", *time_s,
                       s->protocol->timeout_s);
    return RP_OK;
}

/* Probabilities stay fp32 on plain CPU arithmetic; a matrix unit takes them in the row's dtype. */
static double probability_roundoff(const struct attempt *a)
{
    bool is_plain = strncmp(a->cost.path, "cpu_", 4) == 0;
    return rp_dtype_unit_roundoff(is_plain ? RP_DTYPE_fp32 : a->session->point->dtype);
}

/* A simulated device has times but no outputs: nothing is checked, and its rows say nothing of it.
 */
static bool computes_nothing(const struct session *s)
{
    return rp_device_backend(s->device)->computes_nothing;
}

static enum rp_status check_output(struct attempt *a)
{
    struct session *s = a->session;
    struct rp_accuracy now;
    if (computes_nothing(s))
        return RP_OK;
    RP_TRY(rp_tensors_read_output(s->device, &s->tensors));
    rp_accuracy_check(s->point, &s->oracle, s->tensors.host_output, probability_roundoff(a), &now);
    bool is_first = a->sampling.count == 1;
    if (is_first || !now.passed || now.error_max_abs > a->accuracy.error_max_abs) {
        bool failed_before = !is_first && !a->accuracy.passed;
        if (!failed_before)
            a->accuracy = now;
    }
    return RP_OK;
}

/* Untimed launches first: the memory pass, with nothing else of the point alive, then warm-up. */
static enum rp_status warm_up(struct attempt *a)
{
    struct session *s = a->session;
    struct rp_warmup warmup;
    double time_s = 0;
    double start_s = rp_clock_now_s();
    rp_warmup_init(&warmup, s->protocol);
    RP_TRY(launch_timed(a, 1, &time_s));
    a->row.peak_memory_bytes = rp_device_peak_bytes(s->device);
    a->row.scores_bytes = rp_device_peak_scores_bytes(s->device);
    int64_t outside = rp_device_outside_peak_bytes(s->device);
    if (outside >= 0 && s->tensors.baseline_bytes >= 0)
        a->row.device_memory_bytes = outside - s->tensors.baseline_bytes;
    rp_warmup_add_cost(&warmup, rp_clock_now_s() - start_s);
    while (!rp_warmup_is_over(&warmup)) {
        start_s = rp_clock_now_s();
        RP_TRY(launch_timed(a, 1, &time_s));
        rp_warmup_add(&warmup, time_s, rp_clock_now_s() - start_s);
    }
    a->launches_per_sample = rp_sampling_launches(time_s, rp_device_info(s->device)->timer_tick_s);
    return RP_OK;
}

static enum rp_status take_samples(struct attempt *a)
{
    struct session *s = a->session;
    enum rp_stop stop = RP_STOP_NONE;
    double spent_s = 0;
    while (stop == RP_STOP_NONE) {
        double time_s = 0;
        double start_s = rp_clock_now_s();
        RP_TRY(launch_timed(a, a->launches_per_sample, &time_s));
        RP_TRY(rp_sampling_add(&a->sampling, time_s, a->launches_per_sample, true));
        /* A simulated device's time passes faster than the wall's. */
        spent_s += fmax(rp_clock_now_s() - start_s, time_s * (double)a->launches_per_sample);
        stop = rp_sampling_stop(&a->sampling, spent_s);
        if (a->sampling.count == 1 || stop != RP_STOP_NONE)
            RP_TRY(check_output(a));
    }
    rp_sampling_summarise(&a->sampling, stop, &a->row);
    struct rp_watch now;
    rp_device_watch(s->device, &now);
    a->row.clock_hz = now.clock_hz;
    return RP_OK;
}

/* Filling the inputs and the oracle's rows at a tenth of what slow machines reach, and a minute. */
static double prepare_limit_s(const struct session *s, const struct rp_method_cost *cost)
{
    const double fill_bytes_per_s = 20e6;
    const double oracle_flop_per_s = 20e6;
    double oracle_flop = 4.0 * (double)s->protocol->verify_rows * (double)s->point->seq_k *
                         (double)s->point->head_dim;
    return 60 + (double)cost->tensor_bytes / fill_bytes_per_s + oracle_flop / oracle_flop_per_s;
}

/* Tensors and oracle, once a point, when the first implementation gets this far. */
static enum rp_status prepare(struct attempt *a)
{
    struct session *s = a->session;
    if (s->prepared)
        return RP_OK;
    beat(a, "prepare", prepare_limit_s(s, &a->cost));
    const struct rp_tensors_request request = {
        .point = s->point, .seed = s->seed, .with_reference = s->with_reference};
    RP_TRY(rp_tensors_create(s->device, &request, &s->tensors));
    s->prepared = true;
    if (computes_nothing(s))
        return RP_OK;
    const void *const *inputs = s->tensors.host_inputs;
    enum rp_status status =
        rp_oracle_create(s->point, inputs[RP_TENSOR_Q], inputs[RP_TENSOR_K], inputs[RP_TENSOR_V],
                         s->protocol->verify_rows, s->seed, &s->oracle);
    if (status != RP_OK)
        rp_tensors_clear(s->device, &s->tensors);
    s->prepared = status == RP_OK;
    return status;
}

/* Everything that can be said before a byte is allocated. */
static enum rp_status foresee(struct attempt *a)
{
    struct session *s = a->session;
    const struct rp_device_info *info = rp_device_info(s->device);
    const struct rp_method_device method = rp_method_device_of(&info->row, info->threads);
    RP_TRY(a->kernel->supports(s->point, info));
    RP_TRY(rp_method_cost_of(&method, a->kernel->impl, s->point, &a->cost));
    RP_WORD_SET(a->row.path, a->cost.path);
    a->row.launches = a->cost.launches;
    a->row.flops_impl = a->cost.flops_impl;
    a->row.bytes_impl = a->cost.bytes_impl;
    int64_t needed = rp_method_cost_memory(&a->cost);
    a->row.predicted_memory_bytes = needed;
    double launch_s = rp_forecast_launch_s(&info->row, info->threads, s->point, a->kernel->impl);
    if (launch_s > RP_FORECAST_HOPELESS * s->protocol->timeout_s) {
        a->is_skipped = true;
        return RP_FAIL(RP_ERR_TIMEOUT,
                       "predicted, not tried: about %.3g s a launch, the limit is %.3g s", launch_s,
                       s->protocol->timeout_s);
    }
    int64_t available = rp_device_memory_available_bytes(s->device);
    int64_t held = rp_device_held_bytes(s->device);
    if (available >= 0 && needed > available + held)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY,
                       RP_REASON_PREDICTED ": %" PRId64 " bytes needed, %" PRId64 " available",
                       needed, available + held);
    return RP_OK;
}

static enum rp_status allocate(struct attempt *a)
{
    struct session *s = a->session;
    rp_device_peak_reset(s->device);
    RP_TRY(rp_device_outside_peak_reset(s->device));
    RP_TRY(rp_device_alloc(s->device, RP_MEMORY_SCORES, (size_t)a->cost.scores_bytes, &a->scores));
    return rp_device_alloc(s->device, RP_MEMORY_WORKSPACE, (size_t)a->cost.workspace_bytes,
                           &a->workspace);
}

static enum rp_status compare_with_reference(struct attempt *a)
{
    struct rp_tensors *tensors = &a->session->tensors;
    if (computes_nothing(a->session))
        return RP_OK;
    if (a->kernel->impl == RP_IMPL_reference)
        rp_tensors_keep_reference(tensors);
    else if (tensors->has_reference)
        a->row.reference_diff_max_abs = rp_accuracy_difference(
            a->session->point->dtype, tensors->host_output, tensors->reference_output,
            rp_inputs_count(a->session->point, RP_TENSOR_Q));
    return RP_OK;
}

static enum rp_status attempt_steps(struct attempt *a)
{
    RP_TRY(foresee(a));
    RP_TRY(prepare(a));
    beat(a, "warm-up", a->session->protocol->timeout_s);
    RP_TRY(allocate(a));
    RP_TRY(rp_sampling_init(&a->sampling, a->session->protocol));
    RP_TRY(warm_up(a));
    RP_TRY(take_samples(a));
    return compare_with_reference(a);
}

/* A row that is neither ok nor mismatch has no times and no samples. */
static void forget_times(struct attempt *a)
{
    a->row.time_median_s = a->row.time_min_s = NAN;
    a->row.time_ci_low_s = a->row.time_ci_high_s = a->row.ci_level = NAN;
    RP_WORD_SET(a->row.stop_reason, "");
    a->sampling.count = 0;
}

static void conclude(struct attempt *a, enum rp_status status)
{
    if (status != RP_OK) {
        rp_result_set_outcome(&a->row, a->is_skipped ? RP_OUTCOME_SKIPPED : rp_outcome_from(status),
                              rp_status_message());
        forget_times(a);
    } else if (computes_nothing(a->session)) {
        rp_result_set_outcome(&a->row, RP_OUTCOME_OK, "");
    } else {
        a->row.error_max_abs = a->accuracy.error_max_abs;
        a->row.error_rel_l2 = a->accuracy.error_rel_l2;
        a->row.error_tolerance = a->accuracy.tolerance;
        rp_result_set_outcome(&a->row, a->accuracy.passed ? RP_OUTCOME_OK : RP_OUTCOME_MISMATCH,
                              a->accuracy.passed ? "" : a->accuracy.reason);
    }
    a->row.samples = (int64_t)a->sampling.count;
}

static enum rp_status measure_implementation(struct session *s, enum rp_impl impl)
{
    struct attempt a = {.session = s};
    RP_TRY(rp_result_begin(&a.row, s->point, impl));
    RP_TRY(rp_result_set_protocol(&a.row, s->protocol));
    const struct rp_device_info *info = rp_device_info(s->device);
    a.row.threads = info->threads;
    RP_WORD_SET(a.row.flags, info->shares_cores ? "noisy" : "");
    const char *backend = rp_device_backend(s->device)->name;
    a.kernel = rp_kernel_find(backend, impl);
    enum rp_status status = RP_OK;
    if (!a.kernel)
        status = RP_FAIL(RP_ERR_UNSUPPORTED, "the %s device has no kernel '%s'", backend,
                         rp_impl_name(impl));
    else
        status = attempt_steps(&a);
    conclude(&a, status);
    if (s->listener->row)
        s->listener->row(s->listener->context, &a.row, a.sampling.samples, a.sampling.count);
    rp_device_free(s->device, &a.workspace);
    rp_device_free(s->device, &a.scores);
    rp_sampling_clear(&a.sampling);
    if (rp_device_is_lost(s->device))
        return RP_FAIL(RP_ERR_DEVICE, "the device is lost: %s", a.row.reason);
    return RP_OK;
}

/* The reference has its row already (an earlier run, a worker before this one): one untimed launch
 * gives the output that the others are compared with. Failing leaves them uncompared. */
static void launch_reference(struct session *s)
{
    struct attempt a = {.session = s};
    double time_s = 0;
    const char *backend = rp_device_backend(s->device)->name;
    a.kernel = rp_kernel_find(backend, RP_IMPL_reference);
    if (!a.kernel || computes_nothing(s) || foresee(&a) != RP_OK || prepare(&a) != RP_OK)
        return;
    beat(&a, "reference output", s->protocol->timeout_s);
    if (allocate(&a) == RP_OK && launch_timed(&a, 1, &time_s) == RP_OK &&
        rp_tensors_read_output(s->device, &s->tensors) == RP_OK)
        rp_tensors_keep_reference(&s->tensors);
    rp_device_free(s->device, &a.workspace);
    rp_device_free(s->device, &a.scores);
}

enum rp_status rp_measure_point(struct rp_device *device, const struct rp_point *point,
                                rp_impl_set impls, const struct rp_measure_plan *plan,
                                const struct rp_measure_listener *listener)
{
    /* The reference goes first, so that the others can be compared with its output. */
    static const enum rp_impl order[] = {RP_IMPL_reference, RP_IMPL_naive, RP_IMPL_fused};
    _Static_assert(RP_COUNT(order) == RP_IMPL_COUNT, "every implementation has its turn");
    struct session s = {.device = device,
                        .point = point,
                        .protocol = plan->protocol,
                        .listener = listener,
                        .seed = plan->seed,
                        .with_reference = rp_impl_in(plan->planned, RP_IMPL_reference)};
    enum rp_status status = RP_OK;
    if (s.with_reference && !rp_impl_in(impls, RP_IMPL_reference))
        launch_reference(&s);
    for (size_t i = 0; i < RP_COUNT(order) && status == RP_OK; ++i) {
        if (rp_impl_in(impls, order[i]))
            status = measure_implementation(&s, order[i]);
    }
    rp_oracle_clear(&s.oracle);
    rp_tensors_clear(device, &s.tensors);
    return status;
}
