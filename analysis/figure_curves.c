/*
 * figure_curves.c - one value over the length, a curve a device: naive over fused, the rate of
 * prefill across device types, and the bandwidth of decode. All on the longest lines of the files.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/device_kind.h"
#include "analysis/figure.h"
#include "analysis/figure_curves.h"

static const struct rp_table_column columns[] = {
    {"series", NULL, NULL}, {"seq_k", NULL, NULL}, {"value", NULL, NULL},
    {"low", NULL, NULL},    {"high", NULL, NULL},
};
static const struct rp_figure_layout layout = {"curves", columns, RP_COUNT(columns)};

enum rp_status rp_curves_begin(struct rp_figures *figures, const char *name,
                               struct rp_curves *curves)
{
    curves->count = 0;
    curves->left_out = 0;
    curves->is_linear = false;
    return rp_figure_begin(figures, &layout, name, &curves->file);
}

bool rp_curves_select(struct rp_curves *curves, const char *name, double level)
{
    for (size_t i = 0; i < curves->count; ++i) {
        if (strcmp(curves->names[i], name) == 0) {
            curves->levels[i] = fmax(curves->levels[i], level); /* NaN is left out */
            curves->current = i;
            return true;
        }
    }
    if (curves->count == RP_CURVES_MAX) {
        ++curves->left_out;
        return false;
    }
    curves->current = curves->count++;
    snprintf(curves->names[curves->current], sizeof curves->names[0], "%s", name);
    curves->levels[curves->current] = level;
    return true;
}

void rp_curves_add(struct rp_curves *curves, const struct rp_figure_row *r,
                   const struct rp_curve_value *value)
{
    rp_figure_row(&curves->file, r->is_simulated);
    rp_table_word(curves->file.table, curves->names[curves->current]);
    rp_table_i64(curves->file.table, r->point.seq_k);
    rp_table_f64(curves->file.table, value->value, NULL);
    rp_table_f64(curves->file.table, value->low, NULL);
    rp_table_f64(curves->file.table, value->high, NULL);
}

enum rp_status rp_curves_end(struct rp_curves *curves, const char *units, double level)
{
    const char *names[RP_CURVES_MAX];
    for (size_t i = 0; i < curves->count; ++i)
        names[i] = curves->names[i];
    if (curves->count) {
        rp_figure_set_texts(&curves->file, "series", names, curves->count);
        rp_figure_set_numbers(&curves->file, "level", curves->levels, curves->count);
    }
    rp_figure_set_number(&curves->file, "common_level", level);
    rp_figure_set_text(&curves->file, "units", units);
    rp_figure_set_number(&curves->file, "is_log", !curves->is_linear);
    if (curves->left_out)
        rp_figure_say(&curves->file, " %zu rows of more devices are not drawn.", curves->left_out);
    return rp_figure_end(&curves->file);
}

/* count over the median, and over the ends of its interval. */
static struct rp_curve_value rate_of(double count, const struct rp_result *row)
{
    return (struct rp_curve_value){rp_ratio(count, row->time_median_s),
                                   rp_ratio(count, row->time_ci_high_s),
                                   rp_ratio(count, row->time_ci_low_s)};
}

/* Whether the fused implementation reaches 1 TFLOP/s on the series anywhere. */
static bool reaches_tera(const struct rp_figures *figures, const struct rp_series *series)
{
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        if (r->impl == RP_IMPL_fused && rp_series_has(series, &r->point) &&
            rp_ratio((double)r->row->flops, r->row->time_median_s) >= 1e12)
            return true;
    }
    return false;
}

enum rp_status rp_figure_types(struct rp_figures *figures)
{
    struct rp_series series;
    struct rp_curves curves;
    char shape[128];
    if (!rp_series_longest(&figures->summary->groups, RP_STAGE_PREFILL, &series))
        return RP_OK;
    rp_series_text(&series.shapes[0].point, shape, sizeof shape);
    bool is_large = reaches_tera(figures, &series);
    RP_TRY(rp_curves_begin(figures, "prefill-rate", &curves));
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        if (r->impl != RP_IMPL_fused || !(r->row->time_median_s > 0) ||
            !rp_series_has(&series, &r->point) || !rp_curves_select(&curves, r->label, NAN))
            continue;
        struct rp_curve_value rate =
            rate_of((double)r->row->flops * (is_large ? 1e-12 : 1e-9), r->row);
        rp_curves_add(&curves, r, &rate);
    }
    snprintf(curves.file.figure.title, sizeof curves.file.figure.title,
             "Prefill rate across devices");
    rp_figure_say(&curves.file,
                  "What the fused implementation reaches: flops over the median time; %s. Bars: "
                  "the 95 %% interval of "
                  "the median.",
                  shape);
    rp_figure_set_text(&curves.file, "shape", shape);
    return rp_curves_end(&curves, is_large ? "rate of fused (TFLOP/s)" : "rate of fused (GFLOP/s)",
                         NAN);
}

