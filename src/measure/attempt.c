/*
 * attempt.c - the steps of one implementation.
 */
#include "measure/attempt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "measure/foresee.h"
#include "model/result.h"

/* A library may compile what it will launch. */
static const double library_s = 300;

static const double tell_interval_s = 0.25; /* of one step the listener hears this often at most */

void rp_attempt_tell(struct rp_attempt *a, const char *step, double limit_s)
{
    struct rp_session *s = a->session;
    s->told = a;
    s->told_s = rp_clock_now_s();
    if (s->listener->begin)
        s->listener->begin(s->listener->context, a->kernel->impl, step, limit_s);
}

static bool computes_nothing(const struct rp_attempt *a)
{
    return rp_device_backend(a->session->device)->computes_nothing;
}

/* Nothing of this point is allocated yet: what is available is all that it can have. */
static enum rp_status foresee(struct rp_attempt *a)
{
    const struct rp_session *s = a->session;
    const double *launch_s = s->plan->launch_s;
    const struct rp_foresee_request request = {
        .kernel = a->kernel,
        .info = rp_device_info(s->device),
        .point = s->point,
        .queue = rp_device_queue(s->device),
        .launch_s = launch_s ? launch_s[a->kernel->impl] : 0,
        .timeout_s = s->plan->protocol->timeout_s,
        .available_bytes = rp_device_memory_available_bytes(s->device),
    };
    if (a->kernel->prepare)
        rp_attempt_tell(a, "library", library_s);
    enum rp_status status = rp_foresee(&request, &a->cost);
    a->is_skipped = status == RP_ERR_TIMEOUT;
    if (!a->cost.path[0])
        return status;
    RP_WORD_SET(a->row.path, a->cost.path);
    a->row.launches = a->cost.launches;
    a->row.flops_impl = a->cost.flops_impl;
    a->row.bytes_impl = a->cost.bytes_impl;
    a->row.predicted_memory_bytes = rp_method_cost_memory(&a->cost);
    return status;
}

enum rp_status rp_attempt_begin(struct rp_attempt *a, struct rp_session *session, enum rp_impl impl)
{
    const struct rp_device_info *info = rp_device_info(session->device);
    const char *backend = rp_device_backend(session->device)->name;
    *a = (struct rp_attempt){.session = session, .kernel = rp_kernel_find(backend, impl)};
    RP_TRY(rp_result_begin(&a->row, session->point, impl));
    RP_TRY(rp_result_set_protocol(&a->row, session->plan->protocol));
    a->row.threads = info->threads;
    RP_WORD_SET(a->row.flags, info->shares_cores ? "noisy" : "");
    if (!a->kernel)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "the %s device has no kernel '%s'", backend,
                       rp_impl_name(impl));
    rp_warmup_init(&a->warmup, session->plan->protocol);
    RP_TRY(foresee(a));
    return rp_sampling_init(&a->sampling, session->plan->protocol);
}

size_t rp_attempt_scratch_bytes(const struct rp_attempt *a)
{
    return (size_t)a->cost.scores_bytes + (size_t)a->cost.workspace_bytes;
}

enum rp_status rp_attempt_take_scratch(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    RP_TRY(rp_device_arena_take(s->device, &s->arena, RP_MEMORY_SCORES,
                                (size_t)a->cost.scores_bytes, &a->scores));
    enum rp_status status = rp_device_arena_take(s->device, &s->arena, RP_MEMORY_WORKSPACE,
                                                 (size_t)a->cost.workspace_bytes, &a->workspace);
    if (status != RP_OK)
        rp_attempt_return_scratch(a);
    return status;
}

void rp_attempt_return_scratch(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    rp_device_arena_return(s->device, &s->arena, &a->workspace);
    rp_device_arena_return(s->device, &s->arena, &a->scores);
}

/* The launches between two readings of the timer, and what was seen meanwhile. */
static enum rp_status launch_timed(struct rp_attempt *a, int64_t launches, double *elapsed_s,
                                   struct rp_sample_watch *seen)
{
    struct rp_session *s = a->session;
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
    struct rp_sample_watch unseen;
    rp_device_sample_begin(s->device);
    RP_TRY(rp_device_timer_begin(s->device));
    for (int64_t i = 0; i < launches; ++i)
        RP_TRY(a->kernel->launch(&args));
    RP_TRY(rp_device_timer_end(s->device, elapsed_s));
    rp_device_sample_end(s->device, seen ? seen : &unseen);
    return RP_OK;
}

