/*
 * study.h - the tables of one result file in memory: growing arrays of rows.
 */
#ifndef RP_STORE_STUDY_H
#define RP_STORE_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"

struct rp_table {
    void *rows; /* heap; structs of model/column.h */
    size_t count;
    size_t capacity;
};

struct rp_results_scan;

struct rp_study {
    struct rp_table tables[RP_TABLE_COUNT];
    bool complete; /* root attribute state: complete or partial */
    int64_t rows_planned;
    struct rp_results_scan *scan; /* where its samples are (results_scan.h); null: all are here */
};

void rp_study_init(struct rp_study *study);
void rp_study_clear(struct rp_study *study); /* frees rows and their TEXT */

/* Appends a copy of one row; TEXT columns are duplicated. RP_ERR_INTERNAL when host memory is out.
 */
enum rp_status rp_study_append(struct rp_study *study, enum rp_table_id id,
                               const void *row) RP_MUST_CHECK;

size_t rp_study_count(const struct rp_study *study, enum rp_table_id id);
/* Owned by the study; valid until the next append to this table. */
void *rp_study_row(const struct rp_study *study, enum rp_table_id id, size_t index);

/* The number after the largest `sequence` of /results; 0 when there is no row. */
int64_t rp_study_next_sequence(const struct rp_study *study);

/* A row of /results with its samples; sets the row's samples and sample_offset. */
enum rp_status rp_study_append_result(struct rp_study *study, const struct rp_result *row,
                                      const struct rp_sample *samples,
                                      size_t n_samples) RP_MUST_CHECK;

/* Removes the row with this sequence number and its samples; other rows keep their order. Nothing
 * happens when there is none. */
void rp_study_drop_result(struct rp_study *study, int64_t sequence);

#define rp_study_results(study)  ((struct rp_result *)(study)->tables[RP_TABLE_RESULTS].rows)
#define rp_study_samples(study)  ((struct rp_sample *)(study)->tables[RP_TABLE_SAMPLES].rows)
#define rp_study_devices(study)  ((struct rp_device_row *)(study)->tables[RP_TABLE_DEVICES].rows)
#define rp_study_ceilings(study) ((struct rp_ceiling *)(study)->tables[RP_TABLE_CEILINGS].rows)
#define rp_study_runs(study)     ((struct rp_run *)(study)->tables[RP_TABLE_RUNS].rows)

#endif
