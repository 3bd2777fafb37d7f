/*
 * results_hdf5.h - a study as an HDF5 file, schema version 1 (contract, section 4; docs/FILE.md).
 *
 * The only file that knows HDF5. Writing never touches an existing file: publish.h builds the file
 * aside and renames it.
 */
#ifndef RP_STORE_RESULTS_HDF5_H
#define RP_STORE_RESULTS_HDF5_H

#include "base/digest.h"
#include "base/status.h"
#include "store/study.h"

#define RP_RESULTS_FORMAT         "ridgepoint-results"
#define RP_RESULTS_SCHEMA_VERSION 1

/* Creates `path` (must not exist) with every table, closes it. */
enum rp_status rp_results_write(const char *path, const struct rp_study *study) RP_MUST_CHECK;

/* Reads every table into an empty study. RP_ERR_DAMAGED: not HDF5, foreign, a newer schema, a
 * column missing or of another type, tables of unequal length, a checksum that fails, or a digest
 * that does not fit. Columns this version does not know are ignored; columns an older file lacks
 * that were added later read as not applicable. */
enum rp_status rp_results_read(const char *path, struct rp_study *study) RP_MUST_CHECK;

/* SHA-256 over the tables as stored: the root attribute `digest`. */
enum rp_status rp_results_digest(const struct rp_study *study,
                                 char hex[RP_DIGEST_HEX_SIZE]) RP_MUST_CHECK;

/* Version of the HDF5 library in use, for /runs. */
void rp_results_library_version(char *text, size_t size);

#endif