/* Poison first, evict second: what is compared was written by the launch that follows. */
static enum rp_status make_ready(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    RP_TRY(rp_device_poison(s->device, &s->tensors.output));
    double start_s = rp_device_now_s(s->device);
    if (s->plan->protocol->cold)
        RP_TRY(rp_device_cache_evict(s->device));
    a->eviction_s += rp_device_now_s(s->device) - start_s;
    return RP_OK;
}

enum rp_status rp_attempt_launch(struct rp_attempt *a, int64_t launches, double *time_s,
                                 struct rp_sample_watch *seen)
{
    struct rp_session *s = a->session;
    const struct rp_protocol *protocol = s->plan->protocol;
    double elapsed_s = 0;
    if (s->told != a || rp_clock_now_s() - s->told_s > tell_interval_s)
        rp_attempt_tell(a, "sample", protocol->timeout_s);
    RP_TRY(make_ready(a));
    RP_TRY(launch_timed(a, launches, &elapsed_s, seen));
    *time_s = elapsed_s / (double)launches;
    if (*time_s > protocol->timeout_s)
        return RP_FAIL(RP_ERR_TIMEOUT, "a launch took %.3g s, the limit is %.3g s", *time_s,
                       protocol->timeout_s);
    return RP_OK;
}

/* Probabilities stay fp32 on plain CPU arithmetic; a matrix unit takes them in the row's dtype. */
static double probability_roundoff(const struct rp_attempt *a)
{
    bool is_plain = strncmp(a->cost.path, "cpu_", 4) == 0;
    return rp_dtype_unit_roundoff(is_plain ? RP_DTYPE_fp32 : a->session->point->dtype);
}

/* An output that failed stays the one that is told; else the larger error. */
static void keep_worse(struct rp_attempt *a, const struct rp_accuracy *now)
{
    bool failed_before = a->was_checked && !a->accuracy.passed;
    bool is_worse = !now->passed || now->error_max_abs > a->accuracy.error_max_abs;
    if (!failed_before && (!a->was_checked || is_worse))
        a->accuracy = *now;
    a->was_checked = true;
}

static void compare_with_reference(struct rp_attempt *a)
{
    const struct rp_session *s = a->session;
    if (a->kernel->impl == RP_IMPL_reference || !s->tensors.has_reference)
        return;
    double difference =
        rp_accuracy_difference(s->point->dtype, s->tensors.host_output, s->tensors.reference_output,
                               rp_inputs_count(s->point, RP_TENSOR_Q));
    /* fmax would let a NaN through: not finite is the largest of all. */
    if (!(difference <= a->row.reference_diff_max_abs))
        a->row.reference_diff_max_abs = difference;
}

/* Reading and comparing an output at a tenth of what slow machines reach, and a minute. */
static double check_limit_s(const struct rp_session *s)
{
    const double bytes_per_s = 20e6;
    return 60 + (double)s->tensors.output_bytes / bytes_per_s;
}

/* A simulated device has times but no outputs: nothing is checked, and its rows say nothing of it.
 */
enum rp_status rp_attempt_check(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    struct rp_accuracy now;
    if (computes_nothing(a))
        return RP_OK;
    rp_attempt_tell(a, "check", check_limit_s(s));
    s->told = NULL; /* the next launch tells its own limit */
    RP_TRY(rp_tensors_read_output(s->device, &s->tensors));
    rp_accuracy_check(s->point, &s->oracle, s->tensors.host_output, probability_roundoff(a), &now);
    keep_worse(a, &now);
    compare_with_reference(a);
    return RP_OK;
}

/* Beside a launch: CUPTI starts and ends, both of which take a while. */
static const double counting_s = 60;

/* One launch more, prepared as a sample is, but counted by the device and not timed. Its output is
 * as good as any. */
