/*
 * crossover_table.c - rows and predictions in one array, sorted anew for every axis, walked series
 * by series.
 */
#include "analysis/crossover_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/crossings.h"
#include "analysis/crossover_axis.h"
#include "analysis/crossover_entries.h"
#include "base/decimal.h"
#include "base/list.h"

static const char *const axis_names[] = {"T", "T", "batch", "H/G", "Tq"};
static const char *const kind_names[] = {"below the sweep", "at", "above the sweep", "never"};

const char *rp_turn_axis_name(enum rp_turn_axis axis)
{
    return axis_names[axis];
}

const char *rp_turn_kind_name(enum rp_turn_kind kind)
{
    return kind_names[kind];
}

/* The entries of one value of the axis, repeats together. */
struct step {
    double value, ratio, ratio_low, ratio_high;
};

/* Returns how many values the series has. */
static size_t list_steps(const struct rp_turn_entry *e, size_t n, struct step *steps)
{
    size_t count = 0;
    for (size_t i = 0, end = 0; i < n; i = end) {
        struct step s = {(double)e[i].shape.value, 0, INFINITY, 0};
        while (end < n && e[end].shape.value == e[i].shape.value) {
            s.ratio += log(e[end].ratio);
            s.ratio_low = fmin(s.ratio_low, e[end].ratio_low);
            s.ratio_high = fmax(s.ratio_high, e[end].ratio_high);
            ++end;
        }
        s.ratio = exp(s.ratio / (double)(end - i));
        steps[count++] = s;
    }
    return count;
}

/* Where one of the ratios turns for good: 0 when it is 1 or more throughout, infinite when it ends
 * below 1. */
static double find_turn(const struct step *steps, size_t n, size_t member)
{
    struct rp_crossings crossings;
    bool starts_compute = true;
    double last = NAN;
    rp_crossings_init(&crossings);
    for (size_t i = 0; i < n; ++i) {
        memcpy(&last, (const char *)&steps[i] + member, sizeof last);
        starts_compute = starts_compute && last >= 1;
        rp_crossings_add(&crossings, steps[i].value, last, 1);
    }
    rp_crossings_end_series(&crossings);
    if (starts_compute)
        return 0;
    return last >= 1 ? crossings.seq_min : INFINITY;
}

static struct rp_turn turn_of(enum rp_turn_axis axis, const struct rp_turn_entry *last,
                              const struct step *steps, size_t n)
{
    const struct rp_method_device on = rp_sweep_shape_device(&last->shape);
    double value = find_turn(steps, n, offsetof(struct step, ratio));
    struct rp_turn turn = {RP_TURN_AT,
                           NAN,
                           NAN,
                           NAN,
                           rp_turn_axis_limit(axis, &last->shape.point, last->shape.impl, &on),
                           last->ridge_flop_per_byte};
    if (value == 0)
        turn.kind = RP_TURN_BELOW;
    else if (isinf(value))
        turn.kind =
            turn.limit_flop_per_byte < turn.ridge_flop_per_byte ? RP_TURN_NEVER : RP_TURN_ABOVE;
    else
        turn.value = value;
    if (turn.kind == RP_TURN_AT && last->shape.device) {
        turn.low = find_turn(steps, n, offsetof(struct step, ratio_high));
        turn.high = find_turn(steps, n, offsetof(struct step, ratio_low));
    }
    return turn;
}

/* From where on it is known to be compute-bound; infinite: nowhere. */
static double compute_from(const struct rp_turn *turn, int64_t value_min)
{
    if (turn->kind == RP_TURN_BELOW)
        return (double)value_min;
    return turn->kind == RP_TURN_AT ? turn->value : INFINITY;
}

/* Whether a series turns sooner than the one of the row; of two that do not, the one that comes
 * nearer. */
static bool is_sooner(const struct rp_turn *turn, int64_t value_min, const struct rp_turn_row *row)
{
    double mine = compute_from(turn, value_min);
    double other = compute_from(&row->turn, row->value_min);
    if (mine < other || mine > other)
        return mine < other;
    if (turn->kind != row->turn.kind)
        return turn->kind < row->turn.kind;
    return turn->limit_flop_per_byte > row->turn.limit_flop_per_byte;
}

/* Adds one series to the row of its subject. */
static void add_series(struct rp_turn_row *row, enum rp_turn_axis axis,
                       const struct rp_turn_entry *e, size_t n, struct step *steps)
{
    size_t values = list_steps(e, n, steps);
    if (values < 2 && rp_turn_axis_needs_sweep(axis))
        return;
    struct rp_turn turn = turn_of(axis, &e[n - 1], steps, values);
    if (row->series == 0 || is_sooner(&turn, e[0].shape.value, row)) {
        row->turn = turn;
        row->first = e[0].shape.point;
        row->value_min = e[0].shape.value;
        row->value_max = e[n - 1].shape.value;
    }
    ++row->series;
    row->turning += turn.kind == RP_TURN_AT;
}

/* Keeps the entries of the axis in front, sorted; returns how many. */
static size_t arrange(enum rp_turn_axis axis, struct rp_turn_entries *list)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; ++i) {
        struct rp_turn_entry e = list->items[i];
        if (!rp_sweep_shape_set_axis(&e.shape, axis))
            continue;
        list->items[i] = list->items[n];
        list->items[n++] = e;
    }
    if (n)
        qsort(list->items, n, sizeof *list->items, rp_sweep_shape_compare);
    return n;
}

