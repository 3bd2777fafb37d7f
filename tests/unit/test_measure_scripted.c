/*
 * test_measure_scripted.c - the protocol on a device whose clock, timer and troubles are a script:
 * stopping, pairing, flags, batched launches, impossible timers. No real time passes.
 *
 * The linker replaces rp_kernel_find (tests/CMakeLists.txt: --wrap): a launch adds its scripted
 * time to the device's clock.
 */
#include "check.h"

#include <stdlib.h>

#include "kernels/kernel.h"
#include "measure/measure.h"

enum { EVENTS_MAX = 100000 };

/* What one implementation's launches do. */
struct script {
    double launch_s;
    double lost_s;      /* of each sample */
    double throttled_s; /* of each launch */
    int fail_at;        /* the n-th launch fails, from 1; 0: none */
};

static struct scripted {
    struct script scripts[RP_IMPL_COUNT];
    int launches[RP_IMPL_COUNT];
    double now_s, timer_start_s, throttled_s;
    double evict_s;
    double timer_scale; /* the timer's answer over the truth */
    size_t largest_bytes;
    enum rp_impl last;
    int exclusive_depth;
    bool launched_outside;   /* a sample was taken without the memory domain */
    char events[EVENTS_MAX]; /* e: evicted, (: timer begins, n r f: launch, ): timer ends */
    size_t n_events;
} script;

static void event(char what)
{
    if (script.n_events + 1 < EVENTS_MAX)
        script.events[script.n_events++] = what;
}

static int scripted_count(char *reason, size_t size)
{
    snprintf(reason, size, "%s", "");
    return 1;
}

static enum rp_status scripted_open(const struct rp_device_request *request, void **state)
{
    (void)request;
    *state = &script;
    return RP_OK;
}

static void scripted_close(void *state)
{
    (void)state;
}

static void scripted_info(void *state, struct rp_device_info *info)
{
    (void)state;
    RP_WORD_SET(info->row.backend, "simulated");
    info->row.multiprocessors = 4;
    info->threads = -1;
    info->timer_tick_s = 1e-6;
    info->shares_cores = 0;
}

static enum rp_status scripted_alloc(void *state, size_t bytes, void **data)
{
    (void)state;
    if (bytes > script.largest_bytes)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, %zu available", bytes,
                       script.largest_bytes);
    *data = malloc(bytes);
    return *data ? RP_OK : RP_FAIL(RP_ERR_OUT_OF_MEMORY, "no host memory");
}

static void scripted_free(void *state, void *data, size_t bytes)
{
    (void)state, (void)bytes;
    free(data);
}

static enum rp_status scripted_fill(void *state, void *to, unsigned char byte, size_t bytes)
{
    (void)state, (void)to, (void)byte, (void)bytes;
    return RP_OK;
}

static void *scripted_queue(void *state)
{
    return state;
}

static enum rp_status scripted_timer_begin(void *state)
{
    (void)state;
    script.timer_start_s = script.now_s;
    event('(');
    return RP_OK;
}

static enum rp_status scripted_timer_end(void *state, double *elapsed_s)
{
    (void)state;
    *elapsed_s = script.timer_scale * (script.now_s - script.timer_start_s);
    event(')');
    return RP_OK;
}

static enum rp_status scripted_evict(void *state)
{
    (void)state;
    script.now_s += script.evict_s;
    event('e');
    return RP_OK;
}

static double scripted_now(void *state)
{
    (void)state;
    return script.now_s;
}

static void scripted_watch(void *state, struct rp_watch *now)
{
    (void)state;
    now->throttled_s = script.throttled_s;
    now->clock_hz = 1e9;
}

static void scripted_sample_end(void *state, struct rp_sample_watch *seen)
{
    (void)state;
    seen->lost_s = script.scripts[script.last].lost_s;
}

static bool scripted_exclusive_begin(void *state)
{
    (void)state;
    ++script.exclusive_depth;
    return true;
}

static void scripted_exclusive_end(void *state)
{
    (void)state;
    --script.exclusive_depth;
}

static const struct rp_backend backend = {
    .name = "scripted",
    .computes_nothing = true,
    .lazy_pages = true,
    .count = scripted_count,
    .open = scripted_open,
    .close = scripted_close,
    .info = scripted_info,
    .buffer_alloc = scripted_alloc,
    .buffer_free = scripted_free,
    .buffer_fill = scripted_fill,
    .queue = scripted_queue,
    .timer_begin = scripted_timer_begin,
    .timer_end = scripted_timer_end,
    .cache_evict = scripted_evict,
    .now_s = scripted_now,
    .watch = scripted_watch,
    .sample_end = scripted_sample_end,
    .exclusive_begin = scripted_exclusive_begin,
    .exclusive_end = scripted_exclusive_end,
};

