/* test_analysis_merge.c - several studies as one: what is kept once, renumbered, refused. */
#include "analysis_planted.h"

#include "analysis/merge_tables.h"

/* Three studies of one shape set: the first two are runs on two cards, the third one is free. */
struct three {
    struct synthetic s[3];
    struct rp_study_file files[4]; /* the last one for what was merged */
};

static void three_begin(struct three *t)
{
    for (int i = 0; i < 3; ++i) {
        struct rp_run *run;
        char text[32];
        build(&t->s[i]);
        run = rp_study_runs(&t->s[i].study);
        snprintf(text, sizeof text, "run-%d", i + 1);
        RP_WORD_SET(run->run_id, text);
        snprintf(text, sizeof text, "2026-01-3%dT12:00:00.000Z", i);
        RP_WORD_SET(run->started_utc, text);
        run->merged = 0;
        snprintf(text, sizeof text, "uuid-%d", i + 1);
        RP_WORD_SET(rp_study_devices(&t->s[i].study)->uuid, text);
        add_ceiling(&t->s[i].study, "bandwidth", 1e10 * (i + 1), 0.01);
    }
}

static void three_end(struct three *t)
{
    for (int i = 0; i < 3; ++i)
        synthetic_end(&t->s[i]);
}

/* Merges the studies whose numbers are in `which`, 3 is `earlier`, into a file and reads that. */
static enum rp_status merge_of(struct three *t, const char *which, const struct rp_study *earlier,
                               struct rp_study *merged)
{
    static const char *const names[] = {"a.h5", "b.h5", "c.h5", "merged.h5"};
    size_t n = strlen(which);
    for (size_t i = 0; i < n; ++i) {
        int number = which[i] - '0';
        t->files[i] =
            (struct rp_study_file){names[number], number < 3 ? t->s[number].study : *earlier};
    }
    const struct rp_study_list list = {t->files, n};
    struct rp_merged m;
    RP_TRY(rp_merge_refuse_counting(&list));
    RP_TRY(rp_merged_create(&list, &m));
    const struct rp_results_source source = rp_merged_source(&m);
    unlink(t->s[0].path);
    CHECK_OK(rp_results_write_from(t->s[0].path, &m.study, &source), "write");
    rp_merged_clear(&m);
    CHECK_OK(rp_results_read(t->s[0].path, merged), "read");
    return RP_OK;
}

static void expect_counts(const struct rp_study *m, size_t rows, int64_t planned, const char *name)
{
    CHECK_EQ_I64((int64_t)rp_study_count(m, RP_TABLE_RESULTS), (int64_t)rows, name);
    CHECK_EQ_I64(m->rows_planned, planned, name);
    CHECK_EQ_I64(m->complete, (int64_t)rows == planned, name);
}

static void test_renumbering(void **state)
{
    (void)state;
    struct three t;
    struct rp_study m;
    three_begin(&t);
    CHECK_OK(merge_of(&t, "10", NULL, &m), "the later run first");
    expect_counts(&m, 14, 14, "two cards");
    CHECK_EQ_I64((int64_t)rp_study_count(&m, RP_TABLE_SAMPLES), 14 * STUDY_SAMPLES, "samples");
    for (size_t i = 0; i < 14; ++i) {
        const struct rp_result *row = &rp_study_results(&m)[i];
        const struct rp_result *from = row_at(&t.s[i / 7], i % 7);
        const struct rp_sample *samples = NULL;
        size_t n = 0;
        CHECK_EQ_TEXT(rp_study_run_of(&m, row)->run_id, i < 7 ? "run-1" : "run-2", "run");
        CHECK_EQ_TEXT(rp_study_device_of(&m, row)->uuid, i < 7 ? "uuid-1" : "uuid-2", "device");
        CHECK_EQ_TEXT(row->point, from->point, "rows in the order they were finished");
        CHECK_OK(rp_study_samples_of(&m, row, &samples, &n), "samples");
        CHECK_EQ_I64((int64_t)n, STUDY_SAMPLES, "samples");
        CHECK_NEAR(samples[5].time_s, sample_at(&t.s[i / 7], (i % 7) * STUDY_SAMPLES + 5)->time_s,
                   0, "a row keeps its own samples");
    }
    for (int64_t i = 0; i < 2; ++i) {
        const struct rp_ceiling *c = &rp_study_ceilings(&m)[i];
        CHECK_EQ_I64(c->run, i, "ceiling's run");
        CHECK_EQ_TEXT(rp_study_devices(&m)[c->device].uuid, i ? "uuid-2" : "uuid-1", "its device");
        CHECK_NEAR(c->value, 1e10 * (double)(i + 1), 0, "its value");
    }
    rp_study_clear(&m);
    three_end(&t);
}

static void digest_of(const struct rp_study *study, char hex[RP_DIGEST_HEX_SIZE])
{
    CHECK_OK(rp_results_digest(study, hex), "digest");
}

/* Whatever is merged again, in whatever order: the same tables. */
static void test_merging_twice(void **state)
{
    (void)state;
    static const char *const again[] = {"3", "33", "301", "103", "0313", "10"};
    struct three t;
    struct rp_study first;
    char wanted[RP_DIGEST_HEX_SIZE];
    three_begin(&t);
    CHECK_OK(merge_of(&t, "01", NULL, &first), "first");
    digest_of(&first, wanted);
    for (size_t i = 0; i < RP_COUNT(again); ++i) {
        struct rp_study m;
        char hex[RP_DIGEST_HEX_SIZE];
        CHECK_OK(merge_of(&t, again[i], &first, &m), again[i]);
        digest_of(&m, hex);
        CHECK_EQ_TEXT(hex, wanted, again[i]);
        rp_study_clear(&m);
    }
    rp_study_clear(&first);
    three_end(&t);
}

