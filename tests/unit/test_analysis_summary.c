/* summary and export on a study made for them: what they say, and that machines can read it. */
#include "analysis_study.h"

/* Prefill without a mask and causal, and a decode, by naive and fused; fused is twice as fast. */
static void build(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 4, 64, 32);
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 32, 8, 2048, 128);
    synthetic_begin(s);
    for (int causal = 0; causal < 2; ++causal) {
        for (int64_t seq = 128; seq <= 512; seq *= 2) {
            p.causal = causal == 1;
            p.seq_q = p.seq_k = seq;
            synthetic_add(s, &p, RP_IMPL_naive, 2e-6 * (double)seq);
            synthetic_add(s, &p, RP_IMPL_fused, 1e-6 * (double)seq);
        }
    }
    synthetic_add(s, &decode, RP_IMPL_fused, 1e-3);
    synthetic_write(s);
}

static void test_report(void **state)
{
    (void)state;
    static const char *const says[] = {
        "complete, 13 of 13 planned rows; job synthetic begun 2026-01-31T12:00:00.000Z",
        "Measured on cpu-test",
        "t4: 320 GB/s; fp16 65 TFLOP/s, ridge 203.1 FLOP/B",
        "a100-sxm-80gb: 2039 GB/s; fp16 312 TFLOP/s, ridge 153 FLOP/B",
        "h100-sxm-80gb: 3350 GB/s; fp16 989 TFLOP/s, ridge 295.2 FLOP/B",
        "On t4, fp16 (ridge 203.1 FLOP/B), prefill is compute-bound without a mask from T = 406;",
        "; with a causal mask from T = 812 (above the sweep); decode is memory-bound at every ",
        "decode is memory-bound at every length (at most 4 FLOP/B).",
        "On h100-sxm-80gb, fp16 (ridge 295.2 FLOP/B), prefill is compute-bound without a mask ",
        "without a mask from T = 590 (above the sweep)",
        "On cpu-test 2 threads, class_measured is missing: this file has no measured ceilings.",
    };
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    char *output = run_command(rp_summary_run, NULL, s.path, RP_OK, &exit_code);
    for (size_t i = 0; i < RP_COUNT(says); ++i)
        CHECK_CONTAINS(output, says[i], "report");
    CHECK_TRUE(strstr(output, "nan") == NULL && strstr(output, "inf") == NULL, output);
    CHECK_EQ_I64(exit_code, 0, "report");
    free(output);
    synthetic_end(&s);
}

static void test_chosen_gpus(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    char *output =
        run_command(rp_summary_run, (const char *[]){"--gpu", "h200,h200-sxm-141gb", NULL}, s.path,
                    RP_OK, &exit_code);
    CHECK_CONTAINS(output, "\nh200-sxm-141gb: 4800 GB/s", "a prefix");
    CHECK_TRUE(strstr(output, "\nt4: ") == NULL, "only what was asked for");
    const char *first = strstr(output, "\nh200-sxm-141gb: ");
    CHECK_TRUE(first && strstr(first + 1, "\nh200-sxm-141gb: ") == NULL, "once");
    free(output);
    free(run_command(rp_summary_run, (const char *[]){"--gpu", "a100", NULL}, s.path, RP_ERR_USAGE,
                     &exit_code));
    CHECK_CONTAINS(rp_status_message(), "fits several: a100-pcie-40gb", "ambiguous");
    /* A GPU the file was measured on is there without being asked for. */
    RP_WORD_SET(rp_study_devices(&s.study)[0].gpu_type, "l4");
    synthetic_write(&s);
    output = run_command(rp_summary_run, (const char *[]){"--gpu", "t4", NULL}, s.path, RP_OK,
                         &exit_code);
    CHECK_CONTAINS(output, "\nl4: 300 GB/s", "of the file");
    free(output);
    synthetic_end(&s);
}

/* The field of a CSV line, from 0; fields here hold no commas. Static buffer. */
static const char *field(const char *line, int index)
{
    static char text[128];
    for (; index > 0 && line; --index) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    size_t n = line ? strcspn(line, ",\n") : 0;
    snprintf(text, sizeof text, "%.*s", (int)n, line ? line : "");
    return text;
}

