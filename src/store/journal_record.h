/*
 * journal_record.h - how a record lies in the file.
 *
 *   magic (4) | kind (4) | payload bytes (8) | CRC-32 over kind, size and payload (8) | payload
 *
 * All in the byte order of the machine; the HEADER record carries a fingerprint of the structs, so
 * that a journal of another build or machine is refused, not misread.
 */
#ifndef RP_STORE_JOURNAL_RECORD_H
#define RP_STORE_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"

enum rp_journal_kind {
    RP_JOURNAL_HEADER = 1, /* struct rp_journal_header */
    RP_JOURNAL_TABLE_ROW,  /* int64 table, int64 index, struct, TEXT columns null-terminated */
    RP_JOURNAL_RESULT /* int64 sequence it replaces or -1, struct rp_result, then its samples */
};

struct rp_journal_header {
    char fingerprint[RP_DIGEST_HEX_SIZE]; /* of columns, kinds and struct sizes */
};

struct rp_journal_frame {
    uint32_t magic;
    uint32_t kind;
    uint64_t payload_bytes;
    uint64_t check;
};

enum { RP_JOURNAL_MAGIC = 0x324A5052 }; /* "RPJ2" */

/* Fills the frame for a payload. */
void rp_journal_frame_make(enum rp_journal_kind kind, const void *payload, size_t bytes,
                           struct rp_journal_frame *frame);

/* The whole record at `data`, of which `left` bytes are there: its total size, or 0 when it is
 * torn, cut or not a record. */
size_t rp_journal_frame_check(const void *data, size_t left, struct rp_journal_frame *frame);

enum rp_status rp_journal_header_make(struct rp_journal_header *header) RP_MUST_CHECK;

/* F.h5.journal, heap; null when host memory is out. */
char *rp_journal_path(const char *path);

/* The whole file; *data is heap. *found false when there is none. */
enum rp_status rp_journal_read_whole(const char *path, char **data, size_t *size,
                                     bool *found) RP_MUST_CHECK;

/* Bytes of whole records at the beginning. */
size_t rp_journal_whole_bytes(const char *data, size_t size);

#endif
