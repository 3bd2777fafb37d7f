/*
 * figure_queries.c - two of the notebook's exercises: grouped queries (intensity rises with H/G,
 * bytes fall), and causal against dense counting, in FLOP and in time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/figure.h"
#include "analysis/figure_curves.h"
#include "model/cost.h"

static const struct rp_table_column columns[] = {
    {"heads", NULL, NULL}, {"kv_heads", NULL, NULL},  {"heads_per_kv_head", NULL, NULL},
    {"flops", NULL, NULL}, {"bytes_min", NULL, NULL}, {"intensity_flop_per_byte", NULL, NULL},
};
static const struct rp_figure_layout layout = {"queries", columns, RP_COUNT(columns)};

static int compare_but_kv_heads(const struct rp_point *a, const struct rp_point *b)
{
    struct rp_point x = *a;
    struct rp_point y = *b;
    x.kv_heads = y.kv_heads = 0;
    return rp_point_compare(&x, &y);
}

static int compare_kv_heads_last(const void *a, const void *b)
{
    const struct rp_point *x = a;
    const struct rp_point *y = b;
    int order = compare_but_kv_heads(x, y);
    return order ? order : (x->kv_heads < y->kv_heads) - (x->kv_heads > y->kv_heads);
}

/* Of sorted points the longest stretch that differs in kv_heads only: its first one and length. */
static size_t longest_stretch(const struct rp_point *points, size_t n, size_t *length)
{
    size_t best = 0;
    *length = 0;
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && compare_but_kv_heads(&points[begin], &points[end]) == 0)
            ++end;
        if (end - begin > *length) {
            best = begin;
            *length = end - begin;
        }
    }
    return best;
}

static enum rp_status put_shapes(struct rp_figure_file *file, const struct rp_point *points,
                                 size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        struct rp_cost cost;
        RP_TRY(rp_cost_of(&points[i], &cost));
        rp_figure_row(file, false);
        rp_table_i64(file->table, points[i].heads);
        rp_table_i64(file->table, points[i].kv_heads);
        rp_table_i64(file->table, points[i].heads / points[i].kv_heads);
        rp_table_i64(file->table, cost.flops);
        rp_table_i64(file->table, cost.bytes_min);
        rp_table_f64(file->table, rp_cost_intensity(cost.flops, cost.bytes_min), NULL);
    }
    return RP_OK;
}

static size_t collect_decode(const struct rp_groups *groups, struct rp_point *points)
{
    size_t n = 0;
    for (size_t g = 0; g < groups->count; ++g) {
        const struct rp_group *group = &groups->items[g];
        for (size_t i = 0; i < group->count && group->shapes[0].point.stage == RP_STAGE_DECODE; ++i)
            points[n++] = group->shapes[i].point;
    }
    return n;
}

/* n shapes that differ in kv_heads only. */
static enum rp_status draw_queries(struct rp_figures *figures, const struct rp_point *points,
                                   size_t n)
{
    const struct rp_point *p = &points[0];
    struct rp_figure_file file;
    RP_TRY(rp_figure_begin(figures, &layout, "grouped-queries", &file));
    enum rp_status status = put_shapes(&file, points, n);
    snprintf(file.figure.title, sizeof file.figure.title, "Grouped queries in decode");
    rp_figure_say(&file,
                  "Counted, not timed: decode, B=%" PRId64 " H=%" PRId64 " D=%" PRId64 " T=%" PRId64
                  " %s. The more query heads share a key/value head, the fewer bytes "
                  "have to be read for the same work: intensity rises towards %d H/G FLOP per "
                  "%d B.",
                  p->batch, p->heads, p->head_dim, p->seq_k, rp_dtype_info(p->dtype)->name, 2,
                  rp_dtype_info(p->dtype)->storage_bytes);
    enum rp_status ended = rp_figure_end(&file);
    return status == RP_OK ? ended : status;
}

enum rp_status rp_figure_queries(struct rp_figures *figures)
{
    const struct rp_groups *groups = &figures->summary->groups;
    struct rp_point *points = NULL;
    enum rp_status status = RP_OK;
    size_t most = 0;
    size_t length = 0;
    for (size_t g = 0; g < groups->count; ++g)
        most += groups->items[g].count;
    points = calloc(most + 1, sizeof *points);
    if (!points)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu shapes", most);
    size_t n = collect_decode(groups, points);
    qsort(points, n, sizeof *points, compare_kv_heads_last);
    size_t first = longest_stretch(points, n, &length);
    if (length > 1)
        status = draw_queries(figures, &points[first], length);
    free(points);
    return status;
}