static int column(const char *csv, const char *name)
{
    int index = 0;
    size_t length = strlen(name);
    for (const char *p = csv; *p != '\n'; ++index) {
        size_t n = strcspn(p, ",\n");
        if (n == length && strncmp(p, name, n) == 0)
            return index;
        p += n + (p[n] == ',');
    }
    fail_msg("no column %s", name);
    return -1;
}

static void test_summary_csv(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    char *csv =
        run_command(rp_summary_run, (const char *[]){"--format", "csv", "--gpu", "t4", NULL},
                    s.path, RP_OK, &exit_code);
    /* 5 measured rows (2 masks by 2, one decode) and the same 5 for the T4, after the header. */
    size_t lines = 0;
    for (const char *p = csv; *p; ++p)
        lines += *p == '\n';
    CHECK_EQ_I64((int64_t)lines, 11, csv);
    const char *line = strstr(csv, "\nt4,t4,datasheet,prefill,fused,fp16,0,");
    assert_non_null(line);
    ++line;
    CHECK_EQ_TEXT(field(line, column(csv, "class_ideal")), "both", "128..512 around 406");
    CHECK_EQ_TEXT(field(line, column(csv, "crossover_ideal")), "at", "kind");
    CHECK_EQ_TEXT(field(line, column(csv, "crossover_ideal_seq_k")), "406.25", "2 * 203.125");
    CHECK_EQ_TEXT(field(line, column(csv, "ridge_flop_per_byte")), "203.125", "ridge");
    CHECK_EQ_TEXT(field(line, column(csv, "intensity_max_flop_per_byte")), "256", "T=512");
    CHECK_EQ_TEXT(field(line, column(csv, "class_measured")), "", "not measured on a T4");
    line = strstr(csv, "\nt4,t4,datasheet,decode,fused,fp16,0,4,1,");
    assert_non_null(line);
    CHECK_EQ_TEXT(field(line + 1, column(csv, "crossover_ideal")), "never", "decode");
    CHECK_EQ_TEXT(field(line + 1, column(csv, "crossover_ideal_seq_k")), "", "decode");
    CHECK_EQ_TEXT(field(line + 1, column(csv, "class_predicted")), "memory", "decode");
    line = strstr(csv, "\ncpu-test,cpu-test 2 threads,measured,prefill,fused,fp16,1,");
    assert_non_null(line);
    CHECK_EQ_TEXT(field(line + 1, column(csv, "naive_time_ratio")), "2", "twice as fast");
    CHECK_EQ_TEXT(field(line + 1, column(csv, "points_timed")), "3", "points");
    CHECK_EQ_TEXT(field(line + 1, column(csv, "class_ideal")), "missing", "a CPU has no datasheet");
    free(csv);
    synthetic_end(&s);
}

static void test_export(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    unmeasure(row_at(&s, 2), RP_OUTCOME_ERROR, "lost, \"quoted\"");
    RP_WORD_SET(rp_study_devices(&s.study)[0].gpu_type, "t4");
    synthetic_write(&s);
    char *csv = run_command(rp_export_run, NULL, s.path, RP_OK, &exit_code);
    const char *line = strchr(csv, '\n') + 1; /* row 0: naive T=128 */
    CHECK_EQ_TEXT(field(line, column(csv, "run_id")), "run-1", "run");
    CHECK_EQ_TEXT(field(line, column(csv, "gpu_type")), "t4", "device");
    CHECK_EQ_TEXT(field(line, column(csv, "seq_k")), "128", "axis");
    CHECK_EQ_TEXT(field(line, column(csv, "intensity_ideal_flop_per_byte")), "64", "T / 2");
    CHECK_EQ_TEXT(field(line, column(csv, "class_ideal")), "memory", "64 below 203");
    CHECK_EQ_TEXT(field(line, column(csv, "ridge_flop_per_byte")), "203.125", "ridge");
    CHECK_EQ_TEXT(field(line, column(csv, "naive_time_ratio")), "1", "itself");
    CHECK_EQ_TEXT(field(line, column(csv, "clock_hz")), "", "not applicable");
    CHECK_EQ_TEXT(field(line, column(csv, "class_measured")), "missing", "no ceilings");
    CHECK_EQ_TEXT(field(line, column(csv, "naive_memory_ratio")), "1", "itself");
    CHECK_EQ_TEXT(field(line, column(csv, "verdicts_agree")), "false", "ideal and predicted");
    CHECK_CONTAINS(line, "predicted is compute: naive runs on", "and why");
    line = strchr(line, '\n') + 1; /* row 1: fused T=128 */
    CHECK_EQ_TEXT(field(line, column(csv, "naive_time_ratio")), "2", "twice as fast");
    line = strchr(line, '\n') + 1; /* row 2: lost */
    CHECK_EQ_TEXT(field(line, column(csv, "status")), "error", "status");
    CHECK_CONTAINS(line, ",error,\"lost, \"\"quoted\"\"\",,,,,", "quoted, and no times");
    free(csv);
    synthetic_end(&s);
}