static enum rp_status launch(enum rp_impl impl)
{
    const struct script *own = &script.scripts[impl];
    script.last = impl;
    script.now_s += own->launch_s;
    script.throttled_s += own->throttled_s;
    script.launched_outside |= ++script.launches[impl] > 1 && script.exclusive_depth != 1;
    event(rp_impl_name(impl)[0]);
    if (script.launches[impl] == own->fail_at)
        return RP_FAIL(RP_ERR_DEVICE, "planted: the launch failed");
    return RP_OK;
}

static enum rp_status launch_naive(const struct rp_attention *a)
{
    (void)a;
    return launch(RP_IMPL_naive);
}

static enum rp_status launch_reference(const struct rp_attention *a)
{
    (void)a;
    return launch(RP_IMPL_reference);
}

static enum rp_status launch_fused(const struct rp_attention *a)
{
    (void)a;
    return launch(RP_IMPL_fused);
}

static enum rp_status supports(const struct rp_point *p, const struct rp_device_info *device)
{
    (void)p, (void)device;
    return RP_OK;
}

const struct rp_kernel *__wrap_rp_kernel_find(const char *name, enum rp_impl impl);

const struct rp_kernel *__wrap_rp_kernel_find(const char *name, enum rp_impl impl)
{
    static const struct rp_kernel kernels[RP_IMPL_COUNT] = {
        [RP_IMPL_naive] = {RP_IMPL_naive, "scripted", supports, NULL, launch_naive},
        [RP_IMPL_reference] = {RP_IMPL_reference, "scripted", supports, NULL, launch_reference},
        [RP_IMPL_fused] = {RP_IMPL_fused, "scripted", supports, NULL, launch_fused},
    };
    (void)name;
    return &kernels[impl];
}

enum { SAMPLES_MAX = 1000 };

static struct rp_result rows[RP_IMPL_COUNT];
static struct rp_sample samples[RP_IMPL_COUNT][SAMPLES_MAX];
static int n_rows;
static struct rp_protocol protocol;

static void keep_row(void *context, const struct rp_result *row, const struct rp_sample *own,
                     size_t n_samples)
{
    enum rp_impl impl;
    (void)context;
    CHECK_TRUE(rp_impl_find(row->impl, &impl) && n_samples <= SAMPLES_MAX, "a row");
    rows[impl] = *row;
    if (n_samples > 0)
        memcpy(samples[impl], own, n_samples * sizeof own[0]);
    ++n_rows;
}

/* Every launch 10 ms, an eviction 1 ms, nothing disturbs. */
static int reset(void **state)
{
    (void)state;
    memset(&script, 0, sizeof script);
    script.timer_scale = 1;
    script.evict_s = 1e-3;
    script.largest_bytes = SIZE_MAX;
    for (int i = 0; i < RP_IMPL_COUNT; ++i)
        script.scripts[i].launch_s = 10e-3;
    rp_protocol_init(&protocol);
    n_rows = 0;
    return 0;
}

static void measure(rp_impl_set impls)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {.local_size = 1};
    const struct rp_point point = {.stage = RP_STAGE_PREFILL,
                                   .batch = 1,
                                   .heads = 2,
                                   .kv_heads = 2,
                                   .seq_q = 1024,
                                   .seq_k = 1024,
                                   .head_dim = 16,
                                   .dtype = RP_DTYPE_fp16,
                                   .causal = true};
    const struct rp_measure_listener listener = {.row = keep_row};
    const struct rp_measure_plan plan = {.protocol = &protocol, .planned = RP_IMPL_DEFAULT};
    CHECK_OK(rp_device_open(&backend, &request, &device), "open");
    CHECK_OK(rp_measure_point(device, &point, impls, &plan, &listener), "measure");
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "memory is back to where it was");
    CHECK_EQ_I64(script.exclusive_depth, 0, "the memory domain is given back");
    CHECK_TRUE(!script.launched_outside, "no sample is taken without it");
    rp_device_close(device);
}

