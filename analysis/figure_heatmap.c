/*
 * figure_heatmap.c - one of the notebook's exercises: context length by batch, coloured by the rate
 * that can be achieved, and the smallest batch worth running at each context.
 *
 *   measured cells    flops over the median of impl=fused
 *   predicted cells   flops over the forecast of impl=fused by the ceilings measured on that type,
 *                     else by what good kernels reach of the datasheet (plan/rates.h)
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/device_kind.h"
#include "analysis/figure.h"
#include "model/cost.h"
#include "plan/rates.h"

enum { CONTEXTS = 8, BATCHES = 7, FIRST_CONTEXT = 64 }; /* 64 .. 8192 by 1 .. 64, doubling */

static const double worth_frac = 0.9; /* of the best rate at that context */

static const struct rp_table_column columns[] = {
    {"context", NULL, NULL},    {"batch", NULL, NULL},
    {"flop_per_s", NULL, NULL}, {"basis", NULL, NULL}, /* measured, predicted, oom */
    {"sweet_spot", NULL, NULL},
};
static const struct rp_figure_layout layout = {"heatmap", columns, RP_COUNT(columns)};

struct cell {
    double flop_per_s; /* NaN: not known */
    const char *basis; /* null: not known */
    bool is_simulated;
};

struct heatmap {
    char label[RP_LABEL_SIZE];     /* of the devices that measured; else the GPU type */
    const struct rp_gpu_spec *gpu; /* null: no prediction */
    struct rp_point shape;         /* its batch and length are the axes */
    struct cell cells[CONTEXTS][BATCHES];
    size_t measured, predicted, oom;
    bool is_simulated;  /* a simulated device answered the measured ones */
    const char *source; /* of the predictions */
};

static struct rp_point point_of(const struct heatmap *map, int context, int batch)
{
    struct rp_point p = map->shape;
    p.batch = (int64_t)1 << batch;
    p.seq_k = (int64_t)FIRST_CONTEXT << context;
    if (p.stage == RP_STAGE_PREFILL)
        p.seq_q = p.seq_k;
    return p;
}

/* Ceilings of devices of the type, from rows that were not simulated unless those are drawn. */
static void learn(struct rp_rates *rates, const struct rp_figures *figures, const char *gpu_type)
{
    const struct rp_study_list *list = figures->summary->list;
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
            bool is_there =
                c->device >= 0 && (size_t)c->device < rp_study_count(study, RP_TABLE_DEVICES);
            const struct rp_device_row *device =
                is_there ? &rp_study_devices(study)[c->device] : NULL;
            if (device && strcmp(device->gpu_type, gpu_type) == 0 &&
                !rp_device_is_simulated(device))
                rp_rates_learn(rates, c);
        }
    }
}

static struct cell predict(const struct rp_rates *rates, const struct rp_point *p)
{
    struct cell cell = {NAN, NULL, false};
    struct rp_method_cost method;
    struct rp_cost cost;
    if (rp_method_cost_of(&rates->method, RP_IMPL_fused, p, &method) != RP_OK ||
        rp_cost_of(p, &cost) != RP_OK)
        return cell;
    cell.basis = "predicted";
    if (rp_method_cost_memory(&method) > rates->memory_bytes)
        cell.basis = "oom";
    else
        cell.flop_per_s = (double)cost.flops / rp_rates_launch_s(rates, p, RP_IMPL_fused, &method);
    return cell;
}

static void predict_all(struct heatmap *map, const struct rp_figures *figures)
{
    struct rp_rates rates;
    struct rp_device_row device;
    rp_row_init(RP_TABLE_DEVICES, &device);
    RP_WORD_SET(device.gpu_type, map->gpu->gpu_type);
    RP_WORD_SET(device.backend, "cuda");
    device.multiprocessors = map->gpu->multiprocessors;
    device.memory_bytes = map->gpu->memory_bytes;
    device.l2_bytes = map->gpu->l2_bytes;
    rp_rates_init(&rates, &device, 0, map->gpu);
    learn(&rates, figures, map->gpu->gpu_type);
    map->source = rp_rates_source(&rates);
    for (int c = 0; c < CONTEXTS; ++c) {
        for (int b = 0; b < BATCHES; ++b) {
            struct rp_point p = point_of(map, c, b);
            map->cells[c][b] = predict(&rates, &p);
        }
    }
}

/* Puts the timed rows of one label over the predictions. */
static void take_measured(struct heatmap *map, const struct rp_figures *figures)
{
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        double rate = rp_ratio((double)r->row->flops, r->row->time_median_s);
        if (r->impl != RP_IMPL_fused || !(rate > 0) || strcmp(r->label, map->label) != 0)
            continue;
        int c = 0;
        int b = 0;
        while (c < CONTEXTS && (int64_t)FIRST_CONTEXT << c != r->point.seq_k)
            ++c;
        while (b < BATCHES && (int64_t)1 << b != r->point.batch)
            ++b;
        if (c == CONTEXTS || b == BATCHES)
            continue;
        struct rp_point p = point_of(map, c, b);
        if (rp_point_compare(&p, &r->point) == 0)
            map->cells[c][b] = (struct cell){rate, "measured", r->is_simulated};
    }
}

