/*
 * figure_rows.h - the rows that figures are drawn from, in one order, and the lines they form.
 * They are copies of what figures look at, without samples.
 *
 * A device's label keeps unlike devices apart: type, MIG profile, ECC, threads of a CPU, its power
 * limit where the files have several, and whether it is simulated.
 */
#ifndef RP_ANALYSIS_FIGURE_ROWS_H
#define RP_ANALYSIS_FIGURE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/groups.h"
#include "analysis/rows.h"
#include "base/status.h"
#include "model/impl.h"
#include "model/point.h"

enum { RP_LABEL_SIZE = 112 };

struct rp_figure_row {
    const char *label; /* owned by the list, as is the row */
    const struct rp_result *row;
    const struct rp_study *study; /* of the file; it owns the device */
    const struct rp_device_row *device;
    struct rp_point point;
    enum rp_impl impl;
    size_t file; /* which of the files it is from */
    bool is_simulated;
};

/* Of so many repeats of a point by one implementation on devices that are alike rows are drawn. */
enum { RP_FIGURE_REPEATS = 16 };

struct rp_figure_rows {
    struct rp_figure_row *items; /* heap; sorted by label, point (length last), implementation */
    size_t count, room;
    char **labels; /* heap */
    size_t n_labels, labels_room;
    size_t left_out; /* repeats beyond those that are drawn */
};

/* The label of a row's device. */
void rp_figure_label(const struct rp_study_list *list, const struct rp_seen_row *seen,
                     char label[RP_LABEL_SIZE]);

/* Rows that rows.h speaks of; simulated ones only when asked. */
enum rp_status rp_figure_rows_create(const struct rp_study_list *list, bool simulated,
                                     struct rp_figure_rows *rows) RP_MUST_CHECK;
void rp_figure_rows_clear(struct rp_figure_rows *rows);

/* Index behind the last row with the label of row `begin`: for walking label by label. */
size_t rp_figure_rows_end_of_label(const struct rp_figure_rows *rows, size_t begin);

/* A row with the label of `like`, this point and this implementation; null when there is none. */
const struct rp_figure_row *rp_figure_rows_find(const struct rp_figure_rows *rows,
                                                const struct rp_figure_row *like,
                                                const struct rp_point *p, enum rp_impl impl);

/* The shapes of one stage that differ in length only, most lengths first, fp16 before fp32: what
 * figures over T are drawn of. False when the files have no such stage. */
struct rp_series {
    const struct rp_shape *shapes; /* owned by the groups; by length */
    size_t count;
};
bool rp_series_longest(const struct rp_groups *groups, enum rp_stage stage,
                       struct rp_series *series);

bool rp_series_has(const struct rp_series *series, const struct rp_point *p);

/* "prefill, B=1 H=32 G=8 D=128 fp16, no mask" */
void rp_series_text(const struct rp_point *p, char *text, size_t size);

#endif
