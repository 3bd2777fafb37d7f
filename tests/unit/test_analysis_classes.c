/* test_analysis_classes.c - classes counts what export says of each row. */
#include "analysis_planted.h"

#include "model/bound.h"

/* One file: a GPU with a datasheet, ceilings, a row without time, and a simulated row. */
static void build_mixed(struct synthetic *s)
{
    struct rp_device_row device;
    build(s);
    RP_WORD_SET(rp_study_devices(&s->study)[0].gpu_type, "t4");
    device = rp_study_devices(&s->study)[0];
    RP_WORD_SET(device.backend, "simulated");
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_DEVICES, &device), "device");
    add_ceiling(&s->study, "compute", 1e11, 0.02);
    add_ceiling(&s->study, "bandwidth", 1e10, 0.02);
    add_ceiling(&s->study, "read_bandwidth", 1e10, 0.02);
    add_ceiling(&s->study, "cache_bandwidth", 1e11, 0.02);
    add_ceiling(&s->study, "latency", 1e-7, 0.02);
    unmeasure(row_at(s, 0), RP_OUTCOME_OOM, "too large");
    row_at(s, 5)->device = 1;
    synthetic_write(s);
}

/* Lines of `csv` that hold `word` between commas. */
static int64_t count_lines(const char *csv, const char *word)
{
    int64_t n = 0;
    char wanted[64];
    snprintf(wanted, sizeof wanted, ",%s,", word);
    for (const char *p = csv; (p = strstr(p, wanted)); ++n)
        p += strcspn(p, "\n");
    return n;
}

static void test_counts(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build_mixed(&s);
    char *csv = run_command(rp_classes_run, (const char *[]){"--format", "csv", NULL}, s.path,
                            RP_OK, &exit_code);
    CHECK_EQ_I64(exit_code, 0, "exit code");
    /* T4, fp16: ridge 203; prefill of 64..256 tokens has T / 2 * 4 / 3 FLOP/B (H/G = 2) at most. */
    CHECK_CONTAINS(csv, "\nt4 2 threads,prefill,naive,fp16,3,0,3,", "three naive rows, two timed");
    CHECK_CONTAINS(csv, "\nt4 2 threads,prefill,fused,fp16,2,0,2,", "the simulated one is out");
    CHECK_CONTAINS(csv, "\nt4 2 threads,decode,fused,fp16,1,0,1,", "decode");
    CHECK_EQ_I64(count_lines(csv, "fp16"), 3, "three kinds of rows");
    free(csv);
    csv = run_command(rp_classes_run, (const char *[]){"--format", "csv", "--simulated", NULL},
                      s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(csv, "\nt4 simulated 2 threads,prefill,fused,fp16,1,0,1,", "asked for, apart");
    free(csv);
    synthetic_end(&s);
}

/* The measured classes of all rows, by classes and by export. */
static void test_same_as_export(void **state)
{
    (void)state;
    static const char *const titles[RP_CLASS_COUNT] = {
        "compute", "memory", "latency", "balanced", "undecided", "unexplained", "missing"};
    struct synthetic s;
    int exit_code = -1;
    int64_t counted[RP_CLASS_COUNT] = {0};
    build_mixed(&s);
    char *csv = run_command(rp_classes_run, (const char *[]){"--format", "csv", NULL}, s.path,
                            RP_OK, &exit_code);
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        int64_t cells[13];
        const char *p = line;
        for (int i = 0; i < 4; ++i)
            p = strchr(p, ',') + 1;
        for (size_t i = 0; i < RP_COUNT(cells); ++i) {
            cells[i] = strtoll(p, NULL, 10);
            p += strcspn(p, ",\n") + 1;
        }
        for (int c = 0; c < RP_CLASS_COUNT; ++c)
            counted[c] += cells[6 + c];
    }
    free(csv);
    rp_study_drop_result(&s.study, 0); /* export gives a class also to what has no time: missing */
    rp_study_drop_result(&s.study, 5); /* and export has the simulated row */
    synthetic_write(&s);
    csv = run_command(rp_export_run, (const char *[]){"--format", "json", NULL}, s.path, RP_OK,
                      &exit_code);
    for (int c = 0; c < RP_CLASS_COUNT; ++c) {
        char wanted[80];
        int64_t n = 0;
        snprintf(wanted, sizeof wanted, "\"class_measured\": \"%s\"", titles[c]);
        for (const char *p = csv; (p = strstr(p, wanted)); ++p)
            ++n;
        CHECK_EQ_I64(counted[c], n, titles[c]);
    }
    free(csv);
    synthetic_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    int exit_code = -1;
    free(run_command(rp_classes_run, NULL, "/no/such/file.h5", RP_ERR_ENVIRONMENT, &exit_code));
    CHECK_CONTAINS(rp_status_message(), "/no/such/file.h5", "named");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_same_as_export),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
