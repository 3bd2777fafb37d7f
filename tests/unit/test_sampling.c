/* test_sampling.c - stopping rule, warm-up and impossible timers, on scripted times. */
#include "check.h"

#include "measure/sampling.h"

static struct rp_protocol protocol(void)
{
    struct rp_protocol p;
    rp_protocol_init(&p);
    return p;
}

static enum rp_status add(struct rp_sampling *sampling, double time_s, bool used)
{
    const struct rp_sample sample = {.time_s = time_s, .launches = 1, .used = used};
    return rp_sampling_add(sampling, &sample);
}

/* Feeds times from a cycle until the rule stops it; returns the reason. */
static enum rp_stop feed(struct rp_sampling *sampling, const double *cycle, size_t n, double cost_s)
{
    double spent_s = 0;
    for (size_t i = 0; i < 100000; ++i) {
        CHECK_OK(add(sampling, cycle[i % n], true), "add");
        spent_s += cost_s;
        enum rp_stop stop = rp_sampling_stop(sampling, spent_s);
        if (stop != RP_STOP_NONE)
            return stop;
    }
    return RP_STOP_NONE;
}

static void test_stops(void **state)
{
    (void)state;
    static const double steady[] = {1e-3};
    static const double wild[] = {1e-3, 2e-3, 5e-3, 9e-3, 3e-3};
    static const double nearly[] = {1e-3, 1.0001e-3, 0.9999e-3};
    struct {
        const char *name;
        const double *cycle;
        size_t n;
        double cost_s;
        int64_t min_samples, max_samples;
        enum rp_stop stop;
        int64_t samples;
    } cases[] = {
        {"steady stops at the first look", steady, 1, 1e-3, 10, 1000, RP_STOP_TARGET_CI, 10},
        {"nearly steady too", nearly, 3, 1e-3, 10, 1000, RP_STOP_TARGET_CI, 10},
        {"never looked at before min_samples", steady, 1, 1e-3, 24, 1000, RP_STOP_TARGET_CI, 24},
        {"six samples are looked at after ten", steady, 1, 1e-3, 6, 1000, RP_STOP_TARGET_CI, 10},
        {"wild goes on to max_samples", wild, 5, 1e-6, 10, 60, RP_STOP_MAX_SAMPLES, 60},
        {"time ends it even before min_samples", steady, 1, 0.7, 10, 1000, RP_STOP_MAX_TIME, 3},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_protocol p = protocol();
        struct rp_sampling sampling;
        p.min_samples = cases[i].min_samples;
        p.max_samples = cases[i].max_samples;
        CHECK_OK(rp_sampling_init(&sampling, &p), cases[i].name);
        CHECK_EQ_I64(feed(&sampling, cases[i].cycle, cases[i].n, cases[i].cost_s), cases[i].stop,
                     cases[i].name);
        CHECK_EQ_I64((int64_t)sampling.count, cases[i].samples, cases[i].name);
        rp_sampling_clear(&sampling);
    }
}

static void test_looked_at_only_after_10_20_40(void **state)
{
    (void)state;
    struct rp_protocol p = protocol();
    struct rp_sampling sampling;
    CHECK_OK(rp_sampling_init(&sampling, &p), "init");
    /* Ten wild samples, then steady ones: at 11 the middle is already narrow, but nobody looks. */
    for (int i = 0; i < 40; ++i) {
        bool wild = i < 10;
        CHECK_OK(add(&sampling, wild ? 1e-3 * (1 + i % 5) : 1e-3, true), "add");
        bool stopped = rp_sampling_stop(&sampling, 0) != RP_STOP_NONE;
        if (i + 1 < 20)
            CHECK_TRUE(!stopped, "not between two looks");
    }
    CHECK_EQ_I64(rp_sampling_stop(&sampling, 0), RP_STOP_TARGET_CI, "at a look it stops");
    rp_sampling_clear(&sampling);
}

static void test_summary(void **state)
{
    (void)state;
    struct rp_protocol p = protocol();
    struct rp_sampling sampling;
    struct rp_result row;
    rp_row_init(RP_TABLE_RESULTS, &row);
    CHECK_OK(rp_sampling_init(&sampling, &p), "init");
    static const double times[] = {3, 1, 2, 100};
    for (size_t i = 0; i < 4; ++i)
        CHECK_OK(add(&sampling, times[i], times[i] < 50), "add");
    rp_sampling_summarise(&sampling, RP_STOP_MAX_TIME, &row);
    CHECK_EQ_I64(row.samples, 4, "every sample is kept");
    CHECK_NEAR(row.time_median_s, 2, 0, "the disturbed one does not count");
    CHECK_NEAR(row.time_min_s, 1, 0, "minimum");
    CHECK_NEAR(row.time_ci_low_s, 1, 0, "with three samples the range stands there");
    CHECK_NEAR(row.time_ci_high_s, 3, 0, "with three samples the range stands there");
    CHECK_NEAR(row.ci_level, 0.75, 1e-12, "1 - 2 / 2^3");
    CHECK_EQ_TEXT(row.stop_reason, "max_time", "reason");
    rp_sampling_clear(&sampling);
}

static void test_impossible_timer(void **state)
{
    (void)state;
    static const double times[] = {0, -1e-9, NAN, INFINITY};
    struct rp_protocol p = protocol();
    struct rp_sampling sampling;
    CHECK_OK(rp_sampling_init(&sampling, &p), "init");
    for (size_t i = 0; i < RP_COUNT(times); ++i) {
        CHECK_STATUS(add(&sampling, times[i], true), RP_ERR_DEVICE, "refused");
        CHECK_CONTAINS(rp_status_message(), "timer", "the sentence names the timer");
    }
    CHECK_EQ_I64((int64_t)sampling.count, 0, "nothing was kept");
    rp_sampling_clear(&sampling);
}

static void test_warmup(void **state)
{
    (void)state;
    struct rp_protocol p = protocol();
    struct rp_warmup warmup;
    rp_warmup_init(&warmup, &p);
    for (int i = 0; i < 3; ++i) {
        CHECK_TRUE(!rp_warmup_is_over(&warmup), "one block says nothing");
        rp_warmup_add(&warmup, 5e-3, 5e-3);
    }
    for (int i = 0; i < 3; ++i)
        rp_warmup_add(&warmup, 1e-3, 1e-3);
    CHECK_TRUE(!rp_warmup_is_over(&warmup), "5 ms and 1 ms do not agree");
    for (int i = 0; i < 3; ++i)
        rp_warmup_add(&warmup, 1.01e-3, 1.01e-3);
    CHECK_TRUE(rp_warmup_is_over(&warmup), "1 ms and 1.01 ms do");
    rp_warmup_init(&warmup, &p);
    rp_warmup_add(&warmup, 10, 10);
    CHECK_TRUE(rp_warmup_is_over(&warmup), "a launch of 10 s is warm-up enough");
}

static void test_batches(void **state)
{
    (void)state;
    CHECK_EQ_I64(rp_sampling_launches(1e-3, 1e-8), 1, "a long launch is a sample");
    CHECK_EQ_I64(rp_sampling_launches(1e-5, 5e-7), 5, "100 ticks of 0.5 us are 50 us");
    CHECK_EQ_I64(rp_sampling_launches(0, 5e-7), 1, "a timer that says 0 fails at the sample");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops),   cmocka_unit_test(test_looked_at_only_after_10_20_40),
        cmocka_unit_test(test_summary), cmocka_unit_test(test_impossible_timer),
        cmocka_unit_test(test_warmup),  cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
