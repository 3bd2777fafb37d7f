/* row_view.c - gathers what other files of this folder derive. */
#include "analysis/row_view.h"

#include <math.h>

#include "analysis/roof.h"
#include "model/result.h"

static void judge_by_datasheet(struct rp_row_view *v)
{
    struct rp_point p;
    enum rp_impl impl;
    const char *gpu_type = v->device ? v->device->gpu_type : "";
    struct rp_verdict unknown = {RP_CLASS_MISSING, NAN, NAN, "the row's axes make no point"};
    v->ideal = v->ideal_dense = v->predicted = unknown;
    v->ridge_flop_per_byte = NAN;
    if (rp_result_point(v->row, &p) != RP_OK)
        return;
    v->ideal = rp_verdict_ideal(v->gpu, gpu_type, &p, false);
    v->ideal_dense = rp_verdict_ideal(v->gpu, gpu_type, &p, true);
    if (v->gpu)
        v->ridge_flop_per_byte = rp_bound_ideal_ridge(v->gpu, p.dtype);
    if (rp_impl_find(v->row->impl, &impl))
        v->predicted = rp_verdict_predicted(v->gpu, gpu_type, &p, impl);
}

enum rp_status rp_row_view_init(struct rp_row_view *view, const struct rp_study_file *file,
                                size_t index, const struct rp_pairs *pairs,
                                const struct rp_gpu_list *gpus)
{
    const struct rp_study *study = &file->study;
    const struct rp_result *row = &rp_study_results(study)[index];
    *view =
        (struct rp_row_view){.path = file->path,
                             .row = row,
                             .device = rp_study_device_of(study, row),
                             .run = rp_study_run_of(study, row),
                             .measured = rp_verdict_measured(study, row),
                             .plausibility = rp_row_plausibility(study, row),
                             .anchor_spread_frac = rp_anchor_spread(study, row->run, row->device)};
    view->gpu = rp_gpu_of_device(gpus, view->device);
    judge_by_datasheet(view);
    const struct rp_result *naive = rp_pairs_find(pairs, row, RP_IMPL_naive);
    view->naive_memory_ratio =
        naive ? rp_ratio((double)naive->peak_memory_bytes, (double)row->peak_memory_bytes) : NAN;
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl)
        RP_TRY(rp_pairs_ratio(pairs, row, (enum rp_impl)impl, &view->ratios[impl]));
    return RP_OK;
}
