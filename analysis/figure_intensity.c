/*
 * figure_intensity.c - arithmetic intensity over the length, with the ridge points of the GPU
 * types: above its ridge a type is compute-bound. Counts only; nothing here was timed.
 */
#include <inttypes.h>
#include <math.h>

#include "analysis/figure.h"

enum { SERIES_MAX = 8 };

static const struct rp_table_column columns[] = {
    {"series", NULL, NULL},
    {"stage", NULL, NULL},
    {"seq_k", NULL, NULL},
    {"intensity_flop_per_byte", NULL, NULL},
    {"intensity_dense_flop_per_byte", NULL, NULL},
};
static const struct rp_figure_layout layout = {"intensity", columns, RP_COUNT(columns)};

/* The dtype of the longest line; the others would only move it by their size. */
static bool choose_dtype(const struct rp_groups *groups, enum rp_dtype *dtype)
{
    struct rp_series prefill;
    struct rp_series decode;
    bool has_prefill = rp_series_longest(groups, RP_STAGE_PREFILL, &prefill);
    bool has_decode = rp_series_longest(groups, RP_STAGE_DECODE, &decode);
    if (has_prefill || has_decode)
        *dtype = (has_prefill ? prefill : decode).shapes[0].point.dtype;
    return has_prefill || has_decode;
}

static void put_curve(struct rp_figure_file *file, const struct rp_group *group, const char *name)
{
    const struct rp_point *p = &group->shapes[0].point;
    double last = (double)group->seq_max;
    for (double seq = (double)group->seq_min; seq <= last;
         seq = seq < last ? fmin(2 * seq, last) : 2 * seq) {
        rp_figure_row(file, false);
        rp_table_word(file->table, name);
        rp_table_word(file->table, rp_stage_name(p->stage));
        rp_table_f64(file->table, seq, NULL);
        rp_table_f64(file->table, rp_crossover_intensity(p, seq, false), NULL);
        rp_table_f64(file->table, rp_crossover_intensity(p, seq, true), NULL);
    }
}

static void name_curve(const struct rp_point *p, char *name, size_t size)
{
    char queries[48] = "";
    if (!rp_crossover_follows(p))
        snprintf(queries, sizeof queries, "; %" PRId64 " quer%s", p->seq_q,
                 p->seq_q == 1 ? "y" : "ies");
    else
        snprintf(queries, sizeof queries, "; %s", p->causal ? "causal mask" : "no mask");
    snprintf(name, size, "%s%s; H/G = %" PRId64, rp_stage_name(p->stage), queries,
             p->heads / p->kv_heads);
}

static void set_ridges(struct rp_figure_file *file, enum rp_dtype dtype)
{
    const struct rp_summary *s = file->figures->summary;
    char texts[RP_SUMMARY_GPUS_MAX][128];
    const char *names[RP_SUMMARY_GPUS_MAX];
    double ridges[RP_SUMMARY_GPUS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < s->n_gpus; ++i) {
        double ridge = rp_bound_ideal_ridge(s->gpus[i], dtype);
        if (!(ridge > 0))
            continue;
        snprintf(texts[n], sizeof texts[n], "%s: ridge %.0f FLOP/B", s->gpus[i]->gpu_type, ridge);
        names[n] = texts[n];
        ridges[n++] = ridge;
    }
    if (n == 0) { /* an array of gnuplot cannot be empty */
        names[0] = "";
        ridges[n++] = NAN;
    }
    rp_figure_set_texts(file, "gpu", names, n);
    rp_figure_set_numbers(file, "ridge", ridges, n);
}

enum rp_status rp_figure_intensity(struct rp_figures *figures)
{
    const struct rp_groups *groups = &figures->summary->groups;
    char texts[SERIES_MAX][128];
    const char *names[SERIES_MAX];
    size_t n = 0;
    size_t left_out = 0;
    enum rp_dtype dtype;
    struct rp_figure_file file;
    if (!choose_dtype(groups, &dtype))
        return RP_OK;
    RP_TRY(rp_figure_begin(figures, &layout, "intensity", &file));
    for (size_t i = 0; i < groups->count; ++i) {
        const struct rp_point *p = &groups->items[i].shapes[0].point;
        if (p->dtype != dtype || n == SERIES_MAX) {
            left_out += p->dtype == dtype;
            continue;
        }
        name_curve(p, texts[n], sizeof texts[n]);
        names[n] = texts[n];
        put_curve(&file, &groups->items[i], names[n++]);
    }
    rp_figure_set_texts(&file, "series", names, n);
    set_ridges(&file, dtype);
    snprintf(file.figure.title, sizeof file.figure.title, "Arithmetic intensity over length, %s",
             rp_dtype_info(dtype)->name);
    rp_figure_say(
        &file,
        "Counted, not timed: flops over bytes_min for the shapes of the files in %s. A GPU "
        "type is compute-bound above its ridge (its peak over its bandwidth, both of the "
        "datasheet) and memory-bound below. Shaded: memory-bound (blue) or compute-bound "
        "(orange) on all of these types.",
        rp_dtype_info(dtype)->name);
    if (left_out)
        rp_figure_say(&file, " %zu more kinds of shapes are not drawn.", left_out);
    return rp_figure_end(&file);
}
