/* test_forecast.c - predictions that order points rightly and never leave the real numbers. */
#include "check.h"

#include "plan/forecast.h"
#include "plan/job.h"

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
    double seconds = rp_forecast_point_s(&cpu, threads, p, impls, protocol);
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
    double small_s = forecast_s(1, &small, RP_IMPL_ALL, &protocol);
    CHECK_TRUE(small_s <= 3.9 * protocol.max_time_s, "sampling ends at max_time_s");
    protocol.max_samples = 10;
    CHECK_TRUE(forecast_s(1, &small, RP_IMPL_ALL, &protocol) < 0.1 * small_s, "or at max_samples");
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
    CHECK_TRUE(forecast_s(1, &p, RP_IMPL_ALL, &protocol) < 1.0, "unsupported costs nothing");
}

static void test_extremes(void **state)
{
    (void)state;
    struct rp_protocol protocol;
    struct rp_device_row gpu = device_row("cuda");
    rp_protocol_init(&protocol);
    struct rp_point p = {RP_STAGE_PREFILL, 1048576, 65536,         65536, 16777216,
                         16777216,         4096,    RP_DTYPE_fp32, false};
    (void)forecast_s(0, &p, RP_IMPL_ALL, &protocol); /* counts overflow: still a number */
    p = square(32, 2048);
    double gpu_s = rp_forecast_point_s(&gpu, 0, &p, 1U << RP_IMPL_fused, &protocol);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_not_tried),
        cmocka_unit_test(test_extremes), cmocka_unit_test(test_notebook_fits_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
