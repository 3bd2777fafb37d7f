/*
 * journal_replay.c - adds what a journal holds to a study that may have some of it already.
 *
 * Rows of /runs, /devices and /labels carry their index, rows of /results their sequence number:
 * what the study has is passed over, what would leave a gap is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "store/journal.h"
#include "store/journal_record.h"

struct replay {
    const char *path;
    struct rp_study *study;
    struct rp_journal_report *report;
    int64_t next_sequence; /* rows from here on are not in the study yet */
};

static enum rp_status misfit(const struct replay *r, const char *what)
{
    return RP_FAIL(RP_ERR_DAMAGED, "%s does not fit the result file beside it: %s", r->path, what);
}

static enum rp_status replay_header(struct replay *r, const char *payload, size_t bytes)
{
    struct rp_journal_header expected;
    struct rp_journal_header header;
    RP_TRY(rp_journal_header_make(&expected));
    if (bytes != sizeof header)
        return misfit(r, "its header has another size");
    memcpy(&header, payload, sizeof header);
    header.fingerprint[RP_DIGEST_HEX_SIZE - 1] = '\0';
    if (strcmp(header.fingerprint, expected.fingerprint) != 0)
        return RP_FAIL(RP_ERR_DAMAGED,
                       "%s was written by another version of ridgepoint: finish the run with that "
                       "one, or move the journal away to measure its rows again",
                       r->path);
    return RP_OK;
}

/* Points the TEXT columns of `row` into the payload behind it. */
static bool attach_texts(const struct rp_table_schema *schema, char *row, const char *texts,
                         size_t bytes)
{
    for (size_t i = 0; i < schema->n_columns; ++i) {
        if (schema->columns[i].kind != RP_COLUMN_TEXT)
            continue;
        size_t length = strnlen(texts, bytes);
        if (length == bytes)
            return false;
        memcpy(row + schema->columns[i].offset, &texts, sizeof texts);
        texts += length + 1;
        bytes -= length + 1;
    }
    return true;
}

/* The file has this row already; a run must then be the same run. */
static enum rp_status same_run(struct replay *r, enum rp_table_id table, int64_t index,
                               const char *payload)
{
    struct rp_run journalled;
    if (table != RP_TABLE_RUNS)
        return RP_OK;
    const struct rp_run *stored = rp_study_row(r->study, table, (size_t)index);
    memcpy(&journalled, payload, sizeof journalled);
    if (strcmp(stored->run_id, journalled.run_id) != 0)
        return misfit(r, "it belongs to another run");
    return RP_OK;
}

static enum rp_status replay_table_row(struct replay *r, const char *payload, size_t bytes)
{
    int64_t place[2];
    if (bytes < sizeof place)
        return misfit(r, "a record is too short");
    memcpy(place, payload, sizeof place);
    if (place[0] < 0 || place[0] >= RP_TABLE_COUNT)
        return misfit(r, "a record names no table");
    enum rp_table_id table = (enum rp_table_id)place[0];
    const struct rp_table_schema *schema = rp_table_schema(table);
    int64_t count = (int64_t)rp_study_count(r->study, table);
    if (bytes < sizeof place + schema->row_bytes || place[1] < 0 || place[1] > count)
        return misfit(r, "rows are missing before a record");
    if (place[1] < count)
        return same_run(r, table, place[1], payload + sizeof place);
    char *row = malloc(schema->row_bytes);
    if (!row)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the journal");
    memcpy(row, payload + sizeof place, schema->row_bytes);
    const char *texts = payload + sizeof place + schema->row_bytes;
    enum rp_status status =
        attach_texts(schema, row, texts, bytes - sizeof place - schema->row_bytes)
            ? rp_study_append(r->study, table, row)
            : misfit(r, "a text has no end");
    free(row);
    return status;
}

static enum rp_status replay_result(struct replay *r, const char *payload, size_t bytes)
{
    int64_t replaces = -1;
    struct rp_result row;
    const size_t fixed = sizeof replaces + sizeof row;
    if (bytes < fixed || (bytes - fixed) % sizeof(struct rp_sample) != 0)
        return misfit(r, "a row has another size");
    memcpy(&replaces, payload, sizeof replaces);
    memcpy(&row, payload + sizeof replaces, sizeof row);
    if (row.sequence < r->next_sequence)
        return RP_OK;
    r->next_sequence = row.sequence + 1;
    ++r->report->rows_added;
    rp_study_drop_result(r->study, replaces);
    size_t n = (bytes - fixed) / sizeof(struct rp_sample);
    struct rp_sample *samples = calloc(n ? n : 1, sizeof *samples);
    if (!samples)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the journal");
    if (n > 0)
        memcpy(samples, payload + fixed, n * sizeof *samples);
    enum rp_status status = rp_study_append_result(r->study, &row, samples, n);
    free(samples);
    return status;
}

static enum rp_status replay_record(struct replay *r, const struct rp_journal_frame *frame,
                                    const char *payload)
{
    size_t bytes = (size_t)frame->payload_bytes;
    switch (frame->kind) {
    case RP_JOURNAL_HEADER:
        return replay_header(r, payload, bytes);
    case RP_JOURNAL_TABLE_ROW:
        return replay_table_row(r, payload, bytes);
    case RP_JOURNAL_RESULT:
        return replay_result(r, payload, bytes);
    default:
        return misfit(r, "a record is of an unknown kind");
    }
}

enum rp_status rp_journal_replay(const char *path, struct rp_study *study,
                                 struct rp_journal_report *report)
{
    char *data = NULL;
    size_t size = 0;
    bool found = false;
    *report = (struct rp_journal_report){0};
    char *name = rp_journal_path(path);
    if (!name)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the journal");
    enum rp_status status = rp_journal_read_whole(name, &data, &size, &found);
    if (status != RP_OK || !found)
        goto cleanup;
    struct replay r = {name, study, report, rp_study_next_sequence(study)};
    size_t at = 0;
    size_t end = rp_journal_whole_bytes(data, size);
    report->torn_bytes = (int64_t)(size - end);
    while (at < end && status == RP_OK) {
        struct rp_journal_frame frame;
        size_t record = rp_journal_frame_check(data + at, end - at, &frame);
        if (at == 0 && frame.kind != RP_JOURNAL_HEADER)
            status = RP_FAIL(RP_ERR_DAMAGED, "%s is no journal of ridgepoint", name);
        else
            status = replay_record(&r, &frame, data + at + sizeof frame);
        at += record;
        ++report->records;
    }

cleanup:
    free(data);
    free(name);
    return status;
}
