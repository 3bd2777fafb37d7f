/*
 * pairs_scan.h - pairs.h for a file that is read block by block.
 *
 * What is kept of the file is where the rows of each point, device and run begin: 16 bytes for as
 * many rows as lie together, which all implementations of a point usually do, and at most as often
 * as there are implementations.
 */
#ifndef RP_ANALYSIS_PAIRS_SCAN_H
#define RP_ANALYSIS_PAIRS_SCAN_H

#include "analysis/pairs.h"
#include "base/status.h"

struct rp_pairs_scan;

/* Reads the scan once, and rows of it whenever they are asked for; nobody else may meanwhile.
 * *opened is null on failure. */
enum rp_status rp_pairs_scan_open(struct rp_results_scan *scan,
                                  struct rp_pairs_scan **opened) RP_MUST_CHECK;
void rp_pairs_scan_close(struct rp_pairs_scan *scan); /* takes null; the scan stays open */

/* The timed rows of the same point, device and run as `row`, which is of this file; owned by the
 * scan, until the next call. */
enum rp_status rp_pairs_scan_find(struct rp_pairs_scan *scan, const struct rp_result *row,
                                  const struct rp_pairs **pairs) RP_MUST_CHECK;

/* Hands out all timed rows of a study: of one that is read block by block those of one point,
 * device and run at a time, in the order of the file. */
typedef enum rp_status rp_pairs_function(void *context, const struct rp_pairs *pairs);
enum rp_status rp_pairs_visit(const struct rp_study *study, rp_pairs_function *visit,
                              void *context) RP_MUST_CHECK;

#endif
