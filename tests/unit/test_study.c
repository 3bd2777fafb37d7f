/* test_study.c - tables grow, own their texts, and give them back. */
#include "check.h"

#include <stdlib.h>

#include "store/study.h"

static void test_empty(void **state)
{
    (void)state;
    struct rp_study study;
    rp_study_init(&study);
    for (int id = 0; id < RP_TABLE_COUNT; ++id)
        CHECK_EQ_I64((int64_t)rp_study_count(&study, (enum rp_table_id)id), 0, "empty");
    CHECK_TRUE(!study.complete, "partial");
    rp_study_clear(&study);
    rp_study_clear(&study);
}

static void test_rows_keep_their_order(void **state)
{
    (void)state;
    enum { ROWS = 1000 };
    struct rp_study study;
    rp_study_init(&study);
    for (int i = 0; i < ROWS; ++i) {
        struct rp_sample sample = {.time_s = i, .launches = 2 * i, .round = -i, .used = i % 2};
        CHECK_OK(rp_study_append(&study, RP_TABLE_SAMPLES, &sample), "append");
    }
    CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_SAMPLES), ROWS, "count");
    CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_RESULTS), 0, "another table");
    for (int i = 0; i < ROWS; ++i) {
        const struct rp_sample *sample = rp_study_row(&study, RP_TABLE_SAMPLES, (size_t)i);
        CHECK_TRUE(sample == &rp_study_samples(&study)[i], "one address");
        CHECK_EQ_I64(sample->launches, 2 * i, "the value");
        CHECK_EQ_I64(sample->round, -i, "the value");
    }
    rp_study_clear(&study);
}

static void test_texts_are_copied(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_run run;
    char argv[] = "ridgepoint run a.yaml";
    rp_study_init(&study);
    rp_row_init(RP_TABLE_RUNS, &run);
    run.argv = argv;
    run.job_text = NULL;
    CHECK_OK(rp_study_append(&study, RP_TABLE_RUNS, &run), "append");
    argv[0] = 'X';
    CHECK_TRUE(run.argv == argv, "the caller's row is as it was");
    CHECK_EQ_TEXT(rp_study_runs(&study)[0].argv, "ridgepoint run a.yaml", "a copy");
    CHECK_TRUE(!rp_study_runs(&study)[0].job_text, "null stays null");
    rp_study_clear(&study); /* the sanitizer run proves that it frees them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_rows_keep_their_order),
        cmocka_unit_test(test_texts_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
