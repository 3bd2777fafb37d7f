/* plan_sum.h - what the rows of a job add up to on one type of device. */
#ifndef RP_CLI_PLAN_SUM_H
#define RP_CLI_PLAN_SUM_H

#include "cli/plan_rows.h"
#include "plan/makespan.h"

struct rp_plan_totals {
    int64_t points, rows;
    int64_t of_outcome[RP_OUTCOME_COUNT]; /* rows by status */
    double device_s;                      /* all rows: one device alone */
    double exclusive_s; /* the part of it in which nothing else may use the memory */
    double makespan_s;  /* of all ranks, without what comes before the first point */
    double node_hours;
    char slurm_time[RP_SLURM_TIME_SIZE];
    int64_t memory_bytes; /* of the host, on each node */
};

struct rp_plan_sum;

/* For `n_points` at most. */
enum rp_status rp_plan_sum_create(size_t n_points, struct rp_plan_sum **sum) RP_MUST_CHECK;
void rp_plan_sum_destroy(struct rp_plan_sum *sum);

/* The n rows of one point. */
void rp_plan_sum_add(struct rp_plan_sum *sum, const struct rp_plan_type *type,
                     const struct rp_plan_row *rows, size_t n);

struct rp_plan_layout {
    size_t ranks, nodes; /* nodes 1 .. ranks */
};

enum rp_status rp_plan_sum_end(struct rp_plan_sum *sum, const struct rp_plan_type *type,
                               const struct rp_plan_layout *layout,
                               struct rp_plan_totals *totals) RP_MUST_CHECK;

#endif
