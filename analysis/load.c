/* load.c - files to studies, noting which one is being read. */
#include "analysis/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/child.h"

/* RP_ERR_ENVIRONMENT, said better than a library would. */
static enum rp_status look_for(const char *path)
{
    char lock[4096];
    if (access(path, R_OK) == 0)
        return RP_OK;
    int reason = errno;
    int n = snprintf(lock, sizeof lock, "%s.lock", path);
    if (reason == ENOENT && n > 0 && (size_t)n < sizeof lock && access(lock, F_OK) == 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT,
                       "%s: not published yet; its run has begun (%s is there) and the file comes "
                       "with the first rows",
                       path, lock);
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s: cannot be read: %s", path, strerror(reason));
}

enum rp_status rp_study_scan(const char *path, const char *const *columns, size_t n_columns,
                             struct rp_results_scan **scan)
{
    *scan = NULL;
    RP_TRY(look_for(path));
    rp_child_note_file(path);
    enum rp_status status = rp_results_scan_open(path, columns, n_columns, scan);
    if (status != RP_OK)
        rp_child_note_file(NULL);
    return status;
}

void rp_study_scan_close(struct rp_results_scan *scan)
{
    rp_results_scan_close(scan);
    rp_child_note_file(NULL);
}

static enum rp_status open_study(const char *path, struct rp_study *study)
{
    static const char *const no_columns[] = {NULL};
    struct rp_results_scan *scan = NULL;
    RP_TRY(rp_study_scan(path, no_columns, 0, &scan));
    rp_child_note_file(NULL);
    *study = *rp_results_scan_study(scan); /* whose tables stay the scan's */
    study->tables[RP_TABLE_RESULTS] = (struct rp_table){0};
    return RP_OK;
}

enum rp_status rp_study_list_open(const char *const *paths, size_t n, struct rp_study_list *list)
{
    *list = (struct rp_study_list){calloc(n ? n : 1, sizeof *list->files), 0};
    if (!list->files)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu files", n);
    for (size_t i = 0; i < n; ++i) {
        struct rp_study_file *file = &list->files[i];
        file->path = paths[i];
        enum rp_status status = open_study(paths[i], &file->study);
        if (status != RP_OK) {
            rp_study_list_close(list);
            return status;
        }
        ++list->count;
    }
    return RP_OK;
}

void rp_study_list_close(struct rp_study_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        rp_results_scan_close(list->files[i].study.scan);
    free(list->files);
    *list = (struct rp_study_list){0};
}

size_t rp_study_list_rows(const struct rp_study_list *list)
{
    size_t rows = 0;
    for (size_t i = 0; i < list->count; ++i)
        rows += rp_study_result_rows(&list->files[i].study);
    return rows;
}

size_t rp_study_result_rows(const struct rp_study *study)
{
    return study->scan ? rp_results_scan_rows(study->scan)
                       : rp_study_count(study, RP_TABLE_RESULTS);
}

size_t rp_study_sample_rows(const struct rp_study *study)
{
    return study->scan ? rp_results_scan_sample_rows(study->scan)
                       : rp_study_count(study, RP_TABLE_SAMPLES);
}

const struct rp_device_row *rp_study_device_of(const struct rp_study *study,
                                               const struct rp_result *row)
{
    if (row->device < 0 || (size_t)row->device >= rp_study_count(study, RP_TABLE_DEVICES))
        return NULL;
    return &rp_study_devices(study)[row->device];
}

const struct rp_run *rp_study_run_of(const struct rp_study *study, const struct rp_result *row)
{
    if (row->run < 0 || (size_t)row->run >= rp_study_count(study, RP_TABLE_RUNS))
        return NULL;
    return &rp_study_runs(study)[row->run];
}

enum rp_status rp_study_samples_of(const struct rp_study *study, const struct rp_result *row,
                                   const struct rp_sample **samples, size_t *n)
{
    if (study->scan)
        return rp_results_scan_samples(study->scan, row, samples, n);
    size_t there = rp_study_count(study, RP_TABLE_SAMPLES);
    bool is_inside = row->sample_offset >= 0 && (uint64_t)row->sample_offset <= there &&
                     row->samples > 0 &&
                     (uint64_t)row->samples <= there - (uint64_t)row->sample_offset;
    *samples = is_inside ? &rp_study_samples(study)[row->sample_offset] : NULL;
    *n = is_inside ? (size_t)row->samples : 0;
    return RP_OK;
}
