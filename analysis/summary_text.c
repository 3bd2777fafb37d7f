/*
 * summary_text.c - the summary for eyes: what was measured here, then a table per GPU type, then
 * the answer in sentences.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/device_kind.h"
#include "analysis/summary.h"
#include "base/decimal.h"

#define CELL_SIZE 64

/* "64..8192", or one number. */
static void lengths_cell(char cell[CELL_SIZE], const struct rp_group *group)
{
    if (group->seq_min == group->seq_max)
        snprintf(cell, CELL_SIZE, "%" PRId64, group->seq_min);
    else
        snprintf(cell, CELL_SIZE, "%" PRId64 "..%" PRId64, group->seq_min, group->seq_max);
}

static void number_cell(char cell[CELL_SIZE], double value, int digits)
{
    char text[RP_DECIMAL_SIZE];
    rp_decimal_plain(value, digits, text);
    snprintf(cell, CELL_SIZE, "%s", text);
}

/* "0.12..34.5", or one number; "-" without. */
static void range_cell(char cell[CELL_SIZE], double low, double high, int digits)
{
    char low_text[CELL_SIZE];
    char high_text[CELL_SIZE];
    if (isnan(low)) {
        snprintf(cell, CELL_SIZE, "-");
        return;
    }
    number_cell(low_text, low, digits);
    number_cell(high_text, high, digits);
    bool is_one = strcmp(low_text, high_text) == 0;
    snprintf(cell, CELL_SIZE, is_one ? "%.20s" : "%.20s..%.20s", low_text, high_text);
}

static const char *mask_of(const struct rp_point *p)
{
    return p->causal ? "causal" : "none";
}

/* stage, dtype, mask, query heads per kv head, T. */
static void put_shape(struct rp_table_writer *w, const struct rp_group *group)
{
    const struct rp_point *p = &group->shapes[0].point;
    char lengths[CELL_SIZE];
    lengths_cell(lengths, group);
    rp_table_word(w, rp_stage_name(p->stage));
    rp_table_word(w, rp_dtype_info(p->dtype)->name);
    rp_table_word(w, mask_of(p));
    rp_table_i64(w, p->heads / p->kv_heads);
    rp_table_word(w, lengths);
}

#define SHAPE_COLUMNS                                                                              \
    {"stage", NULL, NULL}, {"dtype", NULL, NULL}, {"mask", NULL, NULL},                            \
        {"heads_per_kv_head", "H/G", NULL},                                                        \
    {                                                                                              \
        "seq_k", "T", NULL                                                                         \
    }

static const struct rp_table_column measured_columns[] = {
    SHAPE_COLUMNS,
    {"impl", NULL, NULL},
    {"points", "timed", NULL},
    {"time_median_s", "median time", "ms"},
    {"achieved_flop_per_s", "best", "GFLOP/s"},
    {"achieved_bytes_per_s", "best", "GB/s"},
    {"naive_time_ratio", "naive/this", NULL},
    {"class_ideal", "ideal", NULL},
    {"class_predicted", "predicted", NULL},
    {"class_measured", "measured", NULL},
    {"crossover_measured", "from T", NULL},
    {"attained_frac", "attained", NULL},
};

static void put_scaled(struct rp_table_writer *w, double value, double scale, int digits)
{
    char cell[CELL_SIZE];
    number_cell(cell, value * scale, digits);
    rp_table_f64(w, value, cell);
}

static void put_measured(struct rp_table_writer *w, const struct rp_summary *s,
                         const struct rp_measured *m)
{
    const struct rp_group *group = &s->groups.items[m->group];
    const struct rp_gpu_spec *gpu = rp_summary_gpu(s, m->device->gpu_type);
    char times[CELL_SIZE];
    char timed[CELL_SIZE];
    char cell[CELL_SIZE];
    range_cell(times, 1e3 * m->time_min_s, 1e3 * m->time_max_s, 3);
    snprintf(timed, sizeof timed, m->timed < m->rows ? "%zu of %zu" : "%zu", m->timed, m->rows);
    put_shape(w, group);
    rp_table_word(w, rp_impl_name(m->impl));
    rp_table_word(w, timed);
    rp_table_word(w, times);
    put_scaled(w, m->flop_per_s, 1e-9, 3);
    put_scaled(w, m->bytes_per_s, 1e-9, 3);
    put_scaled(w, m->naive_ratio, 1, 3);
    struct rp_class_count ideal = {0};
    struct rp_predicted predicted = {0};
    if (gpu) {
        ideal = rp_group_ideal(group, gpu, false);
        predicted = rp_group_predicted(group, gpu, m->impl);
    }
    rp_table_word(w, rp_class_count_word(&ideal)); /* of nothing counted: missing */
    rp_table_word(w, rp_class_count_word(&predicted.classes));
    rp_table_word(w, rp_measured_class(m));
    range_cell(cell, m->seq_min, m->seq_max, 3);
    rp_table_word(w, cell);
    range_cell(cell, m->attained_min, m->attained_max, 2);
    rp_table_word(w, cell);
}

