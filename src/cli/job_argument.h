/*
 * job_argument.h - what says on a command line which job is meant: JOB.yaml or --point, --set,
 * --data and --only.
 */
#ifndef RP_CLI_JOB_ARGUMENT_H
#define RP_CLI_JOB_ARGUMENT_H

#include "base/option.h"
#include "base/status.h"
#include "plan/job.h"

struct rp_job_argument {
    const char *command; /* for sentences */
    const struct rp_operands *operands;
    const char *point; /* null: a job file */
    const struct rp_option_list *sets;
    const char *data; /* may be null */
    const char *only; /* may be null */
};

/* RP_ERR_USAGE: neither or both of file and point, or --only is no point's identity. */
enum rp_status rp_job_argument_check(const struct rp_job_argument *argument) RP_MUST_CHECK;

enum rp_status rp_job_argument_read(const struct rp_job_argument *argument,
                                    struct rp_job *job) RP_MUST_CHECK;

#endif
