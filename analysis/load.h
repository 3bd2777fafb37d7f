/*
 * load.h - the result files named on the command line, in memory.
 *
 * A file whose run still goes on is whole too (it is only ever replaced), so it loads as partial.
 */
#ifndef RP_ANALYSIS_LOAD_H
#define RP_ANALYSIS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "store/study.h"

struct rp_study_file {
    const char *path; /* not owned */
    struct rp_study study;
};

struct rp_study_list {
    struct rp_study_file *files; /* heap, owned by the list */
    size_t count;
};

/* Reads one file into a study that need not be initialised; on failure it is empty. RP_ERR_DAMAGED
 * and RP_ERR_ENVIRONMENT name the file. */
enum rp_status rp_study_load(const char *path, struct rp_study *study) RP_MUST_CHECK;

/* RP_ERR_ENVIRONMENT with the reason unless the file is there and may be read. */
enum rp_status rp_study_look_for(const char *path) RP_MUST_CHECK;

/* Reads all of them, in order; `paths` must outlive the list. On failure the list is empty. */
enum rp_status rp_study_list_load(const char *const *paths, size_t n,
                                  struct rp_study_list *list) RP_MUST_CHECK;
void rp_study_list_clear(struct rp_study_list *list);

/* Rows of /results in all files. */
size_t rp_study_list_rows(const struct rp_study_list *list);

/* Row of /devices or /runs a result row points at; null when it points nowhere. */
const struct rp_device_row *rp_study_device_of(const struct rp_study *study,
                                               const struct rp_result *row);
const struct rp_run *rp_study_run_of(const struct rp_study *study, const struct rp_result *row);

/* The samples of a row, owned by the study, and how many; 0 when it has none or points outside of
 * /samples. */
size_t rp_study_samples_of(const struct rp_study *study, const struct rp_result *row,
                           const struct rp_sample **samples);

/* Whether the row was answered by a simulated device. */
bool rp_study_is_simulated(const struct rp_study *study, const struct rp_result *row);

#endif
