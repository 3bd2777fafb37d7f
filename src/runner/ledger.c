/* ledger.c - what is on disk of a run, and in which order it gets there. */
#include "runner/ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "runner/inventory.h"
#include "store/journal.h"
#include "store/lock.h"
#include "store/publish.h"
#include "store/results_hdf5.h"

struct rp_ledger {
    const char *path;
    const struct rp_job *job;
    struct rp_lock *lock;
    struct rp_journal *journal; /* null until there is something to write */
    struct rp_study study;
    int64_t run_index; /* row of /runs; -1 before rp_ledger_begin_run */
    int64_t next_sequence;
    int64_t rows, synced_rows; /* of this run */
    bool ahead;
    bool move_aside; /* an old file, once there is something to write */
};

static enum rp_status read_old(struct rp_ledger *ledger)
{
    struct rp_journal_report report;
    if (access(ledger->path, F_OK) == 0)
        RP_TRY(rp_results_read(ledger->path, &ledger->study));
    RP_TRY(rp_journal_replay(ledger->path, &ledger->study, &report));
    ledger->ahead = report.rows_added > 0;
    if (report.rows_added > 0 || report.torn_bytes > 0)
        rp_log(report.torn_bytes > 0 ? RP_LOG_WARN : RP_LOG_INFO,
               "%s.journal: %" PRId64 " rows the file did not have, %" PRId64
               " torn bytes at its end",
               ledger->path, report.rows_added, report.torn_bytes);
    ledger->next_sequence = rp_study_next_sequence(&ledger->study);
    return rp_inventory_check_job(&ledger->study, ledger->path, ledger->job);
}

enum rp_status rp_ledger_open(const char *path, const struct rp_job *job, const char *run_id,
                              bool overwrite, struct rp_ledger **ledger)
{
    *ledger = NULL;
    struct rp_ledger *made = calloc(1, sizeof *made);
    if (!made)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the study");
    *made = (struct rp_ledger){.path = path, .job = job, .run_index = -1, .move_aside = overwrite};
    rp_study_init(&made->study);
    enum rp_status status = rp_publish_probe(path);
    if (status == RP_OK)
        status = rp_lock_acquire(path, run_id, &made->lock);
    if (status == RP_OK)
        status = rp_publish_sweep(path);
    if (status == RP_OK)
        status = overwrite ? RP_OK : read_old(made);
    if (status != RP_OK) {
        rp_ledger_close(made);
        return status;
    }
    *ledger = made;
    return RP_OK;
}

void rp_ledger_close(struct rp_ledger *ledger)
{
    if (!ledger)
        return;
    if (rp_journal_close(ledger->journal) != RP_OK)
        rp_log(RP_LOG_ERROR, "%s", rp_status_message());
    rp_lock_release(ledger->lock);
    rp_study_clear(&ledger->study);
    free(ledger);
}

const struct rp_study *rp_ledger_study(const struct rp_ledger *ledger)
{
    return &ledger->study;
}

/* Appends to the study, then journals what the study now holds. */
static enum rp_status add(struct rp_ledger *ledger, enum rp_table_id table, const void *row)
{
    if (ledger->move_aside)
        RP_TRY(rp_publish_move_aside(ledger->path));
    ledger->move_aside = false;
    if (!ledger->journal)
        RP_TRY(rp_journal_open(ledger->path, &ledger->journal));
    RP_TRY(rp_study_append(&ledger->study, table, row));
    return rp_journal_append(ledger->journal, &ledger->study, table);
}

enum rp_status rp_ledger_add_device(struct rp_ledger *ledger, const struct rp_device_row *row,
                                    int64_t *index)
{
    size_t n = rp_study_count(&ledger->study, RP_TABLE_DEVICES);
    for (size_t i = 0; i < n; ++i) {
        const struct rp_device_row *old = rp_study_row(&ledger->study, RP_TABLE_DEVICES, i);
        if (strcmp(old->uuid, row->uuid) == 0 && strcmp(old->gpu_type, row->gpu_type) == 0) {
            *index = (int64_t)i;
            return RP_OK;
        }
    }
    *index = (int64_t)n;
    return add(ledger, RP_TABLE_DEVICES, row);
}

