/*
 * merge_tables.h - several studies as one, in memory; knows no files.
 *
 * A row is (run_id, device uuid, point, impl): equal ones are kept once, the same point of another
 * run stays as a repeat. Runs are in the order they started, rows in the order they were finished,
 * whatever the order of the studies; so what was merged before changes nothing.
 */
#ifndef RP_ANALYSIS_MERGE_TABLES_H
#define RP_ANALYSIS_MERGE_TABLES_H

#include "analysis/load.h"
#include "base/status.h"
#include "store/study.h"

/* `merged` need not be initialised; on failure it is empty. RP_ERR_DAMAGED names a file with a row
 * that points nowhere; RP_ERR_USAGE when two files say unlike things of one run. */
enum rp_status rp_merge_tables(const struct rp_study_list *list,
                               struct rp_study *merged) RP_MUST_CHECK;

/* RP_ERR_USAGE, naming file, row and column, when several files are to be merged and one of them
 * does not count FLOP and bytes as this program does. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_merge_refuse_counting(const struct rp_study_list *list) RP_MUST_CHECK;

#endif
