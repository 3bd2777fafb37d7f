/* report.c - items one after the other, each behind its kind and size. */
#include "runner/report.h"

#include <string.h>

static void add_item(struct rp_text *report, enum rp_report_kind kind, int64_t task, size_t bytes)
{
    const struct rp_report_item item = {(int64_t)kind, task, (int64_t)bytes};
    rp_text_add(report, (const char *)&item, sizeof item);
}

void rp_report_add_row(struct rp_text *report, int64_t task, const struct rp_result *row,
                       const struct rp_sample *samples)
{
    size_t samples_bytes = (size_t)row->samples * sizeof *samples;
    add_item(report, RP_REPORT_ROW, task, sizeof *row + samples_bytes);
    rp_text_add(report, (const char *)row, sizeof *row);
    if (samples_bytes > 0)
        rp_text_add(report, (const char *)samples, samples_bytes);
}

void rp_report_add_ceiling(struct rp_text *report, int64_t task, const struct rp_ceiling *row)
{
    add_item(report, RP_REPORT_CEILING, task, sizeof *row);
    rp_text_add(report, (const char *)row, sizeof *row);
}

void rp_report_add_end(struct rp_text *report, int64_t task)
{
    add_item(report, RP_REPORT_END, task, 0);
}

bool rp_report_next(struct rp_report *report, struct rp_report_item *item, void **body)
{
    if (report->left < sizeof *item)
        return false;
    memcpy(item, report->at, sizeof *item);
    *body = report->at + sizeof *item;
    report->at += sizeof *item + (size_t)item->bytes;
    report->left -= sizeof *item + (size_t)item->bytes;
    return true;
}

struct rp_sample *rp_report_samples(struct rp_result *row)
{
    return (struct rp_sample *)(row + 1);
}