enum rp_status rp_ledger_add_ceiling(struct rp_ledger *ledger, struct rp_ceiling *row)
{
    row->run = ledger->run_index;
    return add(ledger, RP_TABLE_CEILINGS, row);
}

enum rp_status rp_ledger_begin_run(struct rp_ledger *ledger, const struct rp_run *run)
{
    const struct rp_job *job = ledger->job;
    ledger->run_index = (int64_t)rp_study_count(&ledger->study, RP_TABLE_RUNS);
    RP_TRY(add(ledger, RP_TABLE_RUNS, run));
    for (size_t i = 0; i < job->n_labels; ++i) {
        struct rp_label label;
        rp_row_init(RP_TABLE_LABELS, &label);
        label.run = ledger->run_index;
        RP_TRY(rp_point_id(&job->points[job->labels[i].point].point, label.point));
        RP_WORD_SET(label.model, job->labels[i].model);
        RP_TRY(add(ledger, RP_TABLE_LABELS, &label));
    }
    return RP_OK;
}

enum rp_status rp_ledger_add_result(struct rp_ledger *ledger, struct rp_result *row,
                                    const struct rp_sample *samples, int64_t replaces)
{
    size_t n_samples = (size_t)row->samples;
    row->run = ledger->run_index;
    row->sequence = ledger->next_sequence++;
    /* A file that was complete at a publication has lost its journal; replaced rows still come. */
    if (!ledger->journal)
        RP_TRY(rp_journal_open(ledger->path, &ledger->journal));
    RP_TRY(rp_journal_append_result(ledger->journal, row, samples, n_samples, replaces));
    if (replaces >= 0)
        rp_study_drop_result(&ledger->study, replaces);
    RP_TRY(rp_study_append_result(&ledger->study, row, samples, n_samples));
    ++ledger->rows;
    ledger->ahead = true;
    return RP_OK;
}

enum rp_status rp_ledger_sync(struct rp_ledger *ledger, bool now)
{
    bool synced = true;
    if (!ledger->journal)
        return RP_OK;
    RP_TRY(rp_journal_sync(ledger->journal, now, &synced));
    if (synced)
        ledger->synced_rows = ledger->rows;
    return RP_OK;
}

int64_t rp_ledger_synced_rows(const struct rp_ledger *ledger)
{
    return ledger->synced_rows;
}

bool rp_ledger_is_ahead(const struct rp_ledger *ledger)
{
    return ledger->ahead;
}

enum rp_status rp_ledger_end_journal(struct rp_ledger *ledger)
{
    enum rp_status status = rp_journal_close(ledger->journal);
    ledger->journal = NULL;
    RP_TRY(status);
    return rp_journal_remove(ledger->path);
}

enum rp_status rp_ledger_publish(struct rp_ledger *ledger, int64_t rows_planned, int exit_code)
{
    struct rp_study *study = &ledger->study;
    RP_TRY(rp_ledger_sync(ledger, true));
    if (ledger->run_index >= 0) {
        struct rp_run *run = rp_study_row(study, RP_TABLE_RUNS, (size_t)ledger->run_index);
        char utc[RP_UTC_SIZE];
        rp_clock_utc(utc);
        RP_WORD_SET(run->ended_utc, utc);
        run->exit = exit_code;
    }
    study->rows_planned = rows_planned;
    study->complete = rows_planned == (int64_t)rp_study_count(study, RP_TABLE_RESULTS);
    RP_TRY(rp_publish(ledger->path, study));
    ledger->ahead = false;
    return study->complete ? rp_ledger_end_journal(ledger) : RP_OK;
}
