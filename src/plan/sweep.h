/*
 * sweep.h - from the blocks of a sweep to the points of a job.
 *
 * Each block is a product; the blocks add up; a point that several blocks ask for is kept once,
 * with the implementations of all of them, and with a label for each model that asked.
 */
#ifndef RP_PLAN_SWEEP_H
#define RP_PLAN_SWEEP_H

#include "plan/job.h"
#include "plan/node.h"

/* Before exclusions and merging; a sweep that asks for more is refused before it is built. */
enum { RP_SWEEP_POINTS_MAX = 1000000 };

/* Fills points and labels of the job, which the caller clears, also on failure. */
enum rp_status rp_sweep_read(const struct rp_node *sweep, const char *data_folder,
                             struct rp_job *job) RP_MUST_CHECK;

#endif
