/*
 * report_answer.c - the answer before anything else: a card for each device of the files, where
 * each GPU type turns by the datasheets, and what each implementation reached.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

/* Each line of `text` an item of a list. */
static void put_lines(const char *text, FILE *out)
{
    if (!*text)
        return;
    fprintf(out, "<ul>\n");
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        char *copy = n ? strndup(line, n) : NULL;
        if (copy) {
            fprintf(out, "<li>");
            rp_table_escape_html(copy, out);
            fprintf(out, "</li>\n");
        }
        free(copy);
        line += n + (line[n] == '\n');
    }
    fprintf(out, "</ul>\n");
}

/* One device, stage and implementation, over all its groups. */
struct reached {
    size_t timed;
    size_t classes[RP_CLASS_COUNT];
    double flop_per_s, bytes_per_s;
    double naive_min, naive_max; /* NaN: no pair */
    const char *missing_reason;
};

static void add_reached(struct reached *r, const struct rp_measured *m)
{
    r->timed += m->timed;
    for (int c = 0; c < RP_CLASS_COUNT; ++c)
        r->classes[c] += m->classes[c];
    r->flop_per_s = fmax(r->flop_per_s, m->flop_per_s); /* NaN is left out */
    r->bytes_per_s = fmax(r->bytes_per_s, m->bytes_per_s);
    r->naive_min = fmin(r->naive_min, m->naive_ratio);
    r->naive_max = fmax(r->naive_max, m->naive_ratio);
    if (m->missing_reason[0])
        r->missing_reason = m->missing_reason;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* "; naive takes 2.10 to 7.94 times as long", or one number. */
static void say_naive(const struct reached *r, FILE *out)
{
    char low[32];
    char high[32];
    snprintf(low, sizeof low, "%.2f", r->naive_min);
    snprintf(high, sizeof high, "%.2f", r->naive_max);
    bool is_one = strcmp(low, high) == 0;
    fprintf(out, "; naive takes %s%s%s times as long", low, is_one ? "" : " to ",
            is_one ? "" : high);
}

/* "Prefill by fused, 8 rows: compute-bound 6, memory-bound 2; at most 39.1 TFLOP/s, 238 GB/s;
 * naive takes 2.1 to 7.9 times as long." */
static void say_reached(const struct reached *r, enum rp_stage stage, enum rp_impl impl, FILE *out)
{
    static const char *const words[RP_CLASS_COUNT] = {
        "compute-bound", "memory-bound", "latency-bound",  "balanced",
        "undecided",     "unexplained",  "without a class"};
    const char *before = ": ";
    fprintf(out, "%s by %s, %zu timed row%s", stage == RP_STAGE_DECODE ? "Decode" : "Prefill",
            rp_impl_name(impl), r->timed, plural(r->timed));
    for (int c = 0; c < RP_CLASS_COUNT; ++c) {
        if (!r->classes[c])
            continue;
        fprintf(out, "%s%zu %s", before, r->classes[c], words[c]);
        before = ", ";
    }
    bool is_large = r->flop_per_s >= 1e12;
    fprintf(out, "; at most %.4g %s and %.4g GB/s", r->flop_per_s * (is_large ? 1e-12 : 1e-9),
            is_large ? "TFLOP/s" : "GFLOP/s", r->bytes_per_s * 1e-9);
    if (impl != RP_IMPL_naive && r->naive_max > 0)
        say_naive(r, out);
    fprintf(out, ".");
    if (r->classes[RP_CLASS_MISSING] && r->missing_reason)
        fprintf(out, " Without a class: %s.", r->missing_reason);
    fprintf(out, "\n");
}

/* The items of one device: measured.items[begin .. end - 1]. */
static void say_device(const struct rp_figures *figures, size_t begin, size_t end, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    for (int stage = 0; stage <= RP_STAGE_DECODE; ++stage) {
        for (int impl = RP_IMPL_COUNT - 1; impl >= 0; --impl) {
            struct reached r = {
                .flop_per_s = NAN, .bytes_per_s = NAN, .naive_min = NAN, .naive_max = NAN};
            for (size_t i = begin; i < end; ++i) {
                const struct rp_measured *m = &s->measured.items[i];
                const struct rp_point *p = &s->groups.items[m->group].shapes[0].point;
                if ((int)p->stage == stage && (int)m->impl == impl)
                    add_reached(&r, m);
            }
            if (r.timed)
                say_reached(&r, (enum rp_stage)stage, (enum rp_impl)impl, out);
        }
    }
}

static enum rp_status put_measured(const struct rp_figures *figures, size_t begin, size_t end,
                                   FILE *out)
{
    const struct rp_measured *on = &figures->summary->measured.items[begin];
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    if (!lines)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the answer");
    say_device(figures, begin, end, lines);
    fclose(lines);
    if (*text)
        rp_report_device_heading(on, out);
    put_lines(text, out);
    free(text);
    return RP_OK;
}

static bool is_measured(const struct rp_measured_list *measured, const char *gpu_type)
{
    for (size_t i = 0; i < measured->count; ++i) {
        if (strcmp(measured->items[i].device->gpu_type, gpu_type) == 0)
            return true;
    }
    return false;
}

static enum rp_status put_cards(const struct rp_figures *figures, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    const struct rp_measured_list *measured = &s->measured;
    fprintf(out, "<div class=\"cards\">\n");
    for (size_t i = 0; i < measured->count; i = rp_measured_end_of_device(measured, i))
        RP_TRY(rp_report_card(figures, &measured->items[i], out));
    for (size_t g = 0; g < s->n_gpus && s->groups.count; ++g) {
        if (!is_measured(measured, s->gpus[g]->gpu_type))
            RP_TRY(rp_report_datasheet_card(figures, s->gpus[g], out));
    }
    fprintf(out, "</div>\n");
    return RP_OK;
}

/* What has to be known to read the cards; the rest is among the words. */
static void put_reading(FILE *out)
{
    fprintf(out,
            "<p>A call is <b>compute-bound</b> when its arithmetic takes longer than its memory "
            "traffic, <b>memory-bound</b> when the traffic does; both take as long at the "
            "<b>ridge</b> of a device, in FLOP per byte. T counts tokens, H/G query heads per "
            "key/value head. <b>fused</b> never stores the scores, <b>naive</b> does, "
            "<b>reference</b> does on the vendor&#8217;s library. In parentheses: the 95 %% "
            "interval, and of what naive costs the range over the shapes behind the median. "
            "<b>limit</b>: the intensity in the far distance. More under "
            "<a href=\"#words\">Words</a>.</p>\n");
}

enum rp_status rp_report_answer(const struct rp_figures *figures, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    put_reading(out);
    RP_TRY(put_cards(figures, out));
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    if (!lines)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the answer");
    rp_summary_answer(s, lines);
    fclose(lines);
    if (*text)
        fprintf(out, "<h3>By the datasheets, and what is missing</h3>\n");
    put_lines(text, out);
    free(text);
    if (s->measured.count)
        fprintf(out, "<h3>By what was timed</h3>\n<p>What bounds the rows at the ceilings of their "
                     "own device, their best rates (flops and bytes_min over the median time), and "
                     "how long naive takes beside them.</p>\n");
    for (size_t begin = 0, end = 0; begin < s->measured.count; begin = end) {
        end = rp_measured_end_of_device(&s->measured, begin);
        RP_TRY(put_measured(figures, begin, end, out));
    }
    return RP_OK;
}
