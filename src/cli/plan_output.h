/* plan_output.h - the rows and totals of `ridgepoint plan` as a table, csv or json. */
#ifndef RP_CLI_PLAN_OUTPUT_H
#define RP_CLI_PLAN_OUTPUT_H

#include "base/table.h"
#include "cli/plan_rows.h"
#include "cli/plan_sum.h"

/* Begins the rows, on standard output. */
enum rp_status rp_plan_output_begin(enum rp_table_format format,
                                    struct rp_table_writer **writer) RP_MUST_CHECK;
void rp_plan_output_row(struct rp_table_writer *writer, enum rp_table_format format,
                        const struct rp_plan_type *type, const struct rp_plan_row *row);

/* Begins the totals; csv has none. */
enum rp_status rp_plan_output_begin_totals(struct rp_table_writer *writer) RP_MUST_CHECK;
void rp_plan_output_totals(struct rp_table_writer *writer, const struct rp_plan_type *type,
                           const struct rp_plan_layout *layout,
                           const struct rp_plan_totals *totals);

#endif
