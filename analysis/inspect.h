/*
 * inspect.h - does what a file says fit together? Everything `verify` looks at after the reader
 * found the file whole (structure, checksums and digest).
 */
#ifndef RP_ANALYSIS_INSPECT_H
#define RP_ANALYSIS_INSPECT_H

#include "analysis/faults.h"
#include "base/status.h"
#include "store/results_scan.h"
#include "store/study.h"

/* One row of /results, number `number`, by itself and with its samples: words, identity, counts,
 * times, accuracy. Fails when the samples cannot be read. */
enum rp_status rp_inspect_row(const struct rp_study *study, const struct rp_result *row,
                              size_t number, struct rp_faults *faults) RP_MUST_CHECK;

/* Only whether the row's FLOP and bytes are what this program counts for its shape and method. */
void rp_inspect_counting(const struct rp_study *study, const struct rp_result *row, size_t number,
                         struct rp_faults *faults);

/* A row's times against its samples; called by rp_inspect_row. */
enum rp_status rp_inspect_times(const struct rp_study *study, const struct rp_result *row,
                                size_t number, struct rp_faults *faults) RP_MUST_CHECK;

/* The tables as wholes, in constant memory but for a number a run: rows planned, order, shared
 * samples, identities, and the two below. Reads the scan anew, several times; fails when that
 * fails. */
enum rp_status rp_inspect_tables(struct rp_results_scan *scan,
                                 struct rp_faults *faults) RP_MUST_CHECK;

/* What points into another table, and what a ceiling says; of /results one row. */
void rp_inspect_row_references(const struct rp_study *study, const struct rp_result *row,
                               size_t number, struct rp_faults *faults);
void rp_inspect_references(const struct rp_study *study, struct rp_faults *faults);

/* Warnings about times: those that shrink as the length doubles, and repeats of a point on one
 * device that differ. Fails when the rows cannot be read. */
enum rp_status rp_inspect_drift(struct rp_results_scan *scan,
                                struct rp_faults *faults) RP_MUST_CHECK;

#endif
