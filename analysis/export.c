/*
 * export.c - every row with every column of /results, who measured it, and the derived values.
 *
 * Derived values are never stored in a file, so this is where other programs get them. Rows are
 * written one by one; the columns are two lists walked twice, for the header and for the cells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/load.h"
#include "analysis/pairs.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/table.h"
#include "model/cost.h"
#include "model/result.h"

struct values {
    const char *format;
    const char *data;
};

static const struct rp_option options[] = {
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct values, format), "csv", 0, 0, "csv|json", NULL,
     NULL, "how to write the rows"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct values, data), NULL, 0, 0, NULL, "DIR", NULL,
     "folder searched for gpus.tsv before the installed data"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "export",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Writes every row with every column and every derived value.",
    .example = "ridgepoint-analyze export --format csv results/notebook.h5 > notebook.csv",
    .options = options,
    .n_options = RP_COUNT(options),
};

/* One row with all it points at. */
struct row_view {
    const char *path;
    const struct rp_result *row;
    const struct rp_device_row *device; /* null: the file points nowhere */
    const struct rp_run *run;           /* null: the file points nowhere */
    double naive_ratio;
    struct rp_verdict ideal, ideal_dense, predicted;
    struct rp_measured_verdict measured;
    double ridge; /* of the datasheet, FLOP/B; NaN when not known */
};

enum origin { ORIGIN_FILE, ORIGIN_DEVICE, ORIGIN_RUN };

/* Columns of other tables that stand before those of /results. */
static const struct lead {
    const char *name;
    enum origin origin;
    const char *column;
} leads[] = {
    {"file", ORIGIN_FILE, NULL},
    {"run_id", ORIGIN_RUN, "run_id"},
    {"started_utc", ORIGIN_RUN, "started_utc"},
    {"job_name", ORIGIN_RUN, "job_name"},
    {"host", ORIGIN_DEVICE, "host"},
    {"backend", ORIGIN_DEVICE, "backend"},
    {"gpu_type", ORIGIN_DEVICE, "gpu_type"},
    {"device_name", ORIGIN_DEVICE, "name"},
    {"device_uuid", ORIGIN_DEVICE, "uuid"},
};

static const char *const derived_names[] = {
    "intensity_ideal_flop_per_byte",
    "intensity_dense_flop_per_byte",
    "intensity_impl_flop_per_byte",
    "achieved_flop_per_s",
    "achieved_bytes_per_s",
    "achieved_impl_flop_per_s",
    "achieved_impl_bytes_per_s",
    "naive_time_ratio",
    "ridge_flop_per_byte",
    "class_ideal",
    "class_ideal_dense",
    "class_ideal_reason",
    "class_predicted",
    "class_predicted_reason",
    "class_measured",
    "class_measured_reason",
    "nearest_ceiling",
    "floor_s",
    "attained_frac",
};

enum { COLUMNS_MAX = 128 };

static size_t list_columns(struct rp_table_column columns[COLUMNS_MAX])
{
    const struct rp_table_schema *schema = rp_table_schema(RP_TABLE_RESULTS);
    size_t n = 0;
    for (size_t i = 0; i < RP_COUNT(leads); ++i)
        columns[n++] = (struct rp_table_column){leads[i].name, NULL, NULL};
    for (size_t i = 0; i < schema->n_columns; ++i)
        columns[n++] = (struct rp_table_column){schema->columns[i].name, NULL, NULL};
    for (size_t i = 0; i < RP_COUNT(derived_names); ++i)
        columns[n++] = (struct rp_table_column){derived_names[i], NULL, NULL};
    return n;
}

/* A cell of any table; `row` null: not applicable. */
static void put_column(struct rp_table_writer *w, const struct rp_column *column, const void *row)
{
    const char *member = row ? (const char *)row + column->offset : NULL;
    double real = NAN;
    int64_t whole = -1;
    const char *text = NULL;
    if (member && column->kind == RP_COLUMN_F64)
        memcpy(&real, member, sizeof real);
    else if (member && column->kind == RP_COLUMN_I64)
        memcpy(&whole, member, sizeof whole);
    else if (member && column->kind == RP_COLUMN_TEXT)
        memcpy(&text, member, sizeof text);
    if (column->kind == RP_COLUMN_F64)
        rp_table_f64(w, real, NULL);
    else if (column->kind != RP_COLUMN_I64)
        rp_table_word_or_missing(w, column->kind == RP_COLUMN_WORD ? member : text);
    else if (whole == -1)
        rp_table_missing(w);
    else
        rp_table_i64(w, whole);
}

static void put_lead(struct rp_table_writer *w, const struct lead *lead, const struct row_view *v)
{
    if (lead->origin == ORIGIN_FILE) {
        rp_table_word_or_missing(w, v->path);
        return;
    }
    bool of_run = lead->origin == ORIGIN_RUN;
    const struct rp_table_schema *schema =
        rp_table_schema(of_run ? RP_TABLE_RUNS : RP_TABLE_DEVICES);
    put_column(w, rp_column_find(schema, lead->column),
               of_run ? (const void *)v->run : (const void *)v->device);
}

