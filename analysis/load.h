/*
 * load.h - the result files named on the command line, read block by block.
 *
 * A file whose run still goes on is whole too (it is only ever replaced), so it reads as partial.
 */
#ifndef RP_ANALYSIS_LOAD_H
#define RP_ANALYSIS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "store/results_scan.h"
#include "store/study.h"

struct rp_study_file {
    const char *path;      /* not owned */
    struct rp_study study; /* with a scan: its tables but for rows and samples; rows.h has those */
};

struct rp_study_list {
    struct rp_study_file *files; /* heap, owned by the list */
    size_t count;
};

/* Opens all of them, in order, to be read block by block; `paths` must outlive the list. A file
 * that is replaced meanwhile is read as it was. On failure the list is empty; RP_ERR_DAMAGED and
 * RP_ERR_ENVIRONMENT name the file. */
enum rp_status rp_study_list_open(const char *const *paths, size_t n,
                                  struct rp_study_list *list) RP_MUST_CHECK;
void rp_study_list_close(struct rp_study_list *list);

/* Opens one file to be read block by block (results_scan.h). To be closed by rp_study_scan_close.
 */
enum rp_status rp_study_scan(const char *path, const char *const *columns, size_t n_columns,
                             struct rp_results_scan **scan) RP_MUST_CHECK;
void rp_study_scan_close(struct rp_results_scan *scan); /* takes null */

/* Rows of /results and /samples in the file that the study is of. */
size_t rp_study_result_rows(const struct rp_study *study);
size_t rp_study_sample_rows(const struct rp_study *study);

/* Rows of /results in all files. */
size_t rp_study_list_rows(const struct rp_study_list *list);

/* Row of /devices or /runs a result row points at; null when it points nowhere. */
const struct rp_device_row *rp_study_device_of(const struct rp_study *study,
                                               const struct rp_result *row);
const struct rp_run *rp_study_run_of(const struct rp_study *study, const struct rp_result *row);

/* The samples of a row and how many; 0 when it has none or points outside of /samples. Owned by the
 * study; of one that is read block by block they stay until the next call. */
enum rp_status rp_study_samples_of(const struct rp_study *study, const struct rp_result *row,
                                   const struct rp_sample **samples, size_t *n) RP_MUST_CHECK;

#endif