/* The same points again on the same card are another run's: repeats. */
static void test_repeats(void **state)
{
    (void)state;
    struct three t;
    struct rp_study m;
    three_begin(&t);
    RP_WORD_SET(rp_study_devices(&t.s[1].study)->uuid, "uuid-1");
    CHECK_OK(merge_of(&t, "01", NULL, &m), "repeats");
    expect_counts(&m, 14, 14, "repeats");
    CHECK_EQ_I64((int64_t)rp_study_count(&m, RP_TABLE_DEVICES), 1, "one card");
    rp_study_clear(&m);
    three_end(&t);
}

/* The same card under another power limit is not the same device. */
static void test_power_limit(void **state)
{
    (void)state;
    struct three t;
    struct rp_study m;
    three_begin(&t);
    RP_WORD_SET(rp_study_devices(&t.s[1].study)->uuid, "uuid-1");
    rp_study_devices(&t.s[1].study)->power_limit_w = 250;
    CHECK_OK(merge_of(&t, "01", NULL, &m), "power limits");
    CHECK_EQ_I64((int64_t)rp_study_count(&m, RP_TABLE_DEVICES), 2, "two rows of /devices");
    rp_study_clear(&m);
    three_end(&t);
}

/* A file in progress, the same file later with a second run that went on in it, and one where that
 * run had measured a failed row again. */
static void test_in_progress(void **state)
{
    (void)state;
    struct three t;
    struct rp_study early;
    struct rp_study m;
    three_begin(&t);
    struct rp_study *later = &t.s[1].study;
    RP_WORD_SET(rp_study_runs(later)->run_id, "run-1");
    RP_WORD_SET(rp_study_runs(later)->started_utc, rp_study_runs(&t.s[0].study)->started_utc);
    RP_WORD_SET(rp_study_runs(later)->ended_utc, "2026-01-31T13:00:00.000Z");
    RP_WORD_SET(rp_study_devices(later)->uuid, "uuid-1");
    rp_study_ceilings(later)->value = rp_study_ceilings(&t.s[0].study)->value;
    rp_study_ceilings(later)->ci_low = rp_study_ceilings(&t.s[0].study)->ci_low;
    rp_study_ceilings(later)->ci_high = rp_study_ceilings(&t.s[0].study)->ci_high;
    int64_t second = add_run(later, "run-1b", "2026-01-30T14:00:00.000Z");
    for (size_t i = 4; i < 7; ++i)
        row_at(&t.s[1], i)->run = second;
    rp_study_drop_result(&t.s[0].study, 6); /* 5 of 7 rows so far */
    rp_study_drop_result(&t.s[0].study, 4);
    t.s[0].study.complete = false;

    CHECK_OK(merge_of(&t, "02", NULL, &early), "one in progress");
    expect_counts(&early, 12, 14, "one in progress");
    CHECK_OK(merge_of(&t, "12", NULL, &m), "finished");
    expect_counts(&m, 14, 14, "finished");
    rp_study_clear(&m);
    /* Row 5 was measured by run-1 at first, and later again by run-1b: it is there twice. */
    CHECK_OK(merge_of(&t, "310", &early, &m), "with what was merged early");
    expect_counts(&m, 15, 15, "one row twice");
    CHECK_EQ_TEXT(rp_study_runs(&m)[0].ended_utc, "2026-01-31T13:00:00.000Z", "the later copy");
    CHECK_EQ_I64((int64_t)rp_study_count(&m, RP_TABLE_CEILINGS), 2, "ceilings once");
    rp_study_clear(&m);
    rp_study_clear(&early);
    three_end(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    struct three t;
    struct rp_study m;
    three_begin(&t);
    row_at(&t.s[1], 3)->bytes_min *= 2;
    CHECK_STATUS(merge_of(&t, "01", NULL, &m), RP_ERR_USAGE, "bytes counted otherwise");
    CHECK_CONTAINS(rp_status_message(), "b.h5: row 3, bytes_min is", "file, row, column");
    row_at(&t.s[1], 3)->bytes_min /= 2;
    row_at(&t.s[0], 2)->flops_impl += 1;
    CHECK_STATUS(merge_of(&t, "01", NULL, &m), RP_ERR_USAGE, "FLOP counted otherwise");
    CHECK_OK(merge_of(&t, "0", NULL, &m), "a file by itself is not mixed");
    rp_study_clear(&m);
    row_at(&t.s[0], 2)->flops_impl -= 1;

    row_at(&t.s[2], 1)->device = 7;
    CHECK_STATUS(merge_of(&t, "02", NULL, &m), RP_ERR_DAMAGED, "points nowhere");
    CHECK_CONTAINS(rp_status_message(), "c.h5: a row points at device 7", "file and number");

    RP_WORD_SET(rp_study_runs(&t.s[1].study)->run_id, "run-1");
    RP_WORD_SET(rp_study_runs(&t.s[1].study)->started_utc,
                rp_study_runs(&t.s[0].study)->started_utc);
    RP_WORD_SET(rp_study_runs(&t.s[1].study)->job_hash, "abc");
    CHECK_STATUS(merge_of(&t, "01", NULL, &m), RP_ERR_USAGE, "one run of two jobs");
    three_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renumbering), cmocka_unit_test(test_merging_twice),
        cmocka_unit_test(test_repeats),     cmocka_unit_test(test_power_limit),
        cmocka_unit_test(test_in_progress), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
