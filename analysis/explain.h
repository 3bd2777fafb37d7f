/*
 * explain.h - every number of a row with the formula it comes from, filled in.
 *
 * For eyes each section is a table of quantity, value and how; for programs all of them are one
 * table, one row a quantity, in SI units.
 */
#ifndef RP_ANALYSIS_EXPLAIN_H
#define RP_ANALYSIS_EXPLAIN_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/row_view.h"
#include "base/status.h"
#include "base/table.h"

enum { RP_EXPLAIN_EYES_COLUMNS = 3 };

struct rp_explainer {
    FILE *out;
    enum rp_table_format format;
    struct rp_table_writer *writer; /* of a section for eyes, of everything for programs */
    struct rp_table_column columns[RP_EXPLAIN_EYES_COLUMNS];
    const struct rp_row_view *view; /* the row being explained */
    int64_t row;                    /* its number in /results */
    const char *section;
    enum rp_status status; /* the first failure; nothing is written after it */
};

struct rp_quantity {
    double value;
    double low, high;  /* NaN: no interval */
    const char *units; /* SI; "1" for a pure number */
};

void rp_explain_begin(struct rp_explainer *e, FILE *out, enum rp_table_format format);
enum rp_status rp_explain_end(struct rp_explainer *e) RP_MUST_CHECK;

/* Explains one row: all sections. Fails when its samples cannot be read. */
enum rp_status rp_explain_row(struct rp_explainer *e, const struct rp_row_view *view,
                              const struct rp_study *study, size_t number) RP_MUST_CHECK;

/* The pieces that sections are made of; `how` is a formula with its numbers, or where it is from.
 * What is not known (NaN, -1, "") is said to be missing. */
void rp_explain_section(struct rp_explainer *e, const char *name);
void rp_explain_number(struct rp_explainer *e, const char *name, struct rp_quantity quantity,
                       const char *how, ...) RP_PRINTF(4, 5);
void rp_explain_count(struct rp_explainer *e, const char *name, int64_t count, const char *units,
                      const char *how, ...) RP_PRINTF(5, 6);
void rp_explain_word(struct rp_explainer *e, const char *name, const char *word, const char *how,
                     ...) RP_PRINTF(4, 5);

#endif
