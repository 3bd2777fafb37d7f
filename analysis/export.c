/*
 * export.c - every row with every column of /results, who measured it, and the derived values.
 *
 * Derived values are never stored in a file, so this is where other programs get them. Rows are
 * read and written one by one (pairs_scan.h says what is held); the columns are two lists walked
 * twice, for the header and for the cells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/agreement.h"
#include "analysis/row_view.h"
#include "analysis/sources.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/table.h"
#include "model/cost.h"
#include "model/result.h"

static const struct rp_option options[] = {
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct rp_source_values, format), "csv", 0, 0,
     "csv|json", NULL, NULL, "how to write the rows"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct rp_source_values, data), NULL, 0, 0, NULL, "DIR",
     NULL, "folder searched for gpus.tsv before the installed data"},
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
    "naive_time_ratio_low",
    "naive_time_ratio_high",
    "naive_time_ratio_rounds",
    "reference_time_ratio",
    "reference_time_ratio_low",
    "reference_time_ratio_high",
    "reference_time_ratio_rounds",
    "fused_time_ratio",
    "fused_time_ratio_low",
    "fused_time_ratio_high",
    "fused_time_ratio_rounds",
    "cudnn_time_ratio",
    "cudnn_time_ratio_low",
    "cudnn_time_ratio_high",
    "cudnn_time_ratio_rounds",
    "ridge_flop_per_byte",
    "class_ideal",
    "class_ideal_dense",
    "class_ideal_reason",
    "class_predicted",
    "class_predicted_reason",
    "class_measured",
    "class_measured_reason",
    "nearest_ceiling",
    "compute_time_s",
    "memory_time_s",
    "latency_time_s",
    "floor_s",
    "floor_ratio",
    "floor_ratio_low",
    "floor_ratio_high",
    "attained_frac",
    "naive_memory_ratio",
    "anchor_spread_frac",
    "implausible",
    "implausible_reason",
    "verdicts_agree",
    "disagreement_reason",
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

static void put_lead(struct rp_table_writer *w, const struct lead *lead,
                     const struct rp_row_view *v)
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

/* Empty where there is no ratio; 0 rounds: of the medians. */
static void put_ratio(struct rp_table_writer *w, const struct rp_paired_ratio *ratio)
{
    rp_table_f64(w, ratio->value, NULL);
    rp_table_f64(w, ratio->low, NULL);
    rp_table_f64(w, ratio->high, NULL);
    if (ratio->value > 0)
        rp_table_i64(w, ratio->rounds);
    else
        rp_table_missing(w);
}

static void put_measured(struct rp_table_writer *w, const struct rp_measured_verdict *m)
{
    bool near = m->nearest != RP_CLASS_MISSING;
    rp_table_word(w, rp_class_name(m->class_name));
    rp_table_word_or_missing(w, m->reason);
    rp_table_word_or_missing(w, near ? rp_class_name(m->nearest) : NULL);
    for (int i = 0; i < RP_MEASURED_TIMES; ++i)
        rp_table_f64(w, m->times[i].value_s, NULL);
    rp_table_f64(w, m->floor_s, NULL);
    rp_table_f64(w, m->ratio, NULL);
    rp_table_f64(w, m->ratio_low, NULL);
    rp_table_f64(w, m->ratio_high, NULL);
    rp_table_f64(w, m->attained_frac, NULL);
}

/* One verdict alone neither agrees nor disagrees. */
static void put_agreement(struct rp_table_writer *w, const struct rp_row_view *v)
{
    struct rp_agreement agreement = rp_agreement_of(v);
    if (agreement.verdicts > 1)
        rp_table_bool(w, agreement.agree);
    else
        rp_table_missing(w);
    rp_table_word_or_missing(w, agreement.reason);
}

/* In the order of derived_names. */
static void put_derived(struct rp_table_writer *w, const struct rp_row_view *v)
{
    _Static_assert(RP_IMPL_COUNT == 4, "derived_names has a ratio to each implementation");
    const struct rp_result *row = v->row;
    double time_s = row->time_median_s;
    rp_table_f64(w, rp_ratio((double)row->flops, (double)row->bytes_min), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_dense, (double)row->bytes_min), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, (double)row->bytes_impl), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->bytes_min, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->flops_impl, time_s), NULL);
    rp_table_f64(w, rp_ratio((double)row->bytes_impl, time_s), NULL);
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl)
        put_ratio(w, &v->ratios[impl]);
    rp_table_f64(w, v->ridge_flop_per_byte, NULL);
    rp_table_word(w, rp_class_name(v->ideal.class_name));
    rp_table_word(w, rp_class_name(v->ideal_dense.class_name));
    rp_table_word_or_missing(w, v->ideal.reason);
    rp_table_word(w, rp_class_name(v->predicted.class_name));
    rp_table_word_or_missing(w, v->predicted.reason);
    put_measured(w, &v->measured);
    rp_table_f64(w, v->naive_memory_ratio, NULL);
    rp_table_f64(w, v->anchor_spread_frac, NULL);
    rp_table_bool(w, v->plausibility.is_implausible);
    rp_table_word_or_missing(w, v->plausibility.reason);
    put_agreement(w, v);
}

static enum rp_status write_row(void *writer, const struct rp_row_view *v,
                                const struct rp_study *study, size_t number)
{
    const struct rp_table_schema *schema = rp_table_schema(RP_TABLE_RESULTS);
    struct rp_table_writer *w = writer;
    (void)study;
    (void)number;
    for (size_t c = 0; c < RP_COUNT(leads); ++c)
        put_lead(w, &leads[c], v);
    for (size_t c = 0; c < schema->n_columns; ++c)
        put_column(w, &schema->columns[c], v->row);
    put_derived(w, v);
    return RP_OK;
}

static enum rp_status write_all(const struct rp_sources *sources,
                                const struct rp_source_values *values, FILE *out)
{
    struct rp_table_column columns[COLUMNS_MAX];
    struct rp_table_writer *writer = NULL;
    size_t n = list_columns(columns);
    RP_TRY(rp_table_begin(out, rp_table_format_of(values->format), "ridgepoint-export", columns, n,
                          &writer));
    const struct rp_row_visitor visitor = {.context = writer, .visit = write_row};
    enum rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && i < sources->operands.count; ++i)
        status = rp_row_views_visit(sources->operands.items[i], &sources->gpus, &visitor);
    enum rp_status ended = rp_table_end(writer);
    return status == RP_OK ? ended : status;
}

enum rp_status rp_export_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct rp_source_values values = {0};
    struct rp_sources sources;
    *exit_code = 0;
    enum rp_status status = rp_sources_look(&command, argc, argv, &values, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = write_all(&sources, &values, out);
    rp_sources_close(&sources);
    return status;
}