static void print_files(const struct rp_summary *s, FILE *out)
{
    for (size_t i = 0; i < s->list->count; ++i) {
        const struct rp_study_file *file = &s->list->files[i];
        fprintf(out, "%s: %s, %zu of %" PRId64 " planned rows", file->path,
                file->study.complete ? "complete" : "partial", rp_study_result_rows(&file->study),
                file->study.rows_planned);
        for (size_t r = 0; r < rp_study_count(&file->study, RP_TABLE_RUNS); ++r) {
            const struct rp_run *run = &rp_study_runs(&file->study)[r];
            fprintf(out, "%s%s begun %s", r ? ", " : "; job ", run->job_name, run->started_utc);
        }
        fprintf(out, "\n");
    }
}

enum rp_status rp_summary_measured_table(const struct rp_summary *s, size_t begin, size_t end,
                                         enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    RP_TRY(rp_table_begin(out, format, "ridgepoint-summary", measured_columns,
                          RP_COUNT(measured_columns), &w));
    for (size_t i = begin; i < end; ++i)
        put_measured(w, s, &s->measured.items[i]);
    return rp_table_end(w);
}

/* The devices the files were measured on, one table for those that are alike. */
static enum rp_status print_measured(const struct rp_summary *s, FILE *out)
{
    for (size_t begin = 0, end = 0; begin < s->measured.count; begin = end) {
        const struct rp_measured *first = &s->measured.items[begin];
        char device[RP_SUMMARY_DEVICE_SIZE];
        end = rp_measured_end_of_device(&s->measured, begin);
        rp_summary_device_text(first->device, NULL, first->threads, device);
        fprintf(out,
                "\n%s %s (by flops and bytes_min; naive/this above 1: faster than naive; "
                "from T: where\nt_compute passes t_memory at the measured ceilings; attained: "
                "floor over median)\n",
                rp_device_is_simulated(first->device) ? "Not measured:" : "Measured on", device);
        RP_TRY(rp_summary_measured_table(s, begin, end, RP_TABLE_EYES, out));
        RP_TRY(rp_summary_ceilings(s, first, RP_TABLE_EYES, out));
    }
    return RP_OK;
}

static const struct rp_table_column datasheet_columns[] = {
    SHAPE_COLUMNS,
    {"intensity", NULL, "FLOP/B"},
    {"class_ideal", "ideal", NULL},
    {"crossover_ideal", "from T", NULL},
    {"crossover_dense", "dense", NULL},
    {"naive", NULL, NULL},
    {"reference", NULL, NULL},
    {"fused", NULL, NULL},
};

/* "407": compute-bound from there on; "never"; "always". */
static void crossover_cell(char cell[CELL_SIZE], const struct rp_crossover *x)
{
    if (x->kind == RP_CROSSOVER_AT)
        number_cell(cell, x->seq, 3);
    else
        snprintf(cell, CELL_SIZE, "%s",
                 x->kind == RP_CROSSOVER_MISSING ? "-" : rp_crossover_name(x->kind));
}

/* "memory", "compute", or "from 812", "from 300..812" over series. */
static void predicted_cell(char cell[CELL_SIZE], const struct rp_predicted *p)
{
    if (!(p->seq_min > 0) || !p->classes.memory || !p->classes.compute)
        snprintf(cell, CELL_SIZE, "%s",
                 p->classes.missing && !p->classes.memory && !p->classes.compute
                     ? "-"
                     : rp_class_count_word(&p->classes));
    else if (p->seq_max - p->seq_min < 1)
        snprintf(cell, CELL_SIZE, "from %.0f", p->seq_min);
    else
        snprintf(cell, CELL_SIZE, "from %.0f..%.0f", p->seq_min, p->seq_max);
}