/* Ratios go round by round: a clock that slowed down in the middle hits both alike. The used
 * samples of a round are one; rounds that only one of them has are left out. */
static void test_paired_ratios(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *flags;
        int64_t shift; /* of the other's rounds */
        const char *ratio, *rounds;
    } cases[] = {
        {"paired", "", 0, "2", "9"}, /* 0, 1, 2, 4 .. 9: 3 was disturbed, 10 is not shared */
        {"no round", "", 100, "1.5", "0"} /* medians: 3 ms over 2 ms */,
        {"unpaired", "noisy,unpaired", 0, "1.5", "0"},
    };
    for (size_t c = 0; c < RP_COUNT(cases); ++c) {
        struct synthetic s;
        int exit_code = -1;
        struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 4, 64, 32);
        synthetic_begin(&s);
        size_t naive = synthetic_add(&s, &p, RP_IMPL_naive, 3e-3);
        size_t fused = synthetic_add(&s, &p, RP_IMPL_fused, 2e-3);
        struct rp_sample *a = &rp_study_samples(&s.study)[row_at(&s, naive)->sample_offset];
        struct rp_sample *b = &rp_study_samples(&s.study)[row_at(&s, fused)->sample_offset];
        for (int i = 0; i < STUDY_SAMPLES - 1; ++i) {
            b[i].time_s = 1e-3 * (i + 1); /* a clock that slows down */
            a[i].time_s = 2 * b[i].time_s;
            a[i].round += cases[c].shift;
        }
        a[STUDY_SAMPLES - 1].round = 0; /* a second sample of a round: the median of both counts */
        a[STUDY_SAMPLES - 1].time_s = a[0].time_s;
        row_at(&s, naive)->time_median_s = 3e-3;
        row_at(&s, fused)->time_median_s = 2e-3;
        RP_WORD_SET(row_at(&s, naive)->flags, cases[c].flags);
        if (cases[c].shift)
            a[STUDY_SAMPLES - 1].round = 50;
        synthetic_write(&s);
        char *csv = run_command(rp_export_run, NULL, s.path, RP_OK, &exit_code);
        const char *line = strchr(strchr(csv, '\n') + 1, '\n') + 1;
        CHECK_EQ_TEXT(field(line, column(csv, "impl")), "fused", cases[c].name);
        CHECK_EQ_TEXT(field(line, column(csv, "naive_time_ratio")), cases[c].ratio, cases[c].name);
        CHECK_EQ_TEXT(field(line, column(csv, "naive_time_ratio_rounds")), cases[c].rounds,
                      cases[c].name);
        CHECK_EQ_TEXT(field(line, column(csv, "reference_time_ratio_rounds")), "", "no such row");
        free(csv);
        synthetic_end(&s);
    }
}

/* 1e9 FLOP/s, 1e9 B/s: what class_measured says reaches summary and export; a row faster than that
 * is no record. */
