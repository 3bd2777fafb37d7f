/* plan_output.c - which columns there are. Eyes get fewer of them, in handier units. */
#include "cli/plan_output.h"

#include "base/decimal.h"
#include "model/axis.h"

static const double mebibyte = 1024.0 * 1024;
static const double gibibyte = 1024.0 * 1024 * 1024;

static const struct rp_table_column columns[] = {
    {"gpu_type", NULL, NULL},
    {"point", NULL, NULL},
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"batch", NULL, NULL},
    {"heads", NULL, NULL},
    {"kv_heads", NULL, NULL},
    {"seq_q", NULL, NULL},
    {"seq_k", NULL, NULL},
    {"head_dim", NULL, NULL},
    {"causal", NULL, NULL},
    {"status", NULL, NULL},
    {"reason", NULL, NULL},
    {"path", NULL, NULL},
    {"flops_impl", NULL, NULL},
    {"bytes_impl", NULL, NULL},
    {"launch_s", NULL, NULL},
    {"sample_launches", NULL, NULL},
    {"samples", NULL, NULL},
    {"wall_s", NULL, NULL},
    {"memory_bytes", NULL, NULL},
    {"memory_available_bytes", NULL, NULL},
    {"fits", NULL, NULL},
    {"class_predicted", NULL, NULL},
    {"class_ideal", NULL, NULL},
};

static const struct rp_table_column columns_for_eyes[] = {
    {"type", NULL, NULL},    {"stage", NULL, NULL},
    {"impl", NULL, NULL},    {"dtype", NULL, NULL},
    {"B", NULL, NULL},       {"H", NULL, NULL},
    {"G", NULL, NULL},       {"Tq", NULL, NULL},
    {"Tk", NULL, NULL},      {"D", NULL, NULL},
    {"mask", NULL, NULL},    {"status", NULL, NULL},
    {"launch", NULL, "ms"},  {"row", NULL, "s"},
    {"memory", NULL, "MiB"}, {"class predicted", NULL, NULL},
    {"ideal", NULL, NULL},   {"reason", NULL, NULL},
};

static const struct rp_table_column total_columns[] = {
    {"gpu_type", "type", NULL},
    {"rates", NULL, NULL},
    {"points", NULL, NULL},
    {"rows", NULL, NULL},
    {"rows_ok", "ok", NULL},
    {"rows_oom", "oom", NULL},
    {"rows_unsupported", "unsupported", NULL},
    {"rows_skipped", "skipped", NULL},
    {"rows_timeout", "timeout", NULL},
    {"device_s", "one device", "s"},
    {"ranks", NULL, NULL},
    {"nodes", NULL, NULL},
    {"makespan_s", "all ranks", "s"},
    {"node_hours", "node-hours", "h"},
    {"slurm_time", "--time", NULL},
    {"memory_bytes", "memory a node", "GiB"},
};

enum rp_status rp_plan_output_begin(enum rp_table_format format, struct rp_table_writer **writer)
{
    bool for_eyes = format == RP_TABLE_EYES;
    return rp_table_begin(stdout, format, "ridgepoint-plan", for_eyes ? columns_for_eyes : columns,
                          for_eyes ? RP_COUNT(columns_for_eyes) : RP_COUNT(columns), writer);
}

/* A number in units of `unit`, to four digits for eyes. */
static void add_scaled(struct rp_table_writer *w, double value, double unit)
{
    char display[RP_DECIMAL_SIZE];
    rp_decimal_rounded(value / unit, 4, display);
    rp_table_f64(w, value, display);
}

/* What will not be tried takes no time. */
static void add_seconds(struct rp_table_writer *w, double seconds, double unit)
{
    if (seconds > 0)
        add_scaled(w, seconds, unit);
    else
        rp_table_missing(w);
}

static void add_count(struct rp_table_writer *w, int64_t count, bool is_known)
{
    if (is_known)
        rp_table_i64(w, count);
    else
        rp_table_missing(w);
}

static void add_shape(struct rp_table_writer *w, const struct rp_plan_row *row)
{
    const struct rp_point *p = row->point;
    rp_table_word(w, rp_stage_name(p->stage));
    rp_table_word(w, rp_impl_name(row->impl));
    rp_table_word(w, rp_dtype_info(p->dtype)->name);
    rp_table_i64(w, p->batch);
    rp_table_i64(w, p->heads);
    rp_table_i64(w, p->kv_heads);
    rp_table_i64(w, p->seq_q);
    rp_table_i64(w, p->seq_k);
    rp_table_i64(w, p->head_dim);
}

