/*
 * test_forecast.c - predictions worked by hand, that order points rightly and never leave the real
 * numbers; the makespan of several ranks and the limit to ask Slurm for.
 */
#include "check.h"

#include "gpu_table.h"
#include "plan/forecast.h"
#include "plan/job.h"
#include "plan/makespan.h"

static struct rp_device_row device_row(const char *backend)
{
    struct rp_device_row row;
    rp_row_init(RP_TABLE_DEVICES, &row);
    RP_WORD_SET(row.backend, backend);
    return row;
}

static struct rp_point square(int64_t heads, int64_t seq)
{
    return (struct rp_point){.stage = RP_STAGE_PREFILL,
                             .batch = 1,
                             .heads = heads,
                             .kv_heads = heads,
                             .seq_q = seq,
                             .seq_k = seq,
                             .head_dim = 128,
                             .dtype = RP_DTYPE_fp16,
                             .causal = false};
}

static double forecast_s(int threads, const struct rp_point *p, rp_impl_set impls,
                         const struct rp_protocol *protocol)
{
    struct rp_device_row cpu = device_row("cpu");
    struct rp_rates rates;
    rp_rates_init(&rates, &cpu, threads, NULL);
    double seconds = rp_forecast_point_s(&rates, p, impls, protocol);
    CHECK_TRUE(isfinite(seconds) && seconds > 0.0, "a real time");
    return seconds;
}

static void test_order(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    rp_protocol_init(&protocol);
    double before_s = 0.0;
    for (int64_t seq = 512; seq <= 8192; seq *= 2) {
        struct rp_point p = square(32, seq);
        double now_s = forecast_s(1, &p, 1U << RP_IMPL_fused, &protocol);
        CHECK_TRUE(now_s > before_s, "longer sequences take longer");
        before_s = now_s;
    }
}

static void test_parts(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    rp_protocol_init(&protocol);
    struct rp_point big = square(32, 2048);
    double naive_s = forecast_s(1, &big, 1U << RP_IMPL_naive, &protocol);
    double both_s = forecast_s(1, &big, 1U << RP_IMPL_naive | 1U << RP_IMPL_fused, &protocol);
    CHECK_TRUE(both_s > 1.5 * naive_s, "two implementations, about twice the time");
    /* 68.7 GFLOP at a few tens of GFLOP/s, 2 launches at least. */
    CHECK_TRUE(naive_s > 3.0 && naive_s < 60.0, "the right magnitude");
    struct rp_point small = square(1, 64);
    protocol.target_ci = 1e-6; /* never reached */
    protocol.max_samples = 1000000;
    double small_s = forecast_s(1, &small, RP_IMPL_DEFAULT, &protocol);
    CHECK_TRUE(small_s > 3 * protocol.max_time_s, "three implementations");
    CHECK_TRUE(small_s <= 3.9 * protocol.max_time_s, "sampling ends at max_time_s");
    protocol.max_samples = 10;
    CHECK_TRUE(forecast_s(1, &small, RP_IMPL_DEFAULT, &protocol) < 0.1 * small_s,
               "or at max_samples");
}

/* Two launches each, because the first sample is already longer than max_time_s. */
static void test_threads(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    rp_protocol_init(&protocol);
    protocol.max_time_s = 0.001;
    struct rp_point big = square(32, 2048);
    double one_s = forecast_s(1, &big, 1U << RP_IMPL_naive, &protocol);
    double four_s = forecast_s(4, &big, 1U << RP_IMPL_naive, &protocol);
    CHECK_TRUE(four_s < 0.3 * one_s && four_s > 0.2 * one_s, "four threads are faster");
}

static void test_not_tried(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    rp_protocol_init(&protocol);
    struct rp_point p = square(32, 65536); /* 70 TFLOP: longer than the limit of one launch */
    double skipped_s = forecast_s(1, &p, 1U << RP_IMPL_naive, &protocol);
    CHECK_TRUE(skipped_s < 10.0, "predicted longer than timeout_s: skipped");
    p = square(32, 2048);
    p.dtype = RP_DTYPE_tf32;
    CHECK_TRUE(forecast_s(1, &p, RP_IMPL_DEFAULT, &protocol) < 1.0, "unsupported costs nothing");
}

