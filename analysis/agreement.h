/*
 * agreement.h - do the verdicts on a row agree, and if not, why?
 *
 * Ideal, predicted and measured answer different questions and are never mixed; where they differ
 * the reason is in their counts and ceilings, which are named.
 */
#ifndef RP_ANALYSIS_AGREEMENT_H
#define RP_ANALYSIS_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/row_view.h"

enum rp_disagreement {
    RP_DISAGREE_COUNTING, /* ideal by visible pairs, and by the dense rectangle */
    RP_DISAGREE_GROUPED,  /* ideal on query heads, and on kv heads, the notebook's decode formula */
    RP_DISAGREE_TRAFFIC,  /* predicted: the implementation moves more than it must */
    RP_DISAGREE_PATH,     /* predicted: it runs on another path than the dtype's tensor path */
    RP_DISAGREE_WORK,     /* predicted: it computes more than it must */
    RP_DISAGREE_LATENCY,  /* measured: the launch takes longest */
    RP_DISAGREE_BETWEEN,  /* measured: balanced, or undecided within the ceilings' intervals */
    RP_DISAGREE_OTHER,    /* measured: unexplained by these ceilings */
    RP_DISAGREE_RIDGE,    /* measured: the measured ridge is not the datasheet's */
    RP_DISAGREE_COUNT
};

/* A word for each: "counting", "traffic", ... */
const char *rp_disagreement_name(enum rp_disagreement d);

struct rp_agreement {
    size_t verdicts;               /* of ideal, predicted and measured, those not missing */
    bool agree;                    /* they name one class, whatever is counted */
    bool found[RP_DISAGREE_COUNT]; /* why they do not */
    char reason[400];              /* the same in words with numbers; "" when they agree */
};

struct rp_agreement rp_agreement_of(const struct rp_row_view *view);

#endif