/* In the order of derived_names. */
static void put_derived(struct rp_table_writer *w, const struct row_view *v)
{
    const struct rp_result *row = v->row;
    double time_s = row->time_median_s;
    rp_table_f64(w, rp_ratio((double)row->flops, (double)row->bytes_min), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_dense, (double)row->bytes_min), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, (double)row->bytes_impl), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->bytes_min, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->bytes_impl, time_s), NULL);
    rp_table_f64(w, v->naive_ratio, NULL);
    rp_table_f64(w, v->ridge, NULL);
    rp_table_word(w, rp_class_name(v->ideal.class_name));
    rp_table_word(w, rp_class_name(v->ideal_dense.class_name));
    rp_table_word_or_missing(w, v->ideal.reason);
    rp_table_word(w, rp_class_name(v->predicted.class_name));
    rp_table_word_or_missing(w, v->predicted.reason);
    rp_table_word(w, rp_class_name(v->measured.class_name));
    rp_table_word_or_missing(w, v->measured.reason);
    bool near = v->measured.nearest != RP_CLASS_MISSING;
    rp_table_word_or_missing(w, near ? rp_class_name(v->measured.nearest) : NULL);
    rp_table_f64(w, v->measured.floor_s, NULL);
    rp_table_f64(w, v->measured.attained_frac, NULL);
}

/* The three verdicts of a row on the device that measured it. */
static void judge(struct row_view *v, const struct rp_study *study, const struct rp_gpu_list *gpus)
{
    struct rp_point p;
    enum rp_impl impl;
    const struct rp_gpu_spec *gpu = rp_gpu_of_device(gpus, v->device);
    const char *gpu_type = v->device ? v->device->gpu_type : "";
    struct rp_verdict unknown = {RP_CLASS_MISSING, NAN, NAN, "the row's axes make no point"};
    v->ideal = v->ideal_dense = v->predicted = unknown;
    v->ridge = NAN;
    v->measured = rp_verdict_measured(study, v->row);
    if (rp_result_point(v->row, &p) != RP_OK)
        return;
    v->ideal = rp_verdict_ideal(gpu, gpu_type, &p, false);
    v->ideal_dense = rp_verdict_ideal(gpu, gpu_type, &p, true);
    if (gpu)
        v->ridge = rp_bound_ideal_ridge(gpu, p.dtype);
    if (rp_impl_find(v->row->impl, &impl))
        v->predicted = rp_verdict_predicted(gpu, gpu_type, &p, impl);
}

static enum rp_status write_file(struct rp_table_writer *w, const struct rp_study_file *file,
                                 const struct rp_gpu_list *gpus)
{
    const struct rp_table_schema *schema = rp_table_schema(RP_TABLE_RESULTS);
    const struct rp_study *study = &file->study;
    struct rp_pairs naive;
    RP_TRY(rp_pairs_index(study, "naive", &naive));
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        struct row_view v = {.path = file->path, .row = &rp_study_results(study)[i]};
        v.device = rp_study_device_of(study, v.row);
        v.run = rp_study_run_of(study, v.row);
        v.naive_ratio = rp_pairs_time_ratio(&naive, v.row);
        judge(&v, study, gpus);
        for (size_t c = 0; c < RP_COUNT(leads); ++c)
            put_lead(w, &leads[c], &v);
        for (size_t c = 0; c < schema->n_columns; ++c)
            put_column(w, &schema->columns[c], v.row);
        put_derived(w, &v);
    }
    rp_pairs_clear(&naive);
    return RP_OK;
}

static enum rp_status write_all(const struct rp_study_list *list, const struct values *values,
                                const struct rp_gpu_list *gpus, FILE *out)
{
    struct rp_table_column columns[COLUMNS_MAX];
    struct rp_table_writer *writer = NULL;
    size_t n = list_columns(columns);
    RP_TRY(rp_table_begin(out, rp_table_format_of(values->format), "ridgepoint-export", columns, n,
                          &writer));
    enum rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < list->count; ++i)
        status = write_file(writer, &list->files[i], gpus);
    enum rp_status ended = rp_table_end(writer);
    return status == RP_OK ? ended : status;
}

enum rp_status rp_export_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_operands operands = {0};
    struct rp_study_list list = {0};
    struct rp_gpu_list gpus = {0};
    *exit_code = 0;

    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status != RP_OK)
        goto cleanup;
    if (operands.help_asked) {
        rp_option_print_help(&command, out);
        goto cleanup;
    }
    status = rp_gpu_list_load(values.data, &gpus);
    if (status == RP_OK)
        status = rp_study_list_load(operands.items, operands.count, &list);
    if (status == RP_OK)
        status = write_all(&list, &values, &gpus, out);

cleanup:
    rp_study_list_clear(&list);
    rp_gpu_list_clear(&gpus);
    rp_operands_clear(&operands);
    return status;
}
