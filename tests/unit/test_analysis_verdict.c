/* Crossovers and the three verdicts against numbers to be checked by hand. */
#include "analysis_study.h"

#include "analysis/classify.h"
#include "analysis/crossings.h"
#include "analysis/crossover.h"
#include "analysis/plausible.h"
#include "gpu_table.h"

static void test_intensity(void **state)
{
    (void)state;
    struct rp_point prefill = shape_of(RP_STAGE_PREFILL, 32, 32, 1024, 128);
    struct rp_point plain = shape_of(RP_STAGE_DECODE, 8, 8, 2048, 128);
    struct rp_point grouped = shape_of(RP_STAGE_DECODE, 32, 8, 2048, 128);
    CHECK_NEAR(rp_crossover_intensity(&prefill, 64, false), 32, 1e-12, "T=64");
    CHECK_NEAR(rp_crossover_intensity(&prefill, 256, false), 128, 1e-12, "T=256");
    CHECK_NEAR(rp_crossover_intensity(&prefill, 1024, false), 512, 1e-12, "T=1024");
    CHECK_NEAR(rp_crossover_intensity(&prefill, 4096, false), 2048, 1e-12, "T=4096");
    prefill.causal = true;
    CHECK_NEAR(rp_crossover_intensity(&prefill, 1024, false), 256.25, 1e-12, "causal");
    CHECK_NEAR(rp_crossover_intensity(&prefill, 512, false), 128.25, 1e-12, "causal T=512");
    CHECK_NEAR(rp_crossover_intensity(&prefill, 512, true), 256, 1e-12, "dense count T=512");
    CHECK_NEAR(rp_crossover_intensity(&plain, 2048, false), 2048.0 / 2049, 1e-12, "decode H=G=8");
    CHECK_NEAR(rp_crossover_intensity(&grouped, 2048, false), 3.992, 5e-4, "decode H=32 G=8");
}

static void test_crossover(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double ridge;
        long rounded, causal_rounded;
    } cases[] = {
        {"t4", 65e12 / 320e9, 406, 812}, /* causal: (T + 1) / 2 = ridge, T = 811.5 */
        {"a100-sxm-80gb", 312e12 / 2039e9, 306, 611},
        {"h100-sxm-80gb", 989e12 / 3350e9, 590, 1180},
    };
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 32, 32, 1024, 128);
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(&gpus, cases[i].gpu);
        p.causal = false;
        struct rp_crossover x = rp_crossover_ideal(gpu, &p, false);
        assert_int_equal(x.kind, RP_CROSSOVER_AT);
        CHECK_NEAR(x.seq, 2 * cases[i].ridge, 1e-9, cases[i].gpu);
        CHECK_EQ_I64(lround(x.seq), cases[i].rounded, cases[i].gpu);
        p.causal = true;
        x = rp_crossover_ideal(gpu, &p, false);
        CHECK_NEAR(x.seq, 4 * cases[i].ridge - 1, 1e-9, cases[i].gpu);
        CHECK_EQ_I64(lround(x.seq), cases[i].causal_rounded, cases[i].gpu);
        CHECK_NEAR(rp_crossover_ideal(gpu, &p, true).seq, 2 * cases[i].ridge, 1e-9, "dense");
    }
}

