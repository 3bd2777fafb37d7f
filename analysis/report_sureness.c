/*
 * report_sureness.c - how sure a card's answers are: intervals of the times, rows without a class,
 * ceilings that were disturbed.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/device_kind.h"
#include "analysis/report.h"
#include "analysis/roof.h"
#include "base/stats.h"

/* The device that is spoken of, and where it goes. */
struct subject {
    const struct rp_figures *figures;
    const struct rp_measured *on;
    FILE *out;
};

bool rp_report_is_alike(const struct rp_measured *on, const struct rp_device_row *device,
                        int64_t threads)
{
    return device && threads == on->threads && rp_device_kind_compare(device, on->device) == 0;
}

/* Half-widths of the medians' intervals, relative; returns how many. */
static size_t collect_widths(const struct subject *subject, double *widths)
{
    size_t n = 0;
    for (size_t i = 0; i < subject->figures->rows.count; ++i) {
        const struct rp_figure_row *r = &subject->figures->rows.items[i];
        const struct rp_result *row = r->row;
        double width = (row->time_ci_high_s - row->time_ci_low_s) / (2 * row->time_median_s);
        if (rp_report_is_alike(subject->on, r->device, row->threads) && row->ci_level >= 0.95 &&
            isfinite(width))
            widths[n++] = width;
    }
    return n;
}

static void put_count(const struct subject *subject, size_t n, const char *text)
{
    if (n)
        fprintf(subject->out, "; %zu %s", n, text);
}

/* Ceilings of the device, and those that were disturbed while they were measured. */
static void put_disturbed(const struct subject *subject)
{
    const struct rp_study_list *list = subject->figures->summary->list;
    size_t all = 0;
    size_t disturbed = 0;
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
            if (rp_ceiling_is_anchor(c) || c->device < 0 ||
                (size_t)c->device >= rp_study_count(study, RP_TABLE_DEVICES) ||
                !rp_report_is_alike(subject->on, &rp_study_devices(study)[c->device], c->threads))
                continue;
            ++all;
            disturbed += rp_ceiling_is_disturbed(c);
        }
    }
    if (disturbed)
        fprintf(subject->out,
                "<dd>%zu of its %zu ceilings were disturbed while they were measured and may be "
                "too low: classes by them may be wrong</dd>\n",
                disturbed, all);
}

/* Of the timed rows of the device. */
static void put_classes(const struct subject *subject)
{
    const struct rp_measured_list *measured = &subject->figures->summary->measured;
    size_t begin = (size_t)(subject->on - measured->items);
    size_t end = rp_measured_end_of_device(measured, begin);
    size_t timed = 0;
    size_t classes[RP_CLASS_COUNT] = {0};
    for (size_t i = begin; i < end; ++i) {
        timed += measured->items[i].timed;
        for (int c = 0; c < RP_CLASS_COUNT; ++c)
            classes[c] += measured->items[i].classes[c];
    }
    size_t named = timed - classes[RP_CLASS_UNDECIDED] - classes[RP_CLASS_UNEXPLAINED] -
                   classes[RP_CLASS_MISSING];
    if (timed == 0) {
        fprintf(subject->out, "<dd>no row has a time</dd>\n");
        return;
    }
    fprintf(subject->out, "<dd>of %zu timed row%s %zu %s a class by the measured ceilings", timed,
            timed == 1 ? "" : "s", named, named == 1 ? "has" : "have");
    put_count(subject, classes[RP_CLASS_UNDECIDED], "undecided within the ceilings' intervals");
    put_count(subject, classes[RP_CLASS_UNEXPLAINED],
              "unexplained: over twice as long as they allow");
    put_count(subject, classes[RP_CLASS_MISSING], "without measured ceilings");
    fprintf(subject->out, "</dd>\n");
}

enum rp_status rp_report_sureness(const struct rp_figures *figures, const struct rp_measured *on,
                                  FILE *out)
{
    const struct subject subject = {figures, on, out};
    size_t rows = figures->rows.count;
    double *widths = calloc(rows + 1, sizeof *widths);
    if (!widths)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu rows", rows);
    size_t n = collect_widths(&subject, widths);
    rp_stats_sort(widths, n);
    fprintf(out, "<dt>How sure is that?</dt>\n");
    if (rp_device_is_simulated(on->device))
        fprintf(out, "<dd>not at all: a model answered, nothing was measured</dd>\n");
    if (n)
        fprintf(out,
                "<dd>95 %% interval of a median time: within &#177;%.2g %% for half of the %zu "
                "rows that have one, &#177;%.2g %% for all</dd>\n",
                100 * rp_stats_median(widths, n), n, 100 * widths[n - 1]);
    put_classes(&subject);
    put_disturbed(&subject);
    free(widths);
    return RP_OK;
}
