/* summary_memory.c - exponents of memory and what fits, for eyes, pages and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/summary.h"

enum { CELL_SIZE = 48 };

static const struct rp_table_column columns[] = {
    {"device", NULL, NULL},      {"by", NULL, NULL},         {"stage", NULL, NULL},
    {"impl", NULL, NULL},        {"dtype", NULL, NULL},      {"peak ~ T^", NULL, NULL},
    {"scores ~ T^", NULL, NULL}, {"over", NULL, NULL},       {"ran", NULL, NULL},
    {"did not fit", NULL, NULL}, {"should fit", NULL, NULL},
};

static void put_lead(struct rp_table_writer *w, const struct rp_memory_row *row)
{
    char device[RP_SUMMARY_DEVICE_SIZE];
    rp_summary_device_text(row->device, row->gpu, row->threads, device);
    rp_table_word(w, device);
    rp_table_word(w, rp_summary_basis(row->device));
    rp_table_word(w, rp_stage_name(row->first.stage));
    rp_table_word(w, rp_impl_name(row->impl));
    rp_table_word(w, rp_dtype_info(row->first.dtype)->name);
}

/* "1.93 (1.90..1.96)"; of the batch nothing is fitted. */
static void put_fit(struct rp_table_writer *w, const struct rp_memory_row *row,
                    const struct rp_fit *fit)
{
    char cell[CELL_SIZE];
    if (isnan(fit->slope) || row->axis == RP_TURN_BATCH) {
        rp_table_word_or_missing(w, NULL);
        return;
    }
    if (isnan(fit->low))
        snprintf(cell, sizeof cell, "%.2f", fit->slope);
    else
        snprintf(cell, sizeof cell, "%.2f (%.2f..%.2f)", fit->slope, fit->low, fit->high);
    rp_table_word(w, cell);
}

static void put_value(struct rp_table_writer *w, int64_t value)
{
    if (value < 0)
        rp_table_missing(w);
    else
        rp_table_i64(w, value);
}

static void put_row(struct rp_table_writer *w, const struct rp_memory_row *row)
{
    put_lead(w, row);
    put_fit(w, row, &row->peak);
    put_fit(w, row, &row->scores);
    rp_table_word(w, rp_turn_axis_name(row->axis));
    put_value(w, row->fits_max);
    put_value(w, row->fails_min);
    if (row->predicted_max >= RP_MEMORY_VALUE_MAX)
        rp_table_word(w, "over 4 Mi");
    else
        put_value(w, row->predicted_max);
}

enum rp_status rp_summary_memory(const struct rp_summary *s, enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    if (s->memory.count == 0)
        return RP_OK;
    rp_summary_introduce(format, "Memory",
                         "Exponents of the counted peak and of its scores over T, with 95 % "
                         "interval (2: scores in memory, 1: fused).\nOf the series that needs "
                         "the most: the largest T or batch that ran, the smallest that did not "
                         "fit, and the largest\nthat should fit by prediction.",
                         out);
    RP_TRY(rp_table_begin(out, format, "ridgepoint-summary", columns, RP_COUNT(columns), &w));
    for (size_t i = 0; i < s->memory.count; ++i)
        put_row(w, &s->memory.items[i]);
    return rp_table_end(w);
}

static const struct rp_table_column json_columns[] = {
    {"device", NULL, NULL},
    {"basis", NULL, NULL},
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"axis", NULL, NULL},
    {"peak_exponent", NULL, NULL},
    {"peak_exponent_low", NULL, NULL},
    {"peak_exponent_high", NULL, NULL},
    {"scores_exponent", NULL, NULL},
    {"scores_exponent_low", NULL, NULL},
    {"scores_exponent_high", NULL, NULL},
    {"fits_max", NULL, NULL},
    {"fails_min", NULL, NULL},
    {"predicted_max", NULL, NULL},
    {"memory_bytes", NULL, NULL},
    {"batch", NULL, NULL},
    {"heads", NULL, NULL},
    {"kv_heads", NULL, NULL},
    {"seq_q", NULL, NULL},
    {"seq_k", NULL, NULL},
    {"head_dim", NULL, NULL},
};

enum rp_status rp_summary_write_memory(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_table_next(w, "memory", json_columns, RP_COUNT(json_columns)));
    for (size_t i = 0; i < s->memory.count; ++i) {
        const struct rp_memory_row *row = &s->memory.items[i];
        const struct rp_point *p = &row->first;
        const double fits[] = {row->peak.slope,   row->peak.low,   row->peak.high,
                               row->scores.slope, row->scores.low, row->scores.high};
        const int64_t values[] = {
            row->fits_max, row->fails_min, row->predicted_max, row->memory_bytes, p->batch,
            p->heads,      p->kv_heads,    p->seq_q,           p->seq_k,          p->head_dim};
        put_lead(w, row);
        rp_table_word(w, rp_turn_axis_name(row->axis));
        for (size_t k = 0; k < RP_COUNT(fits); ++k)
            rp_table_f64(w, row->axis == RP_TURN_BATCH ? NAN : fits[k], NULL);
        for (size_t k = 0; k < RP_COUNT(values); ++k)
            put_value(w, values[k]);
    }
    return RP_OK;
}
