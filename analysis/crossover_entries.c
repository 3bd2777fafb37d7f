/* crossover_entries.c - from verdicts of rows and of datasheets to ratios. */
#include "analysis/crossover_entries.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/distinct.h"
#include "analysis/rows.h"
#include "base/list.h"
#include "model/method_cost.h"

static enum rp_status add_entry(struct rp_turn_entries *list, const struct rp_turn_entry *entry)
{
    struct rp_turn_entry *items =
        rp_list_grow(list->items, list->count, &list->capacity, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the times of %zu shapes", list->count);
    list->items = items;
    items[list->count++] = *entry;
    return RP_OK;
}

/* Where entries of rows are collected. */
struct collection {
    struct rp_turn_entries *list;
    struct rp_distinct distinct;
};

/* Takes in a repeat of an entry, perhaps under the ceilings of another run. */
static void join(struct rp_turn_entry *entry, const struct rp_turn_entry *repeat)
{
    const double n = (double)entry->repeats;
    entry->ratio = exp((n * log(entry->ratio) + log(repeat->ratio)) / (n + 1));
    entry->ratio_low = fmin(entry->ratio_low, repeat->ratio_low);
    entry->ratio_high = fmax(entry->ratio_high, repeat->ratio_high);
    ++entry->repeats;
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct collection *c = context;
    struct rp_measured_verdict v = rp_verdict_measured(seen->study, seen->row);
    const struct rp_span *compute = &v.times[RP_CLASS_COMPUTE];
    const struct rp_span *memory = &v.times[RP_CLASS_MEMORY];
    size_t number = 0;
    if (v.class_name == RP_CLASS_MISSING || !(memory->low_s > 0) || !(compute->low_s > 0))
        return RP_OK;
    const struct rp_turn_entry e = {
        .shape = {.device = seen->device,
                  .threads = seen->row->threads,
                  .impl = seen->impl,
                  .point = seen->point},
        .ratio = compute->value_s / memory->value_s,
        .ratio_low = compute->low_s / memory->high_s,
        .ratio_high = compute->high_s / memory->low_s,
        .ridge_flop_per_byte = v.roof.memory ? v.roof.compute->value / v.roof.memory->value : NAN,
        .repeats = 1};
    RP_TRY(rp_distinct_number(&c->distinct, rp_seen_row_key(seen), &number));
    if (number == c->list->count)
        return add_entry(c->list, &e);
    join(&c->list->items[number], &e);
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
                                                   .ridge_flop_per_byte = ridge,
                                                   .repeats = 1});
}

enum rp_status rp_turn_entries_predicted(const struct rp_gpu_spec *gpu,
                                         const struct rp_groups *groups,
                                         struct rp_turn_entries *list)
{
    list->count = 0;
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

enum rp_status rp_turn_entries_measured(const struct rp_turn_request *request,
                                        struct rp_turn_entries *list)
{
    static const char *const columns[] = {"launches",   "path",  "flops_impl",    "bytes_min",
                                          "bytes_impl", "cache", "time_median_s", "time_ci_high_s"};
    struct collection c = {.list = list};
    const struct rp_rows_visitor visitor = {.context = &c,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = request->simulated};
    enum rp_status status = rp_rows_visit(request->list, &visitor);
    rp_distinct_clear(&c.distinct);
    return status;
}

void rp_turn_entries_clear(struct rp_turn_entries *list)
{
    free(list->items);
    *list = (struct rp_turn_entries){0};
}
