/* Every outcome of the notebook's six checks, from studies made for it. */
#include "analysis_study.h"

#include "analysis/notebook_checks.h"

/* The notebook's own shapes, all good: the memory of reference is what its method counts. */
static void build(struct synthetic *s)
{
    struct rp_point small = shape_of(RP_STAGE_PREFILL, 4, 4, 128, 32);
    struct rp_point memory = shape_of(RP_STAGE_PREFILL, 8, 8, 256, 64);
    struct rp_point prefill = shape_of(RP_STAGE_PREFILL, 32, 32, 1024, 128);
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 32, 8, 2048, 128);
    synthetic_begin(s);
    small.causal = memory.causal = true;
    small.dtype = RP_DTYPE_fp32;
    synthetic_add(s, &small, RP_IMPL_naive, 1e-3);   /* row 0 */
    for (int64_t seq = 256; seq <= 1024; seq *= 2) { /* rows 1, 2, 3 */
        memory.seq_q = memory.seq_k = seq;
        synthetic_add(s, &memory, RP_IMPL_reference, 1e-6 * (double)seq);
    }
    synthetic_add(s, &prefill, RP_IMPL_fused, 1e-2); /* row 4 */
    prefill.seq_q = prefill.seq_k = 2048;
    synthetic_add(s, &prefill, RP_IMPL_fused, 4e-2); /* row 5 */
    synthetic_add(s, &decode, RP_IMPL_fused, 1e-3);  /* row 6 */
}

enum change {
    NOTHING,
    NO_ROWS,
    NAIVE_DIFFERS,
    NAIVE_NOT_FINITE,
    NAIVE_ERROR,
    NAIVE_UNSUPPORTED,
    NAIVE_ALONE,
    ROW_DOUBLED_FLOPS,
    ROW_FEW_FLOPS,
    DECODE_MANY_FLOPS,
    MEMORY_LINEAR,
    MEMORY_CUBIC,
    MEMORY_ERROR,
    MEMORY_OOM,
    MEMORY_LONG_MISSING,
    OTHER_DEVICE,
    OTHER_TYPE,
    SIMULATED
};

static void change(struct synthetic *s, enum change what)
{
    struct rp_device_row other = rp_study_devices(&s->study)[0];
    switch (what) {
    case NOTHING:
        break;
    case NO_ROWS:
        s->study.tables[RP_TABLE_RESULTS].count = 0;
        break;
    case NAIVE_DIFFERS:
        row_at(s, 0)->reference_diff_max_abs = 1e-3; /* below, not at, the limit passes */
        break;
    case NAIVE_NOT_FINITE:
        row_at(s, 0)->reference_diff_max_abs = INFINITY;
        break;
    case NAIVE_ERROR:
        unmeasure(row_at(s, 0), RP_OUTCOME_ERROR, "the worker died");
        break;
    case NAIVE_UNSUPPORTED:
        unmeasure(row_at(s, 0), RP_OUTCOME_UNSUPPORTED, "not here");
        break;
    case NAIVE_ALONE:
        row_at(s, 0)->reference_diff_max_abs = NAN;
        break;
    case ROW_DOUBLED_FLOPS:
        row_at(s, 5)->flops_dense *= 2;
        break;
    case ROW_FEW_FLOPS:
        row_at(s, 4)->flops_dense /= 3;
        break;
    case DECODE_MANY_FLOPS:
        row_at(s, 6)->flops_dense *= 6;
        break;
    case MEMORY_LINEAR:
        row_at(s, 3)->peak_memory_bytes = 4 * row_at(s, 1)->peak_memory_bytes;
        break;
    case MEMORY_CUBIC:
        row_at(s, 3)->peak_memory_bytes = 64 * row_at(s, 1)->peak_memory_bytes;
        break;
    case MEMORY_ERROR:
        unmeasure(row_at(s, 3), RP_OUTCOME_ERROR, "lost");
        break;
    case MEMORY_OOM:
        unmeasure(row_at(s, 3), RP_OUTCOME_OOM, "needs 1 MiB, 0 MiB are free");
        break;
    case MEMORY_LONG_MISSING:
        row_at(s, 3)->batch = 2;
        break;
    case OTHER_TYPE: /* T=1024 by a card of another type: not to be divided */
        RP_WORD_SET(other.gpu_type, "l40s");
        /* fall through */
    case OTHER_DEVICE: /* by another card of the type, as when they share the sweep */
        RP_WORD_SET(other.uuid, "uuid-2");
        CHECK_OK(rp_study_append(&s->study, RP_TABLE_DEVICES, &other), "device");
        row_at(s, 3)->device = 1;
        break;
    case SIMULATED:
        RP_WORD_SET(rp_study_devices(&s->study)[0].backend, "simulated");
        break;
    }
}