static enum rp_status count_traffic(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    struct rp_traffic traffic;
    char why[1024] = "";
    double elapsed_s = 0;
    if (!rp_device_counts_traffic(s->device))
        return RP_OK;
    rp_attempt_tell(a, "traffic", s->plan->protocol->timeout_s + counting_s);
    RP_TRY(make_ready(a));
    bool is_counting = rp_device_traffic_begin(s->device);
    enum rp_status status = launch_timed(a, 1, &elapsed_s, NULL);
    if (status != RP_OK)
        snprintf(why, sizeof why, "%s", rp_status_message());
    if (is_counting && rp_device_traffic_end(s->device, &traffic) && status == RP_OK) {
        a->row.dram_read_bytes = traffic.read_bytes;
        a->row.dram_write_bytes = traffic.write_bytes;
    }
    return status == RP_OK ? RP_OK : RP_FAIL(status, "%s", why);
}

enum rp_status rp_attempt_memory_pass(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    double start_s = rp_device_now_s(s->device);
    rp_device_peak_reset(s->device);
    RP_TRY(rp_device_outside_peak_reset(s->device));
    RP_TRY(rp_attempt_take_scratch(a));
    rp_attempt_tell(a, "memory pass", s->plan->protocol->timeout_s);
    enum rp_status status = rp_attempt_launch(a, 1, &a->launch_s, NULL);
    a->row.peak_memory_bytes = rp_device_peak_bytes(s->device);
    a->row.scores_bytes = rp_device_peak_scores_bytes(s->device);
    int64_t outside = rp_device_outside_peak_bytes(s->device);
    if (outside >= 0 && s->tensors.baseline_bytes >= 0)
        a->row.device_memory_bytes = outside - s->tensors.baseline_bytes;
    a->sample_cost_s = rp_device_now_s(s->device) - start_s;
    rp_warmup_add_cost(&a->warmup, a->sample_cost_s);
    if (status == RP_OK)
        status = count_traffic(a);
    rp_attempt_return_scratch(a);
    if (status != RP_OK || computes_nothing(a) || a->kernel->impl != RP_IMPL_reference)
        return status;
    RP_TRY(rp_tensors_read_output(s->device, &s->tensors));
    rp_tensors_keep_reference(&s->tensors);
    return RP_OK;
}

/* A row that is neither ok nor mismatch has no times and no samples. */
static void forget_times(struct rp_attempt *a)
{
    a->row.time_median_s = a->row.time_min_s = NAN;
    a->row.time_ci_low_s = a->row.time_ci_high_s = a->row.ci_level = NAN;
    RP_WORD_SET(a->row.stop_reason, "");
    a->row.sampling_s = a->row.eviction_s = a->row.sampled_utc_s = NAN;
    a->sampling.count = 0;
}

static void complete_row(struct rp_attempt *a, enum rp_status status)
{
    if (status != RP_OK) {
        rp_result_set_outcome(&a->row, a->is_skipped ? RP_OUTCOME_SKIPPED : rp_outcome_from(status),
                              rp_status_message());
        forget_times(a);
        return;
    }
    if (computes_nothing(a)) {
        rp_result_set_outcome(&a->row, RP_OUTCOME_OK, "");
    } else {
        a->row.error_max_abs = a->accuracy.error_max_abs;
        a->row.error_rel_l2 = a->accuracy.error_rel_l2;
        a->row.error_tolerance = a->accuracy.tolerance;
        rp_result_set_outcome(&a->row, a->accuracy.passed ? RP_OUTCOME_OK : RP_OUTCOME_MISMATCH,
                              a->accuracy.passed ? "" : a->accuracy.reason);
    }
    rp_disturbance_conclude(&a->disturbance, a->sampling.count, a->sampling.used, &a->row);
}

void rp_attempt_report(struct rp_attempt *a, enum rp_status status)
{
    const struct rp_measure_listener *listener = a->session->listener;
    a->state = RP_ATTEMPT_REPORTED;
    if (!a->is_untimed) {
        complete_row(a, status);
        a->row.samples = (int64_t)a->sampling.count;
        if (listener->row)
            listener->row(listener->context, &a->row, a->sampling.samples, a->sampling.count);
    }
    rp_attempt_abandon(a);
}

void rp_attempt_abandon(struct rp_attempt *a)
{
    rp_attempt_return_scratch(a);
    rp_sampling_clear(&a->sampling);
}
