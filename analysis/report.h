/*
 * report.h - one page that answers and needs nothing else: no network, no script, no other file.
 * Every section writes HTML; words of a file pass through rp_table_escape_html.
 */
#ifndef RP_ANALYSIS_REPORT_H
#define RP_ANALYSIS_REPORT_H

#include <stdio.h>

#include "analysis/figure.h"
#include "base/status.h"

/* <h3> of what is told of the device of `on`; says when it was simulated. */
void rp_report_device_heading(const struct rp_measured *on, FILE *out);

/* Writes index.html into the folder of the figures, which have been drawn; whole or not at all. */
enum rp_status rp_report_write(const struct rp_figures *figures) RP_MUST_CHECK;

/* The answer: a card for each device, then sentences by the datasheets and of what was reached. */
enum rp_status rp_report_answer(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* Five answers about the device of `on`, the first of its items of the summary's measured list. */
enum rp_status rp_report_card(const struct rp_figures *figures, const struct rp_measured *on,
                              FILE *out) RP_MUST_CHECK;

/* The last of them: intervals, rows without a class, disturbed ceilings. */
enum rp_status rp_report_sureness(const struct rp_figures *figures, const struct rp_measured *on,
                                  FILE *out) RP_MUST_CHECK;

/* Whether a row or a ceiling of `device` (may be null) with these threads is told of with `on`. */
bool rp_report_is_alike(const struct rp_measured *on, const struct rp_device_row *device,
                        int64_t threads);

/* The same about a GPU type that no file was measured on. */
enum rp_status rp_report_datasheet_card(const struct rp_figures *figures,
                                        const struct rp_gpu_spec *gpu, FILE *out) RP_MUST_CHECK;

/* The text file given with --note, as it is. */
enum rp_status rp_report_note(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* The figures, inline, each with its caption and its files. */
enum rp_status rp_report_figures(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* The tables of the summary, and the ceilings. */
enum rp_status rp_report_tables(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;
enum rp_status rp_report_ceilings(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* What the words of the page mean. */
enum rp_status rp_report_words(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* Rows without a time or not to be believed, with a reason of each kind. */
enum rp_status rp_report_left_out(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

/* Files, runs and devices; then how to do it again. */
enum rp_status rp_report_provenance(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;
enum rp_status rp_report_again(const struct rp_figures *figures, FILE *out) RP_MUST_CHECK;

#endif