static void test_stops_and_pairs(void **state)
{
    (void)state;
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_I64(n_rows, 3, "a row each");
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        const char *name = rp_impl_name((enum rp_impl)impl);
        CHECK_EQ_I64(rows[impl].samples, 10, name);
        CHECK_EQ_TEXT(rows[impl].stop_reason, "target_ci", name);
        CHECK_NEAR(rows[impl].time_median_s, 10e-3, 1e-9, name);
        CHECK_NEAR(rows[impl].clock_hz, 1e9, 0, name);
        CHECK_EQ_TEXT(rows[impl].flags, "", name);
        CHECK_NEAR(rows[impl].sampling_s, 10 * 11e-3, 1e-9, name);
        CHECK_NEAR(rows[impl].eviction_s, 10 * 1e-3, 1e-9, name);
        CHECK_EQ_I64(rows[impl].peak_memory_bytes, rows[impl].predicted_memory_bytes, name);
        for (int64_t i = 0; i < rows[impl].samples; ++i)
            CHECK_EQ_I64(samples[impl][i].round, i, "one sample a round");
    }
}

/* Order of the timed launches of the rounds: the last 30 of all. */
static void test_order(void **state)
{
    (void)state;
    char order[EVENTS_MAX];
    size_t n = 0;
    measure(RP_IMPL_DEFAULT);
    for (size_t i = 0; i < script.n_events; ++i) {
        if (strchr("nrf", script.events[i]))
            order[n++] = script.events[i];
        if (script.events[i] == '(')
            CHECK_TRUE(i > 0 && script.events[i - 1] == 'e', "evicted right before it is timed");
    }
    CHECK_TRUE(n > 30, "memory pass and warm-up come first");
    const char *rounds = order + n - 30;
    for (int i = 0; i < 30; ++i)
        CHECK_EQ_I64(rounds[i], rounds[(i / 3 + i % 3) % 3], "each round begins with the next one");
    CHECK_TRUE(rounds[0] != rounds[1] && rounds[1] != rounds[2] && rounds[0] != rounds[2],
               "three in turn");
}

static void test_warm(void **state)
{
    (void)state;
    protocol.cold = false;
    script.scripts[RP_IMPL_naive].launch_s = 0.9e-3; /* two samples a turn */
    measure(1u << RP_IMPL_naive);
    CHECK_TRUE(!memchr(script.events, 'e', script.n_events), "nothing is evicted");
    CHECK_EQ_I64(rows[RP_IMPL_naive].samples, 10, "samples");
    /* The first launch of a turn warms the cache again: 5 turns, 10 samples, the rest before. */
    CHECK_EQ_I64(script.launches[RP_IMPL_naive], 1 + 6 + 5 + 10, "launches");
    CHECK_EQ_I64(samples[RP_IMPL_naive][9].round, 4, "two samples a round");
}

static void test_batched(void **state)
{
    (void)state;
    script.scripts[RP_IMPL_fused].launch_s = 21e-6; /* 21 ticks of the timer */
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_I64(samples[RP_IMPL_fused][0].launches, 5, "100 ticks a sample");
    CHECK_EQ_I64(samples[RP_IMPL_naive][0].launches, 1, "long enough");
    CHECK_NEAR(rows[RP_IMPL_fused].time_median_s, 21e-6, 1e-12, "of one launch");
}

static void test_time_is_up(void **state)
{
    (void)state;
    protocol.max_time_s = 0.05;
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_TEXT(rows[RP_IMPL_naive].stop_reason, "max_time", "before min_samples");
    CHECK_EQ_I64(rows[RP_IMPL_naive].samples, 5, "5 of 11 ms");
    CHECK_NEAR(rows[RP_IMPL_naive].ci_level, 1 - 2 / 32.0, 1e-12, "what the range is worth");
}

/* What is longer than all the time there is, is launched twice: memory pass and one sample. */
static void test_long_launch(void **state)
{
    (void)state;
    script.scripts[RP_IMPL_naive].launch_s = 30;
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_I64(script.launches[RP_IMPL_naive], 2, "no warm-up");
    CHECK_EQ_I64(rows[RP_IMPL_naive].samples, 1, "one sample");
}

static void test_impossible_timer(void **state)
{
    (void)state;
    static const double scales[] = {0, -1};
    for (size_t i = 0; i < RP_COUNT(scales); ++i) {
        reset(NULL);
        script.timer_scale = scales[i];
        measure(RP_IMPL_DEFAULT);
        CHECK_EQ_I64(n_rows, 3, "a row each");
        CHECK_EQ_TEXT(rows[RP_IMPL_fused].status, "error", "status");
        CHECK_CONTAINS(rows[RP_IMPL_fused].reason, "timer", "reason");
        CHECK_TRUE(isnan(rows[RP_IMPL_fused].time_median_s), "no times");
        CHECK_EQ_I64(rows[RP_IMPL_fused].samples, 0, "no samples");
    }
}

