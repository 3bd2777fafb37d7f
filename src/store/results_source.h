/*
 * results_source.h - rows and samples that are written without being in memory.
 *
 * A file is written column by column, so a source is asked for one column at a time, from the first
 * row to the last, in blocks.
 */
#ifndef RP_STORE_RESULTS_SOURCE_H
#define RP_STORE_RESULTS_SOURCE_H

#include <stddef.h>

#include "base/status.h"
#include "store/study.h"

struct rp_results_source {
    void *context;
    size_t results, samples; /* rows of these tables */
    /* Fills `column` of rows->count rows, the first of which is number `first` of the table. */
    enum rp_status (*read)(void *context, enum rp_table_id id, const struct rp_column *column,
                           size_t first, struct rp_table *rows);
};

/* Like rp_results_write (results_hdf5.h) and rp_publish (publish.h), of a study whose /results and
 * /samples are those of the source; null: its own. */
enum rp_status rp_results_write_from(const char *path, const struct rp_study *study,
                                     const struct rp_results_source *source) RP_MUST_CHECK;
enum rp_status rp_publish_from(const char *path, const struct rp_study *study,
                               const struct rp_results_source *source) RP_MUST_CHECK;

#endif
