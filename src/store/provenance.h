/* provenance.h - who, where and with what: the row of /runs. */
#ifndef RP_STORE_PROVENANCE_H
#define RP_STORE_PROVENANCE_H

#include "base/status.h"
#include "model/column.h"

/* Fills run_id, started_utc, argv, version, git_commit, compiler, hdf5, Slurm ids; the rest stays
 * not applicable. TEXT columns are heap: rp_row_clear(RP_TABLE_RUNS, run). */
enum rp_status rp_provenance_begin(int argc, char *const *argv, struct rp_run *run) RP_MUST_CHECK;

const char *rp_provenance_version(void);    /* "0.1.0" */
const char *rp_provenance_git_commit(void); /* "0123456789ab", "-dirty" appended */

#endif
