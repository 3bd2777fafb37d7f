/*
 * figure_roofline.c - one roofline for each kind of device and dtype: roofs of the datasheet and
 * those measured on the device, and every timed row twice, joined: by the least work and traffic
 * (flops over bytes_min) and by what its implementation executes and moves.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/figure.h"
#include "analysis/plausible.h"

enum { ROOFS_MAX = 8, ROWS_MAX = 3000 }; /* more marks are not to be told apart */

static const struct rp_table_column columns[] = {
    {"point", NULL, NULL},
    {"impl", NULL, NULL},
    {"stage", NULL, NULL},
    {"batch", NULL, NULL},
    {"heads", NULL, NULL},
    {"kv_heads", NULL, NULL},
    {"seq_q", NULL, NULL},
    {"seq_k", NULL, NULL},
    {"causal", NULL, NULL},
    {"ideal_flop_per_byte", NULL, NULL},
    {"ideal_flop_per_s", NULL, NULL},
    {"impl_flop_per_byte", NULL, NULL},
    {"impl_flop_per_s", NULL, NULL},
};
static const struct rp_figure_layout layout = {"roofline", columns, RP_COUNT(columns)};

struct roof {
    char path[RP_PATH_SIZE];
    bool is_measured; /* or answered by a simulated device */
    double flop_per_s, bytes_per_s;
};

struct roofs {
    struct roof items[ROOFS_MAX];
    size_t count;
};

/* The best of a path and kind; a roof that is not known is left out. */
static void add_roof(struct roofs *roofs, const struct roof *roof)
{
    size_t i = 0;
    if (!(roof->flop_per_s > 0) || !(roof->bytes_per_s > 0))
        return;
    while (i < roofs->count && (strcmp(roofs->items[i].path, roof->path) != 0 ||
                                roofs->items[i].is_measured != roof->is_measured))
        ++i;
    if (i == ROOFS_MAX)
        return;
    struct roof *best = &roofs->items[i];
    if (i == roofs->count) {
        ++roofs->count;
        *best = *roof;
    }
    best->flop_per_s = fmax(best->flop_per_s, roof->flop_per_s);
    best->bytes_per_s = fmax(best->bytes_per_s, roof->bytes_per_s);
}

static void add_roofs_of(struct roofs *roofs, const struct rp_figure_row *r,
                         const struct rp_gpu_spec *gpu)
{
    struct roof roof = {.is_measured = false};
    struct rp_roof measured = rp_roof_of(r->study, r->row);
    snprintf(roof.path, sizeof roof.path, "%s", r->row->path);
    if (gpu) {
        roof.flop_per_s = rp_gpu_spec_peak(gpu, roof.path);
        roof.bytes_per_s = gpu->bandwidth_bytes_per_s;
        add_roof(roofs, &roof);
    }
    if (measured.most_compute && measured.most_memory) {
        roof.is_measured = true;
        roof.flop_per_s = measured.most_compute->value;
        roof.bytes_per_s = measured.most_memory->value;
        add_roof(roofs, &roof);
    }
}

static bool is_drawn(const struct rp_figure_row *r, enum rp_dtype dtype)
{
    const struct rp_result *row = r->row;
    return r->point.dtype == dtype && row->time_median_s > 0 && row->flops > 0 &&
           row->bytes_min > 0 && row->flops_impl > 0 && row->bytes_impl > 0 &&
           !rp_row_plausibility(r->study, row).is_implausible;
}

static void put_row(struct rp_figure_file *file, const struct rp_figure_row *r)
{
    const struct rp_result *row = r->row;
    struct rp_table_writer *w = file->table;
    rp_figure_row(file, r->is_simulated);
    rp_table_word(w, row->point);
    rp_table_word(w, row->impl);
    rp_table_word(w, row->stage);
    rp_table_i64(w, row->batch);
    rp_table_i64(w, row->heads);
    rp_table_i64(w, row->kv_heads);
    rp_table_i64(w, row->seq_q);
    rp_table_i64(w, row->seq_k);
    rp_table_i64(w, row->causal);
    rp_table_f64(w, rp_ratio((double)row->flops, (double)row->bytes_min), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops, row->time_median_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, (double)row->bytes_impl), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, row->time_median_s), NULL);
}

