/*
 * figure_memory.c - memory over the length of the longest prefill line: what was counted, the
 * prediction, and where a device ends.
 */
#include <math.h>
#include <string.h>

#include "analysis/figure.h"

enum { LABELS_MAX = 6 };

static const struct rp_table_column columns[] = {
    {"device", NULL, NULL},       {"impl", NULL, NULL},
    {"seq_k", NULL, NULL},        {"peak_memory_bytes", NULL, NULL},
    {"scores_bytes", NULL, NULL}, {"predicted_memory_bytes", NULL, NULL},
    {"status", NULL, NULL},
};
static const struct rp_figure_layout layout = {"memory", columns, RP_COUNT(columns)};

static void put_bytes(struct rp_table_writer *w, int64_t bytes)
{
    if (bytes >= 0)
        rp_table_i64(w, bytes);
    else
        rp_table_missing(w);
}

static void put_row(struct rp_figure_file *file, const struct rp_figure_row *r)
{
    rp_figure_row(file, r->is_simulated);
    rp_table_word(file->table, r->label);
    rp_table_word(file->table, r->row->impl);
    rp_table_i64(file->table, r->row->seq_k);
    put_bytes(file->table, r->row->peak_memory_bytes);
    put_bytes(file->table, r->row->scores_bytes);
    put_bytes(file->table, r->row->predicted_memory_bytes);
    rp_table_word(file->table, r->row->status);
}

enum rp_status rp_figure_memory(struct rp_figures *figures)
{
    struct rp_series series;
    struct rp_figure_file file;
    const char *labels[LABELS_MAX];
    double memory_bytes[LABELS_MAX];
    size_t n = 0;
    char shape[128];
    if (!rp_series_longest(&figures->summary->groups, RP_STAGE_PREFILL, &series))
        return RP_OK;
    RP_TRY(rp_figure_begin(figures, &layout, "memory", &file));
    for (size_t i = 0; i < figures->rows.count; ++i) {
        const struct rp_figure_row *r = &figures->rows.items[i];
        if (!rp_series_has(&series, &r->point) || r->row->predicted_memory_bytes <= 0)
            continue;
        bool is_new = n == 0 || strcmp(labels[n - 1], r->label) != 0;
        if (is_new && n == LABELS_MAX)
            break;
        if (is_new) {
            labels[n] = r->label;
            memory_bytes[n++] = (double)r->device->memory_bytes;
        }
        put_row(&file, r);
    }
    if (n) {
        rp_figure_set_texts(&file, "device", labels, n);
        rp_figure_set_numbers(&file, "memory_bytes", memory_bytes, n);
    }
    rp_series_text(&series.shapes[0].point, shape, sizeof shape);
    snprintf(file.figure.title, sizeof file.figure.title, "Memory over length");
    rp_figure_set_text(&file, "shape", shape);
    rp_figure_say(
        &file,
        "Peak memory of one call, tensors included; %s. Lines: predicted before anything was "
        "allocated. Marks: counted by the allocator while it ran; a cross: did not fit and "
        "was not run. Horizontal: all the memory a device has. Scores in memory grow with "
        "the square of T, everything else with T.",
        shape);
    return rp_figure_end(&file);
}