static void put_for_eyes(struct rp_table_writer *w, const struct rp_plan_type *type,
                         const struct rp_plan_row *row)
{
    rp_table_word(w, type->info.row.gpu_type);
    add_shape(w, row);
    rp_table_word(w, row->point->causal ? "causal" : "none");
    rp_table_word(w, rp_outcome_name(row->outcome));
    add_seconds(w, row->forecast.launch_s, 1e-3);
    add_seconds(w, row->wall_s, 1);
    if (row->cost.path[0])
        add_scaled(w, (double)rp_method_cost_memory(&row->cost), mebibyte);
    else
        rp_table_missing(w);
    rp_table_word(w, rp_class_name(row->class_predicted));
    rp_table_word(w, rp_class_name(row->class_ideal));
    rp_table_word(w, row->reason);
}

static void put_for_programs(struct rp_table_writer *w, const struct rp_plan_type *type,
                             const struct rp_plan_row *row)
{
    bool has_cost = row->cost.path[0] != '\0';
    bool is_timed = row->forecast.samples > 0;
    int64_t needed = rp_method_cost_memory(&row->cost);
    rp_table_word(w, type->info.row.gpu_type);
    rp_table_word(w, row->id);
    add_shape(w, row);
    rp_table_i64(w, row->point->causal);
    rp_table_word(w, rp_outcome_name(row->outcome));
    rp_table_word_or_missing(w, row->reason);
    rp_table_word_or_missing(w, row->cost.path);
    add_count(w, row->cost.flops_impl, has_cost);
    add_count(w, row->cost.bytes_impl, has_cost);
    add_seconds(w, row->forecast.launch_s, 1);
    add_count(w, row->forecast.launches, is_timed);
    add_count(w, row->forecast.samples, is_timed);
    add_seconds(w, row->wall_s, 1);
    add_count(w, needed, has_cost);
    add_count(w, type->available_bytes, type->available_bytes >= 0);
    if (has_cost && type->available_bytes >= 0)
        rp_table_bool(w, needed <= type->available_bytes);
    else
        rp_table_missing(w);
    rp_table_word(w, rp_class_name(row->class_predicted));
    rp_table_word(w, rp_class_name(row->class_ideal));
}

void rp_plan_output_row(struct rp_table_writer *writer, enum rp_table_format format,
                        const struct rp_plan_type *type, const struct rp_plan_row *row)
{
    if (format == RP_TABLE_EYES)
        put_for_eyes(writer, type, row);
    else
        put_for_programs(writer, type, row);
}

enum rp_status rp_plan_output_begin_totals(struct rp_table_writer *writer)
{
    return rp_table_next(writer, "totals", total_columns, RP_COUNT(total_columns));
}

void rp_plan_output_totals(struct rp_table_writer *writer, const struct rp_plan_type *type,
                           const struct rp_plan_layout *layout, const struct rp_plan_totals *totals)
{
    static const enum rp_outcome told[] = {RP_OUTCOME_OK, RP_OUTCOME_OOM, RP_OUTCOME_UNSUPPORTED,
                                           RP_OUTCOME_SKIPPED, RP_OUTCOME_TIMEOUT};
    rp_table_word(writer, type->info.row.gpu_type);
    rp_table_word(writer, rp_rates_source(&type->rates));
    rp_table_i64(writer, totals->points);
    rp_table_i64(writer, totals->rows);
    for (size_t i = 0; i < RP_COUNT(told); ++i)
        rp_table_i64(writer, totals->of_outcome[told[i]]);
    add_scaled(writer, totals->device_s, 1);
    rp_table_i64(writer, (int64_t)layout->ranks);
    rp_table_i64(writer, (int64_t)layout->nodes);
    add_scaled(writer, totals->makespan_s, 1);
    add_scaled(writer, totals->node_hours, 1);
    rp_table_word(writer, totals->slurm_time);
    char display[RP_DECIMAL_SIZE];
    rp_decimal_rounded((double)totals->memory_bytes / gibibyte, 4, display);
    rp_table_f64(writer, (double)totals->memory_bytes, display);
}