static void test_crossover_kinds(void **state)
{
    (void)state;
    const struct rp_gpu_spec *t4 = rp_gpu_list_find_exact(&gpus, "t4");
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 32, 8, 2048, 128);
    struct rp_crossover x = rp_crossover_ideal(t4, &decode, false);
    assert_int_equal(x.kind, RP_CROSSOVER_NEVER);
    CHECK_NEAR(x.limit_flop_per_byte, 4, 0, "limit H/G");
    CHECK_TRUE(isnan(x.seq), "never");
    decode.heads = decode.kv_heads = 8;
    CHECK_NEAR(rp_crossover_ideal(t4, &decode, false).limit_flop_per_byte, 1, 0, "limit 1");
    decode.dtype = RP_DTYPE_bf16;
    assert_int_equal(rp_crossover_ideal(t4, &decode, false).kind, RP_CROSSOVER_MISSING);
    /* 256 query heads on one kv head: limit 256 above the ridge, reached where
     * 256 T / (256 + T) = 203.125, T = 256 * 203.125 / 52.875. */
    struct rp_point many = shape_of(RP_STAGE_DECODE, 256, 1, 2048, 128);
    x = rp_crossover_ideal(t4, &many, false);
    assert_int_equal(x.kind, RP_CROSSOVER_AT);
    CHECK_NEAR(x.seq, 256 * 203.125 / 52.875, 1e-6, "multi-query decode");
    /* Verifying 4096 drafted tokens: 2 * 4096 * T / (2 (4096 + T)) at T = 4096 is above it. */
    struct rp_point chunk = shape_of(RP_STAGE_DECODE, 8, 8, 4096, 128);
    chunk.seq_q = 4096;
    assert_int_equal(rp_crossover_ideal(t4, &chunk, false).kind, RP_CROSSOVER_ALWAYS);
    CHECK_EQ_TEXT(rp_crossover_name(RP_CROSSOVER_NEVER), "never", "name");
}

static void test_missing_reasons(void **state)
{
    (void)state;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 32, 32, 1024, 128);
    struct rp_verdict v = rp_verdict_ideal(NULL, "cpu-test", &p, false);
    assert_int_equal(v.class_name, RP_CLASS_MISSING);
    CHECK_CONTAINS(v.reason, "no row 'cpu-test'", "a CPU");
    v = rp_verdict_predicted(NULL, "cpu-test", &p, RP_IMPL_fused);
    CHECK_CONTAINS(v.reason, "no row 'cpu-test'", "a CPU");
    p.dtype = RP_DTYPE_bf16;
    const struct rp_gpu_spec *t4 = rp_gpu_list_find_exact(&gpus, "t4");
    CHECK_CONTAINS(rp_verdict_ideal(t4, "t4", &p, false).reason, "no peak for tensor_bf16", "bf16");
    p.dtype = RP_DTYPE_fp16;
    v = rp_verdict_ideal(t4, "t4", &p, false);
    assert_int_equal(v.class_name, RP_CLASS_COMPUTE);
    CHECK_EQ_TEXT(v.reason, "", "nothing is missing");
    v = rp_verdict_predicted(t4, "t4", &p, RP_IMPL_reference);
    CHECK_EQ_TEXT(rp_class_name(v.class_name), "memory", "scores through DRAM");
    v = rp_verdict_predicted(t4, "t4", &p, RP_IMPL_fused);
    CHECK_EQ_TEXT(rp_class_name(v.class_name), "compute", "no scores");
}

/* A row with 1e9 FLOP in 10 launches that moves 1e8 B, and ceilings around it. */
static struct rp_result row_with_counts(double time_s)
{
    struct rp_result row;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 32, 32, 1024, 128);
    CHECK_OK(rp_result_begin(&row, &p, RP_IMPL_fused), "row");
    row.run = row.device = 0;
    RP_WORD_SET(row.path, "cpu_fp32");
    row.flops_impl = 1000000000;
    row.bytes_min = row.bytes_impl = 100000000;
    row.launches = 10;
    row.threads = 2;
    row.time_median_s = time_s;
    return row;
}

