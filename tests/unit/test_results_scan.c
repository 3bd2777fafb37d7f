/* test_results_scan.c - a file read block by block says what it says read whole. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/results_hdf5.h"
#include "store/results_scan.h"
#include "store/seal.h"

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

/* Rows out of order, with their samples, and then the rows once more by other columns. */
static void test_by_number(void **state)
{
    (void)state;
    static const size_t numbers[] = {ROWS - 1, 0, 32768, 32767, 5};
    static const char *const columns[] = {"stage"};
    struct rp_study study;
    struct rp_results_scan *scan = NULL;
    const struct rp_result *row = NULL;
    const struct rp_sample *samples = NULL;
    size_t n = 0;
    build(&study, ROWS);
    for (int i = 0; i < 40000; ++i) { /* over two chunks */
        struct rp_sample sample = {1e-3 * i, 1, i, 1};
        CHECK_OK(rp_study_append(&study, RP_TABLE_SAMPLES, &sample), "sample");
    }
    for (size_t i = 0; i < RP_COUNT(numbers); ++i) {
        rp_study_results(&study)[numbers[i]].samples = 10000;
        rp_study_results(&study)[numbers[i]].sample_offset = (int64_t)(7500 * i + 1);
    }
    rp_study_results(&study)[1].samples = 2;
    rp_study_results(&study)[1].sample_offset = 40000; /* there are 40001 */
    write_file(&study);
    CHECK_OK(rp_results_scan_open(path, NULL, 0, &scan), path);
    CHECK_EQ_I64((int64_t)rp_results_scan_rows(scan), ROWS, "rows");
    CHECK_EQ_I64((int64_t)rp_results_scan_sample_rows(scan), 40001, "samples");
    for (size_t i = 0; i < RP_COUNT(numbers); ++i) {
        CHECK_OK(rp_results_scan_row(scan, numbers[i], &row), path);
        CHECK_TRUE(memcmp(row, &rp_study_results(&study)[numbers[i]], sizeof *row) == 0, "a row");
        CHECK_OK(rp_results_scan_samples(scan, row, &samples, &n), path);
        CHECK_EQ_I64((int64_t)n, 10000, "its samples");
        CHECK_EQ_I64(samples[9999].round, (int64_t)(7500 * i + 9999), "the last of them");
    }
    CHECK_OK(rp_results_scan_row(scan, 1, &row), path);
    CHECK_OK(rp_results_scan_samples(scan, row, &samples, &n), path);
    CHECK_TRUE(n == 0 && !samples, "outside of /samples");
    CHECK_OK(rp_results_scan_again(scan, columns, 1), path);
    CHECK_OK(rp_results_scan_next(scan, &n), path);
    row = rp_study_results(rp_results_scan_study(scan));
    CHECK_EQ_TEXT(row[1].stage, "prefill", "asked for now");
    CHECK_EQ_I64(row[1].seq_k, -1, "no longer");
    CHECK_OK(rp_results_scan_check_digest(scan), path);
    rp_results_scan_close(scan);
    rp_study_clear(&study);
}

/* The file without its last line, as another program leaves it; one byte at `place`, or the first
 * of `text` behind it, changed. */
static void spoil(long place, const char *text)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file) - RP_SEAL_LENGTH;
    char *bytes = malloc((size_t)size);
    rewind(file);
    CHECK_EQ_I64((int64_t)fread(bytes, 1, (size_t)size, file), size, path);
    if (text)
        place = (char *)memmem(bytes, (size_t)size, text, strlen(text)) - bytes;
    fseek(file, place, SEEK_SET);
    fputc(bytes[place] == '0' ? '1' : '0', file);
    fflush(file);
    CHECK_TRUE(ftruncate(fileno(file), size) == 0, "cut");
    fclose(file);
    free(bytes);
}

/* Without a seal the digest tells, whatever columns are asked for. */
static void test_unsealed(void **state)
{
    (void)state;
    static const char *const columns[] = {"seq_k"};
    char digest[RP_DIGEST_HEX_SIZE];
    struct rp_study study;
    struct rp_results_scan *scan = NULL;
    build(&study, ROWS);
    CHECK_OK(rp_results_digest(&study, digest), "digest");
    write_file(&study);
    spoil(0, digest);
    CHECK_STATUS(rp_results_scan_open(path, columns, 1, &scan), RP_ERR_DAMAGED, "another digest");
    CHECK_CONTAINS(rp_status_message(), "the tables do not fit the file's digest", path);
    rp_study_clear(&study);
    CHECK_STATUS(rp_results_read(path, &study), RP_ERR_DAMAGED, "read whole");
    CHECK_CONTAINS(rp_status_message(), "the tables do not fit the file's digest", path);
    build(&study, ROWS);
    write_file(&study);
    spoil(100000, NULL); /* in a chunk: nearly all of the file is */
    CHECK_STATUS(rp_results_scan_open(path, columns, 1, &scan), RP_ERR_DAMAGED, "a chunk");
    CHECK_CONTAINS(rp_status_message(), "does not fit its Fletcher-32", path);
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
        cmocka_unit_test(test_same_rows), cmocka_unit_test(test_other_tables),
        cmocka_unit_test(test_by_number), cmocka_unit_test(test_unsealed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