static void test_extremes(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    struct rp_device_row gpu = device_row("cuda");
    rp_protocol_init(&protocol);
    struct rp_point p = {RP_STAGE_PREFILL, 1048576, 65536,         65536, 16777216,
                         16777216,         4096,    RP_DTYPE_fp32, false};
    (void)forecast_s(0, &p, RP_IMPL_DEFAULT, &protocol); /* counts overflow: still a number */
    p = square(32, 2048);
    struct rp_rates rates;
    rp_rates_init(&rates, &gpu, 0, NULL);
    double gpu_s = rp_forecast_point_s(&rates, &p, 1U << RP_IMPL_fused, &protocol);
    CHECK_TRUE(gpu_s > 0.0 && gpu_s < forecast_s(1, &p, 1U << RP_IMPL_fused, &protocol),
               "a GPU is faster");
}

/* The promise of the job's own header. */
static void test_notebook_fits_a_minute(void **state)
{
    (void)state;
    struct rp_job job;
    double total_s = 0.0;
    CHECK_OK(rp_job_read("jobs/notebook.yaml", NULL, 0, "data", &job), "notebook");
    for (size_t i = 0; i < job.n_points; ++i)
        total_s += forecast_s(1, &job.points[i].point, job.points[i].impls, &job.protocol);
    rp_job_clear(&job);
    CHECK_TRUE(total_s < 2 * 60.0, "two ranks of one thread");
}

static struct rp_rates t4_rates(void)
{
    static struct rp_device_row row;
    const struct rp_gpu_spec *t4 = rp_gpu_list_find_exact(&gpus, "t4");
    struct rp_rates rates;
    row = device_row("cuda");
    row.l2_bytes = t4->l2_bytes;
    row.memory_bytes = t4->memory_bytes;
    rp_rates_init(&rates, &row, 0, t4);
    return rates;
}

/*
 * reference, prefill B=1 H=G=32 D=128 T=1024 fp16, no mask, on a T4 (65 TFLOP/s, 320 GB/s, 4 MiB):
 *
 *   flops_impl  4 * 32 * 128 * 1024^2                    = 17.180e9     / (0.6 * 65e12) = 0.44051
 * ms bytes_impl  2 * 128 * 4 * 32 * 1024 + 2 * 6 * 32 * 1024^2 = 436.208e6    / (0.8 * 320e9)
 * = 1.70394 ms launch      1.70394 ms + 3 * 2.5 us = 1.71144 ms sample      launch + 20 us + (8 MiB
 * output + 2 * 4 MiB cache) / 256 GB/s            = 1.79697 ms row         1 ms + (1 memory pass +
 * 6 warm-up + 10 samples) * sample + 2 * 4194304 elements checked at 2e8 a second = 73.4916 ms
 *
 * A spread of 1 % needs (1.96 * 1.25 / 1)^2 = 6 samples for +-1 %; the first look is at 10.
 */
static void test_gpu_by_hand(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    struct rp_forecast row;
    struct rp_rates rates = t4_rates();
    struct rp_point p = square(32, 1024);
    rp_protocol_init(&protocol);
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_NEAR(row.launch_s, 1.71144e-3, 1e-8, "a launch");
    CHECK_EQ_I64(row.launches, 1, "long enough for the timer");
    CHECK_EQ_I64(row.samples, 10, "the first look is enough");
    CHECK_NEAR(row.exclusive_s, 16 * 1.79697e-3, 1e-7, "warm-up and samples");
    CHECK_NEAR(row.wall_s, 73.4916e-3, 1e-6, "the row");

    protocol.max_samples = 8;
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_EQ_I64(row.samples, 8, "max_samples");
    protocol.max_samples = 1000;
    protocol.target_ci = 0.005; /* four times 6 samples: seen at the look at 40 */
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_EQ_I64(row.samples, 40, "half the interval");
    protocol.max_time_s = 0.01; /* six samples of 1.797 ms are more; 2.5 - 1.797 ms: one warm-up */
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_EQ_I64(row.samples, 6, "max_time_s");
    CHECK_NEAR(row.exclusive_s, 7 * 1.79697e-3, 1e-7, "a quarter of it for warm-up");
    protocol.timeout_s = 1e-3;
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_EQ_I64(row.samples, 0, "the first launch is beyond its limit");
    CHECK_TRUE(row.wall_s > 0, "but takes time");
}

