/*
 * journal.c - appending records; replaying them is journal_replay.c.
 *
 * Records gather in memory until the caller has a moment, then leave in one write: a kill leaves a
 * prefix of them.
 */
#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/folder.h"
#include "store/journal_record.h"

enum { ROWS_TO_SYNC = 64 };
static const double seconds_to_sync = 1;

struct rp_journal {
    char *path; /* heap; of the journal itself */
    int fd;
    off_t size;             /* of the file, whole records only */
    struct rp_text records; /* not written yet; their memory is kept */
    int unsynced_rows;
    double first_unsynced_s;
    bool unsynced;
};

static enum rp_status no_memory(void)
{
    return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the journal");
}

/* Where the record begins; its payload is to be added. */
static size_t begin_record(struct rp_journal *journal)
{
    const struct rp_journal_frame frame = {0};
    size_t begin = journal->records.length;
    rp_text_add(&journal->records, (const char *)&frame, sizeof frame);
    return begin;
}

static enum rp_status end_record(struct rp_journal *journal, enum rp_journal_kind kind,
                                 size_t begin)
{
    struct rp_journal_frame frame;
    if (!rp_text_ok(&journal->records))
        return no_memory();
    char *record = journal->records.data + begin;
    size_t bytes = journal->records.length - begin - sizeof frame;
    rp_journal_frame_make(kind, record + sizeof frame, bytes, &frame);
    memcpy(record, &frame, sizeof frame);
    if (!journal->unsynced)
        journal->first_unsynced_s = rp_clock_now_s();
    journal->unsynced = true;
    return RP_OK;
}

static enum rp_status write_records(struct rp_journal *journal)
{
    struct rp_text *records = &journal->records;
    if (records->length == 0)
        return RP_OK;
    ssize_t written = write(journal->fd, records->data, records->length);
    int error = errno;
    if (written == (ssize_t)records->length) {
        journal->size += written;
        records->length = 0;
        return RP_OK;
    }
    /* A short write (a full disk) leaves a torn record: cut it off, so that a later one counts. */
    if (ftruncate(journal->fd, journal->size) != 0)
        error = error ? error : EIO;
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s: %s", journal->path,
                   written >= 0 ? "no space left for its records" : strerror(error));
}

enum rp_status rp_journal_append(struct rp_journal *journal, const struct rp_study *study,
                                 enum rp_table_id table)
{
    const struct rp_table_schema *schema = rp_table_schema(table);
    const int64_t place[2] = {(int64_t)table, (int64_t)rp_study_count(study, table) - 1};
    const char *row = rp_study_row(study, table, (size_t)place[1]);
    size_t begin = begin_record(journal);
    rp_text_add(&journal->records, (const char *)place, sizeof place);
    rp_text_add(&journal->records, row, schema->row_bytes);
    for (size_t i = 0; i < schema->n_columns; ++i) {
        if (schema->columns[i].kind != RP_COLUMN_TEXT)
            continue;
        const char *text = NULL;
        memcpy(&text, row + schema->columns[i].offset, sizeof text);
        text = text ? text : "";
        rp_text_add(&journal->records, text, strlen(text) + 1);
    }
    return end_record(journal, RP_JOURNAL_TABLE_ROW, begin);
}

enum rp_status rp_journal_append_result(struct rp_journal *journal, const struct rp_result *row,
                                        const struct rp_sample *samples, size_t n_samples,
                                        int64_t replaces)
{
    size_t begin = begin_record(journal);
    rp_text_add(&journal->records, (const char *)&replaces, sizeof replaces);
    rp_text_add(&journal->records, (const char *)row, sizeof *row);
    if (n_samples > 0)
        rp_text_add(&journal->records, (const char *)samples, n_samples * sizeof *samples);
    ++journal->unsynced_rows;
    return end_record(journal, RP_JOURNAL_RESULT, begin);
}

enum rp_status rp_journal_sync(struct rp_journal *journal, bool now, bool *synced)
{
    bool due =
        journal->unsynced_rows >= ROWS_TO_SYNC ||
        (journal->unsynced && rp_clock_now_s() - journal->first_unsynced_s >= seconds_to_sync);
    RP_TRY(write_records(journal));
    *synced = !journal->unsynced;
    if (*synced || (!now && !due))
        return RP_OK;
    if (fdatasync(journal->fd) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be synced: %s", journal->path,
                       strerror(errno));
    journal->unsynced = false;
    journal->unsynced_rows = 0;
    *synced = true;
    return RP_OK;
}

/* Cuts a torn tail off. */
static enum rp_status cut_tail(struct rp_journal *journal)
{
    char *data = NULL;
    size_t size = 0;
    bool found = false;
    RP_TRY(rp_journal_read_whole(journal->path, &data, &size, &found));
    size_t end = data ? rp_journal_whole_bytes(data, size) : 0;
    free(data);
    if (end < size && ftruncate(journal->fd, (off_t)end) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be cut to its whole records: %s",
                       journal->path, strerror(errno));
    journal->size = (off_t)end;
    return RP_OK;
}

static enum rp_status write_header(struct rp_journal *journal, const char *path)
{
    struct rp_journal_header header;
    bool synced = false;
    RP_TRY(rp_journal_header_make(&header));
    size_t begin = begin_record(journal);
    rp_text_add(&journal->records, (const char *)&header, sizeof header);
    RP_TRY(end_record(journal, RP_JOURNAL_HEADER, begin));
    RP_TRY(rp_journal_sync(journal, true, &synced));
    return rp_folder_sync(path);
}

static void destroy(struct rp_journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    rp_text_clear(&journal->records);
    free(journal->path);
    free(journal);
}

enum rp_status rp_journal_open(const char *path, struct rp_journal **journal)
{
    *journal = NULL;
    struct rp_journal *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory();
    made->fd = -1;
    made->path = rp_journal_path(path);
    enum rp_status status = made->path ? RP_OK : no_memory();
    if (status == RP_OK) {
        made->fd = open(made->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (made->fd < 0)
            status =
                RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be opened: %s", made->path, strerror(errno));
    }
    if (status == RP_OK)
        status = cut_tail(made);
    if (status == RP_OK && made->size == 0)
        status = write_header(made, path);
    if (status == RP_OK)
        *journal = made;
    else
        destroy(made);
    return status;
}

enum rp_status rp_journal_close(struct rp_journal *journal)
{
    bool synced = false;
    if (!journal)
        return RP_OK;
    enum rp_status status = rp_journal_sync(journal, true, &synced);
    destroy(journal);
    return status;
}

enum rp_status rp_journal_remove(const char *path)
{
    char *name = rp_journal_path(path);
    if (!name)
        return no_memory();
    enum rp_status status = RP_OK;
    if (unlink(name) != 0 && errno != ENOENT)
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be removed: %s", name, strerror(errno));
    free(name);
    return status;
}
