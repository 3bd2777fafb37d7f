/* report.c - a head, then ceilings, then rows, each followed by its samples. */
#include "runner/report.h"

#include <string.h>

static void begin(struct rp_text *report, int64_t task)
{
    const struct rp_report_head head = {.task = task};
    if (report->length == 0)
        rp_text_add(report, (const char *)&head, sizeof head);
}

void rp_report_add_row(struct rp_text *report, int64_t task, const struct rp_result *row,
                       const struct rp_sample *samples)
{
    begin(report, task);
    rp_text_add(report, (const char *)row, sizeof *row);
    if (row->samples > 0)
        rp_text_add(report, (const char *)samples, (size_t)row->samples * sizeof *samples);
}

void rp_report_add_ceiling(struct rp_text *report, int64_t task, const struct rp_ceiling *row)
{
    begin(report, task);
    rp_text_add(report, (const char *)row, sizeof *row);
    if (rp_text_ok(report))
        ++((struct rp_report_head *)(void *)report->data)->n_ceilings;
}

void rp_report_finish(struct rp_text *report, int64_t task)
{
    begin(report, task);
    if (rp_text_ok(report))
        ((struct rp_report_head *)(void *)report->data)->is_finished = 1;
}

void rp_report_open(struct rp_report *report, void *data, size_t bytes)
{
    memcpy(&report->head, data, sizeof report->head);
    size_t ceilings_bytes = (size_t)report->head.n_ceilings * sizeof *report->ceilings;
    report->ceilings = (void *)((char *)data + sizeof report->head);
    report->at = (char *)data + sizeof report->head + ceilings_bytes;
    report->left = bytes - sizeof report->head - ceilings_bytes;
}

bool rp_report_next_row(struct rp_report *report, struct rp_result **row,
                        struct rp_sample **samples)
{
    if (report->left < sizeof **row)
        return false;
    *row = (void *)report->at;
    *samples = (void *)(report->at + sizeof **row);
    size_t bytes = sizeof **row + (size_t)(*row)->samples * sizeof **samples;
    if ((*row)->samples < 0 || bytes > report->left)
        return false;
    report->at += bytes;
    report->left -= bytes;
    return true;
}