static void test_disturbed(void **state)
{
    (void)state;
    protocol.max_samples = 12;
    script.scripts[RP_IMPL_naive].lost_s = 5e-3;
    script.scripts[RP_IMPL_fused].throttled_s = 1e-3;
    measure(RP_IMPL_DEFAULT);
    const struct rp_result *naive = &rows[RP_IMPL_naive];
    CHECK_EQ_TEXT(naive->status, "ok", "it computed the right thing");
    CHECK_EQ_TEXT(naive->flags, "noisy", "flag");
    CHECK_EQ_TEXT(naive->reason,
                  "every sample was disturbed (12) or throttled (0): for want of others all count",
                  "says so");
    CHECK_TRUE(naive->time_median_s > 0 && naive->time_ci_low_s > 0, "and has a time");
    CHECK_NEAR(naive->ci_level, 0, 0, "whose interval is worth nothing");
    CHECK_EQ_I64(naive->samples, 12, "the raw samples are kept");
    CHECK_EQ_I64(samples[RP_IMPL_naive][11].used, 0, "and marked");
    CHECK_CONTAINS(rows[RP_IMPL_fused].flags, "throttled", "throttled");
    CHECK_EQ_TEXT(rows[RP_IMPL_reference].flags, "", "its turns were quiet");
    CHECK_EQ_I64(rows[RP_IMPL_reference].samples, 10, "its turns were quiet");
}

static void test_failed_launch(void **state)
{
    (void)state;
    script.scripts[RP_IMPL_reference].fail_at = 12;
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_TEXT(rows[RP_IMPL_reference].status, "error", "never the best time");
    CHECK_TRUE(isnan(rows[RP_IMPL_reference].time_min_s), "never the best time");
    CHECK_EQ_TEXT(rows[RP_IMPL_naive].status, "ok", "the others go on");
    CHECK_EQ_I64(rows[RP_IMPL_fused].samples, 10, "the others go on");
}

static void test_timeout(void **state)
{
    (void)state;
    protocol.timeout_s = 1;
    script.scripts[RP_IMPL_naive].launch_s = 1.5;
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_TEXT(rows[RP_IMPL_naive].status, "timeout", "status");
    CHECK_EQ_TEXT(rows[RP_IMPL_fused].status, "ok", "the others go on");
}

static void test_unpaired(void **state)
{
    (void)state;
    measure(1u << RP_IMPL_naive | 1u << RP_IMPL_reference);
    CHECK_EQ_I64(n_rows, 2, "fused has its row already");
    CHECK_EQ_TEXT(rows[RP_IMPL_naive].flags, "unpaired", "its rounds are of another time");
}

static void test_scratch_does_not_fit(void **state)
{
    (void)state;
    script.largest_bytes = 1 << 20; /* scores of naive: 8 MiB; of fused: none */
    measure(RP_IMPL_DEFAULT);
    CHECK_EQ_TEXT(rows[RP_IMPL_naive].status, "oom", "scores in memory");
    CHECK_CONTAINS(rows[RP_IMPL_naive].reason, "1048576 available", "needed and available");
    CHECK_EQ_TEXT(rows[RP_IMPL_fused].status, "ok", "fits");
    CHECK_EQ_I64(rows[RP_IMPL_fused].peak_memory_bytes, rows[RP_IMPL_fused].predicted_memory_bytes,
                 "counted as predicted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_stops_and_pairs, reset),
        cmocka_unit_test_setup(test_order, reset),
        cmocka_unit_test_setup(test_warm, reset),
        cmocka_unit_test_setup(test_batched, reset),
        cmocka_unit_test_setup(test_time_is_up, reset),
        cmocka_unit_test_setup(test_long_launch, reset),
        cmocka_unit_test(test_impossible_timer),
        cmocka_unit_test_setup(test_disturbed, reset),
        cmocka_unit_test_setup(test_failed_launch, reset),
        cmocka_unit_test_setup(test_timeout, reset),
        cmocka_unit_test_setup(test_unpaired, reset),
        cmocka_unit_test_setup(test_scratch_does_not_fit, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
