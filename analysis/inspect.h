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

/* A row's times against its samples; called by rp_inspect_row. */
void rp_inspect_times(const struct rp_study *study, size_t index, struct rp_faults *faults);

/* The tables as wholes: rows planned, references between tables, identities, shared samples, times
 * that shrink as the length doubles. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_inspect_tables(const struct rp_study *study,
                                 struct rp_faults *faults) RP_MUST_CHECK;

#endif
