/*
 * merge_tables.h - several studies as one; knows no files.
 *
 * A row is (run_id, device uuid, point, impl): equal ones are kept once, the same point of another
 * run stays as a repeat. Runs are in the order they started, rows in the order they were finished,
 * whatever the order of the studies; so what was merged before changes nothing.
 *
 * Of rows only where they are is held; what they say is read from the studies when it is written.
 */
#ifndef RP_ANALYSIS_MERGE_TABLES_H
#define RP_ANALYSIS_MERGE_TABLES_H

#include <stdint.h>

#include "analysis/load.h"
#include "base/status.h"
#include "store/results_source.h"
#include "store/study.h"

/* A row of a file, under its numbers in the merged tables. */
struct rp_merged_row {
    uint64_t identity; /* a key of it (key.h) */
    int64_t sequence;
    size_t number;             /* row of /results of the file */
    int64_t samples;           /* how many, */
    int64_t from, to;          /* and where they begin in the file and in the merged study */
    int32_t file, run, device; /* of the list; of the merged tables */
};

struct rp_merged {
    const struct rp_study_list *list;
    struct rp_study study;      /* all but rows and samples */
    struct rp_merged_row *rows; /* heap */
    size_t count, room;
    int64_t samples;
};

/* `list` must outlive `merged`, which need not be initialised; on failure it is empty.
 * RP_ERR_DAMAGED names a file with a row that points nowhere; RP_ERR_USAGE when two files say
 * unlike things of one run. */
enum rp_status rp_merged_create(const struct rp_study_list *list,
                                struct rp_merged *merged) RP_MUST_CHECK;
void rp_merged_clear(struct rp_merged *merged);

/* Its rows and samples, to be written. */
struct rp_results_source rp_merged_source(struct rp_merged *merged);

/* Parts of rp_merged_create: lists the rows, once its tables are merged. */
enum rp_status rp_merge_list_rows(struct rp_merged *merged) RP_MUST_CHECK;

/* Where a row of a file points in the merged tables; null: it has no device. */
enum rp_status rp_merge_renumber(const struct rp_study *merged, const struct rp_study_file *file,
                                 int64_t *run, int64_t *device) RP_MUST_CHECK;

/* RP_ERR_USAGE, naming file, row and column, when several files are to be merged and one of them
 * does not count FLOP and bytes as this program does. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_merge_refuse_counting(const struct rp_study_list *list) RP_MUST_CHECK;

#endif
