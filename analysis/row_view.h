/* row_view.h - one row with all it points at and all that is derived from it. */
#ifndef RP_ANALYSIS_ROW_VIEW_H
#define RP_ANALYSIS_ROW_VIEW_H

#include "analysis/classify.h"
#include "analysis/load.h"
#include "analysis/pairs.h"
#include "analysis/plausible.h"
#include "base/status.h"
#include "model/gpu_spec.h"

struct rp_row_view { /* pointers are owned by the study and the list of GPUs */
    const char *path;
    const struct rp_result *row;
    const struct rp_device_row *device;           /* null: the file points nowhere */
    const struct rp_run *run;                     /* null: the file points nowhere */
    const struct rp_gpu_spec *gpu;                /* the device's datasheet; null: data/ has none */
    struct rp_paired_ratio ratios[RP_IMPL_COUNT]; /* time of each implementation over this one's */
    struct rp_verdict ideal, ideal_dense, predicted; /* on the device that measured it */
    struct rp_measured_verdict measured;
    struct rp_plausibility plausibility;
    double naive_memory_ratio;  /* naive's peak over this one's; NaN without */
    double anchor_spread_frac;  /* of the row's run and device: the floor of a comparison */
    double ridge_flop_per_byte; /* of the datasheet; NaN when not known */
};

struct rp_row_source {
    const char *path;
    const struct rp_study *study; /* its /results and /samples are not looked at */
    const struct rp_gpu_list *gpus;
};

/* What is derived from the row alone: ratios, plausibility and the spread of anchors are missing.
 */
struct rp_row_view rp_row_view_of(const struct rp_row_source *source, const struct rp_result *row);

/* What is done with rows, by whom. */
struct rp_row_visitor {
    void *context;
    bool (*wants)(const void *context, const struct rp_result *row); /* null: all rows */
    enum rp_status (*visit)(void *context, const struct rp_row_view *view,
                            const struct rp_study *study, size_t number);
};

/* Visits the rows of a file in their order, reading it block by block: of all rows only what
 * pairs_scan.h says is held. */
enum rp_status rp_row_views_visit(const char *path, const struct rp_gpu_list *gpus,
                                  const struct rp_row_visitor *visitor) RP_MUST_CHECK;

#endif
