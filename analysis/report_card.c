/*
 * report_card.c - five answers about one device: where prefill turns compute-bound, whether decode
 * ever does, what naive costs, how memory grows, how sure that is. From the tables of the summary.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/device_kind.h"
#include "analysis/report.h"
#include "base/stats.h"

/* What the card is of, and where it goes. */
struct card {
    const struct rp_figures *figures;
    const struct rp_measured *on;
    FILE *out;
};

static bool is_alike(const struct card *card, const struct rp_device_row *device, int64_t threads)
{
    return device && threads == card->on->threads &&
           rp_device_kind_compare(device, card->on->device) == 0;
}

static void put_question(const struct card *card, const char *question)
{
    fprintf(card->out, "<dt>%s</dt>\n", question);
}

/* The implementation to speak of: the one that stores no scores, where it has rows. */
static bool is_of_best(const struct card *card, const struct rp_turn_row *row, enum rp_stage stage)
{
    const struct rp_turn_table *turns = &card->figures->summary->turns;
    if (!is_alike(card, row->device, row->threads) || row->first.stage != stage)
        return false;
    for (size_t i = 0; i < turns->count; ++i) {
        const struct rp_turn_row *other = &turns->items[i];
        if (is_alike(card, other->device, other->threads) && other->first.stage == stage &&
            other->impl > row->impl)
            return false;
    }
    return true;
}

/* "fused fp16, no mask: from T = 406 (380..430)", "fused fp16: over batch never (limit ...)" */
static void put_turn(const struct card *card, const struct rp_turn_row *row)
{
    char text[RP_TURN_TEXT_SIZE];
    rp_turn_text(row, text);
    fprintf(card->out, "<dd>%s %s", rp_impl_name(row->impl), rp_dtype_info(row->first.dtype)->name);
    if (row->first.stage == RP_STAGE_PREFILL)
        fprintf(card->out, row->causal ? ", causal" : ", no mask");
    fprintf(card->out,
            row->turn.kind == RP_TURN_AT ? ": from %s = %s</dd>\n" : ": over %s %s</dd>\n",
            rp_turn_axis_name(row->axis), text);
}

/* "by the datasheet fp16, no mask: from T = 406" */
static void put_datasheet(const struct card *card)
{
    const struct rp_summary *s = card->figures->summary;
    const struct rp_gpu_spec *gpu = rp_summary_gpu(s, card->on->device->gpu_type);
    for (size_t i = 0; gpu && i < s->groups.count; ++i) {
        const struct rp_point *p = &s->groups.items[i].shapes[0].point;
        struct rp_crossover x = rp_crossover_ideal(gpu, p, false);
        if (p->stage != RP_STAGE_PREFILL || !rp_crossover_follows(p) || x.kind != RP_CROSSOVER_AT)
            continue;
        fprintf(card->out, "<dd>by the datasheet %s, %s", rp_dtype_info(p->dtype)->name,
                p->causal ? "causal" : "no mask");
        if (p->heads != p->kv_heads)
            fprintf(card->out, ", H/G = %" PRId64, p->heads / p->kv_heads);
        fprintf(card->out, ": from T = %.0f</dd>\n", x.seq);
    }
}

static void put_turns(const struct card *card, enum rp_stage stage, const char *question)
{
    const struct rp_summary *s = card->figures->summary;
    size_t shown = 0;
    put_question(card, question);
    for (size_t i = 0; i < s->turns.count; ++i) {
        if (!is_of_best(card, &s->turns.items[i], stage))
            continue;
        put_turn(card, &s->turns.items[i]);
        ++shown;
    }
    if (!shown)
        fprintf(card->out,
                "<dd>not measured: no row of it has a time and measured ceilings</dd>\n");
    if (stage == RP_STAGE_PREFILL)
        put_datasheet(card);
}

/* "2.1 times its memory (1.3..4)": the median of n values and their range. */
static void put_ratios(const struct card *card, const char *of, double *values, size_t n)
{
    rp_stats_sort(values, n);
    fprintf(card->out, "%.3g times %s", rp_stats_median(values, n), of);
    if (values[0] < values[n - 1])
        fprintf(card->out, " (%.3g..%.3g)", values[0], values[n - 1]);
}

/* "prefill: 2.1 times the time of fused (1.3..4), 5 times its memory (2..9); slower in 12 of 14
 * shapes, faster in 1" */
static void put_naive_stage(const struct card *card, enum rp_stage stage, double *values)
{
    const struct rp_naive_cost_list *costs = &card->figures->summary->naive_costs;
    size_t n = 0;
    size_t held = 0;
    size_t slower = 0;
    size_t faster = 0;
    double *memory = values + costs->count;
    for (size_t i = 0; i < costs->count; ++i) {
        const struct rp_naive_cost *c = &costs->items[i];
        if (!is_alike(card, c->device, c->row->threads) || c->point.stage != stage ||
            c->impl != RP_IMPL_fused)
            continue;
        values[n++] = c->time.value;
        slower += c->time.low > 1;
        faster += rp_naive_wins(c);
        if (c->memory_ratio > 0)
            memory[held++] = c->memory_ratio;
    }
    if (n == 0)
        return;
    fprintf(card->out, "<dd>%s: ", rp_stage_name(stage));
    put_ratios(card, "the time of fused", values, n);
    if (held) {
        fprintf(card->out, ", ");
        put_ratios(card, "its memory", memory, held);
    }
    fprintf(card->out, "; slower in %zu of %zu shapes, faster in %zu</dd>\n", slower, n, faster);
}