static void set_roofs(struct rp_figure_file *file, const struct roofs *roofs)
{
    const char *own = file->figure.is_simulated ? "simulated" : "measured";
    char texts[ROOFS_MAX][128] = {""};
    const char *names[ROOFS_MAX] = {texts[0]};
    double flop_per_s[ROOFS_MAX] = {NAN};
    double bytes_per_s[ROOFS_MAX] = {NAN};
    double measured[ROOFS_MAX] = {0};
    for (size_t i = 0; i < roofs->count; ++i) {
        const struct roof *roof = &roofs->items[i];
        bool is_large = roof->flop_per_s >= 1e12;
        snprintf(texts[i], sizeof texts[i], "%s, %s: %.3g %s, %.4g GB/s", roof->path,
                 roof->is_measured ? own : "datasheet",
                 roof->flop_per_s * (is_large ? 1e-12 : 1e-9), is_large ? "TFLOP/s" : "GFLOP/s",
                 roof->bytes_per_s * 1e-9);
        names[i] = texts[i];
        flop_per_s[i] = roof->flop_per_s;
        bytes_per_s[i] = roof->bytes_per_s;
        measured[i] = roof->is_measured;
    }
    size_t n = roofs->count ? roofs->count : 1; /* an array of gnuplot cannot be empty */
    rp_figure_set_texts(file, "roof", names, n);
    rp_figure_set_numbers(file, "roof_flop_per_s", flop_per_s, n);
    rp_figure_set_numbers(file, "roof_bytes_per_s", bytes_per_s, n);
    rp_figure_set_numbers(file, "roof_measured", measured, n);
}

/* Rows begin .. end - 1 are of one label. */
static enum rp_status draw(struct rp_figures *figures, size_t begin, size_t end,
                           enum rp_dtype dtype)
{
    const struct rp_figure_row *first = &figures->rows.items[begin];
    const struct rp_gpu_spec *gpu = rp_gpu_of_device(figures->gpus, first->device);
    const char *dtype_name = rp_dtype_info(dtype)->name;
    const size_t stride = 1 + (end - begin) / ROWS_MAX;
    struct roofs roofs = {.count = 0};
    struct rp_figure_file file;
    char kind[32];
    char name[RP_FIGURE_NAME_SIZE];
    snprintf(kind, sizeof kind, "roofline-%s", dtype_name);
    rp_figure_name(name, kind, first->label);
    RP_TRY(rp_figure_begin(figures, &layout, name, &file));
    for (size_t i = begin; i < end; i += stride) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        if (!is_drawn(r, dtype))
            continue;
        add_roofs_of(&roofs, r, gpu);
        put_row(&file, r);
    }
    set_roofs(&file, &roofs);
    snprintf(file.figure.title, sizeof file.figure.title, "Roofline, %s", dtype_name);
    snprintf(file.figure.subject, sizeof file.figure.subject, "%s", first->label);
    rp_figure_say(
        &file,
        "Every timed %s row of %s. Filled: what the implementation executes over what it "
        "moves (flops_impl, bytes_impl). Open, joined to it: the same time by the least work "
        "and traffic (flops, bytes_min). Solid roofs: the device's own ceilings; dashed: the "
        "datasheet's. tensor_: on tensor cores, simt_: on plain cores, cpu_: on vector units. "
        "Rows that are faster than compulsory work allows are left out.",
        dtype_name, first->label);
    if (stride > 1)
        rp_figure_say(&file, " Of so many rows one in %zu is drawn.", stride);
    if (figures->rows.left_out)
        rp_figure_say(&file, " Of a point's repeats at most %d are drawn.", RP_FIGURE_REPEATS);
    if (roofs.count == 0)
        rp_figure_say(&file, " No roof is drawn: data/ does not know the type, and no ceiling "
                             "was measured undisturbed.");
    return rp_figure_end(&file);
}

enum rp_status rp_figure_roofline(struct rp_figures *figures)
{
    for (size_t begin = 0, end = 0; begin < figures->rows.count; begin = end) {
        end = rp_figure_rows_end_of_label(&figures->rows, begin);
        for (int dtype = 0; dtype < RP_DTYPE_COUNT; ++dtype)
            RP_TRY(draw(figures, begin, end, (enum rp_dtype)dtype));
    }
    return RP_OK;
}
