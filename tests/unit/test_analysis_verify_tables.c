/* verify on tables: what is missing, points nowhere, beats its ceilings or does not fit other rows.
 */
#include "analysis_planted.h"

static void no_such_device(struct synthetic *s)
{
    row_at(s, 2)->device = 1;
}
static void no_such_run(struct synthetic *s)
{
    row_at(s, 2)->run = -1;
}
static void twice(struct synthetic *s)
{
    struct rp_result row = *row_at(s, 2);
    row.sequence = 100;
    row.sample_offset = (int64_t)rp_study_count(&s->study, RP_TABLE_SAMPLES);
    for (int64_t i = 0; i < row.samples; ++i) {
        struct rp_sample sample = *sample_at(s, (size_t)(row_at(s, 2)->sample_offset + i));
        CHECK_OK(rp_study_append(&s->study, RP_TABLE_SAMPLES, &sample), "sample");
    }
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_RESULTS, &row), "row");
    ++s->study.rows_planned;
}
static void sequence_twice(struct synthetic *s)
{
    row_at(s, 3)->sequence = row_at(s, 2)->sequence;
}
static void sequence_missing(struct synthetic *s)
{
    row_at(s, 3)->sequence = -1;
}
static void ceiling_of_nobody(struct synthetic *s)
{
    struct rp_ceiling ceiling;
    rp_row_init(RP_TABLE_CEILINGS, &ceiling);
    ceiling.device = 3;
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_CEILINGS, &ceiling), "ceiling");
}
static void ceiling_of_no_run(struct synthetic *s)
{
    add_ceiling(&s->study, "latency", 1e-6, 0)->run = 1;
}
static void ceiling_of_no_kind(struct synthetic *s)
{
    add_ceiling(&s->study, "speed", 1e-6, 0);
}
static void ceiling_in_other_units(struct synthetic *s)
{
    RP_WORD_SET(add_ceiling(&s->study, "latency", 1e-6, 0)->units, "us");
}
static void ceiling_of_zero(struct synthetic *s)
{
    add_ceiling(&s->study, "bandwidth", 0, 0);
}
static void ceiling_outside(struct synthetic *s)
{
    add_ceiling(&s->study, "bandwidth", 1e9, 0)->ci_high = 0.9e9;
}
static void implausible(struct synthetic *s)
{
    add_ceiling(&s->study, "compute", 1e9, 0.01); /* row 2 needs 8 ms */
}
static void implausible_but_warm(struct synthetic *s)
{
    implausible(s);
    for (size_t i = 0; i < 7; ++i)
        RP_WORD_SET(row_at(s, i)->cache, "warm");
}
static void label_of_nobody(struct synthetic *s)
{
    struct rp_label label;
    rp_row_init(RP_TABLE_LABELS, &label);
    label.run = 3;
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_LABELS, &label), "label");
}
static void shrinks(struct synthetic *s)
{
    rescale(s, 5, 0.25); /* T=256 in half the time of T=128 */
}
static void shrinks_over_a_step(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 2, 192, 32);
    synthetic_add(s, &p, RP_IMPL_fused, 1e-3); /* between 128 and 256 */
    shrinks(s);
}
/* Row 2 once more by a later run, in `factor` times its time. */
static void repeat(struct synthetic *s, double factor)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 2, 128, 32);
    int64_t run = add_run(&s->study, "run-2", "2026-02-01T00:00:00.000Z");
    size_t index = synthetic_add(s, &p, RP_IMPL_naive, 256e-6 * factor);
    row_at(s, index)->run = run;
}
static void repeat_differs(struct synthetic *s)
{
    repeat(s, 1.06);
}
static void repeat_agrees(struct synthetic *s)
{
    repeat(s, 1.03);
}
static void repeat_drifts(struct synthetic *s)
{
    repeat(s, 1.06);
    for (int i = 0; i < 3; ++i) /* 1, 1.05, 1.1: a spread of 9.5 % */
        add_ceiling(&s->study, "anchor", 1e-3 * (1 + 0.05 * i), 0)->run = 1;
}
static void repeat_elsewhere(struct synthetic *s)
{
    struct rp_device_row device = rp_study_devices(&s->study)[0];
    repeat(s, 2);
    RP_WORD_SET(device.uuid, "uuid-2");
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_DEVICES, &device), "device");
    row_at(s, 7)->device = 1;
}
static void hardly_shrinks(struct synthetic *s)
{
    rescale(s, 5, 0.5); /* the same time: within the margin */
}
static void partial(struct synthetic *s)
{
    s->study.complete = false;
    s->study.rows_planned = 40;
}
static void incomplete(struct synthetic *s)
{
    s->study.rows_planned = 8;
}
static void too_many(struct synthetic *s)
{
    s->study.complete = false;
    s->study.rows_planned = 6;
}
static void samples_shared(struct synthetic *s)
{
    row_at(s, 3)->sample_offset = row_at(s, 2)->sample_offset;
}
static void samples_of_nobody(struct synthetic *s)
{
    unmeasure(row_at(s, 6), RP_OUTCOME_TIMEOUT, "longer than 60 s");
}

