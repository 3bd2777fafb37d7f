/* explain_sections.h - the sections about verdicts; called by rp_explain_row. */
#ifndef RP_ANALYSIS_EXPLAIN_SECTIONS_H
#define RP_ANALYSIS_EXPLAIN_SECTIONS_H

#include "analysis/explain.h"

/* A number without an interval. */
struct rp_quantity rp_quantity_of(double value, const char *units);

void rp_explain_ceilings(struct rp_explainer *e);  /* those the row is held against */
void rp_explain_measured(struct rp_explainer *e);  /* class_measured, and whether it is plausible */
void rp_explain_datasheet(struct rp_explainer *e); /* class_ideal and class_predicted */

#endif
