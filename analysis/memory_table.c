/* memory_table.c - rows and predictions along T and batch: exponents, and the largest that fits. */
#include "analysis/memory_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/distinct.h"
#include "analysis/groups.h"
#include "analysis/key.h"
#include "analysis/rows.h"
#include "analysis/sweep_shape.h"
#include "base/list.h"
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
    struct entry *items; /* heap */
    size_t count, room;
    struct rp_distinct distinct; /* repeats that ended alike are one */
};

static enum rp_status add_entry(struct entries *list, const struct entry *entry)
{
    struct entry *items = rp_list_grow(list->items, list->count, &list->room, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the memory of %zu shapes", list->count);
    list->items = items;
    items[list->count++] = *entry;
    return RP_OK;
}

static double need_of(const struct rp_sweep_shape *shape, const struct rp_point *p)
{
    const struct rp_method_device on = rp_sweep_shape_device(shape);
    struct rp_method_cost cost;
    if (rp_method_cost_of(&on, shape->impl, p, &cost) != RP_OK)
        return NAN;
    return (double)rp_method_cost_memory(&cost);
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct entries *list = context;
    const struct rp_result *row = seen->row;
    struct entry e = {.shape = {.device = seen->device,
                                .threads = row->threads,
                                .impl = seen->impl,
                                .point = seen->point},
                      .fate = NOT_TRIED,
                      .peak_bytes =
                          row->peak_memory_bytes > 0 ? (double)row->peak_memory_bytes : NAN,
                      .scores_bytes = row->scores_bytes > 0 ? (double)row->scores_bytes : NAN};
    enum rp_outcome outcome;
    size_t number = 0;
    if (!rp_outcome_find(row->status, &outcome))
        return RP_OK;
    if (outcome == RP_OUTCOME_OK || outcome == RP_OUTCOME_MISMATCH)
        e.fate = FITS;
    else if (outcome == RP_OUTCOME_OOM)
        e.fate = FAILS;
    RP_TRY(rp_distinct_number(&list->distinct, rp_key_add_i64(rp_seen_row_key(seen), e.fate),
                              &number));
    if (number < list->count)
        return RP_OK;
    e.shape.point.causal = false; /* takes no memory */
    e.need_bytes = need_of(&e.shape, &e.shape.point);
    return add_entry(list, &e);
}

static enum rp_status add_measured(const struct rp_turn_request *request, struct entries *list)
{
    static const char *const columns[] = {"status", "peak_memory_bytes", "scores_bytes"};
    const struct rp_rows_visitor visitor = {.context = list,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = request->simulated};
    return rp_rows_visit(request->list, &visitor);
}

/* In place of what is in the list. */
static enum rp_status add_predictions(const struct rp_gpu_spec *gpu, const struct rp_groups *groups,
                                      struct entries *list)
{
    list->count = 0;
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
                    RP_TRY(add_entry(list, &e));
            }
        }
    }
    return RP_OK;
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

static enum rp_status add_memory_row(struct rp_memory_table *table, const struct rp_memory_row *row)
{
    struct rp_memory_row *items =
        rp_list_grow(table->items, table->count, &table->room, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu exponents", table->count);
    table->items = items;
    items[table->count++] = *row;
    return RP_OK;
}

/* Adds the rows of one list of entries. */
static enum rp_status walk(struct entries *list, struct rp_memory_table *table)
{
    static const enum rp_turn_axis axes[] = {RP_TURN_SEQ, RP_TURN_SEQ_K, RP_TURN_BATCH};
    double *xy = calloc(2 * list->count + 1, sizeof *xy);
    enum rp_status status = RP_OK;
    if (!xy)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the memory of %zu shapes", list->count);
    for (size_t a = 0; a < RP_COUNT(axes) && status == RP_OK; ++a) {
        size_t n = arrange(axes[a], list);
        for (size_t first = 0; first < n && status == RP_OK;) {
            struct rp_memory_row row;
            first = add_subject(axes[a], list->items, first, n, &row, xy);
            status = add_memory_row(table, &row);
        }
    }
    free(xy);
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    const struct rp_memory_row *x = a;
    const struct rp_memory_row *y = b;
    if (x->axis != y->axis)
        return x->axis < y->axis ? -1 : 1;
    const struct rp_sweep_shape of_x = {.device = x->device,
                                        .gpu = x->gpu,
                                        .threads = x->threads,
                                        .impl = x->impl,
                                        .series = x->first};
    const struct rp_sweep_shape of_y = {.device = y->device,
                                        .gpu = y->gpu,
                                        .threads = y->threads,
                                        .impl = y->impl,
                                        .series = y->first};
    return rp_sweep_shape_compare_subject(&of_x, &of_y);
}

enum rp_status rp_memory_table_create(const struct rp_turn_request *request,
                                      struct rp_memory_table *table)
{
    struct entries list = {0};
    *table = (struct rp_memory_table){0};
    enum rp_status status = add_measured(request, &list);
    if (status == RP_OK)
        status = walk(&list, table);
    for (size_t g = 0; g < request->n_gpus && status == RP_OK; ++g) {
        status = add_predictions(request->gpus[g], request->groups, &list);
        if (status == RP_OK)
            status = walk(&list, table);
    }
    rp_distinct_clear(&list.distinct);
    free(list.items);
    if (status != RP_OK)
        rp_memory_table_clear(table);
    else if (table->count)
        qsort(table->items, table->count, sizeof *table->items, compare_rows);
    return status;
}

void rp_memory_table_clear(struct rp_memory_table *table)
{
    free(table->items);
    *table = (struct rp_memory_table){0};
}
