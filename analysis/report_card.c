/*
 * report_card.c - five answers about one device, or about a GPU type by its datasheet: where
 * prefill turns compute-bound, whether decode ever does, what naive costs, how memory grows, how
 * sure that is. From the tables of the summary.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/device_kind.h"
#include "analysis/report.h"
#include "base/stats.h"

/* What the card is of, and where it goes. */
struct card {
    const struct rp_figures *figures;
    const struct rp_measured *on;  /* null: by the datasheet of */
    const struct rp_gpu_spec *gpu; /* null: data/ has none */
    FILE *out;
};

static bool is_alike(const struct card *card, const struct rp_device_row *device, int64_t threads)
{
    return card->on && rp_report_is_alike(card->on, device, threads);
}

/* Whether a row of the tables, measured on a device or predicted for a GPU type, is the card's. */
static bool is_of_card(const struct card *card, const struct rp_device_row *device,
                       const struct rp_gpu_spec *gpu, int64_t threads)
{
    return card->on ? is_alike(card, device, threads) : !device && gpu == card->gpu;
}

static void put_question(const struct card *card, const char *question)
{
    fprintf(card->out, "<dt>%s</dt>\n", question);
}

/* Where a question has no answer. */
static void put_none(const struct card *card)
{
    fprintf(card->out, "<dd>the files do not tell</dd>\n");
}

/* The implementation to speak of: the one that stores no scores, where it has rows. */
static bool is_of_best(const struct card *card, const struct rp_turn_row *row, enum rp_stage stage)
{
    const struct rp_turn_table *turns = &card->figures->summary->turns;
    if (!is_of_card(card, row->device, row->gpu, row->threads) || row->first.stage != stage)
        return false;
    for (size_t i = 0; i < turns->count; ++i) {
        const struct rp_turn_row *other = &turns->items[i];
        if (is_of_card(card, other->device, other->gpu, other->threads) &&
            other->first.stage == stage && other->impl > row->impl)
            return false;
    }
    return true;
}

/* "fused fp16, no mask: from T = 406 (380..430)", "... at every T of the files, from 64 on",
 * "... beyond T = 1024, the largest of the files", "..., as T grows: never (limit ...)"; of several
 * series the one that turns first, whose H/G is said where it is not the axis. */
static void put_turn(const struct card *card, const struct rp_turn_row *row)
{
    char text[RP_TURN_TEXT_SIZE];
    rp_turn_text(row, text);
    fprintf(card->out, "<dd>%s %s", rp_impl_name(row->impl), rp_dtype_info(row->first.dtype)->name);
    if (row->first.stage == RP_STAGE_PREFILL)
        fprintf(card->out, row->causal ? ", causal" : ", no mask");
    const char *axis = rp_turn_axis_name(row->axis);
    if (row->first.stage == RP_STAGE_DECODE && row->axis != RP_TURN_GROUP)
        fprintf(card->out, ", H/G = %" PRId64, row->first.heads / row->first.kv_heads);
    if (row->turn.kind == RP_TURN_BELOW)
        fprintf(card->out, ": at every %s of the files, from %" PRId64 " on", axis, row->value_min);
    else if (row->turn.kind == RP_TURN_ABOVE)
        fprintf(card->out, ": beyond %s = %" PRId64 ", the largest of the files", axis,
                row->value_max);
    else
        fprintf(card->out, row->turn.kind == RP_TURN_AT ? ": from %s = %s" : ", as %s grows: %s",
                axis, text);
    fprintf(card->out, "</dd>\n");
}

/* "ideal, by the datasheet, fp16, no mask: from T = 406": with the least work and traffic there can
 * be. */
