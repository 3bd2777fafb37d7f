/* row_view.h - one row with all it points at and all that is derived from it. */
#ifndef RP_ANALYSIS_ROW_VIEW_H
#define RP_ANALYSIS_ROW_VIEW_H

#include "analysis/classify.h"
#include "analysis/load.h"
#include "analysis/pairs.h"
#include "analysis/plausible.h"
#include "base/status.h"
#include "model/gpu_spec.h"

struct rp_row_view { /* pointers are owned by the file and the list of GPUs */
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

/* Row `index` of the file's /results; `pairs` are that study's. */
enum rp_status rp_row_view_init(struct rp_row_view *view, const struct rp_study_file *file,
                                size_t index, const struct rp_pairs *pairs,
                                const struct rp_gpu_list *gpus) RP_MUST_CHECK;

#endif