static void test_measured(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double peak, bandwidth, latency; /* t_compute = 1e9 / peak, ... 10 * latency */
        double spread, time_s;
        enum rp_class expected, nearest;
        double attained;
    } cases[] = {
        {"compute by far", 1e9, 1e9, 1e-6, 0.01, 1.25, RP_CLASS_COMPUTE, RP_CLASS_COMPUTE, 0.8},
        {"memory by far", 1e10, 1e8, 1e-6, 0.01, 1.25, RP_CLASS_MEMORY, RP_CLASS_MEMORY, 0.8},
        {"latency", 1e12, 1e11, 0.1, 0.01, 1.25, RP_CLASS_LATENCY, RP_CLASS_LATENCY, 0.8},
        {"latency is the second", 1e9, 1e10, 0.095, 0.001, 1.25, RP_CLASS_BALANCED,
         RP_CLASS_COMPUTE, 0.8},
        {"equal", 1e9, 1e8, 1e-6, 0.01, 1.25, RP_CLASS_BALANCED, RP_CLASS_COMPUTE, 0.8},
        {"1.12, known well", 1e9, 1.12e8, 1e-6, 0.001, 1.25, RP_CLASS_COMPUTE, RP_CLASS_COMPUTE,
         0.8},
        {"1.12, known badly", 1e9, 1.12e8, 1e-6, 0.05, 1.25, RP_CLASS_UNDECIDED, RP_CLASS_COMPUTE,
         0.8},
        {"far below", 1e9, 1e9, 1e-6, 0.01, 4, RP_CLASS_UNEXPLAINED, RP_CLASS_COMPUTE, 0.25},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct synthetic s;
        synthetic_begin(&s);
        add_ceiling(&s.study, "compute", cases[i].peak / 2, cases[i].spread); /* not the best */
        add_ceiling(&s.study, "compute", cases[i].peak, cases[i].spread);
        add_ceiling(&s.study, "bandwidth", cases[i].bandwidth, cases[i].spread);
        add_ceiling(&s.study, "latency", cases[i].latency * 2, cases[i].spread); /* not the best */
        add_ceiling(&s.study, "latency", cases[i].latency, cases[i].spread);
        struct rp_result row = row_with_counts(cases[i].time_s);
        struct rp_measured_verdict v = rp_verdict_measured(&s.study, &row);
        CHECK_EQ_TEXT(rp_class_name(v.class_name), rp_class_name(cases[i].expected), cases[i].name);
        CHECK_EQ_TEXT(rp_class_name(v.nearest), rp_class_name(cases[i].nearest), cases[i].name);
        CHECK_NEAR(v.attained_frac, cases[i].attained, 1e-9, cases[i].name);
        synthetic_end(&s);
    }
}

/* Memory that gave more in the middle of the run than while its ceilings were measured. */
static void test_measured_anchor(void **state)
{
    (void)state;
    struct synthetic s;
    synthetic_begin(&s);
    struct rp_result row = row_with_counts(0.1);
    add_ceiling(&s.study, "compute", 1e12, 0);
    add_ceiling(&s.study, "bandwidth", 1e9, 0);
    add_ceiling(&s.study, "read_bandwidth", 0.9e9, 0);
    add_ceiling(&s.study, "latency", 1e-6, 0);
    add_ceiling(&s.study, "anchor", 1e12, 0); /* s: no rate */
    add_ceiling(&s.study, "anchor_read", 0.95e9, 0);
    CHECK_NEAR(rp_roof_of(&s.study, &row).memory->value, 1e9, 0, "the anchor is slower");
    add_ceiling(&s.study, "anchor_read", 1.25e9, 0);
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, &row);
    CHECK_NEAR(v.times[RP_CLASS_MEMORY].value_s, 0.08, 1e-12, "1e8 B at 1.25e9 B/s");
    CHECK_NEAR(v.roof.most_memory->value, 1.25e9, 0, "what no row can beat");
    RP_WORD_SET(row.stage, "decode");
    CHECK_NEAR(rp_roof_of(&s.study, &row).memory->value, 1.25e9, 0, "decode");
    synthetic_end(&s);
}

