/* memory_table.c - rows and predictions along T and batch: exponents, and the largest that fits. */
#include "analysis/memory_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/sweep_shape.h"
#include "model/method_cost.h"
#include "model/result.h"

enum fate { FITS, FAILS, NOT_TRIED };

struct entry {
    struct rp_sweep_shape shape;
    enum fate fate;
    double peak_bytes, scores_bytes; /* as measured; NaN when not */
    double need_bytes;               /* as predicted; NaN when it cannot be */
};

struct entries {
    struct entry *items;
    size_t count;
};

static double need_of(const struct rp_sweep_shape *shape, const struct rp_point *p)
{
    const struct rp_method_device on = rp_sweep_shape_device(shape);
    struct rp_method_cost cost;
    if (rp_method_cost_of(&on, shape->impl, p, &cost) != RP_OK)
        return NAN;
    return (double)rp_method_cost_memory(&cost);
}

static void add_rows(const struct rp_study *study, bool simulated, struct entries *list)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        struct entry e = {
            .shape = {.device = rp_study_device_of(study, row), .threads = row->threads},
            .fate = NOT_TRIED,
            .peak_bytes = row->peak_memory_bytes > 0 ? (double)row->peak_memory_bytes : NAN,
            .scores_bytes = row->scores_bytes > 0 ? (double)row->scores_bytes : NAN};
        enum rp_outcome outcome;
        if (!e.shape.device || (!simulated && rp_study_is_simulated(study, row)) ||
            !rp_impl_find(row->impl, &e.shape.impl) || !rp_outcome_find(row->status, &outcome) ||
            rp_result_point(row, &e.shape.point) != RP_OK)
            continue;
        if (outcome == RP_OUTCOME_OK || outcome == RP_OUTCOME_MISMATCH)
            e.fate = FITS;
        else if (outcome == RP_OUTCOME_OOM)
            e.fate = FAILS;
        e.shape.point.causal = false; /* takes no memory */
        e.need_bytes = need_of(&e.shape, &e.shape.point);
        list->items[list->count++] = e;
    }
}

static void add_predictions(const struct rp_gpu_spec *gpu, const struct rp_groups *groups,
                            struct entries *list)
{
    for (size_t g = 0; g < groups->count; ++g) {
        for (size_t i = 0; i < groups->items[g].count; ++i) {
            const struct rp_shape *shape = &groups->items[g].shapes[i];
            for (int impl = 0; impl < RP_IMPL_COUNT; ++impl) {
                struct entry e = {
                    .shape = {.gpu = gpu, .impl = (enum rp_impl)impl, .point = shape->point},
                    .fate = NOT_TRIED,
                    .peak_bytes = NAN,
                    .scores_bytes = NAN};
                e.shape.point.causal = false;
                e.need_bytes = need_of(&e.shape, &e.shape.point);
                if (rp_impl_in(shape->impls, (enum rp_impl)impl))
                    list->items[list->count++] = e;
            }
        }
    }
}

/* Keeps the entries of the axis in front, sorted; returns how many. */
static size_t arrange(enum rp_turn_axis axis, struct entries *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; ++i) {
        struct entry e = list->items[i];
        if (!rp_sweep_shape_set_axis(&e.shape, axis))
            continue;
        list->items[i] = list->items[n];
        list->items[n++] = e;
    }
    if (n)
        qsort(list->items, n, sizeof *list->items, rp_sweep_shape_compare);
    return n;
}

/* One column of a series against T, each length once. `xy` has room for 2 n numbers. */
static void fit_series(struct rp_fit_sums *sums, const struct entry *e, size_t n, bool scores,
                       double *xy)
{
    double *x = xy;
    double *y = xy + n;
    size_t used = 0;
    for (size_t i = 0; i < n; ++i) {
        double bytes = scores ? e[i].scores_bytes : e[i].peak_bytes;
        double value = (double)e[i].shape.value;
        if (e[i].fate != FITS || !(bytes > 0) || (used && x[used - 1] >= value))
            continue;
        x[used] = value;
        y[used++] = bytes;
    }
    rp_fit_add_series(sums, x, y, used);
}

/* The largest value of the axis whose predicted bytes fit. */
static int64_t predict_max(enum rp_turn_axis axis, const struct rp_sweep_shape *shape,
                           int64_t memory_bytes)
{
    int64_t fits = 0;
    int64_t fails = RP_MEMORY_VALUE_MAX + 1;
    while (fails - fits > 1) {
        int64_t middle = fits + (fails - fits) / 2;
        struct rp_point p = rp_turn_axis_at(axis, &shape->point, middle);
        if (need_of(shape, &p) <= (double)memory_bytes) /* not NaN: counts beyond 64 bits */
            fits = middle;
        else
            fails = middle;
    }
    return fits;
}