static size_t put_datasheet(const struct card *card)
{
    const struct rp_summary *s = card->figures->summary;
    const struct rp_gpu_spec *gpu = card->gpu;
    size_t shown = 0;
    for (size_t i = 0; gpu && i < s->groups.count; ++i) {
        const struct rp_point *p = &s->groups.items[i].shapes[0].point;
        struct rp_crossover x = rp_crossover_ideal(gpu, p, false);
        if (p->stage != RP_STAGE_PREFILL || !rp_crossover_follows(p) || x.kind != RP_CROSSOVER_AT)
            continue;
        fprintf(card->out, "<dd>%s %s, %s", card->on ? "ideal, by the datasheet," : "ideal",
                rp_dtype_info(p->dtype)->name, p->causal ? "causal" : "no mask");
        if (p->heads != p->kv_heads)
            fprintf(card->out, ", H/G = %" PRId64, p->heads / p->kv_heads);
        fprintf(card->out, ": from T = %.0f</dd>\n", x.seq);
        ++shown;
    }
    return shown;
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
    if (!shown && card->on)
        fprintf(card->out, "<dd>not measured: no %s row has a time and measured ceilings</dd>\n",
                rp_stage_name(stage));
    if (stage == RP_STAGE_PREFILL)
        shown += put_datasheet(card);
    if (!shown && !card->on)
        put_none(card);
}

/* "2.1 times its memory (1.3..4)": the median of n values and their range. */
static void put_ratios(const struct card *card, const char *of, double *values, size_t n)
{
    rp_stats_sort(values, n);
    fprintf(card->out, "%.3g times %s", rp_stats_median(values, n), of);
    if (values[n - 1] > 1.005 * values[0]) /* shown with three digits */
        fprintf(card->out, " (%.3g..%.3g)", values[0], values[n - 1]);
}

/* "prefill: 2.1 times the time of fused (1.3..4), 5 times its memory (2..9); slower in 12 of 14
 * shapes, faster in 1" */
static size_t put_naive_stage(const struct card *card, enum rp_stage stage, double *values)
{
    const struct rp_naive_cost_list *costs = &card->figures->summary->naive_costs;
    size_t n = 0;
    size_t held = 0;
    size_t slower = 0;
    size_t faster = 0;
    double *memory = values + costs->count;
    for (size_t i = 0; i < costs->count; ++i) {
        const struct rp_naive_cost *c = &costs->items[i];
        if (!is_alike(card, c->device, c->threads) || c->point.stage != stage ||
            c->impl != RP_IMPL_fused)
            continue;
        values[n++] = c->time.value;
        slower += c->time.low > 1;
        faster += rp_naive_wins(c);
        if (c->memory_ratio > 0)
            memory[held++] = c->memory_ratio;
    }
    if (n == 0)
        return 0;
    fprintf(card->out, "<dd>%s: ", rp_stage_name(stage));
    put_ratios(card, "the time of fused", values, n);
    if (held) {
        fprintf(card->out, ", ");
        put_ratios(card, "its memory", memory, held);
    }
    fprintf(card->out, "; slower in %zu of %zu shape%s", slower, n, n == 1 ? "" : "s");
    if (faster)
        fprintf(card->out, ", faster in %zu", faster);
    fprintf(card->out, "</dd>\n");
    return n;
}

/* What both take at the datasheet's ceilings; returns how many shapes both have. */
static size_t predict_ratios(const struct card *card, double *values)
{
    const struct rp_groups *groups = &card->figures->summary->groups;
    const char *type = card->gpu->gpu_type;
    size_t n = 0;
    for (size_t g = 0; g < groups->count; ++g) {
        for (size_t i = 0; i < groups->items[g].count; ++i) {
            const struct rp_shape *shape = &groups->items[g].shapes[i];
            struct rp_verdict naive =
                rp_verdict_predicted(card->gpu, type, &shape->point, RP_IMPL_naive);
            struct rp_verdict fused =
                rp_verdict_predicted(card->gpu, type, &shape->point, RP_IMPL_fused);
            if (shape->point.stage == RP_STAGE_PREFILL && naive.class_name != RP_CLASS_MISSING &&
                fused.class_name != RP_CLASS_MISSING)
                values[n++] =
                    fmax(naive.compute_s, naive.memory_s) / fmax(fused.compute_s, fused.memory_s);
        }
    }
    return n;
}

static size_t put_predicted_naive(const struct card *card, double *values)
{
    size_t n = predict_ratios(card, values);
    if (n == 0)
        return 0;
    fprintf(card->out, "<dd>prefill, predicted: ");
    put_ratios(card, "the time of fused", values, n);
    fprintf(card->out, "</dd>\n");
    return n;
}

