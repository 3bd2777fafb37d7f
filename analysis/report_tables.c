/* report_tables.c - tables of the summary, ceilings, and what was left out. */
#include <inttypes.h>
#include <string.h>

#include "analysis/left_out.h"
#include "analysis/report.h"

enum rp_status rp_report_tables(const struct rp_figures *figures, FILE *out)
{
    const struct rp_summary *s = figures->summary;
    fprintf(out,
            "<p>A class says what bounds a call. <b>ideal</b>: least work (flops) and traffic "
            "(bytes_min) against the datasheet's tensor path of the dtype. <b>predicted</b>: what "
            "the implementation executes and moves, against the datasheet on its own path. "
            "<b>measured</b>: the same against ceilings measured on that device. <b>from T</b>: "
            "the length where it turns from memory- to compute-bound; <b>dense</b>: the same by "
            "the notebook's count, hidden pairs included. <b>naive/this</b>: how many times as "
            "long naive takes, paired. <b>attained</b>: the floor by the ceilings over the "
            "measured time. <b>H/G</b>: query heads per key/value head. <b>naive</b> is attention "
            "from scratch in three steps, <b>reference</b> the same on the vendor's library, "
            "<b>fused</b> one pass that never stores the scores.</p>\n");
    for (size_t begin = 0, end = 0; begin < s->measured.count; begin = end) {
        end = rp_measured_end_of_device(&s->measured, begin);
        rp_report_device_heading(&s->measured.items[begin], out);
        RP_TRY(rp_summary_measured_table(s, begin, end, RP_TABLE_HTML, out));
    }
    RP_TRY(rp_summary_turns(s, RP_TABLE_HTML, out));
    RP_TRY(rp_summary_memory(s, RP_TABLE_HTML, out));
    RP_TRY(rp_summary_naive(s, RP_TABLE_HTML, out));
    fprintf(out, "<h3>Do the verdicts agree?</h3>\n");
    RP_TRY(rp_summary_agreement(s, RP_TABLE_HTML, out));
    for (size_t g = 0; g < s->n_gpus; ++g) {
        fprintf(out, "<h3>By the datasheet of %s</h3>\n", s->gpus[g]->gpu_type);
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
    fprintf(out, "<p>What a device reached at most of plain arithmetic, of its memory, of its "
                 "cache, and how long an empty launch takes. Rows are held against these, never "
                 "against those of another device. Nothing stands here for a device whose ceilings "
                 "were not measured.</p>\n");
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
