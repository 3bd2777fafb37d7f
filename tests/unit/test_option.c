/* test_option.c - option rows: what is accepted, what is refused and with which words. */
#include "check.h"

#include <stdlib.h>

#include "base/option.h"

struct values {
    bool overwrite;
    int64_t threads;
    double time_s;
    const char *output;
    const char *progress;
    struct rp_option_list sets;
};

#define AT(member) offsetof(struct values, member)

static const struct rp_option options[] = {
    {.name = "overwrite", .kind = RP_OPTION_FLAG, .offset = AT(overwrite), .help = "move it aside"},
    {.name = "threads",
     .letter = 't',
     .kind = RP_OPTION_INT,
     .offset = AT(threads),
     .default_text = "2",
     .min = 1,
     .max = 64,
     .value_name = "N",
     .units = "threads",
     .help = "that compute"},
    {.name = "time",
     .kind = RP_OPTION_REAL,
     .offset = AT(time_s),
     .default_text = "0.5",
     .min = 0.25,
     .max = 10,
     .units = "s",
     .help = "to take"},
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_WORD,
     .offset = AT(output),
     .value_name = "FILE",
     .help = "where to"},
    {.name = "progress",
     .kind = RP_OPTION_CHOICE,
     .offset = AT(progress),
     .default_text = "auto",
     .choices = "auto|bar|line|none",
     .help = "how it shows"},
    {.name = "set",
     .kind = RP_OPTION_LIST,
     .offset = AT(sets),
     .value_name = "KEY=VALUE",
     .help = "override"},
};

static const struct rp_command command = {.program = "ridgepoint",
                                          .name = "run",
                                          .operands = "JOB.yaml",
                                          .min_operands = 1,
                                          .max_operands = 1,
                                          .summary = "Measures.",
                                          .example = "ridgepoint run jobs/smoke.yaml",
                                          .options = options,
                                          .n_options = RP_COUNT(options)};

enum { ARGUMENTS_MAX = 12 };

static enum rp_status parse(const char *const *arguments, struct values *values,
                            struct rp_operands *operands)
{
    char *argv[ARGUMENTS_MAX + 1] = {(char *)(uintptr_t) "run"};
    int argc = 1;
    for (size_t i = 0; arguments[i]; ++i)
        argv[argc++] = (char *)(uintptr_t)arguments[i];
    *values = (struct values){0};
    return rp_option_parse(&command, argc, argv, values, operands);
}

static void test_defaults(void **state)
{
    (void)state;
    struct values v;
    struct rp_operands operands;
    CHECK_OK(parse((const char *[]){"job.yaml", NULL}, &v, &operands), "one operand");
    CHECK_EQ_I64(v.threads, 2, "default of an int");
    CHECK_NEAR(v.time_s, 0.5, 0.0, "default of a real");
    CHECK_EQ_TEXT(v.progress, "auto", "default of a choice");
    CHECK_TRUE(v.output == NULL && !v.overwrite, "no default");
    CHECK_EQ_I64((int64_t)operands.count, 1, "operands");
    CHECK_EQ_TEXT(operands.items[0], "job.yaml", "the operand");
    rp_operands_clear(&operands);
}

static void test_forms(void **state)
{
    (void)state;
    static const char *const cases[][ARGUMENTS_MAX] = {
        {"--threads", "7", "--output=a.h5", "--overwrite", "j"},
        {"-t", "7", "-o", "a.h5", "--overwrite", "j"},
        {"j", "-t7", "-oa.h5", "--overwrite"},
        {"--threads=7", "--output", "a.h5", "--overwrite", "--", "j"},
        {"--threads=1", "--threads=7", "-o", "a.h5", "--overwrite", "j"}, /* the last one counts */
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct values v;
        struct rp_operands operands;
        CHECK_OK(parse(cases[i], &v, &operands), cases[i][0]);
        CHECK_EQ_I64(v.threads, 7, cases[i][0]);
        CHECK_EQ_TEXT(v.output, "a.h5", cases[i][0]);
        CHECK_TRUE(v.overwrite, cases[i][0]);
        CHECK_EQ_TEXT(operands.items[0], "j", cases[i][0]);
        rp_operands_clear(&operands);
    }
}

