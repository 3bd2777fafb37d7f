/*
 * journal.c - appending records; replaying them is journal_replay.c.
 *
 * The buffer of a record is built first and leaves in one write, so that a kill leaves a prefix.
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
    int unsynced_rows;
    double first_unsynced_s;
    bool unsynced;
};

static enum rp_status no_memory(void)
{
    return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the journal");
}

static enum rp_status write_record(struct rp_journal *journal, enum rp_journal_kind kind,
                                   const void *payload, size_t bytes)
{
    struct rp_journal_frame frame;
    RP_TRY(rp_journal_frame_make(kind, payload, bytes, &frame));
    char *record = malloc(sizeof frame + bytes);
    if (!record)
        return no_memory();
    memcpy(record, &frame, sizeof frame);
    if (bytes > 0)
        memcpy(record + sizeof frame, payload, bytes);
    size_t total = sizeof frame + bytes;
    off_t before = lseek(journal->fd, 0, SEEK_END);
    ssize_t written = write(journal->fd, record, total);
    int error = errno;
    free(record);
    if (written == (ssize_t)total) {
        if (!journal->unsynced)
            journal->first_unsynced_s = rp_clock_now_s();
        journal->unsynced = true;
        return RP_OK;
    }
    /* A short write (a full disk) leaves a torn record: cut it off, so that a later one counts. */
    if (before < 0 || ftruncate(journal->fd, before) != 0)
        error = error ? error : EIO;
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s: %s", journal->path,
                   written >= 0 ? "no space left for a record" : strerror(error));
}

enum rp_status rp_journal_append(struct rp_journal *journal, const struct rp_study *study,
                                 enum rp_table_id table)
{
    const struct rp_table_schema *schema = rp_table_schema(table);
    const int64_t place[2] = {(int64_t)table, (int64_t)rp_study_count(study, table) - 1};
    const char *row = rp_study_row(study, table, (size_t)place[1]);
    struct rp_text payload;
    rp_text_init(&payload);
    rp_text_add(&payload, (const char *)place, sizeof place);
    rp_text_add(&payload, row, schema->row_bytes);
    for (size_t i = 0; i < schema->n_columns; ++i) {
        if (schema->columns[i].kind != RP_COLUMN_TEXT)
            continue;
        const char *text = NULL;
        memcpy(&text, row + schema->columns[i].offset, sizeof text);
        text = text ? text : "";
        rp_text_add(&payload, text, strlen(text) + 1);
    }
    enum rp_status status = rp_text_ok(&payload) ? write_record(journal, RP_JOURNAL_TABLE_ROW,
                                                                payload.data, payload.length)
                                                 : no_memory();
    rp_text_clear(&payload);
    return status;
}

enum rp_status rp_journal_append_result(struct rp_journal *journal, const struct rp_result *row,
                                        const struct rp_sample *samples, size_t n_samples,
                                        int64_t replaces)
{
    struct rp_text payload;
    rp_text_init(&payload);
    rp_text_add(&payload, (const char *)&replaces, sizeof replaces);
    rp_text_add(&payload, (const char *)row, sizeof *row);
    if (n_samples > 0)
        rp_text_add(&payload, (const char *)samples, n_samples * sizeof *samples);
    enum rp_status status = rp_text_ok(&payload) ? write_record(journal, RP_JOURNAL_RESULT,
                                                                payload.data, payload.length)
                                                 : no_memory();
    rp_text_clear(&payload);
    journal->unsynced_rows += status == RP_OK;
    return status;
}

enum rp_status rp_journal_sync(struct rp_journal *journal, bool now, bool *synced)
{
    bool due =
        journal->unsynced_rows >= ROWS_TO_SYNC ||
        (journal->unsynced && rp_clock_now_s() - journal->first_unsynced_s >= seconds_to_sync);
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

/* Cuts a torn tail off; *size is what is left. */
static enum rp_status cut_tail(struct rp_journal *journal, size_t *size)
{
    char *data = NULL;
    bool found = false;
    RP_TRY(rp_journal_read_whole(journal->path, &data, size, &found));
    size_t end = data ? rp_journal_whole_bytes(data, *size) : 0;
    free(data);
    if (end < *size && ftruncate(journal->fd, (off_t)end) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be cut to its whole records: %s",
                       journal->path, strerror(errno));
    *size = end;
    return RP_OK;
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
    size_t size = 0;
    if (status == RP_OK)
        status = cut_tail(made, &size);
    if (status == RP_OK && size == 0) {
        struct rp_journal_header header;
        bool synced = false;
        status = rp_journal_header_make(&header);
        if (status == RP_OK)
            status = write_record(made, RP_JOURNAL_HEADER, &header, sizeof header);
        if (status == RP_OK)
            status = rp_journal_sync(made, true, &synced);
        if (status == RP_OK)
            status = rp_folder_sync(path);
    }
    if (status == RP_OK) {
        *journal = made;
        return RP_OK;
    }
    if (made->fd >= 0)
        close(made->fd);
    free(made->path);
    free(made);
    return status;
}

enum rp_status rp_journal_close(struct rp_journal *journal)
{
    bool synced = false;
    if (!journal)
        return RP_OK;
    enum rp_status status = rp_journal_sync(journal, true, &synced);
    close(journal->fd);
    free(journal->path);
    free(journal);
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