static int sweet_spot(const struct heatmap *map, int context)
{
    double best = 0;
    int batch = 0;
    for (int b = 0; b < BATCHES; ++b)
        best = fmax(best, map->cells[context][b].flop_per_s); /* NaN is left out */
    while (batch < BATCHES && !(map->cells[context][batch].flop_per_s >= worth_frac * best))
        ++batch;
    return best > 0 ? batch : BATCHES;
}

static void put_cells(struct heatmap *map, struct rp_figure_file *file)
{
    for (int c = 0; c < CONTEXTS; ++c) {
        int spot = sweet_spot(map, c);
        for (int b = 0; b < BATCHES; ++b) {
            const struct cell *cell = &map->cells[c][b];
            if (!cell->basis)
                continue;
            bool is_measured = strcmp(cell->basis, "measured") == 0;
            map->measured += is_measured;
            map->predicted += !is_measured;
            map->oom += strcmp(cell->basis, "oom") == 0;
            map->is_simulated |= cell->is_simulated;
            rp_figure_row(file, cell->is_simulated);
            rp_table_i64(file->table, (int64_t)FIRST_CONTEXT << c);
            rp_table_i64(file->table, (int64_t)1 << b);
            rp_table_f64(file->table, cell->flop_per_s, NULL);
            rp_table_word(file->table, cell->basis);
            rp_table_i64(file->table, b == spot);
        }
    }
}

/* With one alone there is nothing to choose, and the curves over T have it. */
static size_t count_batches(const struct heatmap *map)
{
    size_t count = 0;
    for (int b = 0; b < BATCHES; ++b) {
        bool is_there = false;
        for (int c = 0; c < CONTEXTS; ++c)
            is_there |= map->cells[c][b].basis != NULL;
        count += is_there;
    }
    return count;
}

/* Which cells are what. */
static void say_basis(const struct heatmap *map, struct rp_figure_file *file)
{
    if (map->measured)
        rp_figure_say(file, " With a star: %s (%zu cell%s).",
                      map->is_simulated ? "answered by the simulated device" : "measured",
                      map->measured, map->measured == 1 ? "" : "s");
    if (map->predicted)
        rp_figure_say(file, " %s predicted from the %s ceilings (%zu cells).",
                      map->measured ? "Without:" : "All of it is", map->source, map->predicted);
    if (map->oom)
        rp_figure_say(file, " oom: would not fit in memory.");
    rp_figure_say(file, " Framed: the smallest batch that reaches 90 %% of the best rate at that "
                        "context.");
}

static enum rp_status draw(struct rp_figures *figures, struct heatmap *map)
{
    struct rp_figure_file file;
    char kind[32];
    char name[RP_FIGURE_NAME_SIZE];
    char series[128];
    char shape[160];
    const char *stage = rp_stage_name(map->shape.stage);
    snprintf(kind, sizeof kind, "heatmap-%s", stage);
    rp_figure_name(name, kind, map->label);
    if (map->gpu)
        predict_all(map, figures);
    take_measured(map, figures);
    if (count_batches(map) < 2)
        return RP_OK;
    RP_TRY(rp_figure_begin(figures, &layout, name, &file));
    map->shape.batch = 1;
    rp_series_text(&map->shape, series, sizeof series);
    /* From the heads on: the batch is an axis. */
    snprintf(shape, sizeof shape, "%s, %s", stage, strstr(series, "H="));
    put_cells(map, &file);
    rp_figure_set_text(&file, "shape", shape);
    snprintf(file.figure.title, sizeof file.figure.title, "Achievable %s rate", stage);
    snprintf(file.figure.subject, sizeof file.figure.subject, "%s", map->label);
    rp_figure_say(&file, "Rate of the fused implementation; %s.", shape);
    say_basis(map, &file);
    return rp_figure_end(&file);
}

/* A map for each label of a type, or one of predictions only when nobody measured it. */
static enum rp_status draw_type(struct rp_figures *figures, const struct rp_gpu_spec *gpu,
                                const struct rp_point *shape)
{
    const struct rp_figure_rows *rows = &figures->rows;
    size_t drawn = 0;
    for (size_t begin = 0, end = 0; begin < rows->count; begin = end) {
        end = rp_figure_rows_end_of_label(rows, begin);
        const struct rp_device_row *device = rows->items[begin].device;
        if (rp_gpu_of_device(figures->gpus, device) != gpu)
            continue;
        struct heatmap map = {.gpu = gpu, .shape = *shape};
        snprintf(map.label, sizeof map.label, "%s", rows->items[begin].label);
        RP_TRY(draw(figures, &map));
        ++drawn;
    }
    if (drawn || !gpu)
        return RP_OK;
    struct heatmap map = {.gpu = gpu, .shape = *shape};
    snprintf(map.label, sizeof map.label, "%s", gpu->gpu_type);
    return draw(figures, &map);
}

enum rp_status rp_figure_heatmap(struct rp_figures *figures)
{
    for (int stage = 0; stage <= RP_STAGE_DECODE; ++stage) {
        struct rp_series series;
        if (!rp_series_longest(&figures->summary->groups, (enum rp_stage)stage, &series))
            continue;
        const struct rp_point *shape = &series.shapes[0].point;
        for (size_t i = 0; i < figures->summary->n_gpus; ++i)
            RP_TRY(draw_type(figures, figures->summary->gpus[i], shape));
        RP_TRY(draw_type(figures, NULL, shape)); /* CPUs and types that data/ does not know */
    }
    return RP_OK;
}