static const struct planted cases[] = {
    {"partial", partial, 0, "fits together; partial: 7 of 40 planned rows, 77 samples"},
    {"incomplete", incomplete, 1, "results, rows is 7, expected rows_planned, 8"},
    {"too many", too_many, 1, "results, rows is 7, expected at most rows_planned, 6"},
    {"shared", samples_shared, 1,
     "sample_offset is 22, expected at least 33, where the samples of"},
    {"nobody's", samples_of_nobody, 0, "warning: samples, rows is 77, expected 66"},
    {"device", no_such_device, 1, "device is 1, expected a row of /devices, which has 1"},
    {"run", no_such_run, 1, "run is -1, expected a row of /runs, which has 1"},
    {"twice", twice, 1, "once with impl=naive, run run-1 and device uuid-1"},
    {"sequence", sequence_twice, 1, "sequence is 2, expected above 2, that of row 2, which is"},
    {"no sequence", sequence_missing, 1, "results row 3, sequence is -1, expected 0 or more"},
    {"ceiling", ceiling_of_nobody, 1, "ceilings row 0, device is 3"},
    {"ceiling's run", ceiling_of_no_run, 1, "ceilings row 0, run is 1, expected a row of /runs"},
    {"ceiling's kind", ceiling_of_no_kind, 1, "ceilings row 0, kind is speed, expected compute"},
    {"ceiling's units", ceiling_in_other_units, 1, "ceilings row 0, units is us, expected s for"},
    {"ceiling's value", ceiling_of_zero, 1, "ceilings row 0, value is 0, expected a number above"},
    {"ceiling's ends", ceiling_outside, 1, "value is 1e+09, expected within its interval"},
    {"too fast", implausible, 1,
     "row 2, time_median_s is 0.000257152, expected at least 0.008389, or the row is implausible"},
    {"warm", implausible_but_warm, 0, "fits together"},
    {"shrinks over", shrinks_over_a_step, 0, "warning: results row 5, time_median_s is "},
    {"repeat", repeat_differs, 0, "warning: results row 7, time_median_s is 0.00027258112, "},
    {"repeat agrees", repeat_agrees, 0, "undamaged, and what it says fits together; complete"},
    {"repeat drifts", repeat_drifts, 0, "undamaged, and what it says fits together; complete"},
    {"repeat elsewhere", repeat_elsewhere, 0, "undamaged, and what it says fits together; compl"},
    {"label", label_of_nobody, 1, "labels row 0, run is 3"},
    {"shrinks", shrinks, 0, "warning: results row 5, time_median_s is "},
    {"level time", hardly_shrinks, 0, "undamaged, and what it says fits together; complete"},
};

static void test_planted(void **state)
{
    (void)state;
    check_planted(cases, RP_COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
