/* verify: a good file is good, and each planted inconsistency is found by row, column and value. */
#include "analysis_study.h"

/* Prefill at three lengths by two implementations, and a decode. */
static void build(struct synthetic *s)
{
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 4, 2, 64, 32);
    struct rp_point decode = shape_of(RP_STAGE_DECODE, 4, 2, 512, 32);
    synthetic_begin(s);
    for (int64_t seq = 64; seq <= 256; seq *= 2) { /* rows 0..5 */
        p.seq_q = p.seq_k = seq;
        synthetic_add(s, &p, RP_IMPL_naive, 2e-6 * (double)seq);
        synthetic_add(s, &p, RP_IMPL_fused, 1e-6 * (double)seq);
    }
    synthetic_add(s, &decode, RP_IMPL_fused, 1e-5); /* row 6 */
}

static struct rp_sample *sample_at(struct synthetic *s, size_t index)
{
    return rp_study_row(&s->study, RP_TABLE_SAMPLES, index);
}

static void nothing(struct synthetic *s)
{
    (void)s;
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
static void unknown_status(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->status, "fine");
}
static void unknown_impl(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->impl, "magic");
}
static void unknown_stage(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->stage, "training");
}
static void impossible_axes(struct synthetic *s)
{
    row_at(s, 2)->kv_heads = 3;
}
static void other_identity(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->point, "0123456789abcdef");
}
static void causal_single_query(struct synthetic *s)
{
    row_at(s, 6)->causal = 1;
}
static void causal_word(struct synthetic *s)
{
    row_at(s, 2)->causal = 7;
}
static void wrong_flops(struct synthetic *s)
{
    row_at(s, 2)->flops += 2;
}
static void wrong_dense(struct synthetic *s)
{
    row_at(s, 2)->flops_dense /= 2;
}
static void wrong_bytes(struct synthetic *s)
{
    row_at(s, 2)->bytes_min *= 2;
}
static void wrong_flops_impl(struct synthetic *s)
{
    row_at(s, 2)->flops_impl += 1;
}
static void few_flops_impl(struct synthetic *s)
{
    row_at(s, 2)->flops_impl = 1;
}
static void few_bytes_impl(struct synthetic *s)
{
    row_at(s, 2)->bytes_impl = 1;
}
static void wrong_path(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->path, "tensor_fp16");
}
static void wrong_peak(struct synthetic *s)
{
    row_at(s, 2)->peak_memory_bytes += 4096;
}
static void wrong_prediction(struct synthetic *s)
{
    row_at(s, 2)->predicted_memory_bytes -= 4;
}
static void wrong_scores(struct synthetic *s)
{
    row_at(s, 3)->scores_bytes += 4;
}
static void wrong_median(struct synthetic *s)
{
    row_at(s, 2)->time_median_s *= 1.0001;
}
static void wrong_min(struct synthetic *s)
{
    row_at(s, 2)->time_min_s *= 0.999;
}
static void wrong_interval(struct synthetic *s)
{
    row_at(s, 2)->time_ci_high_s = row_at(s, 2)->time_median_s;
}
static void wrong_level(struct synthetic *s)
{
    row_at(s, 2)->ci_level = 0.95;
}
static void changed_sample(struct synthetic *s)
{
    sample_at(s, 22)->time_s *= 0.5;
}
static void sample_of_zero(struct synthetic *s)
{
    sample_at(s, 22)->time_s = 0;
}
static void sample_used_twice(struct synthetic *s)
{
    sample_at(s, 22)->used = 2;
}
static void sample_launches(struct synthetic *s)
{
    sample_at(s, 22)->launches = 0;
}
static void samples_beyond(struct synthetic *s)
{
    row_at(s, 6)->sample_offset += 1;
}
static void samples_negative(struct synthetic *s)
{
    row_at(s, 6)->sample_offset = -5;
}
static void samples_huge(struct synthetic *s)
{
    row_at(s, 6)->samples = INT64_MAX;
}
static void samples_shared(struct synthetic *s)
{
    row_at(s, 3)->sample_offset = row_at(s, 2)->sample_offset;
}
static void samples_lost(struct synthetic *s)
{
    row_at(s, 2)->samples = 0;
}
static void samples_of_nobody(struct synthetic *s)
{
    unmeasure(row_at(s, 6), RP_OUTCOME_TIMEOUT, "longer than 60 s");
}
static void times_without_ok(struct synthetic *s)
{
    double kept = row_at(s, 2)->time_median_s;
    unmeasure(row_at(s, 2), RP_OUTCOME_ERROR, "lost");
    row_at(s, 2)->time_median_s = kept;
}
static void no_reason(struct synthetic *s)
{
    unmeasure(row_at(s, 2), RP_OUTCOME_OOM, "");
}
static void ok_without_check(struct synthetic *s)
{
    row_at(s, 2)->error_max_abs = NAN;
}
static void ok_but_infinite(struct synthetic *s)
{
    row_at(s, 2)->error_max_abs = INFINITY;
}
static void strange_stop(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->stop_reason, "bored");
}
static void strange_flag(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->flags, "noisy,lucky");
}
static void implausible_flag(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->flags, "noisy,implausible");
}
static void good_flags(struct synthetic *s)
{
    RP_WORD_SET(row_at(s, 2)->flags, "throttled,noisy,unpaired");
}
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