static void test_special_values(void **state)
{
    (void)state;
    struct values v;
    struct rp_operands operands;
    CHECK_OK(parse((const char *[]){"--set", "a=1", "--set=b=2", "-", NULL}, &v, &operands),
             "lists and standard input");
    CHECK_EQ_I64((int64_t)v.sets.count, 2, "both --set");
    CHECK_EQ_TEXT(v.sets.items[1], "b=2", "the value has a '=' of its own");
    CHECK_EQ_TEXT(operands.items[0], "-", "- is an operand");
    rp_operands_clear(&operands);
    CHECK_OK(parse((const char *[]){"--", "--threads", NULL}, &v, &operands), "after --");
    CHECK_EQ_TEXT(operands.items[0], "--threads", "after -- all are operands");
    rp_operands_clear(&operands);
    CHECK_OK(parse((const char *[]){"--help", "--nonsense", NULL}, &v, &operands), "--help");
    CHECK_TRUE(operands.help_asked, "--help wins over what is wrong beside it");
    rp_operands_clear(&operands);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[4];
        const char *message;
    } cases[] = {
        {{"--thread", "3", "j"}, "--thread: run has no such option; did you mean --threads?"},
        {{"--xyzzy", "j"}, "--xyzzy: run has no such option; see --help"},
        {{"-x", "j"}, "-x: run has no option -x; see --help"},
        {{"--threads=0", "j"}, "--threads: \"0\" must be a whole number in 1..64 threads"},
        {{"--threads=65", "j"}, "--threads: \"65\" must be a whole number in 1..64 threads"},
        {{"--threads=3.5", "j"}, "--threads: \"3.5\" must be a whole number in 1..64 threads"},
        {{"--threads=1k", "j"}, "--threads: \"1k\" must be a whole number in 1..64 threads"},
        {{"--time=nan", "j"}, "--time: \"nan\" must be a number in 0.25..10 s"},
        {{"--time=0.2", "j"}, "--time: \"0.2\" must be a number in 0.25..10 s"},
        {{"--progress=ba", "j"}, "--progress: \"ba\" must be one of auto|bar|line|none"},
        {{"--overwrite=yes", "j"}, "--overwrite: takes no value, was given \"yes\""},
        {{"--output=", "j"}, "--output: the value is empty"},
        {{"j", "--output"}, "--output: needs a value, FILE"},
        {{"--output", "--overwrite", "j"}, "--output: needs a value, FILE, before \"--overwrite\""},
        {{"--overwrite"}, "run: needs JOB.yaml; see --help"},
        {{"j", "k"}, "run: does not know what to do with \"k\"; takes JOB.yaml"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct values v;
        struct rp_operands operands;
        CHECK_STATUS(parse(cases[i].arguments, &v, &operands), RP_ERR_USAGE, cases[i].message);
        CHECK_CONTAINS(rp_status_message(), cases[i].message, cases[i].arguments[0]);
        CHECK_TRUE(operands.items == NULL, "nothing is owned after a refusal");
    }
}

static void test_help(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    rp_option_print_help(&command, out);
    fclose(out);
    CHECK_CONTAINS(text, "Usage: ridgepoint run [OPTION]... JOB.yaml", "usage");
    CHECK_CONTAINS(text, "  -t, --threads N           that compute (1..64 threads; default 2)",
                   "an option's line");
    CHECK_CONTAINS(text, "(0.25..10 s; default 0.5)", "a real's range");
    CHECK_CONTAINS(text, "--progress auto|bar|line|none", "a choice");
    CHECK_CONTAINS(text, "repeatable", "a list");
    CHECK_CONTAINS(text, "Example:\n  ridgepoint run jobs/smoke.yaml\n", "the example");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_forms),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