static const struct {
    const char *name;
    enum change change;
    const char *says; /* part of one line of the output */
    int exit_code;
} cases[] = {
    {"all good", NOTHING, "PASS naive_matches_sdpa_1e_minus_3: 2e-05 largest", 0},
    {"all good", NOTHING, "PASS ai_doubles_with_seq_len: 2 (intensity 1024 FLOP/B at T=2048", 0},
    {"all good", NOTHING, "PASS prefill_compute_bound_on_T4: 512 FLOP/B", 0},
    {"all good", NOTHING, "(ridge of t4: 203.1 FLOP/B, fp16) [counts of the file's rows]", 0},
    {"all good", NOTHING, "PASS prefill_compute_bound_on_A100_too: 512 FLOP/B", 0},
    {"all good", NOTHING, "(ridge of a100-sxm-80gb: 153 FLOP/B, fp16)", 0},
    {"all good", NOTHING, "PASS decode_memory_bound: 3.992 FLOP/B", 0},
    {"all good", NOTHING, "PASS empirical_memory_quadratic_in_T: ", 0},
    {"all good", NOTHING, "6 passed, 0 failed, 0 skipped", 0},
    {"no rows", NO_ROWS, "SKIP naive_matches_sdpa_1e_minus_3: no row of naive at B=1 H=4", 0},
    {"no rows", NO_ROWS, "PASS ai_doubles_with_seq_len: 2 ", 0},
    {"no rows", NO_ROWS, "[the model: no file has the shape]", 0},
    {"no rows", NO_ROWS, "SKIP empirical_memory_quadratic_in_T: no row of reference", 0},
    {"no rows", NO_ROWS, "4 passed, 0 failed, 2 skipped", 0},
    {"at the limit", NAIVE_DIFFERS, "FAIL naive_matches_sdpa_1e_minus_3: 0.001 largest", 1},
    {"infinite", NAIVE_NOT_FINITE, "FAIL naive_matches_sdpa_1e_minus_3: inf", 1},
    {"an error", NAIVE_ERROR,
     "FAIL naive_matches_sdpa_1e_minus_3: the row of naive is error: the "
     "worker died",
     1},
    {"unsupported", NAIVE_UNSUPPORTED,
     "SKIP naive_matches_sdpa_1e_minus_3: the row of naive is "
     "unsupported: not here",
     0},
    {"alone", NAIVE_ALONE, "SKIP naive_matches_sdpa_1e_minus_3: the row of naive was not compared",
     0},
    {"four times", ROW_DOUBLED_FLOPS, "FAIL ai_doubles_with_seq_len: 4 ", 1},
    {"a third", ROW_FEW_FLOPS, "FAIL prefill_compute_bound_on_T4: 170.7 FLOP/B", 1},
    {"a third", ROW_FEW_FLOPS, "PASS prefill_compute_bound_on_A100_too: 170.7 FLOP/B", 1},
    {"six times", DECODE_MANY_FLOPS, "FAIL decode_memory_bound: 23.95 FLOP/B", 1},
    {"linear", MEMORY_LINEAR, "FAIL empirical_memory_quadratic_in_T: 4 (", 1},
    {"cubic", MEMORY_CUBIC, "FAIL empirical_memory_quadratic_in_T: 64 (", 1},
    {"lost", MEMORY_ERROR, "FAIL empirical_memory_quadratic_in_T: the row of reference is error",
     1},
    {"no room", MEMORY_OOM,
     "SKIP empirical_memory_quadratic_in_T: the row of reference is oom: ", 0},
    {"one length", MEMORY_LONG_MISSING,
     "SKIP empirical_memory_quadratic_in_T: no row of reference "
     "at B=1 H=8 D=64 fp16 causal, T=1024",
     0},
    {"two cards of one type", OTHER_DEVICE, "PASS empirical_memory_quadratic_in_T", 0},
    {"two types", OTHER_TYPE, "SKIP empirical_memory_quadratic_in_T: no row of reference", 0},
    {"simulated", SIMULATED, "SKIP naive_matches_sdpa_1e_minus_3: no row", 0},
};

static void test_outcomes(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct synthetic s;
        int exit_code = -1;
        build(&s);
        change(&s, cases[i].change);
        synthetic_write(&s);
        char *output = run_command(rp_check_run, NULL, s.path, RP_OK, &exit_code);
        CHECK_CONTAINS(output, cases[i].says, cases[i].name);
        CHECK_EQ_I64(exit_code, cases[i].exit_code, cases[i].name);
        free(output);
        synthetic_end(&s);
    }
}

/* An error on a second device is not hidden by a first one that passed. */
static void test_second_device_fails(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    struct rp_device_row other = rp_study_devices(&s.study)[0];
    struct rp_result row = *row_at(&s, 0);
    RP_WORD_SET(other.uuid, "uuid-2");
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_DEVICES, &other), "device");
    unmeasure(&row, RP_OUTCOME_MISMATCH, "element 7 is nan");
    row.device = 1;
    CHECK_OK(rp_study_append(&s.study, RP_TABLE_RESULTS, &row), "row");
    synthetic_write(&s);
    char *output = run_command(rp_check_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "FAIL naive_matches_sdpa_1e_minus_3: the row of naive is mismatch",
                   "2nd");
    CHECK_EQ_I64(exit_code, 1, "second device");
    free(output);
    synthetic_end(&s);
}

static void test_simulated_on_request(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    change(&s, SIMULATED);
    synthetic_write(&s);
    char *output =
        run_command(rp_check_run, (const char *[]){"--simulated", NULL}, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "6 passed", "asked for");
    free(output);
    synthetic_end(&s);
}

/* The names are the notebook's, in its order; the other formats carry the same. */
static void test_formats(void **state)
{
    (void)state;
    static const char csv_begin[] =
        "check,outcome,value,detail,origin\nnaive_matches_sdpa_1e_minus_3,PASS,2e-05,";
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    synthetic_write(&s);
    char *csv = run_command(rp_check_run, (const char *[]){"--format", "csv", NULL}, s.path, RP_OK,
                            &exit_code);
    CHECK_TRUE(strncmp(csv, csv_begin, sizeof csv_begin - 1) == 0, csv);
    char *json = run_command(rp_check_run, (const char *[]){"--format", "json", NULL}, s.path,
                             RP_OK, &exit_code);
    CHECK_CONTAINS(json, "{\"format\": \"ridgepoint-check\", \"schema_version\": 1, \"rows\": [",
                   "json");
    CHECK_CONTAINS(json, "\"check\": \"empirical_memory_quadratic_in_T\", \"outcome\": \"PASS\"",
                   "json");
    free(csv);
    free(json);
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_second_device_fails),
        cmocka_unit_test(test_simulated_on_request),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