static enum rp_status add_turn(struct rp_turn_table *table, const struct rp_turn_row *row)
{
    struct rp_turn_row *items =
        rp_list_grow(table->items, table->count, &table->room, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu crossovers", table->count);
    table->items = items;
    items[table->count++] = *row;
    return RP_OK;
}

static enum rp_status walk_axis(enum rp_turn_axis axis, struct rp_turn_entries *list,
                                struct step *steps, struct rp_turn_table *table)
{
    size_t n = arrange(axis, list);
    const struct rp_turn_entry *e = list->items;
    for (size_t first = 0; first < n;) {
        struct rp_turn_row row = {.device = e[first].shape.device,
                                  .gpu = e[first].shape.gpu,
                                  .threads = e[first].shape.threads,
                                  .impl = e[first].shape.impl,
                                  .causal = e[first].shape.series.causal,
                                  .axis = axis};
        size_t subject = first;
        while (first < n &&
               rp_sweep_shape_compare_subject(&e[subject].shape, &e[first].shape) == 0) {
            size_t end = first;
            while (end < n && rp_sweep_shape_compare_subject(&e[first].shape, &e[end].shape) == 0 &&
                   rp_point_compare(&e[first].shape.series, &e[end].shape.series) == 0)
                ++end;
            add_series(&row, axis, &e[first], end - first, steps);
            first = end;
        }
        if (row.series)
            RP_TRY(add_turn(table, &row));
    }
    return RP_OK;
}

/* Adds the rows of one list of entries. */
static enum rp_status walk(struct rp_turn_entries *list, struct rp_turn_table *table)
{
    struct step *steps = calloc(list->count + 1, sizeof *steps);
    enum rp_status status = RP_OK;
    if (!steps)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the crossovers of %zu shapes",
                       list->count);
    for (int axis = 0; axis < RP_TURN_AXIS_COUNT && status == RP_OK; ++axis)
        status = walk_axis((enum rp_turn_axis)axis, list, steps, table);
    free(steps);
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    const struct rp_turn_row *x = a;
    const struct rp_turn_row *y = b;
    if (x->axis != y->axis)
        return x->axis < y->axis ? -1 : 1;
    struct rp_sweep_shape of_x = {.device = x->device,
                                  .gpu = x->gpu,
                                  .threads = x->threads,
                                  .impl = x->impl,
                                  .series = x->first};
    struct rp_sweep_shape of_y = {.device = y->device,
                                  .gpu = y->gpu,
                                  .threads = y->threads,
                                  .impl = y->impl,
                                  .series = y->first};
    of_x.series.causal = x->causal;
    of_y.series.causal = y->causal;
    return rp_sweep_shape_compare_subject(&of_x, &of_y);
}

enum rp_status rp_turn_table_create(const struct rp_turn_request *request,
                                    struct rp_turn_table *table)
{
    struct rp_turn_entries list = {0};
    *table = (struct rp_turn_table){0};
    enum rp_status status = rp_turn_entries_measured(request, &list);
    if (status == RP_OK)
        status = walk(&list, table);
    for (size_t g = 0; g < request->n_gpus && status == RP_OK; ++g) {
        status = rp_turn_entries_predicted(request->gpus[g], request->groups, &list);
        if (status == RP_OK)
            status = walk(&list, table);
    }
    rp_turn_entries_clear(&list);
    if (status != RP_OK)
        rp_turn_table_clear(table);
    else if (table->count)
        qsort(table->items, table->count, sizeof *table->items, compare_rows);
    return status;
}

void rp_turn_table_clear(struct rp_turn_table *table)
{
    free(table->items);
    *table = (struct rp_turn_table){0};
}

void rp_turn_text(const struct rp_turn_row *row, char text[RP_TURN_TEXT_SIZE])
{
    const struct rp_turn *t = &row->turn;
    bool is_never = t->kind == RP_TURN_NEVER;
    char value[RP_DECIMAL_SIZE];
    char low[RP_DECIMAL_SIZE] = "below";
    char high[RP_DECIMAL_SIZE] = "above";
    char ridge[RP_DECIMAL_SIZE];
    rp_decimal_plain(is_never ? t->limit_flop_per_byte : t->value, 3, value);
    rp_decimal_plain(t->ridge_flop_per_byte, 3, ridge);
    if (t->low > 0)
        rp_decimal_plain(t->low, 3, low);
    if (!isinf(t->high))
        rp_decimal_plain(t->high, 3, high);
    if (t->kind == RP_TURN_AT && !isnan(t->low))
        snprintf(text, RP_TURN_TEXT_SIZE, "%s (%s..%s)", value, low, high);
    else if (t->kind == RP_TURN_AT)
        snprintf(text, RP_TURN_TEXT_SIZE, "%s", value);
    else if (is_never)
        snprintf(text, RP_TURN_TEXT_SIZE, "never (limit %s, ridge %s FLOP/B)", value, ridge);
    else
        snprintf(text, RP_TURN_TEXT_SIZE, "%s (%s %" PRId64 ")", rp_turn_kind_name(t->kind),
                 t->kind == RP_TURN_BELOW ? "compute from" : "memory up to",
                 t->kind == RP_TURN_BELOW ? row->value_min : row->value_max);
}
