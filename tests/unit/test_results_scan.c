/* test_results_scan.c - a file read block by block says what it says read whole. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "store/results_hdf5.h"
#include "store/results_scan.h"

static char folder[] = "/tmp/ridgepoint-scan.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/f.h5", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* More rows than a chunk of numbers holds, each another. */
enum { ROWS = 33000 };

static void build(struct rp_study *study, size_t rows)
{
    struct rp_result row;
    struct rp_device_row device;
    struct rp_run run;
    struct rp_sample sample = {1e-3, 1, 0, 1};
    rp_study_init(study);
    rp_row_init(RP_TABLE_RESULTS, &row);
    rp_row_init(RP_TABLE_DEVICES, &device);
    rp_row_init(RP_TABLE_RUNS, &run);
    RP_WORD_SET(device.gpu_type, "t4");
    run.job_text = (char *)(uintptr_t) "name: scan\n";
    CHECK_OK(rp_study_append(study, RP_TABLE_DEVICES, &device), "device");
    CHECK_OK(rp_study_append(study, RP_TABLE_RUNS, &run), "run");
    CHECK_OK(rp_study_append(study, RP_TABLE_SAMPLES, &sample), "sample");
    for (size_t i = 0; i < rows; ++i) {
        row.seq_k = (int64_t)i;
        row.time_median_s = 1.0 / (double)(i + 1);
        snprintf(row.point, sizeof row.point, "%016zx", i * 2654435761u);
        RP_WORD_SET(row.stage, i % 3 ? "prefill" : "decode");
        CHECK_OK(rp_study_append(study, RP_TABLE_RESULTS, &row), "row");
    }
    study->rows_planned = (int64_t)rows;
    study->complete = true;
}

static void write_file(const struct rp_study *study)
{
    unlink(path);
    CHECK_OK(rp_results_write(path, study), path);
}

static void test_same_rows(void **state)
{
    (void)state;
    static const char *const columns[] = {"seq_k", "time_median_s", "stage", "point"};
    static const size_t counts[] = {0, 1, 1024, ROWS};
    for (size_t c = 0; c < RP_COUNT(counts); ++c) {
        struct rp_study study;
        struct rp_results_scan *scan = NULL;
        size_t n = 0;
        size_t seen = 0;
        build(&study, counts[c]);
        write_file(&study);
        CHECK_OK(rp_results_scan_open(path, columns, RP_COUNT(columns), &scan), path);
        do {
            CHECK_OK(rp_results_scan_next(scan, &n), path);
            const struct rp_result *rows = rp_study_results(rp_results_scan_study(scan));
            for (size_t i = 0; i < n; ++i) {
                const struct rp_result *expected = &rp_study_results(&study)[seen + i];
                CHECK_EQ_I64(rows[i].seq_k, expected->seq_k, "number");
                CHECK_TRUE(rows[i].time_median_s == expected->time_median_s, "real");
                CHECK_EQ_TEXT(rows[i].stage, expected->stage, "word");
                CHECK_EQ_TEXT(rows[i].point, expected->point, "long word");
                CHECK_EQ_I64(rows[i].heads, -1, "not asked for");
            }
            CHECK_TRUE(n <= 1024, "a block at a time");
            seen += n;
        } while (n > 0);
        CHECK_EQ_I64((int64_t)seen, (int64_t)counts[c], "all rows");
        rp_results_scan_close(scan);
        rp_study_clear(&study);
    }
}

static void test_other_tables(void **state)
{
    (void)state;
    static const char *const columns[] = {"seq_k", "no_such_column"};
    struct rp_study study;
    struct rp_results_scan *scan = NULL;
    build(&study, 2);
    write_file(&study);
    CHECK_OK(rp_results_scan_open(path, columns, RP_COUNT(columns), &scan), path);
    const struct rp_study *found = rp_results_scan_study(scan);
    CHECK_TRUE(found->complete, "complete");
    CHECK_EQ_I64(found->rows_planned, 2, "planned");
    CHECK_EQ_TEXT(rp_study_devices(found)[0].gpu_type, "t4", "devices are whole");
    CHECK_EQ_TEXT(rp_study_runs(found)[0].job_text, "name: scan\n", "runs are whole");
    CHECK_EQ_I64((int64_t)rp_study_count(found, RP_TABLE_SAMPLES), 0, "samples are not read");
    rp_results_scan_close(scan);
    rp_results_scan_close(NULL);
    rp_study_clear(&study);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const columns[] = {"seq_k"};
    struct rp_study study;
    struct rp_results_scan *scan = NULL;
    build(&study, 100);
    write_file(&study);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, 3000, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, 3000, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
    CHECK_STATUS(rp_results_scan_open(path, columns, 1, &scan), RP_ERR_DAMAGED, "a flipped bit");
    CHECK_CONTAINS(rp_status_message(), path, "named");
    CHECK_TRUE(!scan, "nothing to close");
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("a letter\n", file);
    fclose(file);
    CHECK_STATUS(rp_results_scan_open(path, columns, 1, &scan), RP_ERR_DAMAGED, "foreign");
    unlink(path);
    CHECK_STATUS(rp_results_scan_open(path, columns, 1, &scan), RP_ERR_ENVIRONMENT, "not there");
    rp_study_clear(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_other_tables),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
