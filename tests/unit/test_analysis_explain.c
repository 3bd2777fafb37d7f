/* explain: the numbers of a row with their formulas, and how a point is found. */
#include "analysis_study.h"

/* B=1 H=4 T=128 D=32 fp16 without a mask by reference and fused, and a decode that was lost. */
static void build(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 4, 128, 32);
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 4, 4, 64, 32);
    synthetic_begin(s);
    synthetic_add(s, &p, RP_IMPL_reference, 10e-3);
    synthetic_add(s, &p, RP_IMPL_fused, 9e-3);
    synthetic_add(s, &decode, RP_IMPL_fused, 1e-3);
    add_ceiling(&s->study, "compute", 1e9, 0.01);
    add_ceiling(&s->study, "bandwidth", 1e9, 0.01);
    add_ceiling(&s->study, "cache_bandwidth", 1e10, 0.01);
    add_ceiling(&s->study, "latency", 1e-7, 0.01);
    synthetic_write(s);
}

/* Output of explain with --point `id` and up to two more words; freed by the caller. */
static char *explain(struct synthetic *s, const char *id, const char *more, const char *word,
                     enum rp_status expected)
{
    int exit_code = -1;
    char *output = run_command(rp_explain_run, (const char *[]){"--point", id, more, word, NULL},
                               s->path, expected, &exit_code);
    CHECK_EQ_I64(exit_code, 0, id);
    return output;
}

static void test_row(void **state)
{
    (void)state;
    static const char *const says[] = {
        "stage=prefill batch=1 heads=4 kv_heads=4 seq_q=128 seq_k=128 head_dim=32 dtype=fp16",
        "seq_q * seq_k = 128 * 128",
        "4 * batch * heads * head_dim * pairs = 4 * 1 * 4 * 32 * 16384",
        "2 * 32 * 1 * (2 * 4 * 128 + 2 * 4 * 128)",
        "64 FLOP/B", /* T / 2 */
        "flops / bytes_min = 8388608 / 131072",
        "samples_left_out",
        "1 GFLOP/s (0.99 .. 1.01)",
        "flops_impl / peak(cpu_fp32) = 8388608 / 1e+09 FLOP/s",
        "8.3886 ms (8.3056 .. 8.4733)",
        "the largest: t_compute",
        "all of r's interval is above 1.1",
        "data/gpus.tsv has no row 'cpu-test'",
        "reference_time_ratio",
        "median of the ratios of 10 shared rounds",
        "counted by the allocator: as predicted",
    };
    struct synthetic s;
    build(&s);
    char *output = explain(&s, row_at(&s, 1)->point, "--impl", "fused", RP_OK);
    for (size_t i = 0; i < RP_COUNT(says); ++i)
        CHECK_CONTAINS(output, says[i], "row");
    CHECK_TRUE(strstr(output, "nan") == NULL && strstr(output, "inf") == NULL, output);
    CHECK_TRUE(strstr(output, "row 0 of /results") == NULL, "only fused was asked for");
    free(output);
    output = explain(&s, row_at(&s, 1)->point, NULL, NULL, RP_OK);
    CHECK_CONTAINS(output, "row 0 of /results", "all of them");
    CHECK_CONTAINS(output, "row 1 of /results", "all of them");
    free(output);
    synthetic_end(&s);
}

static void test_programs(void **state)
{
    (void)state;
    struct synthetic s;
    build(&s);
    char *csv = explain(&s, row_at(&s, 1)->point, "--format", "csv", RP_OK);
    CHECK_CONTAINS(csv, "file,row,point,impl,section,quantity,value,low,high,units,how\n", "csv");
    CHECK_CONTAINS(csv, ",fused,counts,flops,8388608,,,FLOP,", "a count");
    CHECK_CONTAINS(csv, ",fused,measured ceilings,compute,1000000000,990000000,1010000000,FLOP/s,",
                   "an interval");
    CHECK_CONTAINS(csv, ",fused,class_measured,class_measured,compute,,,,", "a word");
    CHECK_CONTAINS(csv, ",fused,device while it was sampled,clock_hz,,,,Hz,", "not known");
    free(csv);
    char *json = explain(&s, row_at(&s, 1)->point, "--format", "json", RP_OK);
    CHECK_CONTAINS(json, "{\"format\": \"ridgepoint-explain\"", "json");
    CHECK_CONTAINS(json, "\"quantity\": \"clock_hz\", \"value\": null", "not known");
    free(json);
    synthetic_end(&s);
}

/* Nothing is known of a row that was lost, or whose samples were all disturbed, and it is said. */
static void test_missing(void **state)
{
    (void)state;
    struct synthetic s;
    build(&s);
    unmeasure(row_at(&s, 2), RP_OUTCOME_ERROR, "the worker was lost");
    struct rp_result *row = row_at(&s, 1);
    row->time_median_s = row->time_min_s = row->time_ci_low_s = row->time_ci_high_s = NAN;
    RP_WORD_SET(row->reason, "every sample was disturbed");
    synthetic_write(&s);
    char *output = explain(&s, row_at(&s, 2)->point, NULL, NULL, RP_OK);
    CHECK_CONTAINS(output, "the row has no time: the worker was lost", "lost");
    CHECK_TRUE(strstr(output, "nan") == NULL && strstr(output, " -1") == NULL, output);
    free(output);
    output = explain(&s, row_at(&s, 1)->point, "--impl", "fused", RP_OK);
    CHECK_CONTAINS(output, "the row has no time: every sample was disturbed", "disturbed");
    CHECK_TRUE(strstr(output, "nan") == NULL, output);
    free(output);
    synthetic_end(&s);
}

/* The first digits are enough when they fit one; else near ones are named. */
static void test_finding(void **state)
{
    (void)state;
    struct synthetic s;
    char id[17];
    build(&s);
    snprintf(id, sizeof id, "%.6s", row_at(&s, 2)->point);
    char *output = explain(&s, id, NULL, NULL, RP_OK);
    CHECK_CONTAINS(output, "stage=decode", "first digits");
    free(output);
    memcpy(row_at(&s, 2)->point, row_at(&s, 0)->point, 6);
    synthetic_write(&s);
    snprintf(id, sizeof id, "%.6s", row_at(&s, 0)->point);
    free(explain(&s, id, NULL, NULL, RP_ERR_USAGE));
    CHECK_CONTAINS(rp_status_message(), "fits several points:", "too few digits");
    CHECK_CONTAINS(rp_status_message(), "stage=decode", "too few digits");
    CHECK_CONTAINS(rp_status_message(), "stage=prefill", "too few digits");
    snprintf(id, sizeof id, "%s", row_at(&s, 2)->point);
    id[3] = id[3] == '0' ? '1' : '0';
    free(explain(&s, id, NULL, NULL, RP_ERR_USAGE));
    CHECK_CONTAINS(rp_status_message(), "near it:", "a wrong digit");
    CHECK_CONTAINS(rp_status_message(), row_at(&s, 2)->point, "a wrong digit");
    free(explain(&s, "nothing", NULL, NULL, RP_ERR_USAGE));
    CHECK_CONTAINS(rp_status_message(), "no row of these files has 'nothing'; `ridgepoint-a",
                   "none");
    free(explain(&s, row_at(&s, 2)->point, "--impl", "naive", RP_ERR_USAGE));
    CHECK_CONTAINS(rp_status_message(), "has no row by naive", "no such row");
    int exit_code = -1;
    free(run_command(rp_explain_run, NULL, s.path, RP_ERR_USAGE, &exit_code));
    CHECK_CONTAINS(rp_status_message(), "--point ID is needed", "not asked");
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
