/* row_view.c - gathers what other files of this folder derive. */
#include "analysis/row_view.h"

#include <math.h>

#include "analysis/pairs_scan.h"
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

struct rp_row_view rp_row_view_of(const struct rp_row_source *source, const struct rp_result *row)
{
    const struct rp_study *study = source->study;
    struct rp_row_view view = {.path = source->path,
                               .row = row,
                               .device = rp_study_device_of(study, row),
                               .run = rp_study_run_of(study, row),
                               .measured = rp_verdict_measured(study, row),
                               .naive_memory_ratio = NAN,
                               .anchor_spread_frac = NAN};
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl)
        view.ratios[impl] = (struct rp_paired_ratio){NAN, NAN, NAN, NAN, 0};
    view.gpu = rp_gpu_of_device(source->gpus, view.device);
    judge_by_datasheet(&view);
    return view;
}

/* All of it; `pairs` has the rows of that point, device and run. */
static enum rp_status complete_view(struct rp_row_view *view, const struct rp_study *study,
                                    const struct rp_pairs *pairs)
{
    const struct rp_result *row = view->row;
    view->plausibility = rp_row_plausibility(study, row);
    view->anchor_spread_frac = rp_anchor_spread(study, row->run, row->device);
    const struct rp_result *naive = rp_pairs_find(pairs, row, RP_IMPL_naive);
    view->naive_memory_ratio =
        naive ? rp_ratio((double)naive->peak_memory_bytes, (double)row->peak_memory_bytes) : NAN;
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl)
        RP_TRY(rp_pairs_ratio(pairs, row, (enum rp_impl)impl, &view->ratios[impl]));
    return RP_OK;
}

static enum rp_status visit_rows(const struct rp_row_source *source,
                                 struct rp_pairs_scan *pairs_scan,
                                 const struct rp_row_visitor *visitor)
{
    size_t n = 0;
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(source->study->scan, &n));
        for (size_t i = 0; i < n; ++i) {
            const struct rp_result *row = &rp_study_results(source->study)[i];
            const struct rp_pairs *pairs = NULL;
            if (visitor->wants && !visitor->wants(visitor->context, row))
                continue;
            RP_TRY(rp_pairs_scan_find(pairs_scan, row, &pairs));
            struct rp_row_view view = rp_row_view_of(source, row);
            RP_TRY(complete_view(&view, source->study, pairs));
            RP_TRY(visitor->visit(visitor->context, &view, source->study, first + i));
        }
        if (n == 0)
            return RP_OK;
    }
}

enum rp_status rp_row_views_visit(const char *path, const struct rp_gpu_list *gpus,
                                  const struct rp_row_visitor *visitor)
{
    struct rp_results_scan *scan = NULL;
    struct rp_results_scan *others = NULL; /* of the same file, for rows beside the one visited */
    struct rp_pairs_scan *pairs_scan = NULL;
    enum rp_status status = rp_study_scan(path, NULL, 0, &scan);
    if (status == RP_OK)
        status = rp_study_scan(path, NULL, 0, &others);
    if (status == RP_OK)
        status = rp_pairs_scan_open(others, &pairs_scan);
    if (status == RP_OK) {
        const struct rp_row_source source = {path, rp_results_scan_study(scan), gpus};
        status = visit_rows(&source, pairs_scan, visitor);
    }
    rp_pairs_scan_close(pairs_scan);
    rp_study_scan_close(others);
    rp_study_scan_close(scan);
    return status;
}