static struct rp_point with_mask(const struct rp_point *p, bool causal)
{
    struct rp_point q = *p;
    q.causal = causal;
    return q;
}

/* The longest prefill line that the files have both with a mask and without. */
static bool choose_masked(const struct rp_figures *figures, struct rp_series *series)
{
    if (!rp_series_longest(&figures->summary->groups, RP_STAGE_PREFILL, series))
        return false;
    struct rp_point other = with_mask(&series->shapes[0].point, !series->shapes[0].point.causal);
    return rp_groups_find(&figures->summary->groups, &other) < figures->summary->groups.count;
}

/* One row with a mask and its sibling without: by count and by time. */
static void add_masked(struct rp_curves *curves, const struct rp_figure_row *masked,
                       const struct rp_figure_row *plain)
{
    const struct rp_result *a = masked->row;
    const struct rp_result *b = plain->row;
    char name[RP_CURVE_NAME_SIZE];
    struct rp_curve_value value = {rp_ratio((double)a->flops, (double)a->flops_dense), NAN, NAN};
    if (rp_curves_select(curves, "FLOP: visible pairs / all pairs", NAN))
        rp_curves_add(curves, masked, &value);
    snprintf(name, sizeof name, "time of %s", a->impl);
    value = (struct rp_curve_value){rp_ratio(a->time_median_s, b->time_median_s),
                                    rp_ratio(a->time_ci_low_s, b->time_ci_high_s),
                                    rp_ratio(a->time_ci_high_s, b->time_ci_low_s)};
    if (value.value > 0 && rp_curves_select(curves, name, NAN))
        rp_curves_add(curves, masked, &value);
}

/* Rows begin .. end - 1 are of one label; `series` has a mask. */
static enum rp_status draw_causal(struct rp_figures *figures, size_t begin, size_t end,
                                  const struct rp_series *series)
{
    const struct rp_figure_row *rows = figures->rows.items;
    struct rp_curves curves;
    char shape[128];
    char name[RP_FIGURE_NAME_SIZE];
    rp_figure_name(name, "causal-counting", rows[begin].label);
    RP_TRY(rp_curves_begin(figures, name, &curves));
    for (size_t i = begin; i < end; ++i) {
        if (!rp_series_has(series, &rows[i].point))
            continue;
        struct rp_point plain = with_mask(&rows[i].point, false);
        const struct rp_figure_row *sibling =
            rp_figure_rows_find(&figures->rows, &rows[i], &plain, rows[i].impl);
        if (sibling)
            add_masked(&curves, &rows[i], sibling);
    }
    rp_series_text(&series->shapes[0].point, shape, sizeof shape);
    snprintf(curves.file.figure.title, sizeof curves.file.figure.title,
             "Causal mask, counted and timed");
    snprintf(curves.file.figure.subject, sizeof curves.file.figure.subject, "%s",
             rows[begin].label);
    rp_figure_say(&curves.file,
                  "A row with a causal mask over the same one without; %s. By visible pairs the "
                  "work halves as T grows; dense counting, the notebook's, stays at 1. An "
                  "implementation whose time does not fall computes the hidden pairs too. Bars: "
                  "from the intervals of both medians.",
                  shape);
    rp_figure_set_text(&curves.file, "shape", shape);
    curves.is_linear = true;
    return rp_curves_end(&curves, "with causal mask / without (ratio)", 1);
}

enum rp_status rp_figure_causal(struct rp_figures *figures)
{
    struct rp_series series;
    if (!choose_masked(figures, &series))
        return RP_OK;
    const struct rp_shape masked = {.point = with_mask(&series.shapes[0].point, true)};
    series.shapes = &masked;
    for (size_t begin = 0, end = 0; begin < figures->rows.count; begin = end) {
        end = rp_figure_rows_end_of_label(&figures->rows, begin);
        RP_TRY(draw_causal(figures, begin, end, &series));
    }
    return RP_OK;
}
