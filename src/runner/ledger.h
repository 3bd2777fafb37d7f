/*
 * ledger.h - the output of a run: lock, old rows, journal, study, published file, in that order.
 *
 * A row is journalled before it is in the study, and counts as done once its batch is synced.
 */
#ifndef RP_RUNNER_LEDGER_H
#define RP_RUNNER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/job.h"
#include "store/study.h"

struct rp_ledger;

/* Takes the lock of `path`, reads what the file and its journal hold (with `overwrite` both are
 * moved aside once there is something to write), and refuses what another job made. Nothing on disk
 * has changed when it fails, but for folders. `path` and `job` must outlive the ledger. */
enum rp_status rp_ledger_open(const char *path, const struct rp_job *job, const char *run_id,
                              bool overwrite, struct rp_ledger **ledger) RP_MUST_CHECK;

/* Releases the lock; what is not published stays in the journal. Takes null. */
void rp_ledger_close(struct rp_ledger *ledger);

const struct rp_study *rp_ledger_study(const struct rp_ledger *ledger);

/* The row of /devices, an old one where this device has measured for this file before. */
enum rp_status rp_ledger_add_device(struct rp_ledger *ledger, const struct rp_device_row *row,
                                    int64_t *index) RP_MUST_CHECK;

/* A row of /ceilings of this run, whose device is set; sets its run. */
enum rp_status rp_ledger_add_ceiling(struct rp_ledger *ledger,
                                     struct rp_ceiling *row) RP_MUST_CHECK;

/* The row of /runs and the labels of the job. */
enum rp_status rp_ledger_begin_run(struct rp_ledger *ledger,
                                   const struct rp_run *run) RP_MUST_CHECK;

/* A row of this run on a device of it, with row->samples samples; run and sequence are set here. An
 * old row of the same identity whose sequence is given (not -1) is replaced. */
enum rp_status rp_ledger_add_result(struct rp_ledger *ledger, struct rp_result *row,
                                    const struct rp_sample *samples,
                                    int64_t replaces) RP_MUST_CHECK;

/* Writes the journal, and syncs it when that is due, or `now`. */
enum rp_status rp_ledger_sync(struct rp_ledger *ledger, bool now) RP_MUST_CHECK;

/* Rows of this run that are synced: what may be reported as done. */
int64_t rp_ledger_synced_rows(const struct rp_ledger *ledger);

/* True when the file does not have all that the study has. */
bool rp_ledger_is_ahead(const struct rp_ledger *ledger);

/* Removes the journal: when the file has all of it and is complete. */
enum rp_status rp_ledger_end_journal(struct rp_ledger *ledger) RP_MUST_CHECK;

/* Publishes the study; a complete one ends the journal. `rows_planned` over the whole file. */
enum rp_status rp_ledger_publish(struct rp_ledger *ledger, int64_t rows_planned,
                                 int exit_code) RP_MUST_CHECK;

#endif