static void test_measured_verdicts(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 4, 128, 32); /* 8.39e6 FLOP */
    synthetic_begin(&s);
    synthetic_add(&s, &p, RP_IMPL_reference, 10e-3);
    synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
    add_ceiling(&s.study, "compute", 1e9, 0.01);
    add_ceiling(&s.study, "compute_sustained", 0.9e9, 0.01);
    add_ceiling(&s.study, "bandwidth", 1e9, 0.01);
    add_ceiling(&s.study, "cache_bandwidth", 1e10, 0.01);
    add_ceiling(&s.study, "latency", 1e-7, 0.01);
    for (int i = 0; i < 3; ++i)
        add_ceiling(&s.study, "anchor", 1e-3 * (1 + 0.05 * i), 0); /* 1, 1.05, 1.1: 9.5 % */
    synthetic_write(&s);
    char *csv = run_command(rp_export_run, NULL, s.path, RP_OK, &exit_code);
    const char *line = strchr(csv, '\n') + 1;
    CHECK_EQ_TEXT(field(line, column(csv, "class_measured")), "compute", "reference");
    CHECK_EQ_TEXT(field(line, column(csv, "compute_time_s")), "0.008388608", "2 * 4 * 128^2 * 32");
    CHECK_EQ_TEXT(field(line, column(csv, "implausible")), "false", "8.4 ms are allowed");
    line = strchr(line, '\n') + 1;
    CHECK_EQ_TEXT(field(line, column(csv, "implausible")), "true", "1 ms is not");
    CHECK_CONTAINS(line, "flops = 8388608 at the measured compute ceiling", "why");
    free(csv);
    char *output = run_command(rp_summary_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "Ceilings measured on cpu-test 2 threads", "ceilings");
    CHECK_CONTAINS(output, "compute            cpu_fp32      1  1 GFLOP/s", "ceilings");
    CHECK_CONTAINS(output, "0.1 us", "latency");
    CHECK_CONTAINS(output, "drifted by at most 9.5 % within a run", "anchors");
    CHECK_CONTAINS(output, "On cpu-test 2 threads, 1 row is faster than the measured ceilings",
                   "implausible");
    CHECK_TRUE(strstr(output, "8.3 ") == NULL, "8.3 GFLOP/s are no record");
    free(output);
    synthetic_end(&s);
}

/* By the measured ceilings fused turns where t_compute passes t_memory. */
static void test_measured_crossover(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 4, 128, 32);
    synthetic_begin(&s);
    rp_study_devices(&s.study)[0].l2_bytes = 1; /* everything passes through DRAM */
    for (int64_t seq = 512; seq >= 128; seq /= 2) {
        p.seq_q = p.seq_k = seq;
        synthetic_add(&s, &p, RP_IMPL_fused, 1);
    }
    /* t_compute = t_memory for T = 256, and less for the shorter one. */
    const struct rp_result *middle = row_at(&s, 1);
    add_ceiling(&s.study, "compute", (double)middle->flops_impl, 0);
    add_ceiling(&s.study, "bandwidth", (double)middle->bytes_impl, 0);
    add_ceiling(&s.study, "latency", 1e-9, 0);
    synthetic_write(&s);
    char *csv = run_command(rp_summary_run, (const char *[]){"--format", "csv", NULL}, s.path,
                            RP_OK, &exit_code);
    const char *line = strstr(csv, "\ncpu-test,cpu-test 2 threads,measured,prefill,fused,") + 1;
    CHECK_NEAR(atof(field(line, column(csv, "crossover_measured_seq_k_min"))), 256, 1e-9, "least");
    CHECK_NEAR(atof(field(line, column(csv, "crossover_measured_seq_k_max"))), 256, 1e-9, "most");
    free(csv);
    synthetic_end(&s);
}

/* Every column of /results is in the export, and JSON has null, never nan. */
static void test_export_json(void **state)
{
    (void)state;
    const struct rp_table_schema *schema = rp_table_schema(RP_TABLE_RESULTS);
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    char *json = run_command(rp_export_run, (const char *[]){"--format", "json", NULL}, s.path,
                             RP_OK, &exit_code);
    CHECK_CONTAINS(json, "{\"format\": \"ridgepoint-export\", \"schema_version\": 1, \"rows\": [",
                   "json");
    for (size_t i = 0; i < schema->n_columns; ++i) {
        char key[80];
        snprintf(key, sizeof key, "\"%s\": ", schema->columns[i].name);
        CHECK_CONTAINS(json, key, "every column");
    }
    CHECK_CONTAINS(json, "\"clock_hz\": null", "not applicable");
    CHECK_TRUE(strstr(json, ": nan") == NULL && strstr(json, ": inf") == NULL, "numbers");
    free(json);
    synthetic_end(&s);
}