/* Ceilings that were measured on the type come before the datasheet; kernels reach 3/4 and 9/10. */
static void test_measured_ceilings(void **state)
{
    (void)state;
    struct rp_ceiling ceiling;
    struct rp_protocol protocol;
    struct rp_forecast row;
    struct rp_rates rates = t4_rates();
    struct rp_point p = square(32, 1024);
    rp_protocol_init(&protocol);
    rp_row_init(RP_TABLE_CEILINGS, &ceiling);
    CHECK_EQ_TEXT(rp_rates_source(&rates), "datasheet", "before");
    RP_WORD_SET(ceiling.kind, "bandwidth");
    ceiling.value = NAN;
    rp_rates_learn(&rates, &ceiling);
    CHECK_EQ_TEXT(rp_rates_source(&rates), "datasheet", "what is no number is not learnt");
    ceiling.value = 200e9;
    rp_rates_learn(&rates, &ceiling);
    ceiling.value = 300e9;
    rp_rates_learn(&rates, &ceiling);
    CHECK_EQ_TEXT(rp_rates_source(&rates), "measured", "after");
    /* 436207616 B / (0.9 * 250e9 B/s) + 7.5 us */
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_NEAR(row.launch_s, 1.946201e-3, 1e-9, "the mean of the two");
    RP_WORD_SET(ceiling.kind, "compute");
    RP_WORD_SET(ceiling.path, "tensor_fp16");
    ceiling.value = 4e12;
    rp_rates_learn(&rates, &ceiling);
    /* 17179869184 FLOP / (0.75 * 4e12 FLOP/s) + 7.5 us */
    rp_forecast_row(&rates, &p, RP_IMPL_reference, &protocol, &row);
    CHECK_NEAR(row.launch_s, 5.734123e-3, 1e-9, "now arithmetic takes longer");
}

static void test_not_tried_takes_no_time(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    struct rp_forecast row;
    struct rp_rates rates = t4_rates();
    struct rp_point p = square(32, 16384); /* 51.5 GB of scores on 15 GiB */
    rp_protocol_init(&protocol);
    rp_forecast_row(&rates, &p, RP_IMPL_naive, &protocol, &row);
    CHECK_TRUE(row.wall_s <= 0, "does not fit");
    rp_forecast_row(&rates, &p, RP_IMPL_fused, &protocol, &row);
    CHECK_TRUE(row.wall_s > 0, "needs no scores");
}

static void test_makespan(void **state)
{
    (void)state;
    double makespan_s = 0;
    /* The longest first: 7 | 5 3 | 4 4. */
    CHECK_OK(rp_makespan((double[]){4, 3, 7, 5, 4}, 5, 3, &makespan_s), "makespan");
    CHECK_NEAR(makespan_s, 8, 0, "three ranks");
    CHECK_OK(rp_makespan((double[]){4, 3, 7, 5, 4}, 5, 1, &makespan_s), "makespan");
    CHECK_NEAR(makespan_s, 23, 0, "one rank");
    CHECK_OK(rp_makespan((double[]){4, 3, 7, 5, 4}, 5, 100, &makespan_s), "makespan");
    CHECK_NEAR(makespan_s, 7, 0, "more ranks than points");
    CHECK_OK(rp_makespan(NULL, 0, 4, &makespan_s), "makespan");
    CHECK_NEAR(makespan_s, 0, 0, "nothing to do");
}

static void test_slurm_time(void **state)
{
    (void)state;
    static const struct {
        double makespan_s;
        const char *text;
    } cases[] = {
        {0, "00:02:00"},           {0.1, "00:03:00"},   {60, "00:04:00"},        {3600, "02:02:00"},
        {12 * 3600, "1-00:02:00"}, {43110, "23:59:00"}, {864000, "20-00:02:00"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char text[RP_SLURM_TIME_SIZE];
        rp_slurm_time(cases[i].makespan_s, text);
        CHECK_EQ_TEXT(text, cases[i].text, cases[i].text);
    }
}

int main(void)

{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_not_tried),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_notebook_fits_a_minute),
        cmocka_unit_test(test_gpu_by_hand),
        cmocka_unit_test(test_measured_ceilings),
        cmocka_unit_test(test_not_tried_takes_no_time),
        cmocka_unit_test(test_makespan),
        cmocka_unit_test(test_slurm_time),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
