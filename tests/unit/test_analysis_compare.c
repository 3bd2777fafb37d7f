/* test_analysis_compare.c - same, faster, slower, undecided; and what may not be compared. */
#include "analysis_planted.h"

#include "analysis/compare_rows.h"

struct two {
    struct synthetic a, b;
    struct rp_comparisons found;
};

static void two_begin(struct two *t)
{
    build(&t->a);
    build(&t->b);
}

static void two_end(struct two *t)
{
    rp_comparisons_clear(&t->found);
    synthetic_end(&t->a);
    synthetic_end(&t->b);
}

static enum rp_status compare_two(struct two *t, bool unlike)
{
    const struct rp_compare_choice choice = {.unlike = unlike};
    struct rp_study_file files[] = {{t->a.path, t->a.study}, {t->b.path, t->b.study}};
    const struct rp_study_list list = {files, 2};
    return rp_compare_files(&list, &choice, &t->found);
}

/* What was found of row `index` of the first study. */
static struct rp_comparison found_of(const struct two *t, size_t index)
{
    const struct rp_result *row = &rp_study_results(&t->a.study)[index];
    for (size_t at = 0; at < t->found.count; ++at) {
        struct rp_comparison c = rp_comparison_of(&t->found, at);
        if (strcmp(c.old_side->id, row->point) == 0 &&
            strcmp(rp_impl_name(c.old_side->impl), row->impl) == 0)
            return c;
    }
    fail_msg("row %zu was not compared", index);
    return (struct rp_comparison){0};
}

static void expect_change(const struct two *t, size_t index, enum rp_change change, double ratio)
{
    struct rp_comparison found = found_of(t, index);
    const struct rp_comparison *c = &found;
    CHECK_EQ_TEXT(rp_change_name(c->change), rp_change_name(change), c->reason);
    CHECK_NEAR(c->ratio, ratio, 1e-9, "ratio");
    CHECK_TRUE(c->low < ratio && c->high > ratio, "the interval is around the ratio");
    CHECK_TRUE((c->reason[0] != '\0') == (change == RP_CHANGE_UNDECIDED),
               "a reason when undecided");
}

static void test_changes(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    rescale(&t.b, 1, 1.2);
    rescale(&t.b, 2, 0.8);
    rescale(&t.b, 3, 1.031); /* 1.031 and its interval lie across 1.03 */
    rescale(&t.b, 4, 1.015);
    CHECK_OK(compare_two(&t, false), "compare");
    CHECK_EQ_I64((int64_t)t.found.count, 7, "all rows");
    expect_change(&t, 0, RP_CHANGE_SAME, 1);
    expect_change(&t, 1, RP_CHANGE_SLOWER, 1.2);
    expect_change(&t, 2, RP_CHANGE_FASTER, 0.8);
    expect_change(&t, 3, RP_CHANGE_UNDECIDED, 1.031);
    expect_change(&t, 4, RP_CHANGE_SAME, 1.015);
    two_end(&t);
}

static void add_anchor(struct synthetic *s, const char *kind, double value, const char *when)
{
    struct rp_ceiling *c = add_ceiling(&s->study, kind, value, 0);
    RP_WORD_SET(c->method, when);
}

/* A device whose own anchor drifts by 25 % cannot show that something got slower by 20 %. */
static void test_drift(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    add_anchor(&t.b, "anchor", 1.00e-3, "start");
    add_anchor(&t.b, "anchor", 1.00e-3, "middle");
    add_anchor(&t.b, "anchor", 1.25e-3, "end");
    rescale(&t.b, 1, 1.2);
    rescale(&t.b, 2, 1.4);
    CHECK_OK(compare_two(&t, false), "compare");
    expect_change(&t, 1, RP_CHANGE_SAME, 1.2);
    expect_change(&t, 2, RP_CHANGE_SLOWER, 1.4);
    CHECK_NEAR(found_of(&t, 0).allowance_frac, 0.25, 1e-9, "the larger drift");
    two_end(&t);
}

