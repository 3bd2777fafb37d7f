/*
 * results_scan.h - the rows of a result file block by block or one by one, so that memory does not
 * grow with them, and only the columns that are asked for.
 *
 *   rp_results_scan_open(...); until *count is 0: rp_results_scan_next(...), then the rows of
 *   rp_results_scan_study(scan); rp_results_scan_close(scan)
 *
 * The file's seal is checked, and the checksums of all that is read. A file that another program
 * has edited has no seal; then the digest over the tables is checked before anything is handed out.
 */
#ifndef RP_STORE_RESULTS_SCAN_H
#define RP_STORE_RESULTS_SCAN_H

#include <stddef.h>

#include "base/status.h"
#include "store/study.h"

struct rp_results_scan;

/* `columns` are names of /results, owned by the caller until the scan is closed; null: all of them.
 * Fails as rp_results_read does; *scan is then null. */
enum rp_status rp_results_scan_open(const char *path, const char *const *columns, size_t n_columns,
                                    struct rp_results_scan **scan) RP_MUST_CHECK;

/* Begins anew at the first row, with these columns; with none it holds no chunks. */
enum rp_status rp_results_scan_again(struct rp_results_scan *scan, const char *const *columns,
                                     size_t n_columns) RP_MUST_CHECK;

/* Reads the next rows; *count is how many, 0 behind the last. */
enum rp_status rp_results_scan_next(struct rp_results_scan *scan, size_t *count) RP_MUST_CHECK;

/* Reads one row in place of a block; the next block is the one that it would have been. `number` is
 * below rp_results_scan_rows. */
enum rp_status rp_results_scan_row(struct rp_results_scan *scan, size_t number,
                                   const struct rp_result **row) RP_MUST_CHECK;

/* Reads the samples of a row whose columns `samples` and `sample_offset` were read; they stay until
 * the next call. *n is 0 when it has none or points outside of /samples. */
enum rp_status rp_results_scan_samples(struct rp_results_scan *scan, const struct rp_result *row,
                                       const struct rp_sample **samples, size_t *n) RP_MUST_CHECK;

/* The digest over all tables, of a sealed file too; reads all of it, a chunk at a time. */
enum rp_status rp_results_scan_check_digest(struct rp_results_scan *scan) RP_MUST_CHECK;

/* Rows of /results and /samples in the file. */
size_t rp_results_scan_rows(const struct rp_results_scan *scan);
size_t rp_results_scan_sample_rows(const struct rp_results_scan *scan);

/* Whole but for /samples, which is empty, and /results, which has the rows read last; of them what
 * was not asked for, or is not in the file, is not applicable. Owned by the scan, whose `scan` it
 * has. */
const struct rp_study *rp_results_scan_study(const struct rp_results_scan *scan);

void rp_results_scan_close(struct rp_results_scan *scan); /* takes null */

#endif
