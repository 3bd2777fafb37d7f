/* report_tables.c - tables of the summary, ceilings, and what was left out. */
#include <inttypes.h>
#include <string.h>

#include "analysis/plausible.h"
#include "analysis/report.h"
#include "model/result.h"

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

enum { NO_TIME = RP_OUTCOME_COUNT, IMPLAUSIBLE, FAULTS };

/* Why a row has no place among the times: what became of it, or one of the two above.
 * RP_OUTCOME_OK: it has. */
static int fault_of(const struct rp_figure_row *r, const char **reason)
{
    enum rp_outcome outcome = RP_OUTCOME_ERROR;
    *reason = r->row->reason;
    if (!rp_outcome_find(r->row->status, &outcome) || outcome != RP_OUTCOME_OK)
        return (int)outcome;
    if (!(r->row->time_median_s > 0))
        return NO_TIME;
    *reason = "faster than its compulsory work allows at the measured ceilings";
    return rp_row_plausibility(r->study, r->row).is_implausible ? IMPLAUSIBLE : RP_OUTCOME_OK;
}

/* Rows begin .. end - 1 are of one label; a line for each kind of fault. */
static void put_left_out(struct rp_table_writer *w, const struct rp_figures *figures, size_t begin,
                         size_t end)
{
    int64_t counts[FAULTS] = {0};
    const char *first[FAULTS] = {NULL};
    for (size_t i = begin; i < end; ++i) {
        const char *reason;
        int fault = fault_of(&figures->rows.items[i], &reason);
        if (counts[fault]++ == 0)
            first[fault] = reason;
    }
    for (int fault = RP_OUTCOME_OK + 1; fault < FAULTS; ++fault) {
        const char *name = fault == NO_TIME ? "no time" : "implausible";
        if (!counts[fault])
            continue;
        rp_table_word(w, figures->rows.items[begin].label);
        rp_table_word(w, fault < NO_TIME ? rp_outcome_name((enum rp_outcome)fault) : name);
        rp_table_i64(w, counts[fault]);
        rp_table_word_or_missing(w, first[fault]);
    }
}

enum rp_status rp_report_left_out(const struct rp_figures *figures, FILE *out)
{
    const struct rp_figure_rows *rows = &figures->rows;
    struct rp_table_writer *w = NULL;
    const size_t simulated = figures->summary->measured.simulated;
    if (simulated)
        fprintf(out,
                "<p>%zu rows of simulated devices; <code>--simulated</code> takes them "
                "in.</p>\n",
                simulated);
    fprintf(out, "<p>Rows without a time, or not to be believed; none of them is in a rate, a "
                 "ratio or a class.</p>\n");
    RP_TRY(rp_table_begin(out, RP_TABLE_HTML, "ridgepoint-report", left_out_columns,
                          RP_COUNT(left_out_columns), &w));
    for (size_t begin = 0, end = 0; begin < rows->count; begin = end) {
        end = rp_figure_rows_end_of_label(rows, begin);
        put_left_out(w, figures, begin, end);
    }
    RP_TRY(rp_table_end(w));
    fprintf(out, "<p>Softmax is left out of all counts. Figures over T show one line of shapes, "
                 "the longest; every row is in the files: <code>ridgepoint-analyze export</code>."
                 "</p>\n");
    return RP_OK;
}
