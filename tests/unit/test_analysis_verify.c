/* verify on rows: a good file is good, and each planted inconsistency is found by row, column and
 * value. */
#include "analysis_planted.h"

static void nothing(struct synthetic *s)
{
    (void)s;
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
static void samples_lost(struct synthetic *s)
{
    row_at(s, 2)->samples = 0;
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

/* Its times are those of all samples then. */
static void all_disturbed_counted(struct synthetic *s)
{
    struct rp_result *row = row_at(s, 2);
    double times[64];
    size_t n = (size_t)row->samples;
    for (size_t i = 0; i < n; ++i) {
        struct rp_sample *sample = sample_at(s, (size_t)row->sample_offset + i);
        sample->used = 0;
        times[i] = sample->time_s;
    }
    rp_stats_sort(times, n);
    struct rp_stats_interval interval = rp_stats_median_interval(times, n, 0.95);
    row->time_median_s = rp_stats_median(times, n);
    row->time_min_s = times[0];
    row->time_ci_low_s = interval.low;
    row->time_ci_high_s = interval.high;
    row->ci_level = 0;
}
static void all_disturbed_wrong(struct synthetic *s)
{
    all_disturbed_counted(s);
    row_at(s, 2)->time_median_s *= 1.001;
}
static void all_disturbed(struct synthetic *s)
{
    struct rp_result *row = row_at(s, 2);
    all_disturbed_counted(s);
    row->time_median_s = row->time_min_s = row->time_ci_low_s = row->time_ci_high_s = NAN;
    row->ci_level = NAN;
}
static void all_disturbed_with_time(struct synthetic *s)
{
    double kept = row_at(s, 2)->time_min_s;
    all_disturbed(s);
    row_at(s, 2)->time_min_s = kept;
}

static const struct planted cases[] = {
    {"good", nothing, 0,
     "undamaged, and what it says fits together; complete: 7 of 7 planned rows"},
    {"status", unknown_status, 1, "results row 2, status is fine, expected ok, mismatch, oom"},
    {"impl", unknown_impl, 1,
     "results row 2, impl is magic, expected naive, reference, fused or "
     "cudnn"},
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
    {"lost", samples_lost, 1, "results row 2, samples is 0, expected at least 1"},
    {"times", times_without_ok, 1, "row 2, time_median_s is 0.000257152, expected none"},
    {"no reason", no_reason, 1, "results row 2, reason is \"\", expected why the row is oom"},
    {"not compared", ok_without_check, 1, "results row 2, error_max_abs is none"},
    {"infinite", ok_but_infinite, 1, "results row 2, error_max_abs is infinite"},
    {"stop", strange_stop, 1, "results row 2, stop_reason is bored, expected target_ci"},
    {"flag", strange_flag, 1, "results row 2, flags is noisy,lucky"},
    {"implausible", implausible_flag, 1, "flags is noisy,implausible, expected no row faster"},
    {"flags", good_flags, 0, "fits together"},
    {"disturbed", all_disturbed, 0, "undamaged, and what it says fits together; complete"},
    {"disturbed, all count", all_disturbed_counted, 0, "fits together"},
    {"disturbed, wrong", all_disturbed_wrong, 1, "results row 2, time_median_s is"},
    {"disturbed, timed", all_disturbed_with_time, 1, "expected none: every sample was disturbed"},
};

static void test_planted(void **state)
{
    (void)state;
    check_planted(cases, RP_COUNT(cases));
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