/* What a series says of the frontier. */
static struct rp_memory_row frontier_of(enum rp_turn_axis axis, const struct entry *e, size_t n)
{
    struct rp_memory_row row = {.device = e->shape.device,
                                .gpu = e->shape.gpu,
                                .threads = e->shape.threads,
                                .impl = e->shape.impl,
                                .axis = axis,
                                .first = e->shape.point,
                                .fits_max = -1,
                                .fails_min = -1,
                                .memory_bytes = e->shape.gpu ? e->shape.gpu->memory_bytes
                                                             : e->shape.device->memory_bytes};
    for (size_t i = 0; i < n; ++i) {
        if (e[i].fate == FITS)
            row.fits_max = e[i].shape.value;
        if (e[i].fate == FAILS && row.fails_min < 0)
            row.fails_min = e[i].shape.value;
    }
    return row;
}

/* The series that needs the most a step is the first to run out. */
static double need_per_value(const struct entry *e, size_t n)
{
    double need = e[n - 1].need_bytes / (double)e[n - 1].shape.value;
    return isnan(need) ? 0 : need;
}

/* All series of one subject from e[first] on; returns where the next subject begins. */
static size_t add_subject(enum rp_turn_axis axis, const struct entry *e, size_t first, size_t n,
                          struct rp_memory_row *row, double *xy)
{
    struct rp_fit_sums peak = {0};
    struct rp_fit_sums scores = {0};
    const struct entry *subject = &e[first];
    const struct entry *most = NULL;
    double need = -1;
    while (first < n && rp_sweep_shape_compare_subject(&subject->shape, &e[first].shape) == 0) {
        size_t end = first;
        while (end < n && rp_sweep_shape_compare_subject(&e[first].shape, &e[end].shape) == 0 &&
               rp_point_compare(&e[first].shape.series, &e[end].shape.series) == 0)
            ++end;
        fit_series(&peak, &e[first], end - first, false, xy);
        fit_series(&scores, &e[first], end - first, true, xy);
        if (need_per_value(&e[first], end - first) > need) {
            need = need_per_value(&e[first], end - first);
            most = &e[first];
            *row = frontier_of(axis, most, end - first);
        }
        first = end;
    }
    row->predicted_max =
        row->memory_bytes > 0 ? predict_max(axis, &most->shape, row->memory_bytes) : -1;
    row->peak = rp_fit_of(&peak);
    row->scores = rp_fit_of(&scores);
    return first;
}

static enum rp_status collect(const struct rp_turn_request *request, struct entries *list)
{
    struct rp_groups groups;
    size_t room = rp_study_list_rows(request->list) * (1 + request->n_gpus) + 1;
    RP_TRY(rp_groups_create(request->list, request->simulated, &groups));
    list->items = calloc(room, sizeof *list->items);
    for (size_t f = 0; list->items && f < request->list->count; ++f)
        add_rows(&request->list->files[f].study, request->simulated, list);
    for (size_t g = 0; list->items && g < request->n_gpus; ++g)
        add_predictions(request->gpus[g], &groups, list);
    rp_groups_clear(&groups);
    if (!list->items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the memory of %zu shapes", room - 1);
    return RP_OK;
}

enum rp_status rp_memory_table_create(const struct rp_turn_request *request,
                                      struct rp_memory_table *table)
{
    static const enum rp_turn_axis axes[] = {RP_TURN_SEQ, RP_TURN_SEQ_K, RP_TURN_BATCH};
    struct entries list = {0};
    double *xy = NULL;
    *table = (struct rp_memory_table){0};
    enum rp_status status = collect(request, &list);
    if (status == RP_OK) {
        xy = calloc(2 * list.count + 1, sizeof *xy);
        table->items = calloc(RP_COUNT(axes) * list.count + 1, sizeof *table->items);
        if (!xy || !table->items)
            status =
                RP_FAIL(RP_ERR_INTERNAL, "no host memory for the memory of %zu shapes", list.count);
    }
    for (size_t a = 0; a < RP_COUNT(axes) && status == RP_OK; ++a) {
        size_t n = arrange(axes[a], &list);
        for (size_t first = 0; first < n;)
            first = add_subject(axes[a], list.items, first, n, &table->items[table->count++], xy);
    }
    free(xy);
    free(list.items);
    if (status != RP_OK)
        rp_memory_table_clear(table);
    return status;
}

void rp_memory_table_clear(struct rp_memory_table *table)
{
    free(table->items);
    *table = (struct rp_memory_table){0};
}
