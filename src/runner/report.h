/*
 * report.h - what there is to tell of tasks: finished rows with their samples, ceilings, tasks that
 * are finished. The bytes travel as they are from a worker through its rank to rank 0.
 */
#ifndef RP_RUNNER_REPORT_H
#define RP_RUNNER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/column.h"

enum rp_report_kind {
    RP_REPORT_ROW,     /* struct rp_result, then row->samples of struct rp_sample */
    RP_REPORT_CEILING, /* struct rp_ceiling */
    RP_REPORT_END      /* nothing more of this task comes */
};

struct rp_report_item {
    int64_t kind;  /* enum rp_report_kind */
    int64_t task;  /* its number */
    int64_t bytes; /* of the body */
};

/* Writing: a report is the bytes of a text. */
void rp_report_add_row(struct rp_text *report, int64_t task, const struct rp_result *row,
                       const struct rp_sample *samples);
void rp_report_add_ceiling(struct rp_text *report, int64_t task, const struct rp_ceiling *row);
void rp_report_add_end(struct rp_text *report, int64_t task);

/* Reading, in place. */
struct rp_report {
    char *at; /* aligned as malloc does */
    size_t left;
};

/* The next item and its body; false after the last. */
bool rp_report_next(struct rp_report *report, struct rp_report_item *item, void **body);

/* Samples of a row that is the body of an item. */
struct rp_sample *rp_report_samples(struct rp_result *row);

#endif
