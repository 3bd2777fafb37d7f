/*
 * plausible.h - can a row be as fast as it says? Derived when asked, never written into a file.
 *
 * A cold row has to compute `flops` and to move `bytes_min`. One that was faster than the most that
 * was measured (of compute on its path, burst or sustained; of any DRAM bandwidth) allows, by more
 * than 3 % and with separated intervals, is implausible: a ceiling or a count is wrong, or the
 * caches were not cold. The compute ceiling is taken at the row's own clock where both clocks are
 * known.
 */
#ifndef RP_ANALYSIS_PLAUSIBLE_H
#define RP_ANALYSIS_PLAUSIBLE_H

#include <stdbool.h>

#include "store/study.h"

struct rp_plausibility {
    bool is_implausible;
    double least_s;   /* the longest time that compulsory work needs; NaN: not known */
    char reason[200]; /* "flops = 1e+09 at the measured compute ceiling, ..."; "" otherwise */
};

/* Rows that are warm, have no time or whose own run measured no ceilings are never implausible. */
struct rp_plausibility rp_row_plausibility(const struct rp_study *study,
                                           const struct rp_result *row);

#endif
