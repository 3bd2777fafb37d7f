/*
 * pairs_scan.h - pairs.h for a file that is read block by block.
 *
 * What is kept of the file is where the rows of each point, device and run begin: 16 bytes for as
 * many rows as lie together, which all implementations of a point usually do.
 */
#ifndef RP_ANALYSIS_PAIRS_SCAN_H
#define RP_ANALYSIS_PAIRS_SCAN_H

#include "analysis/pairs.h"
#include "base/status.h"

struct rp_pairs_scan;

/* Reads the file once. *scan is null on failure. */
enum rp_status rp_pairs_scan_open(const char *path, struct rp_pairs_scan **scan) RP_MUST_CHECK;
void rp_pairs_scan_close(struct rp_pairs_scan *scan); /* takes null */

/* The timed rows of the same point, device and run as `row`, which is of this file; owned by the
 * scan, until the next call. */
enum rp_status rp_pairs_scan_find(struct rp_pairs_scan *scan, const struct rp_result *row,
                                  const struct rp_pairs **pairs) RP_MUST_CHECK;

#endif