/* Whatever is not there makes it missing, and the reason names it. */
static void test_measured_missing(void **state)
{
    (void)state;
    struct synthetic s;
    synthetic_begin(&s);
    struct rp_result row = row_with_counts(1);
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, &row);
    assert_int_equal(v.class_name, RP_CLASS_MISSING);
    CHECK_EQ_TEXT(v.reason, "this file has no measured ceilings", "none");
    CHECK_TRUE(isnan(v.floor_s) && isnan(v.attained_frac), "none");
    add_ceiling(&s.study, "bandwidth", 1e9, 0);
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "no compute ceiling", "compute");
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "for path cpu_fp32", "its path");
    add_ceiling(&s.study, "compute", 1e9, 0);
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "no latency ceiling", "latency");
    add_ceiling(&s.study, "latency", 1e-6, 0);
    assert_int_equal(rp_verdict_measured(&s.study, &row).class_name, RP_CLASS_COMPUTE);
    RP_WORD_SET(row.stage, "decode");
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "no read_bandwidth ceiling",
                   "decode");
    RP_WORD_SET(row.stage, "prefill");
    row.device = 1; /* another device's ceilings are not taken */
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "no ceilings were measured on this",
                   "device");
    row.device = 0;
    RP_WORD_SET(row.path, "tensor_fp16");
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "for path tensor_fp16", "path");
    RP_WORD_SET(row.path, "cpu_fp32");
    row.threads = 1; /* nor those of another number of threads */
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "number of threads", "threads");
    row = row_with_counts(NAN);
    RP_WORD_SET(row.reason, "every sample was disturbed");
    CHECK_EQ_TEXT(rp_verdict_measured(&s.study, &row).reason,
                  "the row has no time: every sample was disturbed", "not timed");
    row = row_with_counts(1);
    row.bytes_impl = -1;
    CHECK_CONTAINS(rp_verdict_measured(&s.study, &row).reason, "no counts", "not counted");
    synthetic_end(&s);
}

/* Scores that fit the last-level cache need that cache's bandwidth, and are charged to it. */
static void test_measured_cache(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 1, 1, 64, 32);
    synthetic_begin(&s);
    size_t index = synthetic_add(&s, &p, RP_IMPL_naive, 1e-3);
    struct rp_result *row = row_at(&s, index);
    double extra = (double)(row->bytes_impl - row->bytes_min);
    CHECK_TRUE(extra > 0, "naive moves scores");
    add_ceiling(&s.study, "compute", 1e15, 0);
    add_ceiling(&s.study, "bandwidth", (double)row->bytes_min / 0.5e-3, 0);
    add_ceiling(&s.study, "latency", 1e-9, 0);
    CHECK_CONTAINS(rp_verdict_measured(&s.study, row).reason, "no cache_bandwidth", "needed");
    add_ceiling(&s.study, "cache_bandwidth", extra / 0.25e-3, 0);
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, row);
    CHECK_EQ_TEXT(rp_class_name(v.class_name), "memory", "both together");
    CHECK_NEAR(v.floor_s, 0.75e-3, 1e-9, "0.5 ms of DRAM and 0.25 ms of cache");
    CHECK_EQ_TEXT(v.reason, "", "1 ms was measured");
    row->time_ci_high_s = 0.7e-3;
    CHECK_CONTAINS(rp_verdict_measured(&s.study, row).reason, "a cache served part of", "0.7 ms");
    rp_study_devices(&s.study)[0].l2_bytes = 1024; /* now everything goes to DRAM */
    v = rp_verdict_measured(&s.study, row);
    CHECK_NEAR(v.floor_s, 0.5e-3 * (double)row->bytes_impl / (double)row->bytes_min, 1e-9, "DRAM");
    synthetic_end(&s);
}

/* Warm tensors that fit the cache never meet DRAM; cold ones, and larger ones, do. */
static void test_measured_warm(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 1, 1, 64, 32);
    synthetic_begin(&s);
    struct rp_result *row = row_at(&s, synthetic_add(&s, &p, RP_IMPL_naive, 1e-3));
    add_ceiling(&s.study, "compute", 1e15, 0);
    add_ceiling(&s.study, "latency", 1e-9, 0);
    add_ceiling(&s.study, "cache_bandwidth", (double)row->bytes_impl / 0.75e-3, 0);
    CHECK_CONTAINS(rp_verdict_measured(&s.study, row).reason, "no bandwidth ceiling", "cold");
    RP_WORD_SET(row->cache, "warm");
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, row);
    CHECK_NEAR(v.floor_s, 0.75e-3, 1e-9, "all of it in the cache");
    CHECK_EQ_I64(v.cache_bytes, row->bytes_impl, "cache");
    CHECK_EQ_I64(v.dram_bytes, 0, "DRAM");
    rp_study_devices(&s.study)[0].l2_bytes = row->bytes_min - 1;
    CHECK_CONTAINS(rp_verdict_measured(&s.study, row).reason, "no bandwidth ceiling", "too large");
    synthetic_end(&s);
}