/* One whose memory others share can show neither, however steady its arithmetic. */
static void test_drift_of_memory(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    add_anchor(&t.a, "anchor", 1.00e-3, "start");
    add_anchor(&t.a, "anchor_read", 16e9, "start");
    add_anchor(&t.a, "anchor", 1.00e-3, "end");
    add_anchor(&t.a, "anchor_read", 10e9, "end");
    rescale(&t.b, 1, 1.4);
    rescale(&t.b, 2, 1.6);
    CHECK_OK(compare_two(&t, false), "compare");
    expect_change(&t, 0, RP_CHANGE_SAME, 1);
    expect_change(&t, 1, RP_CHANGE_UNDECIDED, 1.4);
    CHECK_CONTAINS(found_of(&t, 1).reason, "reading from memory drifted by 46.2 %", "why");
    expect_change(&t, 2, RP_CHANGE_SLOWER, 1.6);
    CHECK_NEAR(found_of(&t, 0).allowance_frac, 6.0 / 13, 1e-9, "of each kind by itself");
    two_end(&t);
}

/* Statuses, samples too few for an interval, rows that one side lacks. */
static void test_undecided(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    unmeasure(row_at(&t.b, 0), RP_OUTCOME_ERROR, "lost");
    RP_WORD_SET(row_at(&t.b, 1)->status, "mismatch");
    rescale(&t.b, 2, 2);
    row_at(&t.b, 2)->ci_level = 0.75;
    rp_study_drop_result(&t.b.study, 6);
    CHECK_OK(compare_two(&t, false), "compare");
    CHECK_EQ_I64((int64_t)t.found.old_only, 1, "one row is only in OLD");
    CHECK_EQ_TEXT(found_of(&t, 0).reason, "the status changed: ok in OLD, error in NEW: lost",
                  "lost");
    CHECK_EQ_TEXT(found_of(&t, 1).reason, "the status changed: ok in OLD, mismatch in NEW",
                  "wrong");
    CHECK_EQ_I64((int64_t)t.found.status_changed, 2, "both are counted");
    CHECK_CONTAINS(found_of(&t, 2).reason, "too few samples", "few");
    for (size_t i = 0; i < 3; ++i)
        CHECK_EQ_I64(found_of(&t, i).change, RP_CHANGE_UNDECIDED, "undecided");
    two_end(&t);
}

/* Two repeats in NEW: the middle of their medians, and an interval around both. */
static void test_repeats(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    struct rp_result row = *row_at(&t.b, 0);
    row.run = add_run(&t.b.study, "run-2", "2026-02-01T12:00:00.000Z");
    row.time_median_s *= 1.5;
    row.time_ci_low_s *= 1.5;
    row.time_ci_high_s *= 1.5;
    CHECK_OK(rp_study_append(&t.b.study, RP_TABLE_RESULTS, &row), "repeat");
    CHECK_OK(compare_two(&t, false), "compare");
    struct rp_comparison found = found_of(&t, 0);
    const struct rp_comparison *c = &found;
    CHECK_EQ_I64((int64_t)c->new_side->repeats, 2, "repeats");
    CHECK_NEAR(c->ratio, 1.25, 1e-9, "middle");
    CHECK_TRUE(c->low < 1 && c->high > 1.5, "the interval holds both");
    CHECK_EQ_I64(c->change, RP_CHANGE_UNDECIDED, "repeats that disagree decide nothing");
    two_end(&t);
}

