/*
 * inspect.h - does what a file says fit together? Everything `verify` looks at after the reader
 * found the file whole (structure, checksums and digest).
 */
#ifndef RP_ANALYSIS_INSPECT_H
#define RP_ANALYSIS_INSPECT_H

#include "analysis/faults.h"
#include "base/status.h"
#include "store/study.h"

/* One row of /results by itself and with its samples: words, identity, counts, times, accuracy. */
void rp_inspect_row(const struct rp_study *study, size_t index, struct rp_faults *faults);

/* Only whether the row's FLOP and bytes are what this program counts for its shape and method. */
void rp_inspect_counting(const struct rp_study *study, size_t index, struct rp_faults *faults);

/* A row's times against its samples; called by rp_inspect_row. */
void rp_inspect_times(const struct rp_study *study, size_t index, struct rp_faults *faults);

/* The tables as wholes: rows planned, identities, shared samples, and the two below.
 * RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_inspect_tables(const struct rp_study *study,
                                 struct rp_faults *faults) RP_MUST_CHECK;

/* References between tables, and what a ceiling says. */
void rp_inspect_references(const struct rp_study *study, struct rp_faults *faults);

/* Warnings about times: those that shrink as the length doubles, and repeats of a point on one
 * device that differ. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_inspect_drift(const struct rp_study *study,
                                struct rp_faults *faults) RP_MUST_CHECK;

#endif