enum rp_status rp_figure_decode(struct rp_figures *figures)
{
    struct rp_series series;
    struct rp_curves curves;
    char shape[128];
    if (!rp_series_longest(&figures->summary->groups, RP_STAGE_DECODE, &series))
        return RP_OK;
    rp_series_text(&series.shapes[0].point, shape, sizeof shape);
    RP_TRY(rp_curves_begin(figures, "decode-bandwidth", &curves));
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        if (r->impl != RP_IMPL_fused || !(r->row->time_median_s > 0) ||
            !rp_series_has(&series, &r->point))
            continue;
        struct rp_roof roof = rp_roof_of(r->study, r->row);
        double ceiling = roof.memory ? roof.memory->value * 1e-9 : NAN;
        struct rp_curve_value rate = rate_of((double)r->row->bytes_min * 1e-9, r->row);
        if (rp_curves_select(&curves, r->label, ceiling))
            rp_curves_add(&curves, r, &rate);
    }
    snprintf(curves.file.figure.title, sizeof curves.file.figure.title,
             "Decode bandwidth over length");
    rp_figure_say(
        &curves.file,
        "What the fused implementation reaches: bytes_min over the median time; %s. Dashed: "
        "the device's own ceiling of reading, where it is known. Decode that is memory-bound "
        "approaches it; what lies below at short lengths is latency. Bars: the 95 %% "
        "interval of the median.",
        shape);
    rp_figure_set_text(&curves.file, "shape", shape);
    return rp_curves_end(&curves, "bandwidth of fused (GB/s)", NAN);
}

/* What naive takes over `r`; null where they were not measured side by side. */
static const struct rp_naive_cost *cost_of(const struct rp_figures *figures,
                                           const struct rp_figure_row *r)
{
    const struct rp_naive_cost_list *costs = &figures->summary->naive_costs;
    for (size_t i = 0; i < costs->count; ++i) {
        const struct rp_naive_cost *cost = &costs->items[i];
        if (cost->impl == r->impl && cost->threads == r->row->threads &&
            rp_point_compare(&cost->point, &r->point) == 0 &&
            rp_device_kind_compare(cost->device, r->device) == 0)
            return cost;
    }
    return NULL;
}

/* Of the fused rows of a line, repeats together: naive's time over theirs. */
static void add_ratios(struct rp_curves *curves, const struct rp_series *series)
{
    const struct rp_figures *figures = curves->file.figures;
    const struct rp_naive_cost *before = NULL;
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        char name[RP_CURVE_NAME_SIZE];
        if (r->impl != RP_IMPL_fused || !rp_series_has(series, &r->point))
            continue;
        const struct rp_naive_cost *cost = cost_of(figures, r);
        snprintf(name, sizeof name, "%s; %s", rp_stage_name(r->point.stage), r->label);
        if (!cost || cost == before || !rp_curves_select(curves, name, NAN))
            continue;
        before = cost;
        rp_curves_add(curves, r,
                      &(struct rp_curve_value){cost->time.value, cost->time.low, cost->time.high});
    }
}

enum rp_status rp_figure_naive(struct rp_figures *figures)
{
    struct rp_curves curves;
    RP_TRY(rp_curves_begin(figures, "naive-over-fused", &curves));
    rp_figure_say(&curves.file, "Paired, round by round, of rows measured side by side. Above 1 "
                                "fused is the faster one. Bars: the 95 %% interval of the median "
                                "ratio.");
    for (int stage = 0; stage <= RP_STAGE_DECODE; ++stage) {
        struct rp_series series;
        char shape[128];
        if (!rp_series_longest(&figures->summary->groups, (enum rp_stage)stage, &series))
            continue;
        rp_series_text(&series.shapes[0].point, shape, sizeof shape);
        rp_figure_say(&curves.file, " Shapes of %s.", shape);
        add_ratios(&curves, &series);
    }
    snprintf(curves.file.figure.title, sizeof curves.file.figure.title,
             "Time of naive over time of fused");
    rp_figure_set_text(&curves.file, "shape", "");
    return rp_curves_end(&curves, "time of naive / time of fused (ratio)", 1);
}