static void rescale(struct synthetic *s, size_t index, double factor)
{
    struct rp_result *row = row_at(s, index);
    row->time_median_s *= factor;
    row->time_min_s *= factor;
    row->time_ci_low_s *= factor;
    row->time_ci_high_s *= factor;
    for (int64_t i = 0; i < row->samples; ++i)
        sample_at(s, (size_t)(row->sample_offset + i))->time_s *= factor;
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
static void all_disturbed(struct synthetic *s)
{
    struct rp_result *row = row_at(s, 2);
    for (int64_t i = 0; i < row->samples; ++i)
        sample_at(s, (size_t)(row->sample_offset + i))->used = 0;
    row->time_median_s = row->time_min_s = row->time_ci_low_s = row->time_ci_high_s = NAN;
    row->ci_level = NAN;
}
static void all_disturbed_with_time(struct synthetic *s)
{
    double kept = row_at(s, 2)->time_min_s;
    all_disturbed(s);
    row_at(s, 2)->time_min_s = kept;
}

static const struct {
    const char *name;
    void (*plant)(struct synthetic *s);
    int exit_code;
    const char *says;
} cases[] = {
    {"good", nothing, 0,
     "undamaged, and what it says fits together; complete: 7 of 7 planned rows"},
    {"partial", partial, 0, "fits together; partial: 7 of 40 planned rows, 77 samples"},
    {"incomplete", incomplete, 1, "results, rows is 7, expected rows_planned, 8"},
    {"too many", too_many, 1, "results, rows is 7, expected at most rows_planned, 6"},
    {"status", unknown_status, 1, "results row 2, status is fine, expected ok, mismatch, oom"},
    {"impl", unknown_impl, 1, "results row 2, impl is magic, expected naive, reference or fused"},
    {"stage", unknown_stage, 1, "results row 2, point is"},
    {"axes", impossible_axes, 1, "heads=4 is no multiple of kv_heads=3"},
    {"identity", other_identity, 1, "point is 0123456789abcdef, expected "},
    {"one query", causal_single_query, 1, "results row 6, causal is 1, expected 0"},
    {"causal", causal_word, 1, "results row 2, causal is 7, expected 0 or 1"},
    {"flops", wrong_flops, 1, "row 2, flops is 8388610, expected 8388608"}, /* 4*4*32*128^2 */
    {"flops_dense", wrong_dense, 1, "row 2, flops_dense is 4194304, expected 8388608"},
    {"bytes_min", wrong_bytes, 1, "row 2, bytes_min is 196608, expected 98304"}, /* 2*32*12*128 */
    {"flops_impl", wrong_flops_impl, 1, "results row 2, flops_impl is "},
    {"few flops", few_flops_impl, 1, "flops_impl is 1, expected at least flops, 8388608"},
    {"few bytes", few_bytes_impl, 1, "bytes_impl is 1, expected at least bytes_min, 98304"},
    {"path", wrong_path, 1, "row 2, path is tensor_fp16, expected cpu_fp32"},
    {"peak", wrong_peak, 1, "results row 2, peak_memory_bytes is "},
    {"prediction", wrong_prediction, 1, "results row 2, predicted_memory_bytes is "},
    {"scores", wrong_scores, 1, "results row 3, scores_bytes is "},
    {"median", wrong_median, 1, "results row 2, time_median_s is "},
    {"minimum", wrong_min, 1, "results row 2, time_min_s is "},
    {"interval", wrong_interval, 1, "results row 2, time_ci_high_s is "},
    {"level", wrong_level, 1, "results row 2, ci_level is 0.95, expected "},
    {"a sample", changed_sample, 1, "results row 2, time_min_s is "},
    {"zero", sample_of_zero, 1, "samples row 22, time_s is 0, expected a time above 0"},
    {"used", sample_used_twice, 1, "samples row 22, used is 2, expected 0 or 1"},
    {"launches", sample_launches, 1, "samples row 22, launches is 0, expected at least 1"},
    {"beyond", samples_beyond, 1, "row 6, sample_offset is 67, expected 11 samples within the 77"},
    {"negative", samples_negative, 1, "results row 6, sample_offset is -5"},
    {"huge", samples_huge, 1, "results row 6, sample_offset is 66, expected 9223372036854775807"},
    {"shared", samples_shared, 1,
     "sample_offset is 22, expected at least 33, where the samples of"},
    {"lost", samples_lost, 1, "results row 2, samples is 0, expected at least 1"},
    {"nobody's", samples_of_nobody, 0, "warning: samples, rows is 77, expected 66"},
    {"times", times_without_ok, 1, "row 2, time_median_s is 0.000257152, expected none"},
    {"no reason", no_reason, 1, "results row 2, reason is \"\", expected why the row is oom"},
    {"not compared", ok_without_check, 1, "results row 2, error_max_abs is none"},
    {"infinite", ok_but_infinite, 1, "results row 2, error_max_abs is infinite"},
    {"stop", strange_stop, 1, "results row 2, stop_reason is bored, expected target_ci"},
    {"flag", strange_flag, 1, "results row 2, flags is noisy,lucky"},
    {"implausible", implausible_flag, 1, "flags is noisy,implausible, expected no row faster"},
    {"flags", good_flags, 0, "fits together"},
    {"device", no_such_device, 1, "device is 1, expected a row of /devices, which has 1"},
    {"run", no_such_run, 1, "run is -1, expected a row of /runs, which has 1"},
    {"twice", twice, 1, "once with impl=naive, run run-1 and device uuid-1"},
    {"sequence", sequence_twice, 1, "sequence is 2, expected once in a run"},
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
    {"disturbed", all_disturbed, 0, "undamaged, and what it says fits together; complete"},
    {"disturbed, timed", all_disturbed_with_time, 1, "expected none: every sample was disturbed"},
};

static void test_planted(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct synthetic s;
        int exit_code = -1;
        build(&s);
        cases[i].plant(&s);
        synthetic_write(&s);
        char *output = run_command(rp_verify_run, NULL, s.path, RP_OK, &exit_code);
        CHECK_CONTAINS(output, cases[i].says, cases[i].name);
        CHECK_CONTAINS(output, s.path, cases[i].name);
        if (exit_code != cases[i].exit_code)
            fail_msg("%s: exit code %d, not %d: %s", cases[i].name, exit_code, cases[i].exit_code,
                     output);
        free(output);
        synthetic_end(&s);
    }
}

