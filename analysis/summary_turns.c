/* summary_turns.c - the crossovers, for eyes, pages and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/device_kind.h"
#include "analysis/summary.h"

static const struct rp_table_column columns[] = {
    {"device", NULL, NULL}, {"by", NULL, NULL},       {"stage", NULL, NULL},
    {"impl", NULL, NULL},   {"dtype", NULL, NULL},    {"mask", NULL, NULL},
    {"over", NULL, NULL},   {"turns at", NULL, NULL}, {"series", NULL, NULL},
};

void rp_summary_device_text(const struct rp_device_row *device, const struct rp_gpu_spec *gpu,
                            int64_t threads, char text[RP_SUMMARY_DEVICE_SIZE])
{
    char kind[RP_DEVICE_KIND_SIZE];
    if (!device) {
        snprintf(text, RP_SUMMARY_DEVICE_SIZE, "%s", gpu->gpu_type);
        return;
    }
    rp_device_kind_text(device, kind);
    if (threads > 0)
        snprintf(text, RP_SUMMARY_DEVICE_SIZE, "%s %" PRId64 " thread%s", kind, threads,
                 threads == 1 ? "" : "s");
    else
        snprintf(text, RP_SUMMARY_DEVICE_SIZE, "%s", kind);
}

void rp_summary_introduce(enum rp_table_format format, const char *title, const char *text,
                          FILE *out)
{
    fprintf(out, format == RP_TABLE_HTML ? "<h3>%s</h3>\n<p>%s</p>\n" : "\n%s. %s\n", title, text);
}

const char *rp_summary_basis(const struct rp_device_row *device)
{
    if (!device)
        return "predicted";
    return rp_device_is_simulated(device) ? "simulated" : "measured";
}

static void put_lead(struct rp_table_writer *w, const struct rp_turn_row *row)
{
    char device[RP_SUMMARY_DEVICE_SIZE];
    rp_summary_device_text(row->device, row->gpu, row->threads, device);
    rp_table_word(w, device);
    rp_table_word(w, rp_summary_basis(row->device));
    rp_table_word(w, rp_stage_name(row->first.stage));
    rp_table_word(w, rp_impl_name(row->impl));
    rp_table_word(w, rp_dtype_info(row->first.dtype)->name);
    rp_table_word(w, row->causal ? "causal" : "none");
    rp_table_word(w, rp_turn_axis_name(row->axis));
}

static void put_row(struct rp_table_writer *w, const struct rp_turn_row *row)
{
    char text[RP_TURN_TEXT_SIZE];
    put_lead(w, row);
    rp_turn_text(row, text);
    rp_table_word(w, text);
    snprintf(text, sizeof text, "%zu of %zu", row->turning, row->series);
    rp_table_word(w, text);
}

enum rp_status rp_summary_turns(const struct rp_summary *s, enum rp_table_format format, FILE *out)
{
    struct rp_table_writer *w = NULL;
    size_t shown = 0;
    for (size_t i = 0; i < s->turns.count; ++i) {
        const struct rp_turn_row *row = &s->turns.items[i];
        bool is_above = !row->device && row->axis == RP_TURN_SEQ; /* in the datasheet's table */
        if (is_above)
            continue;
        if (shown++ == 0) {
            rp_summary_introduce(
                format, "Where implementations turn from memory to compute",
                "The smallest value of all series (one axis grows, the others stay) "
                "with\nt_compute = t_memory, latency left out; its interval is "
                "from the ceilings'; limit: the FLOP/B it tends to;\nseries: "
                "those that turn within the sweep.",
                out);
            RP_TRY(
                rp_table_begin(out, format, "ridgepoint-summary", columns, RP_COUNT(columns), &w));
        }
        put_row(w, row);
    }
    return w ? rp_table_end(w) : RP_OK;
}

static const struct rp_table_column json_columns[] = {
    {"device", NULL, NULL},
    {"basis", NULL, NULL},
    {"stage", NULL, NULL},
    {"impl", NULL, NULL},
    {"dtype", NULL, NULL},
    {"mask", NULL, NULL},
    {"axis", NULL, NULL},
    {"kind", NULL, NULL},
    {"value", NULL, NULL},
    {"low", NULL, NULL},
    {"high", NULL, NULL},
    {"sweep_min", NULL, NULL},
    {"sweep_max", NULL, NULL},
    {"limit_flop_per_byte", NULL, NULL},
    {"ridge_flop_per_byte", NULL, NULL},
    {"series", NULL, NULL},
    {"series_turning", NULL, NULL},
    {"batch", NULL, NULL},
    {"heads", NULL, NULL},
    {"kv_heads", NULL, NULL},
    {"seq_q", NULL, NULL},
    {"seq_k", NULL, NULL},
    {"head_dim", NULL, NULL},
};

enum rp_status rp_summary_write_turns(const struct rp_summary *s, struct rp_table_writer *w)
{
    RP_TRY(rp_table_next(w, "crossovers", json_columns, RP_COUNT(json_columns)));
    for (size_t i = 0; i < s->turns.count; ++i) {
        const struct rp_turn_row *row = &s->turns.items[i];
        const struct rp_turn *t = &row->turn;
        const struct rp_point *p = &row->first;
        put_lead(w, row);
        rp_table_word(w, rp_turn_kind_name(t->kind));
        rp_table_f64(w, t->value, NULL);
        rp_table_f64(w, t->low, NULL);
        rp_table_f64(w, t->high, NULL);
        rp_table_i64(w, row->value_min);
        rp_table_i64(w, row->value_max);
        rp_table_f64(w, t->limit_flop_per_byte, NULL);
        rp_table_f64(w, t->ridge_flop_per_byte, NULL);
        rp_table_i64(w, (int64_t)row->series);
        rp_table_i64(w, (int64_t)row->turning);
        const int64_t axes[] = {p->batch, p->heads, p->kv_heads, p->seq_q, p->seq_k, p->head_dim};
        for (size_t k = 0; k < RP_COUNT(axes); ++k)
            rp_table_i64(w, axes[k]);
    }
    return RP_OK;
}
