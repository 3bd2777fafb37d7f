/*
 * rows.h - one pass over the rows of all files, a block of each in memory at a time.
 *
 * What several rows must say together is kept by whoever visits them, once for rows that repeat a
 * point, so that memory grows with what was measured and not with how often.
 */
#ifndef RP_ANALYSIS_ROWS_H
#define RP_ANALYSIS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/load.h"
#include "base/status.h"
#include "model/impl.h"
#include "model/point.h"

/* A row whose axes make a point, whose implementation is known and whose device is there. */
struct rp_seen_row {
    const struct rp_study_file *file;
    const struct rp_study *study;       /* the file's */
    const struct rp_result *row;        /* until the next one is visited */
    const struct rp_device_row *device; /* owned by the study */
    struct rp_point point;
    enum rp_impl impl;
    bool is_simulated;
};

struct rp_rows_visitor {
    void *context;
    enum rp_status (*visit)(void *context, const struct rp_seen_row *seen);
    const char *const *columns; /* of /results that it looks at; what a point, an implementation, a
                                   device and its threads take is read as well */
    size_t n_columns;
    bool simulated;   /* visits rows of simulated devices too; */
    size_t *left_out; /* null, or counts those that it does not visit */
};

/* Every row of one file, whatever it says; `columns` null: all of them. `row` stays until the next.
 */
typedef enum rp_status rp_row_function(void *context, const struct rp_result *row, size_t number);
enum rp_status rp_file_rows_visit(const struct rp_study_file *file, const char *const *columns,
                                  size_t n_columns, rp_row_function *visit,
                                  void *context) RP_MUST_CHECK;

/* Visits rows file by file, in their order, until a visit fails. */
enum rp_status rp_rows_visit(const struct rp_study_list *list,
                             const struct rp_rows_visitor *visitor) RP_MUST_CHECK;

/* Equal for rows of one point by one implementation on devices that are alike, with as many
 * threads (key.h). */
uint64_t rp_seen_row_key(const struct rp_seen_row *seen);

#endif