static struct rp_device_row *new_device(struct two *t)
{
    return rp_study_devices(&t->b.study);
}
static void other_type(struct two *t)
{
    RP_WORD_SET(new_device(t)->gpu_type, "cpu-other");
}
static void other_mig(struct two *t)
{
    RP_WORD_SET(new_device(t)->mig, "1g.10gb");
}
static void other_ecc(struct two *t)
{
    new_device(t)->ecc = 1;
}
static void other_power(struct two *t)
{
    new_device(t)->power_limit_w = 60;
}
static void other_threads(struct two *t)
{
    for (size_t i = 0; i < 7; ++i)
        row_at(&t->b, i)->threads = 1;
}
static void other_protocol(struct two *t)
{
    for (size_t i = 0; i < 7; ++i)
        RP_WORD_SET(row_at(&t->b, i)->protocol, "0123456789abcdef");
}

static void test_unlike(void **state)
{
    (void)state;
    static const struct {
        void (*plant)(struct two *t);
        const char *says;
    } cases[] = {
        {other_type, "OLD was measured on cpu-test, NEW on cpu-other"},
        {other_mig, "NEW on cpu-test MIG 1g.10gb"},
        {other_ecc, "(cpu, ECC -1), NEW on cpu-test (cpu, ECC 1)"},
        {other_power, "NEW on cpu-test 60 W"},
        {other_threads, "2 threads in OLD and 1 in NEW"},
        {other_protocol, "and 0123456789abcdef in NEW"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct two t;
        two_begin(&t);
        cases[i].plant(&t);
        CHECK_STATUS(compare_two(&t, false), RP_ERR_USAGE, cases[i].says);
        CHECK_CONTAINS(rp_status_message(), cases[i].says, "which differ");
        CHECK_OK(compare_two(&t, true), cases[i].says);
        CHECK_EQ_I64((int64_t)t.found.count, 7, cases[i].says);
        two_end(&t);
    }
}

/* Unlike things on one side are never taken for repeats of each other. */
static void test_mixed_side(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    other_type(&t);
    RP_WORD_SET(row_at(&t.b, 3)->protocol, "0123456789abcdef");
    CHECK_STATUS(compare_two(&t, true), RP_ERR_USAGE, "two protocols in NEW");
    CHECK_CONTAINS(rp_status_message(), "NEW holds cpu-other (2 threads, protocol ", "both named");
    two_end(&t);
}

static void test_nothing_in_common(void **state)
{
    (void)state;
    struct two t;
    two_begin(&t);
    for (size_t i = 0; i < 7; ++i) {
        row_at(&t.b, i)->head_dim = 48;
    }
    CHECK_STATUS(compare_two(&t, false), RP_ERR_USAGE, "other points");
    CHECK_CONTAINS(rp_status_message(), "no point in common", "other points");
    RP_WORD_SET(rp_study_devices(&t.a.study)->backend, "simulated");
    CHECK_STATUS(compare_two(&t, false), RP_ERR_USAGE, "simulated rows do not count");
    CHECK_CONTAINS(rp_status_message(), "--simulated", "how to take them in");
    two_end(&t);
}

/* The command: table, exit code 1 on slower, csv for programs. */
static void test_command(void **state)
{
    (void)state;
    struct two t;
    int exit_code = -1;
    two_begin(&t);
    rescale(&t.b, 1, 1.2);
    synthetic_write(&t.a);
    synthetic_write(&t.b);
    const char *const slower[] = {t.a.path, NULL};
    char *output = run_command(rp_compare_run, slower, t.b.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "6 SAME, 1 SLOWER.", "the answer");
    CHECK_EQ_I64(exit_code, 1, "something got slower");
    free(output);
    const char *const faster[] = {"--format", "csv", t.b.path, NULL};
    output = run_command(rp_compare_run, faster, t.a.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, ",FASTER,0.833333333333333", "full precision");
    CHECK_EQ_I64(exit_code, 0, "nothing got slower");
    free(output);
    two_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),         cmocka_unit_test(test_drift),
        cmocka_unit_test(test_drift_of_memory), cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_repeats),         cmocka_unit_test(test_unlike),
        cmocka_unit_test(test_mixed_side),      cmocka_unit_test(test_nothing_in_common),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