/* A cut file, an empty one, one with another beginning, none: 3, and the sentence names it. */
static void test_damage(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    build(&s);
    for (int kind = 0; kind < 3; ++kind) {
        synthetic_write(&s);
        FILE *file = fopen(s.path, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, 0, SEEK_END), 0);
        long size = ftell(file);
        if (kind == 0) { /* half of it is gone */
            assert_int_equal(ftruncate(fileno(file), size / 2), 0);
        } else if (kind == 1) {
            assert_int_equal(ftruncate(fileno(file), 0), 0);
        } else {
            rewind(file);
            fputs("point,impl,time\n", file);
        }
        fclose(file);
        char *output = run_command(rp_verify_run, NULL, s.path, RP_OK, &exit_code);
        CHECK_CONTAINS(output, "damaged or no result file: ", s.path);
        CHECK_CONTAINS(output, s.path, "the file's name");
        CHECK_EQ_I64(exit_code, 3, "damaged");
        free(output);
    }
    unlink(s.path);
    char *output = run_command(rp_verify_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "No such file", "not there");
    CHECK_EQ_I64(exit_code, 3, "not there");
    free(output);
    synthetic_end(&s);
}

/* The worst of several files decides, and a damaged one does not hide the next. */
static void test_several(void **state)
{
    (void)state;
    struct synthetic good;
    struct synthetic bad;
    int exit_code = -1;
    build(&good);
    build(&bad);
    wrong_dense(&bad);
    synthetic_write(&good);
    synthetic_write(&bad);
    char *output = run_command(rp_verify_run, (const char *[]){"/dev/null", bad.path, NULL},
                               good.path, RP_OK, &exit_code);
    CHECK_EQ_I64(exit_code, 3, "worst");
    CHECK_CONTAINS(output, "/dev/null: damaged", "first");
    CHECK_CONTAINS(output, "but 1 error; complete", "second");
    CHECK_CONTAINS(output, "fits together; complete", "third");
    free(output);
    output = run_command(rp_verify_run, (const char *[]){"--format", "csv", bad.path, NULL},
                         good.path, RP_OK, &exit_code);
    CHECK_EQ_I64(exit_code, 1, "csv");
    CHECK_CONTAINS(output, "file,level,table,row,column,value,expected\n", "csv");
    CHECK_CONTAINS(output, ",error,results,2,flops_dense,4194304,", "csv");
    free(output);
    synthetic_end(&good);
    synthetic_end(&bad);
}

/* Thousands of faults: the first are listed, all are counted. */
static void test_many(void **state)
{
    (void)state;
    struct synthetic s;
    int exit_code = -1;
    struct rp_point p = shape_of(RP_STAGE_PREFILL, 1, 1, 1, 1);
    synthetic_begin(&s);
    for (int64_t seq = 2; seq < 1202; ++seq) {
        p.seq_q = p.seq_k = seq;
        size_t index = synthetic_add(&s, &p, RP_IMPL_fused, 1e-3);
        row_at(&s, index)->flops_dense += 1;
    }
    synthetic_write(&s);
    char *output = run_command(rp_verify_run, NULL, s.path, RP_OK, &exit_code);
    CHECK_CONTAINS(output, "and 200 more", "listed");
    CHECK_CONTAINS(output, "but 1200 errors", "counted");
    free(output);
    synthetic_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
