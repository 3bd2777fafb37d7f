/*
 * report.h - what there is to tell of a task: ceilings, or finished rows with their samples, and
 * whether the task is finished. The bytes travel as they are from a worker through its rank to rank
 * 0.
 */
#ifndef RP_RUNNER_REPORT_H
#define RP_RUNNER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/column.h"

struct rp_report_head {
    int64_t task;        /* its number */
    int64_t is_finished; /* 1: nothing more of this task comes */
    int64_t n_ceilings;  /* they come first; of a task that measures points there are none */
};

/* Writing: a report is the bytes of a text, an empty one until something is added. */
void rp_report_add_row(struct rp_text *report, int64_t task, const struct rp_result *row,
                       const struct rp_sample *samples); /* row->samples of them */
void rp_report_add_ceiling(struct rp_text *report, int64_t task, const struct rp_ceiling *row);
void rp_report_finish(struct rp_text *report, int64_t task);

/* Reading, in place: `data` is aligned as malloc does. */
struct rp_report {
    struct rp_report_head head;
    struct rp_ceiling *ceilings; /* head.n_ceilings of them */
    char *at;
    size_t left;
};

void rp_report_open(struct rp_report *report, void *data, size_t bytes);

/* The next row and its samples; false after the last. */
bool rp_report_next_row(struct rp_report *report, struct rp_result **row,
                        struct rp_sample **samples);

#endif