static enum rp_status put_naive(const struct card *card)
{
    size_t room = 2 * card->figures->summary->naive_costs.count;
    double *values = calloc(room + 1, sizeof *values);
    if (!values)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ratios", room);
    put_question(card, "What does naive cost?");
    put_naive_stage(card, RP_STAGE_PREFILL, values);
    put_naive_stage(card, RP_STAGE_DECODE, values);
    free(values);
    return RP_OK;
}

/* "naive fp16: peak ~ T^1.93 (1.90..1.96); T = 16384 ran, 32768 did not fit, 20000 should fit" */
static void put_memory_row(const struct card *card, const struct rp_memory_row *row)
{
    fprintf(card->out, "<dd>%s %s", rp_impl_name(row->impl), rp_dtype_info(row->first.dtype)->name);
    if (!isnan(row->peak.slope))
        fprintf(card->out, ": peak grows as T<sup>%.2f</sup>", row->peak.slope);
    if (!isnan(row->peak.slope) && !isnan(row->peak.low))
        fprintf(card->out, " (%.2f..%.2f)", row->peak.low, row->peak.high);
    if (row->fits_max >= 0)
        fprintf(card->out, "; T = %" PRId64 " ran", row->fits_max);
    if (row->fails_min >= 0)
        fprintf(card->out, ", %" PRId64 " did not fit", row->fails_min);
    if (row->predicted_max >= RP_MEMORY_VALUE_MAX)
        fprintf(card->out, ", over 4 Mi should fit");
    else if (row->predicted_max > 0)
        fprintf(card->out, ", %" PRId64 " should fit", row->predicted_max);
    fprintf(card->out, "</dd>\n");
}

static void put_memory(const struct card *card)
{
    const struct rp_memory_table *memory = &card->figures->summary->memory;
    put_question(card, "How does prefill's memory grow?");
    for (size_t i = 0; i < memory->count; ++i) {
        const struct rp_memory_row *row = &memory->items[i];
        bool was_tried = row->fits_max >= 0 || row->fails_min >= 0;
        if (is_alike(card, row->device, row->threads) && row->axis == RP_TURN_SEQ && was_tried)
            put_memory_row(card, row);
    }
}

/* Half-widths of the medians' intervals, relative; returns how many. */
static size_t collect_widths(const struct card *card, double *widths)
{
    size_t n = 0;
    for (size_t i = 0; i < card->figures->rows.count; ++i) {
        const struct rp_figure_row *r = &card->figures->rows.items[i];
        const struct rp_result *row = r->row;
        double width = (row->time_ci_high_s - row->time_ci_low_s) / (2 * row->time_median_s);
        if (is_alike(card, r->device, row->threads) && row->ci_level >= 0.95 && isfinite(width))
            widths[n++] = width;
    }
    return n;
}

/* Of the timed rows of the card's device. */
static void put_classes(const struct card *card)
{
    const struct rp_measured_list *measured = &card->figures->summary->measured;
    size_t begin = (size_t)(card->on - measured->items);
    size_t end = rp_measured_end_of_device(measured, begin);
    size_t timed = 0;
    size_t classes[RP_CLASS_COUNT] = {0};
    for (size_t i = begin; i < end; ++i) {
        timed += measured->items[i].timed;
        for (int c = 0; c < RP_CLASS_COUNT; ++c)
            classes[c] += measured->items[i].classes[c];
    }
    fprintf(card->out,
            "<dd>of %zu timed rows, %zu have a class by the measured ceilings; %zu are undecided "
            "within their intervals, %zu take over twice what these ceilings explain, %zu have no "
            "measured ceiling</dd>\n",
            timed,
            timed - classes[RP_CLASS_UNDECIDED] - classes[RP_CLASS_UNEXPLAINED] -
                classes[RP_CLASS_MISSING],
            classes[RP_CLASS_UNDECIDED], classes[RP_CLASS_UNEXPLAINED], classes[RP_CLASS_MISSING]);
}

static enum rp_status put_sureness(const struct card *card)
{
    size_t rows = card->figures->rows.count;
    double *widths = calloc(rows + 1, sizeof *widths);
    if (!widths)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu rows", rows);
    size_t n = collect_widths(card, widths);
    rp_stats_sort(widths, n);
    put_question(card, "How sure is that?");
    if (rp_device_is_simulated(card->on->device))
        fprintf(card->out, "<dd>not at all: a model answered, nothing was measured</dd>\n");
    if (n)
        fprintf(card->out,
                "<dd>95 %% interval of a median time: within &#177;%.3g %% for half of %zu rows, "
                "&#177;%.3g %% for all</dd>\n",
                100 * rp_stats_median(widths, n), n, 100 * widths[n - 1]);
    put_classes(card);
    free(widths);
    return RP_OK;
}

enum rp_status rp_report_card(const struct rp_figures *figures, const struct rp_measured *on,
                              FILE *out)
{
    const struct card card = {figures, on, out};
    fprintf(out, "<article%s>\n", rp_device_is_simulated(on->device) ? " class=\"simulated\"" : "");
    rp_report_device_heading(on, out);
    fprintf(out, "<dl>\n");
    put_turns(&card, RP_STAGE_PREFILL, "Where does prefill turn compute-bound?");
    put_turns(&card, RP_STAGE_DECODE, "Does decode ever?");
    enum rp_status status = put_naive(&card);
    put_memory(&card);
    if (status == RP_OK)
        status = put_sureness(&card);
    fprintf(out, "</dl>\n</article>\n");
    return status;
}
