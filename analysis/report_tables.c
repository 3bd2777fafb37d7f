/* report_tables.c - tables of the summary, ceilings, and what was left out. */
#include <inttypes.h>
#include <string.h>

#include "analysis/left_out.h"
#include "analysis/report.h"

enum rp_status rp_report_tables(const struct rp_figures *figures, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    if (s->groups.count == 0) {
        fprintf(out, "<p>Nothing to show: the files hold no rows that count here.</p>\n");
        return RP_OK;
    }
    fprintf(out,
            "<p>A line for each stage, dtype, mask, H/G and implementation, over its lengths T and "
            "batches: median times from the shortest to the longest, best rates by flops and "
            "bytes_min, and three verdicts on what bounds it. Every word is explained under "
            "<a href=\"#words\">Words</a>; a dash: not known or not applicable.</p>\n");
    for (size_t begin = 0, end = 0; begin < s->measured.count; begin = end) {
        end = rp_measured_end_of_device(&s->measured, begin);
        rp_report_device_heading(&s->measured.items[begin], out);
        RP_TRY(rp_summary_measured_table(s, begin, end, RP_TABLE_HTML, out));
    }
    RP_TRY(rp_summary_turns(s, RP_TABLE_HTML, out));
    RP_TRY(rp_summary_memory(s, RP_TABLE_HTML, out));
    RP_TRY(rp_summary_naive(s, RP_TABLE_HTML, out));
    fprintf(out, "<h3>Do the verdicts agree?</h3>\n<p>Ideal, predicted and measured stand side by "
                 "side. Where they differ on a row: how many rows, why, and one such point.</p>\n");
    RP_TRY(rp_summary_agreement(s, RP_TABLE_HTML, out));
    for (size_t g = 0; g < s->n_gpus; ++g) {
        fprintf(out, "<h3>By the datasheet of %s</h3>\n<p>", s->gpus[g]->gpu_type);
        rp_summary_datasheet_text(s, s->gpus[g], out);
        fprintf(out, ". <b>ideal</b>, <b>from T</b>: least work and traffic, and where it turns "
                     "compute-bound; <b>dense</b>: the same, hidden pairs counted; <b>naive</b>, "
                     "<b>reference</b>, <b>fused</b>: the class predicted for each.</p>\n");
        RP_TRY(rp_summary_datasheet_table(s, s->gpus[g], RP_TABLE_HTML, out));
        fprintf(out, "<p class=\"source\">Datasheet: ");
        rp_table_escape_html(s->gpus[g]->source, out);
        fprintf(out, "</p>\n");
    }
    return RP_OK;
}

enum rp_status rp_report_ceilings(const struct rp_figures *figures, FILE *out)
{
    const struct rp_measured_list *measured = &figures->summary->measured;
    fprintf(out,
            "<p>What a device reached at most of plain arithmetic (in a burst, and "
            "sustained), of its memory, of its cache, and how long an empty launch takes; with "
            "the 95 %% interval, and as a part of the datasheet&#8217;s. Rows are held against "
            "these, never against those of another device. Nothing stands here for a device "
            "whose ceilings were not measured.</p>\n");
    for (size_t begin = 0; begin < measured->count;
         begin = rp_measured_end_of_device(measured, begin)) {
        const struct rp_measured *on = &measured->items[begin];
        rp_report_device_heading(on, out);
        RP_TRY(rp_summary_ceilings(figures->summary, on, RP_TABLE_HTML, out));
    }
    return RP_OK;
}

static const struct rp_table_column left_out_columns[] = {
    {"device", NULL, NULL},
    {"what", NULL, NULL},
    {"rows", NULL, NULL},
    {"reason", "reason of the first", NULL},
};

/* A line for each device and kind of fault. */
static enum rp_status put_left_out(const struct rp_left_out_list *list, FILE *out)
{
    struct rp_table_writer *w = NULL;
    if (list->count == 0) {
        fprintf(out, "<p>There are none.</p>\n");
        return RP_OK;
    }
    RP_TRY(rp_table_begin(out, RP_TABLE_HTML, "ridgepoint-report", left_out_columns,
                          RP_COUNT(left_out_columns), &w));
    for (size_t i = 0; i < list->count; ++i) {
        const struct rp_left_out *item = &list->items[i];
        rp_table_word(w, item->label);
        rp_table_word(w, item->what);
        rp_table_i64(w, item->rows);
        rp_table_word_or_missing(w, item->reason);
    }
    return rp_table_end(w);
}

enum rp_status rp_report_left_out(const struct rp_figures *figures, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    struct rp_left_out_list left_out;
    const size_t simulated = s->measured.simulated;
    if (simulated)
        fprintf(out,
                "<p>%zu rows of simulated devices; <code>--simulated</code> takes them "
                "in.</p>\n",
                simulated);
    fprintf(out, "<p>Rows without a time, or not to be believed; none of them is in a rate, a "
                 "ratio or a class.</p>\n");
    RP_TRY(rp_left_out_create(s->list, s->simulated, &left_out));
    enum rp_status status = put_left_out(&left_out, out);
    rp_left_out_clear(&left_out);
    RP_TRY(status);
    fprintf(out, "<p>Softmax is left out of all counts. Figures over T show one line of shapes, "
                 "the longest; every row is in the files: <code>ridgepoint-analyze export</code>."
                 "</p>\n");
    return RP_OK;
}