static void put_datasheet(struct rp_table_writer *w, const struct rp_group *group,
                          const struct rp_gpu_spec *gpu)
{
    const struct rp_point *p = &group->shapes[0].point;
    char low[CELL_SIZE];
    char high[CELL_SIZE];
    char cell[2 * CELL_SIZE];
    struct rp_class_count ideal = rp_group_ideal(group, gpu, false);
    number_cell(low, rp_crossover_intensity(p, (double)group->seq_min, false), 3);
    number_cell(high, rp_crossover_intensity(p, (double)group->seq_max, false), 3);
    snprintf(cell, sizeof cell, strcmp(low, high) == 0 ? "%s" : "%s..%s", low, high);
    put_shape(w, group);
    rp_table_word(w, cell);
    rp_table_word(w, rp_class_count_word(&ideal));
    for (int dense = 0; dense < 2; ++dense) {
        struct rp_crossover x = rp_crossover_ideal(gpu, p, dense == 1);
        crossover_cell(cell, &x);
        rp_table_word(w, cell);
    }
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        struct rp_predicted predicted = rp_group_predicted(group, gpu, (enum rp_impl)impl);
        predicted_cell(cell, &predicted);
        rp_table_word(w, rp_impl_in(group->impls, (enum rp_impl)impl) ? cell : "-");
    }
}

void rp_summary_datasheet_text(const struct rp_summary *s, const struct rp_gpu_spec *gpu, FILE *out)
{
    char bandwidth[CELL_SIZE];
    number_cell(bandwidth, gpu->bandwidth_bytes_per_s * 1e-9, 4);
    fprintf(out, "%s GB/s", bandwidth);
    for (int dtype = 0; dtype < RP_DTYPE_COUNT; ++dtype) {
        const char *name = rp_dtype_info((enum rp_dtype)dtype)->name;
        double peak = rp_gpu_spec_peak(gpu, rp_bound_ideal_path((enum rp_dtype)dtype));
        if (!rp_groups_have_dtype(&s->groups, (enum rp_dtype)dtype))
            continue;
        if (peak > 0)
            fprintf(out, "; %s %.4g TFLOP/s, ridge %.4g FLOP/B", name, peak * 1e-12,
                    rp_bound_ideal_ridge(gpu, (enum rp_dtype)dtype));
        else
            fprintf(out, "; %s none", name);
    }
}

enum rp_status rp_summary_datasheet_table(const struct rp_summary *s, const struct rp_gpu_spec *gpu,
                                          enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    RP_TRY(rp_table_begin(out, format, "ridgepoint-summary", datasheet_columns,
                          RP_COUNT(datasheet_columns), &w));
    for (size_t i = 0; i < s->groups.count; ++i)
        put_datasheet(w, &s->groups.items[i], gpu);
    return rp_table_end(w);
}

static enum rp_status print_datasheet(const struct rp_summary *s, FILE *out)
{
    for (size_t g = 0; g < s->n_gpus; ++g) {
        fprintf(out, "\n%s: ", s->gpus[g]->gpu_type);
        rp_summary_datasheet_text(s, s->gpus[g], out);
        fprintf(out, "\n  datasheet: %s\n", s->gpus[g]->source);
        RP_TRY(rp_summary_datasheet_table(s, s->gpus[g], RP_TABLE_EYES, out));
    }
    return RP_OK;
}

enum rp_status rp_summary_print(const struct rp_summary *s, FILE *out)
{
    _Static_assert(RP_IMPL_DEFAULT_COUNT == 3, "datasheet_columns has a column for each of them");
    print_files(s, out);
    RP_TRY(print_measured(s, out));
    fprintf(out,
            "\nVerdicts from the datasheets. ideal: least work and traffic, on the dtype's tensor "
            "path; from T: where it turns\nto compute; dense: the same by flops_dense, the "
            "notebook's count. naive, reference, fused: what the implementation\nexecutes and "
            "moves, on its own path (predicted). H/G: query heads per kv head.\n");
    RP_TRY(print_datasheet(s, out));
    RP_TRY(rp_summary_turns(s, RP_TABLE_EYES, out));
    RP_TRY(rp_summary_memory(s, RP_TABLE_EYES, out));
    RP_TRY(rp_summary_naive(s, RP_TABLE_EYES, out));
    RP_TRY(rp_summary_agreement(s, RP_TABLE_EYES, out));
    rp_summary_answer(s, out);
    return RP_OK;
}
