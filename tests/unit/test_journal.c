/*
 * test_journal.c - R5: a journal cut at every byte keeps the longest whole prefix and says what was
 * torn; a replay adds what a file lacks, once, and refuses what does not fit.
 */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/journal.h"

static char folder[64];
static char output[96];
static char journal_file[112];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ridgepoint-journal.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/f.h5", folder);
    snprintf(journal_file, sizeof journal_file, "%s.journal", output);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(journal_file);
    return rmdir(folder);
}

static void add_run(struct rp_study *study, const char *run_id)
{
    struct rp_run run;
    char text[] = "name: test\n";
    rp_row_init(RP_TABLE_RUNS, &run);
    RP_WORD_SET(run.run_id, run_id);
    run.job_text = text;
    CHECK_OK(rp_study_append(study, RP_TABLE_RUNS, &run), "run");
}

static void add_device(struct rp_study *study)
{
    struct rp_device_row device;
    rp_row_init(RP_TABLE_DEVICES, &device);
    RP_WORD_SET(device.uuid, "device-0");
    CHECK_OK(rp_study_append(study, RP_TABLE_DEVICES, &device), "device");
}

static struct rp_result make_row(int64_t sequence, const char *status)
{
    struct rp_result row;
    rp_row_init(RP_TABLE_RESULTS, &row);
    row.run = row.device = 0;
    row.sequence = sequence;
    RP_WORD_SET(row.status, status);
    return row;
}

static const struct rp_sample two_samples[] = {{1.0, 1, 0, 1}, {2.0, 1, 1, 1}};

/* Journals a run, a device and `rows` rows of two samples each, as a run does. */
static void write_journal(int64_t rows)
{
    struct rp_study study;
    struct rp_journal *journal = NULL;
    rp_study_init(&study);
    CHECK_OK(rp_journal_open(output, &journal), "open");
    add_run(&study, "run-a");
    CHECK_OK(rp_journal_append(journal, &study, RP_TABLE_RUNS), "run");
    add_device(&study);
    CHECK_OK(rp_journal_append(journal, &study, RP_TABLE_DEVICES), "device");
    for (int64_t i = 0; i < rows; ++i) {
        struct rp_result row = make_row(i, "ok");
        CHECK_OK(rp_journal_append_result(journal, &row, two_samples, 2, -1), "row");
    }
    CHECK_OK(rp_journal_close(journal), "close");
    rp_study_clear(&study);
}

static enum rp_status replay(struct rp_study *study, struct rp_journal_report *report)
{
    rp_study_init(study);
    return rp_journal_replay(output, study, report);
}

static off_t size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : -1;
}

static void test_round_trip(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_journal_report report;
    write_journal(5);
    CHECK_OK(replay(&study, &report), "replay");
    CHECK_EQ_I64(report.rows_added, 5, "every row");
    CHECK_EQ_I64(report.records, 1 + 2 + 5, "header, run, device, rows");
    CHECK_EQ_I64(report.torn_bytes, 0, "nothing torn");
    CHECK_EQ_TEXT(rp_study_runs(&study)[0].run_id, "run-a", "run");
    CHECK_EQ_TEXT(rp_study_runs(&study)[0].job_text, "name: test\n", "a text of any length");
    CHECK_EQ_I64(rp_study_results(&study)[4].sample_offset, 8, "samples are placed");
    CHECK_NEAR(rp_study_samples(&study)[9].time_s, 2.0, 0, "and are these");
    struct rp_journal_report again;
    CHECK_OK(rp_journal_replay(output, &study, &again), "a second replay");
    CHECK_EQ_I64(again.rows_added, 0, "adds nothing");
    CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_RESULTS), 5, "still five");
    rp_study_clear(&study);
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    write_journal(4);
    off_t whole = size_of(journal_file);
    int64_t rows_before = 4;
    for (off_t size = whole; size >= 0; --size) {
        struct rp_study study;
        struct rp_journal_report report;
        CHECK_TRUE(truncate(journal_file, size) == 0, "cut");
        CHECK_OK(replay(&study, &report), "a cut journal is no error");
        CHECK_TRUE(report.rows_added <= rows_before && report.rows_added >= rows_before - 1,
                   "the longest whole prefix");
        CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_RESULTS), report.rows_added,
                     "rows are those reported");
        CHECK_TRUE(report.torn_bytes >= 0 && report.torn_bytes <= size, "torn bytes are told");
        CHECK_TRUE(size == whole || size == 0 || report.torn_bytes > 0 || report.rows_added < 4,
                   "a cut inside a record is told, at a border a record is missing");
        rows_before = report.rows_added;
        rp_study_clear(&study);
    }
    CHECK_EQ_I64(rows_before, 0, "of an empty file nothing");
}