static enum rp_status put_naive(const struct card *card)
{
    const struct rp_summary *s = card->figures->summary;
    size_t room = 2 * s->naive_costs.count;
    for (size_t g = 0; g < s->groups.count; ++g)
        room += s->groups.items[g].count;
    double *values = calloc(room + 1, sizeof *values);
    if (!values)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ratios", room);
    put_question(card, "What does naive cost?");
    size_t shapes = 0;
    if (card->on) {
        shapes += put_naive_stage(card, RP_STAGE_PREFILL, values);
        shapes += put_naive_stage(card, RP_STAGE_DECODE, values);
    } else {
        shapes = put_predicted_naive(card, values);
    }
    if (shapes == 0)
        put_none(card);
    free(values);
    return RP_OK;
}

/* "naive fp16: peak grows as T^1.93 (1.90..1.96), its scores as T^2.00; T = 16384 ran, T = 32768
 * did not fit, up to T = 20000 should fit" */
static void put_memory_row(const struct card *card, const struct rp_memory_row *row)
{
    const char *before = ": ";
    fprintf(card->out, "<dd>%s %s", rp_impl_name(row->impl), rp_dtype_info(row->first.dtype)->name);
    if (!isnan(row->peak.slope)) {
        fprintf(card->out, ": peak grows as T<sup>%.2f</sup>", row->peak.slope);
        if (!isnan(row->peak.low))
            fprintf(card->out, " (%.2f..%.2f)", row->peak.low, row->peak.high);
        if (!isnan(row->scores.slope))
            fprintf(card->out, ", its scores as T<sup>%.2f</sup>", row->scores.slope);
        before = "; ";
    }
    if (row->fits_max >= 0)
        fprintf(card->out, "%sT = %" PRId64 " ran", before, row->fits_max);
    before = row->fits_max >= 0 ? ", " : before;
    if (row->fails_min >= 0)
        fprintf(card->out, "%sT = %" PRId64 " did not fit", before, row->fails_min);
    before = row->fails_min >= 0 ? ", " : before;
    if (row->predicted_max >= RP_MEMORY_VALUE_MAX)
        fprintf(card->out, "%sover T = 4 Mi should fit", before);
    else if (row->predicted_max > 0)
        fprintf(card->out, "%sup to T = %" PRId64 " should fit", before, row->predicted_max);
    fprintf(card->out, "</dd>\n");
}

static void put_memory(const struct card *card)
{
    const struct rp_memory_table *memory = &card->figures->summary->memory;
    size_t shown = 0;
    put_question(card, "How does prefill's memory grow?");
    for (size_t i = 0; i < memory->count; ++i) {
        const struct rp_memory_row *row = &memory->items[i];
        bool was_tried = row->fits_max >= 0 || row->fails_min >= 0 || !card->on;
        if (!is_of_card(card, row->device, row->gpu, row->threads) || row->axis != RP_TURN_SEQ ||
            !was_tried)
            continue;
        put_memory_row(card, row);
        ++shown;
    }
    if (shown == 0)
        put_none(card);
}

static enum rp_status put_answers(const struct card *card)
{
    fprintf(card->out, "<dl>\n");
    put_turns(card, RP_STAGE_PREFILL, "Where does prefill turn compute-bound?");
    put_turns(card, RP_STAGE_DECODE, "Does decode ever turn compute-bound?");
    enum rp_status status = put_naive(card);
    put_memory(card);
    if (status == RP_OK && card->on)
        status = rp_report_sureness(card->figures, card->on, card->out);
    if (!card->on) {
        put_question(card, "How sure is that?");
        fprintf(card->out, "<dd>counted, and held against the datasheet; none was measured</dd>\n");
    }
    fprintf(card->out, "</dl>\n</article>\n");
    return status;
}

enum rp_status rp_report_card(const struct rp_figures *figures, const struct rp_measured *on,
                              FILE *out)
{
    const struct card card = {figures, on, rp_summary_gpu(figures->summary, on->device->gpu_type),
                              out};
    fprintf(out, "<article%s>\n", rp_device_is_simulated(on->device) ? " class=\"simulated\"" : "");
    rp_report_device_heading(on, out);
    return put_answers(&card);
}

enum rp_status rp_report_datasheet_card(const struct rp_figures *figures,
                                        const struct rp_gpu_spec *gpu, FILE *out)
{
    const struct card card = {figures, NULL, gpu, out};
    fprintf(out, "<article>\n<h3>By the datasheet of %s</h3>\n", gpu->gpu_type);
    return put_answers(&card);
}
