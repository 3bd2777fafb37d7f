/* provenance.h - who, where and with what: the row of /runs. */
#ifndef RP_STORE_PROVENANCE_H
#define RP_STORE_PROVENANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"

/* Fills run_id, started_utc, argv, version, git_commit, compiler, hdf5, Slurm ids; the rest stays
 * not applicable. TEXT columns are heap: rp_row_clear(RP_TABLE_RUNS, run). */
enum rp_status rp_provenance_begin(int argc, char *const *argv, struct rp_run *run) RP_MUST_CHECK;

const char *rp_provenance_version(void);    /* "0.1.0" */
const char *rp_provenance_git_commit(void); /* "0123456789ab", "-dirty" appended */

/* Name of this host. */
void rp_provenance_host(char *host, size_t size);

const char *rp_provenance_slurm_job_id(void);    /* "" outside Slurm */
int64_t rp_provenance_slurm_restart_count(void); /* how often Slurm requeued the job; 0 outside */

#endif