/* Rows of simulated devices are counted, not shown, unless asked for. */
static void test_simulated(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    RP_WORD_SET(rp_study_devices(&s.study)[0].backend, "simulated");
    RP_WORD_SET(rp_study_devices(&s.study)[0].gpu_type, "t4");
    synthetic_write(&s);
    char *output = run_command(rp_summary_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "13 rows of simulated devices are left out", "left out");
    CHECK_TRUE(strstr(output, "Measured on") == NULL, "nothing was measured");
    free(output);
    output = run_command(rp_summary_run, (const char *[]){"--simulated", NULL}, s.path, RP_OK,
                         &exit_code);
    CHECK_CONTAINS(output, "\nNot measured: t4 simulated", "asked for");
    free(output);
    synthetic_end(&s);
}

/* Real and simulated rows of one GPU type, and power limits, are never added up. */
static void test_apart(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    struct rp_device_row device;
    build(&s);
    RP_WORD_SET(rp_study_devices(&s.study)[0].gpu_type, "t4");
    device = rp_study_devices(&s.study)[0];
    RP_WORD_SET(device.backend, "simulated");
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &device), "a simulated one");
    RP_WORD_SET(device.backend, "cpu");
    device.power_limit_w = 50;
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &device), "a capped one");
    row_at(&s, 5)->device = 1;
    row_at(&s, 6)->device = 1;
    row_at(&s, 11)->device = 2;
    synthetic_write(&s);
    char *output = run_command(rp_summary_run, (const char *[]){"--simulated", NULL}, s.path, RP_OK,
                               &exit_code);
    CHECK_CONTAINS(output, "\nMeasured on t4 2 threads (", "the real one");
    CHECK_CONTAINS(output, "\nNot measured: t4 simulated 2 threads (", "the simulated one");
    CHECK_CONTAINS(output, "\nMeasured on t4 50 W 2 threads (", "the capped one");
    free(output);
    char *csv =
        run_command(rp_summary_run, (const char *[]){"--simulated", "--format", "csv", NULL},
                    s.path, RP_OK, &exit_code);
    const char *line = strstr(csv, "\nt4,t4 simulated 2 threads,simulated,prefill,fused,") + 1;
    CHECK_EQ_TEXT(field(line, column(csv, "points")), "1", "rows of the simulated one");
    free(csv);
    synthetic_end(&s);
}

/* Rows without times are counted by status; a file without rows is an answer too. */
static void test_statuses(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    unmeasure(row_at(&s, 0), RP_OUTCOME_OOM, "needs 1 GiB");
    unmeasure(row_at(&s, 2), RP_OUTCOME_OOM, "needs 2 GiB");
    unmeasure(row_at(&s, 1), RP_OUTCOME_UNSUPPORTED, "no");
    row_at(&s, 4)->time_median_s = NAN;
    RP_WORD_SET(row_at(&s, 3)->flags, "unpaired,noisy");
    RP_WORD_SET(row_at(&s, 5)->flags, "throttled");
    RP_WORD_SET(row_at(&s, 6)->flags, "unpaired");
    RP_WORD_SET(row_at(&s, 4)->flags, "noisy"); /* has no time */
    synthetic_write(&s);
    char *output = run_command(rp_summary_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "On cpu-test 2 threads, 2 rows are flagged noisy or throttled", "flags");
    CHECK_CONTAINS(output, "On cpu-test 2 threads, 2 rows did not fit in memory (oom).",
                   "statuses");
    CHECK_CONTAINS(output, "On cpu-test 2 threads, 1 row cannot run there (unsupported).",
                   "statuses");
    CHECK_CONTAINS(output, "On cpu-test 2 threads, 1 row has no time: every sample was disturbed",
                   "NaN");
    CHECK_CONTAINS(output, "2 of 3", "timed");
    CHECK_TRUE(strstr(output, "nan") == NULL, output);
    free(output);
    s.study.tables[RP_TABLE_RESULTS].count = 0;
    s.study.rows_planned = 13;
    s.study.complete = false;
    synthetic_write(&s);
    output = run_command(rp_summary_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "partial, 0 of 13 planned rows", "no rows yet");
    free(output);
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_chosen_gpus),
        cmocka_unit_test(test_summary_csv),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_export_json),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_paired_ratios),
        cmocka_unit_test(test_measured_verdicts),
        cmocka_unit_test(test_measured_crossover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
