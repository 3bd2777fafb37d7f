/*
 * results_scan.h - the rows of a result file block by block, so that memory does not grow with
 * them, and only the columns that are asked for.
 *
 *   rp_results_scan_open(...); until *count is 0: rp_results_scan_next(...), then the rows of
 *   rp_results_scan_study(scan); rp_results_scan_close(scan)
 *
 * The file's seal and the checksums of all that is read are checked. The digest over the tables is
 * not: it needs all columns, which rp_results_read reads.
 */
#ifndef RP_STORE_RESULTS_SCAN_H
#define RP_STORE_RESULTS_SCAN_H

#include <stddef.h>

#include "base/status.h"
#include "store/study.h"

struct rp_results_scan;

/* `columns` are names of /results, owned by the caller until the scan is closed. Fails as
 * rp_results_read does; *scan is then null. */
enum rp_status rp_results_scan_open(const char *path, const char *const *columns, size_t n_columns,
                                    struct rp_results_scan **scan) RP_MUST_CHECK;

/* Reads the next rows; *count is how many, 0 behind the last. */
enum rp_status rp_results_scan_next(struct rp_results_scan *scan, size_t *count) RP_MUST_CHECK;

/* Whole but for /samples, which is empty, and /results, which has the rows read last; of them what
 * was not asked for, or is not in the file, is not applicable. Owned by the scan. */
const struct rp_study *rp_results_scan_study(const struct rp_results_scan *scan);

void rp_results_scan_close(struct rp_results_scan *scan); /* takes null */

#endif