static void test_goes_on_after_a_torn_tail(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_journal_report report;
    struct rp_journal *journal = NULL;
    write_journal(3);
    CHECK_TRUE(truncate(journal_file, size_of(journal_file) - 7) == 0, "tear the last record");
    CHECK_OK(rp_journal_open(output, &journal), "open");
    struct rp_result row = make_row(2, "ok");
    CHECK_OK(rp_journal_append_result(journal, &row, NULL, 0, -1), "append");
    CHECK_OK(rp_journal_close(journal), "close");
    CHECK_OK(replay(&study, &report), "replay");
    CHECK_EQ_I64(report.rows_added, 3, "two old ones and the new one");
    CHECK_EQ_I64(report.torn_bytes, 0, "the tail was cut off");
    rp_study_clear(&study);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    write_journal(3);
    off_t whole = size_of(journal_file);
    int fd = open(journal_file, O_RDWR);
    for (off_t at = 0; at < whole; at += 37) {
        struct rp_study study;
        struct rp_journal_report report;
        unsigned char byte = 0;
        CHECK_TRUE(pread(fd, &byte, 1, at) == 1, "read");
        byte ^= 0x10;
        CHECK_TRUE(pwrite(fd, &byte, 1, at) == 1, "flip");
        enum rp_status status = replay(&study, &report);
        CHECK_TRUE(status == RP_OK, "a flipped bit ends the whole prefix");
        CHECK_TRUE(report.rows_added < 3 && report.torn_bytes > 0, "and never passes");
        rp_study_clear(&study);
        byte ^= 0x10;
        CHECK_TRUE(pwrite(fd, &byte, 1, at) == 1, "flip back");
    }
    close(fd);
}

static void test_replaced_row(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_journal_report report;
    struct rp_journal *journal = NULL;
    write_journal(3);
    CHECK_OK(rp_journal_open(output, &journal), "open");
    struct rp_result row = make_row(3, "timeout");
    CHECK_OK(rp_journal_append_result(journal, &row, two_samples, 1, 1), "stands for row 1");
    CHECK_OK(rp_journal_close(journal), "close");
    CHECK_OK(replay(&study, &report), "replay");
    CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_RESULTS), 3, "one left, one came");
    CHECK_EQ_I64((int64_t)rp_study_count(&study, RP_TABLE_SAMPLES), 5, "with its samples");
    static const int64_t sequences[] = {0, 2, 3};
    static const int64_t offsets[] = {0, 2, 4};
    for (size_t i = 0; i < 3; ++i) {
        CHECK_EQ_I64(rp_study_results(&study)[i].sequence, sequences[i], "order");
        CHECK_EQ_I64(rp_study_results(&study)[i].sample_offset, offsets[i], "offsets");
    }
    rp_study_clear(&study);
}

static void test_what_does_not_fit(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_journal_report report;
    write_journal(1);
    rp_study_init(&study);
    add_run(&study, "run-b");
    CHECK_STATUS(rp_journal_replay(output, &study, &report), RP_ERR_DAMAGED, "another run's");
    CHECK_CONTAINS(rp_status_message(), "another run", "and says so");
    rp_study_clear(&study);

    FILE *file = fopen(journal_file, "w");
    fputs("this is no journal, but somebody's notes\n", file);
    fclose(file);
    rp_study_init(&study);
    CHECK_OK(rp_journal_replay(output, &study, &report), "no record: nothing is kept");
    CHECK_TRUE(report.torn_bytes > 0 && report.records == 0, "and all of it reported");
    rp_study_clear(&study);
}

static void test_no_journal(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_journal_report report;
    unlink(journal_file);
    CHECK_OK(replay(&study, &report), "none is no error");
    CHECK_EQ_I64(report.records, 0, "and holds nothing");
    CHECK_OK(rp_journal_remove(output), "removing none is none either");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),   TEST(test_cut_at_every_byte), TEST(test_goes_on_after_a_torn_tail),
        TEST(test_flipped_bits), TEST(test_replaced_row),      TEST(test_what_does_not_fit),
        TEST(test_no_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
