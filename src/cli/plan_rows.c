/* plan_rows.c - the steps of a worker before it measures, without a worker. */
#include "cli/plan_rows.h"

#include <stdio.h>
#include <string.h>

#include "measure/foresee.h"
#include "model/cost.h"

void rp_plan_type_init(struct rp_plan_type *type, struct rp_device *device,
                       const struct rp_gpu_spec *gpu)
{
    *type = (struct rp_plan_type){
        .backend = rp_device_backend(device)->name,
        .info = *rp_device_info(device),
        .available_bytes = rp_device_memory_available_bytes(device),
        .gpu = gpu,
    };
    rp_plan_type_set_threads(type, type->info.threads);
}

void rp_plan_type_set_threads(struct rp_plan_type *type, int threads)
{
    type->info.threads = threads;
    rp_rates_init(&type->rates, &type->info.row, threads, type->gpu);
    type->rates.memory_bytes = type->available_bytes;
}

/* A device of this type that was there; null when the row has none of it. */
static const struct rp_device_row *find_device(const struct rp_plan_type *type,
                                               const struct rp_study *study, int64_t index)
{
    if (index < 0 || (size_t)index >= rp_study_count(study, RP_TABLE_DEVICES))
        return NULL;
    const struct rp_device_row *device = &rp_study_devices(study)[index];
    bool is_simulated = strcmp(device->backend, "simulated") == 0;
    bool is_same = strcmp(device->gpu_type, type->info.row.gpu_type) == 0;
    return is_same && !is_simulated ? device : NULL;
}

void rp_plan_type_learn(struct rp_plan_type *type, const struct rp_study *study,
                        struct rp_implied *implied)
{
    bool is_cpu = rp_rates_is_cpu(&type->rates);
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *ceiling = rp_study_row(study, RP_TABLE_CEILINGS, i);
        if (find_device(type, study, ceiling->device) &&
            (!is_cpu || ceiling->threads == type->info.threads))
            rp_rates_learn(&type->rates, ceiling);
    }
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        if (find_device(type, study, row->device))
            rp_implied_learn(implied, &type->info, row);
    }
    type->implied = implied;
}

/* What becomes of the row, its reason and its costs. */
static void foresee(const struct rp_plan_type *type, const struct rp_protocol *protocol,
                    struct rp_plan_row *row)
{
    const struct rp_foresee_request request = {
        .kernel = rp_kernel_find(type->backend, row->impl),
        .info = &type->info,
        .point = row->point,
        .launch_s = rp_forecast_launch_s(&type->rates, row->point, row->impl),
        .timeout_s = protocol->timeout_s,
        .available_bytes = type->available_bytes,
    };
    if (!request.kernel) {
        row->outcome = RP_OUTCOME_UNSUPPORTED;
        snprintf(row->reason, sizeof row->reason, "the %s device has no kernel '%s'", type->backend,
                 rp_impl_name(row->impl));
        return;
    }
    enum rp_status status = rp_foresee(&request, &row->cost);
    if (status != RP_OK) {
        row->outcome = rp_foresee_outcome(status);
        snprintf(row->reason, sizeof row->reason, "%s", rp_status_message());
    }
    /* A run looks at this first, and does not even ask the device. */
    if (type->implied && rp_implied_find(type->implied, &type->info, row->point, row->impl,
                                         row->reason, sizeof row->reason))
        row->outcome = RP_OUTCOME_SKIPPED;
}

static void forecast(const struct rp_plan_type *type, const struct rp_protocol *protocol,
                     struct rp_plan_row *row)
{
    if (row->outcome != RP_OUTCOME_OK)
        return;
    rp_forecast_row(&type->rates, row->point, row->impl, protocol, &row->forecast);
    row->wall_s = row->forecast.wall_s;
    if (row->forecast.samples > 0)
        return;
    row->outcome = RP_OUTCOME_TIMEOUT;
    snprintf(row->reason, sizeof row->reason,
             "predicted: about %.3g s a launch, the limit is %.3g s", row->forecast.launch_s,
             protocol->timeout_s);
}

static void classify(const struct rp_plan_type *type, struct rp_plan_row *row)
{
    struct rp_cost paper;
    row->class_predicted = row->class_ideal = RP_CLASS_MISSING;
    if (!type->gpu || rp_cost_of(row->point, &paper) != RP_OK)
        return;
    row->class_ideal = rp_bound_ideal(type->gpu, row->point, false).class_name;
    if (row->cost.path[0])
        row->class_predicted =
            rp_bound_predicted(type->gpu, &row->cost, paper.bytes_min).class_name;
}

enum rp_status rp_plan_point(const struct rp_plan_type *type, const struct rp_job_point *point,
                             const struct rp_protocol *protocol,
                             struct rp_plan_row rows[RP_IMPL_COUNT], size_t *n)
{
    int tried = 0;
    *n = 0;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (!rp_impl_in(point->impls, (enum rp_impl)i))
            continue;
        struct rp_plan_row *row = &rows[(*n)++];
        *row = (struct rp_plan_row){.point = &point->point, .impl = (enum rp_impl)i};
        RP_TRY(rp_point_id(row->point, row->id));
        foresee(type, protocol, row);
        forecast(type, protocol, row);
        classify(type, row);
        tried += row->wall_s > 0;
    }
    for (size_t i = 0; i < *n; ++i) {
        if (rows[i].wall_s > 0)
            rows[i].wall_s += rp_forecast_prepare_s(&type->rates, &point->point, protocol) / tried;
    }
    return RP_OK;
}
