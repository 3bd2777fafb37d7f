/*
 * notebook_checks.h - the notebook's six checks by their names.
 *
 * A counting check takes flops_dense and bytes_min from the rows where a file has the shape, and
 * from the model otherwise. A measured check without its rows is a SKIP that says what is missing.
 * The files are read once, block by block; of their rows those of the checks' shapes are kept, once
 * for repeats that say the same.
 */
#ifndef RP_ANALYSIS_NOTEBOOK_CHECKS_H
#define RP_ANALYSIS_NOTEBOOK_CHECKS_H

#include <stdbool.h>

#include "analysis/load.h"
#include "model/gpu_spec.h"

enum rp_check_outcome { RP_CHECK_PASS, RP_CHECK_FAIL, RP_CHECK_SKIP, RP_CHECK_OUTCOME_COUNT };

enum { RP_NOTEBOOK_CHECKS = 6 };

struct rp_finding {
    const char *name; /* of the check */
    enum rp_check_outcome outcome;
    double value;    /* the number behind it; NaN when there is none */
    char text[400];  /* that number, its limit, and what it says */
    char origin[96]; /* which rows it is from, or that it is the model's; "" for a SKIP */
};

struct rp_check_source {
    const struct rp_study_list *list;
    const struct rp_gpu_list *gpus;
    bool simulated; /* take rows of simulated devices in */
};

/* "PASS", "FAIL", "SKIP". */
const char *rp_check_outcome_name(enum rp_check_outcome outcome);

/* All six, in the notebook's order. Fails when a file cannot be read. */
enum rp_status rp_notebook_checks(const struct rp_check_source *source,
                                  struct rp_finding findings[RP_NOTEBOOK_CHECKS]) RP_MUST_CHECK;

#endif
