/* test_analysis_json.c - what programs read of ridgepoint-analyze: JSON to the letter, and CSV with
 * the same values in it. */
#include "analysis_study.h"
#include "strict_json.h"

static void expect_fault(const char *text, bool is_fault)
{
    struct rp_text scalars;
    rp_text_init(&scalars);
    CHECK_TRUE((strict_json_fault(text, &scalars) != NULL) == is_fault, text);
    rp_text_clear(&scalars);
}

/* The judge first: it must refuse what JSON is not. */
static void test_judge(void **state)
{
    (void)state;
    static const char *const good[] = {"{}", "[]", " [1, -2.5e-3, null, true, \"a\\n\\u0041\"] ",
                                       "{\"a\": {\"a\": [[]]}}", "0"};
    static const char *const bad[] = {"",
                                      "[1,]",
                                      "{\"a\": 1,}",
                                      "[nan]",
                                      "[inf]",
                                      "[NaN]",
                                      "[01]",
                                      "[1.]",
                                      "[.5]",
                                      "[+1]",
                                      "[1e]",
                                      "[1e999]",
                                      "['a']",
                                      "{a: 1}",
                                      "[\"\n\"]",
                                      "[\"\\x41\"]",
                                      "[\"a]",
                                      "[1] 2",
                                      "[1 2]",
                                      "{\"a\" 1}",
                                      "{\"a\": 1, \"a\": 2}",
                                      "[[[[[[[[[1]]]]]]]]]",
                                      "nul",
                                      "{\"a\": }"};
    for (size_t i = 0; i < RP_COUNT(good); ++i)
        expect_fault(good[i], false);
    for (size_t i = 0; i < RP_COUNT(bad); ++i)
        expect_fault(bad[i], true);
}

/* Every kind of row, with texts that need escapes and ceilings that give verdicts. */
static void build(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 8, 2, 64, 32);
    synthetic_begin(s);
    add_ceiling(&s->study, "compute", 1e11, 0.02);
    add_ceiling(&s->study, "bandwidth", 1e9, 0.02);
    add_ceiling(&s->study, "read_bandwidth", 1e9, 0.02);
    add_ceiling(&s->study, "cache_bandwidth", 1e10, 0.02);
    add_ceiling(&s->study, "latency", 1e-6, 0.1);
    for (int64_t seq = 64; seq <= 1024; seq *= 2) {
        p.seq_q = p.seq_k = seq;
        p.causal = seq > 64;
        for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl)
            synthetic_add(s, &p, (enum rp_impl)impl, (1 + impl) * 1e-6 * (double)seq);
    }
    for (int64_t batch = 1; batch <= 4; batch *= 2) {
        p = shape_of(RP_STAGE_DECODE, 8, 2, 2048, 32);
        p.batch = batch;
        synthetic_add(s, &p, RP_IMPL_fused, 1e-3);
    }
    unmeasure(row_at(s, 0), RP_OUTCOME_OOM, "a \"quote\", a \\ and a /, commas");
    unmeasure(row_at(s, 4), RP_OUTCOME_ERROR, "tab\there, line\nbreak");
    RP_WORD_SET(rp_study_devices(&s->study)->gpu_type, "t4");
    RP_WORD_SET(rp_study_devices(&s->study)->name, "\"Name\", of a GPU");
    RP_WORD_SET(rp_study_devices(&s->study)->host, "\\");
    synthetic_write(s);
}

/* The fields of a CSV text as the scalars of a JSON one; the header line is left out. */
static void add_csv_fields(const char *csv, struct rp_text *fields)
{
    const char *p = strchr(csv, '\n') + 1;
    while (*p) {
        bool quoted = *p == '"';
        p += quoted;
        while (*p && (quoted || (*p != ',' && *p != '\n'))) {
            if (quoted && *p == '"' && p[1] != '"')
                break;
            p += quoted && *p == '"';
            rp_text_add(fields, p++, 1);
        }
        p += quoted;
        p += *p != '\0'; /* the comma or the end of the line */
        rp_text_printf(fields, JSON_SEPARATOR);
    }
}

static void test_export(void **state)
{
    (void)state;
    struct synthetic s;
    struct rp_text scalars;
    struct rp_text fields;
    int exit_code = -1;
    build(&s);
    rp_text_init(&scalars);
    rp_text_init(&fields);
    char *json = run_command(rp_export_run, (const char *[]){"--format", "json", NULL}, s.path,
                             RP_OK, &exit_code);
    char *csv = run_command(rp_export_run, NULL, s.path, RP_OK, &exit_code);
    const char *fault = strict_json_fault(json, &scalars);
    CHECK_TRUE(fault == NULL, fault ? fault : "json");
    rp_text_printf(&fields, "ridgepoint-export" JSON_SEPARATOR "1" JSON_SEPARATOR);
    add_csv_fields(csv, &fields);
    CHECK_CONTAINS(rp_text_string(&scalars), "a \"quote\", a \\ and a /, commas", "texts");
    CHECK_TRUE(strcmp(rp_text_string(&scalars), rp_text_string(&fields)) == 0,
               "csv and json hold the same values in the same order");
    free(csv);
    free(json);
    rp_text_clear(&fields);
    rp_text_clear(&scalars);
    synthetic_end(&s);
}

/* Every command that writes JSON, on files with rows and on one without. */
static void test_commands(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        subcommand_function run;
        bool twice; /* takes two files */
    } commands[] = {
        {"summary", rp_summary_run, false}, {"check", rp_check_run, false},
        {"verify", rp_verify_run, false},   {"export", rp_export_run, false},
        {"compare", rp_compare_run, true},
    };
    for (int empty = 0; empty < 2; ++empty) {
        struct synthetic s;
        build(&s);
        if (empty) {
            s.study.tables[RP_TABLE_RESULTS].count = 0;
            s.study.rows_planned = 0;
            synthetic_write(&s);
        }
        for (size_t i = 0; i < RP_COUNT(commands); ++i) {
            const char *more[] = {"--format", "json", commands[i].twice ? s.path : NULL, NULL};
            struct rp_text scalars;
            int exit_code = -1;
            if (commands[i].twice && empty)
                continue; /* nothing in common: refused */
            rp_text_init(&scalars);
            char *json = run_command(commands[i].run, more, s.path, RP_OK, &exit_code);
            const char *fault = strict_json_fault(json, &scalars);
            if (fault)
                fail_msg("%s: %s: %s", commands[i].name, fault, json);
            rp_text_clear(&scalars);
            free(json);
        }
        synthetic_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_export),
        cmocka_unit_test(test_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