/* The row's own run counts; one that measured none borrows from the latest, and it is said. */
static void test_measured_runs(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_result row = row_with_counts(1.25);
    synthetic_begin(&s);
    for (int64_t run = 0; run < 3; ++run) {
        static const char *const ids[] = {"", "run-2", "run-3"};
        static const char *const begun[] = {"", "2026-02-02T00:00:00.000Z",
                                            "2026-02-01T00:00:00.000Z"};
        if (run > 0)
            CHECK_EQ_I64(add_run(&s.study, ids[run], begun[run]), run, "run");
        add_ceiling(&s.study, "compute", 1e9 / (double)(run + 1), 0)->run = run;
        add_ceiling(&s.study, "bandwidth", 1e12, 0)->run = run;
        add_ceiling(&s.study, "latency", 1e-6, 0)->run = run;
    }
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, &row);
    CHECK_NEAR(v.floor_s, 1, 1e-12, "its own run");
    CHECK_EQ_TEXT(v.reason, "", "its own run");
    row.run = add_run(&s.study, "run-4", "2026-03-01T00:00:00.000Z");
    v = rp_verdict_measured(&s.study, &row);
    CHECK_NEAR(v.floor_s, 2, 1e-12, "run-2 is the latest that has ceilings");
    assert_int_equal(v.class_name, RP_CLASS_COMPUTE);
    CHECK_CONTAINS(v.reason, "ceilings of run run-2, begun 2026-02-02", "borrowed");
    synthetic_end(&s);
}

/* The last turn from memory to compute of each series, on log axes; one that ends in memory has
 * none.
 */
/* Nor is a run a lender that has anchors alone: its worker died while it measured the ceilings. */
static void test_measured_run_of_anchors(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_result row = row_with_counts(1.25);
    synthetic_begin(&s);
    CHECK_EQ_I64(add_run(&s.study, "run-2", "2026-02-02T00:00:00.000Z"), 1, "run");
    add_ceiling(&s.study, "compute", 1e9, 0);
    add_ceiling(&s.study, "bandwidth", 1e9, 0);
    add_ceiling(&s.study, "latency", 1e-6, 0);
    add_ceiling(&s.study, "anchor_read", 1e9, 0)->run = 1;
    row.run = 1;
    struct rp_measured_verdict v = rp_verdict_measured(&s.study, &row);
    CHECK_TRUE(v.class_name != RP_CLASS_MISSING && v.roof.is_borrowed, v.reason);
    synthetic_end(&s);
}

static void test_crossings(void **state)
{
    (void)state;
    struct rp_crossings crossings;
    rp_crossings_init(&crossings);
    rp_crossings_add(&crossings, 50, 3, 1);
    rp_crossings_add(&crossings, 100, 1, 2);
    rp_crossings_add(&crossings, 400, 2, 1);
    CHECK_TRUE(isnan(crossings.seq_min), "the series goes on");
    rp_crossings_end_series(&crossings);
    CHECK_NEAR(crossings.seq_min, 200, 1e-12, "1/2 at 100, 2 at 400: 1 at their geometric mean");
    rp_crossings_add(&crossings, 10, 1, 1);
    rp_crossings_add(&crossings, 20, 1, 2);
    rp_crossings_end_series(&crossings);
    rp_crossings_add(&crossings, 1000, 1, 4);
    rp_crossings_add(&crossings, 2000, 1, 1);
    rp_crossings_end_series(&crossings);
    CHECK_NEAR(crossings.seq_min, 200, 1e-12, "the second never crossings");
    CHECK_NEAR(crossings.seq_max, 2000, 1e-9, "equal is compute");
}

