/* seal.c - SHA-256 at the end of a file. */
#include "store/seal.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"

_Static_assert(sizeof RP_SEAL_MARK - 1 + RP_DIGEST_HEX_SIZE == RP_SEAL_LENGTH,
               "the null of the digits makes room for the newline");

static void compose(const char *hex, char seal[RP_SEAL_LENGTH])
{
    const size_t mark = sizeof RP_SEAL_MARK - 1;
    memcpy(seal, RP_SEAL_MARK, mark);
    memcpy(seal + mark, hex, RP_DIGEST_HEX_SIZE - 1);
    seal[RP_SEAL_LENGTH - 1] = '\n';
}

enum rp_status rp_seal_make(const void *bytes, size_t n, char seal[RP_SEAL_LENGTH])
{
    char hex[RP_DIGEST_HEX_SIZE];
    RP_TRY(rp_digest_of(bytes, n, hex));
    compose(hex, seal);
    return RP_OK;
}

/* Reads exactly n bytes from `offset`. */
static bool read_at(int descriptor, char *bytes, size_t n, uint64_t offset)
{
    while (n > 0) {
        ssize_t got = pread(descriptor, bytes, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? ENODATA : errno;
            return false;
        }
        bytes += got;
        n -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

static enum rp_status digest_file(int descriptor, uint64_t size, char hex[RP_DIGEST_HEX_SIZE])
{
    const size_t block = (size_t)1 << 20;
    enum rp_status status = RP_OK;
    char *bytes = malloc(block);
    struct rp_digest *digest = rp_digest_create();
    if (!bytes)
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a checksum");
    for (uint64_t at = 0; at < size && status == RP_OK;) {
        size_t n = size - at < block ? (size_t)(size - at) : block;
        if (!read_at(descriptor, bytes, n, at))
            status = RP_FAIL(RP_ERR_ENVIRONMENT, "cannot be read: %s", strerror(errno));
        else
            rp_digest_add(digest, bytes, n);
        at += n;
    }
    if (status == RP_OK)
        status = rp_digest_end(digest, hex);
    rp_digest_destroy(digest);
    free(bytes);
    return status;
}

/* HDF5 file format, III.A, superblock versions 2 and 3: the version after the 8 bytes of the
 * signature, then the size of addresses; the end-of-file address at byte 28. 0 for other versions,
 * which are not of our making. */
static enum rp_status hdf5_end(int descriptor, uint64_t size, uint64_t *end)
{
    enum { VERSION = 8, ADDRESS_SIZE = 9, END_OF_FILE = 28, SUPERBLOCK = 48 };
    char start[SUPERBLOCK];
    *end = 0;
    if (size < sizeof start)
        return RP_OK;
    if (!read_at(descriptor, start, sizeof start, 0))
        return RP_FAIL(RP_ERR_ENVIRONMENT, "cannot be read: %s", strerror(errno));
    if ((start[VERSION] == 2 || start[VERSION] == 3) && start[ADDRESS_SIZE] == 8)
        memcpy(end, start + END_OF_FILE, sizeof *end);
    *end = le64toh(*end);
    return RP_OK;
}

enum rp_status rp_seal_check(int descriptor, uint64_t size, bool *sealed)
{
    char found[RP_SEAL_LENGTH];
    char expected[RP_SEAL_LENGTH];
    char hex[RP_DIGEST_HEX_SIZE];
    uint64_t end = 0;
    *sealed = false;
    if (size < RP_SEAL_LENGTH)
        return RP_OK;
    RP_TRY(hdf5_end(descriptor, size, &end));
    if (!read_at(descriptor, found, sizeof found, size - RP_SEAL_LENGTH))
        return RP_FAIL(RP_ERR_ENVIRONMENT, "cannot be read: %s", strerror(errno));
    bool marked = memcmp(found, RP_SEAL_MARK, sizeof RP_SEAL_MARK - 1) == 0;
    if (!marked && (end == 0 || end == size))
        return RP_OK;
    *sealed = true;
    RP_TRY(digest_file(descriptor, size - RP_SEAL_LENGTH, hex));
    compose(hex, expected);
    if (memcmp(found, expected, sizeof found) != 0)
        return RP_FAIL(RP_ERR_DAMAGED, "is damaged: its bytes do not fit the checksum at its end");
    return RP_OK;
}
