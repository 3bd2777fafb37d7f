/*
 * seal.h - the last line of a result file: a checksum of every byte before it.
 *
 *   ridgepoint-sha256:<64 hex digits>\n
 *
 * HDF5 ends where its superblock says and ignores what follows. libhdf5 can crash or hang on a
 * flipped bit, so the seal is checked before it sees the file. A file that ends where HDF5 ends has
 * none: another program has edited it, which drops the line; it is left to the digest inside.
 */
#ifndef RP_STORE_SEAL_H
#define RP_STORE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define RP_SEAL_MARK   "ridgepoint-sha256:"
#define RP_SEAL_LENGTH 83 /* bytes: the mark, 64 digits, a newline */

/* The line for these bytes; not null-terminated. */
enum rp_status rp_seal_make(const void *bytes, size_t n, char seal[RP_SEAL_LENGTH]) RP_MUST_CHECK;

/* *sealed: whether there is one. RP_ERR_DAMAGED when the HDF5 file of `size` bytes goes on after
 * its end with anything but a seal that fits; RP_ERR_ENVIRONMENT when it cannot be read. The
 * messages lack the path. */
enum rp_status rp_seal_check(int descriptor, uint64_t size, bool *sealed) RP_MUST_CHECK;

#endif