/* 1e6 FLOP and 1e6 B at 1e9 FLOP/s and 1e9 B/s need 1 ms each. */
static void test_plausibility(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double time_s, peak, bandwidth, spread, row_clock_hz;
        const char *cache;
        const char *says; /* null: plausible */
    } cases[] = {
        {"slower", 1.1e-3, 1e9, 1e9, 0, NAN, "cold", NULL},
        {"within 3 %", 0.98e-3, 1e9, 1e9, 0, NAN, "cold", NULL},
        {"faster", 0.9e-3, 1e9, 1e12, 0, NAN, "cold", "flops = 1000000 at the measured compute"},
        {"more traffic", 0.9e-3, 1e12, 1e9, 0, NAN, "cold",
         "bytes_min = 1000000 at the measured b"},
        {"warm", 0.9e-3, 1e9, 1e9, 0, NAN, "warm", NULL},
        {"not said", 0.9e-3, 1e9, 1e9, 0, NAN, "", NULL},
        {"intervals touch", 0.9e-3, 1e9, 1e9, 0.12, NAN, "cold", NULL},
        {"a faster clock", 0.9e-3, 1e9, 1e12, 0, 2.4e9, "cold", NULL},
        {"a slower clock", 1.1e-3, 1e9, 1e12, 0, 1.6e9, "cold", "8e+08 FLOP/s at the row's clock"},
        {"no time", NAN, 1e9, 1e9, 0, NAN, "cold", NULL},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct synthetic s;
        struct rp_result row = row_with_counts(cases[i].time_s);
        synthetic_begin(&s);
        add_ceiling(&s.study, "compute", cases[i].peak, cases[i].spread)->clock_hz = 2e9;
        add_ceiling(&s.study, "bandwidth", cases[i].bandwidth, cases[i].spread);
        row.flops = row.bytes_min = 1000000;
        row.time_ci_high_s = 1.01 * cases[i].time_s;
        row.clock_hz = cases[i].row_clock_hz;
        RP_WORD_SET(row.cache, cases[i].cache);
        struct rp_plausibility p = rp_row_plausibility(&s.study, &row);
        CHECK_TRUE(p.is_implausible == (cases[i].says != NULL), cases[i].name);
        CHECK_CONTAINS(p.reason, cases[i].says ? cases[i].says : "", cases[i].name);
        for (size_t c = 0; c < 2; ++c)
            RP_WORD_SET(rp_study_ceilings(&s.study)[c].method, "a loop, disturbed");
        CHECK_TRUE(!rp_row_plausibility(&s.study, &row).is_implausible, "disturbed ceilings");
        add_ceiling(&s.study, "compute_sustained", 2 * cases[i].peak, 0);
        add_ceiling(&s.study, "read_bandwidth", 2 * cases[i].bandwidth, 0);
        CHECK_TRUE(!rp_row_plausibility(&s.study, &row).is_implausible, "more was reached");
        row.run = add_run(&s.study, "run-2", "2026-02-02T00:00:00.000Z");
        CHECK_TRUE(!rp_row_plausibility(&s.study, &row).is_implausible, "of another run");
        synthetic_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intensity),
        cmocka_unit_test(test_crossover),
        cmocka_unit_test(test_crossover_kinds),
        cmocka_unit_test(test_missing_reasons),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_measured_anchor),
        cmocka_unit_test(test_measured_run_of_anchors),
        cmocka_unit_test(test_measured_missing),
        cmocka_unit_test(test_measured_cache),
        cmocka_unit_test(test_measured_warm),
        cmocka_unit_test(test_measured_runs),
        cmocka_unit_test(test_plausibility),
        cmocka_unit_test(test_crossings),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
