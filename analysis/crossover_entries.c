/* crossover_entries.c - from verdicts of rows and of datasheets to ratios. */
#include "analysis/crossover_entries.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/groups.h"
#include "model/result.h"

static enum rp_status add_entry(struct rp_turn_entries *list, const struct rp_turn_entry *entry)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct rp_turn_entry *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the times of %zu shapes", capacity);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *entry;
    return RP_OK;
}

static enum rp_status add_measured(const struct rp_study *study, bool simulated,
                                   struct rp_turn_entries *list)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        struct rp_turn_entry e = {
            .shape = {.device = rp_study_device_of(study, row), .threads = row->threads}};
        if (!e.shape.device || (!simulated && rp_study_is_simulated(study, row)) ||
            !rp_impl_find(row->impl, &e.shape.impl) ||
            rp_result_point(row, &e.shape.point) != RP_OK)
            continue;
        struct rp_measured_verdict v = rp_verdict_measured(study, row);
        const struct rp_span *compute = &v.times[RP_CLASS_COMPUTE];
        const struct rp_span *memory = &v.times[RP_CLASS_MEMORY];
        if (v.class_name == RP_CLASS_MISSING || !(memory->low_s > 0) || !(compute->low_s > 0))
            continue;
        e.ratio = compute->value_s / memory->value_s;
        e.ratio_low = compute->low_s / memory->high_s;
        e.ratio_high = compute->high_s / memory->low_s;
        e.ridge_flop_per_byte = v.roof.memory ? v.roof.compute->value / v.roof.memory->value : NAN;
        RP_TRY(add_entry(list, &e));
    }
    return RP_OK;
}

/* One implementation of one shape by the datasheet; nothing where that has no peak for its path. */
static enum rp_status add_prediction(const struct rp_gpu_spec *gpu, const struct rp_point *p,
                                     enum rp_impl impl, struct rp_turn_entries *list)
{
    const struct rp_method_device on = {"cuda", 0, gpu->multiprocessors};
    struct rp_verdict v = rp_verdict_predicted(gpu, gpu->gpu_type, p, impl);
    struct rp_method_cost cost;
    if (v.class_name == RP_CLASS_MISSING || rp_method_cost_of(&on, impl, p, &cost) != RP_OK)
        return RP_OK;
    double ratio = v.compute_s / v.memory_s;
    double ridge = rp_ridge(rp_gpu_spec_peak(gpu, cost.path), gpu->bandwidth_bytes_per_s);
    return add_entry(list, &(struct rp_turn_entry){.shape = {.gpu = gpu, .impl = impl, .point = *p},
                                                   .ratio = ratio,
                                                   .ratio_low = ratio,
                                                   .ratio_high = ratio,
                                                   .ridge_flop_per_byte = ridge});
}

static enum rp_status add_predicted(const struct rp_gpu_spec *gpu, const struct rp_groups *groups,
                                    struct rp_turn_entries *list)
{
    for (size_t g = 0; g < groups->count; ++g) {
        const struct rp_group *group = &groups->items[g];
        for (size_t i = 0; i < group->count; ++i) {
            for (int impl = 0; impl < RP_IMPL_COUNT; ++impl) {
                if (rp_impl_in(group->shapes[i].impls, (enum rp_impl)impl))
                    RP_TRY(add_prediction(gpu, &group->shapes[i].point, (enum rp_impl)impl, list));
            }
        }
    }
    return RP_OK;
}

enum rp_status rp_turn_entries_collect(const struct rp_turn_request *request,
                                       struct rp_turn_entries *list)
{
    struct rp_groups groups;
    enum rp_status status = RP_OK;
    for (size_t f = 0; f < request->list->count && status == RP_OK; ++f)
        status = add_measured(&request->list->files[f].study, request->simulated, list);
    if (status == RP_OK)
        status = rp_groups_create(request->list, request->simulated, &groups);
    if (status != RP_OK)
        return status;
    for (size_t g = 0; g < request->n_gpus && status == RP_OK; ++g)
        status = add_predicted(request->gpus[g], &groups, list);
    rp_groups_clear(&groups);
    return status;
}

void rp_turn_entries_clear(struct rp_turn_entries *list)
{
    free(list->items);
    *list = (struct rp_turn_entries){0};
}
