/*
 * subcommands.h - what ridgepoint-analyze can do: one file a subcommand, one row in main.c's table.
 *
 * argv[0] is the subcommand's name. Output goes to `out`, the verdict to *exit_code (0, 1 or 3);
 * a failed status instead carries the sentence to print and its own code.
 */
#ifndef RP_ANALYSIS_SUBCOMMANDS_H
#define RP_ANALYSIS_SUBCOMMANDS_H

#include <stdio.h>

#include "base/status.h"

enum rp_status rp_summary_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_classes_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_check_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_verify_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_explain_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_report_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_figures_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_export_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_compare_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;
enum rp_status rp_merge_run(int argc, char *const *argv, FILE *out, int *exit_code) RP_MUST_CHECK;

#endif
