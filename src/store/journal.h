/*
 * journal.h - F.h5.journal: what was measured, on disk before it is reported as done.
 *
 * Append-only records, each with a checksum. A file killed at any byte holds a whole prefix of what
 * was appended, and a replay says how many bytes behind it were torn. What is appended is written
 * by the next rp_journal_sync; rows count as done only once their batch is synced: after 64 rows or
 * 1 s at the latest.
 *
 * A record repeats what the study in memory was told, with its place in the table, so that a replay
 * on top of an older or newer published file adds exactly what that file lacks.
 */
#ifndef RP_STORE_JOURNAL_H
#define RP_STORE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "store/study.h"

struct rp_journal;

struct rp_journal_report {
    int64_t records;    /* whole ones */
    int64_t rows_added; /* that the study did not hold */
    int64_t torn_bytes; /* behind the last whole record: cut off by rp_journal_open */
};

/* Adds to the study what the journal of the result file `path` holds beyond it. No journal: nothing
 * happens. RP_ERR_DAMAGED when it is no journal, of another version, or does not fit the study.
 * Whether both belong to one job is for the caller to check, by the rows of /runs. */
enum rp_status rp_journal_replay(const char *path, struct rp_study *study,
                                 struct rp_journal_report *report) RP_MUST_CHECK;

/* Opens the journal of the result file `path` for appending, creates it when there is none, cuts a
 * torn tail off. To be called after a replay, under the lock. */
enum rp_status rp_journal_open(const char *path, struct rp_journal **journal) RP_MUST_CHECK;

/* Syncs and closes; the file stays. Takes null. */
enum rp_status rp_journal_close(struct rp_journal *journal) RP_MUST_CHECK;

/* Removes the journal of `path`, once a complete file is published. */
enum rp_status rp_journal_remove(const char *path) RP_MUST_CHECK;

/* The last row of /runs, /devices or /labels, as the study holds it. */
enum rp_status rp_journal_append(struct rp_journal *journal, const struct rp_study *study,
                                 enum rp_table_id table) RP_MUST_CHECK;

/* A row of /results with its samples; row->sequence says its place. `replaces`: the sequence of the
 * row it stands for from now on, or -1. */
enum rp_status rp_journal_append_result(struct rp_journal *journal, const struct rp_result *row,
                                        const struct rp_sample *samples, size_t n_samples,
                                        int64_t replaces) RP_MUST_CHECK;

/* Writes what was appended; syncs when 64 rows or 1 s have gathered, or at once when `now`.
 * *synced: nothing is unsynced. To be called often. */
enum rp_status rp_journal_sync(struct rp_journal *journal, bool now, bool *synced) RP_MUST_CHECK;

#endif
