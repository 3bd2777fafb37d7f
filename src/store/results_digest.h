/*
 * results_digest.h - what the root attribute `digest` is computed from (docs/FILE.md).
 *
 * One line a column - its name, kind, rows, units, description and the SHA-256 of its cells -
 * sorted by name under one line for the file. The reader lists what the file holds, columns it does
 * not know included; the writer lists what it is about to store.
 */
#ifndef RP_STORE_RESULTS_DIGEST_H
#define RP_STORE_RESULTS_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"
#include "model/column.h"

struct rp_digest_line {
    const char *table;
    const char *column;
    enum rp_column_kind kind; /* WORD and TEXT are the same here */
    size_t rows;
    const char *units;
    const char *description;
};

struct rp_digest_list {
    char **lines; /* heap */
    size_t count;
    size_t capacity;
};

void rp_digest_list_init(struct rp_digest_list *list);
void rp_digest_list_clear(struct rp_digest_list *list);

/* `cells_hex` is the SHA-256 of the cells in canonical form. */
enum rp_status rp_digest_list_add(struct rp_digest_list *list, const struct rp_digest_line *line,
                                  const char *cells_hex) RP_MUST_CHECK;

/* Sorts the lines. */
enum rp_status rp_digest_list_end(struct rp_digest_list *list, bool complete, int64_t rows_planned,
                                  int64_t rows, char hex[RP_DIGEST_HEX_SIZE]) RP_MUST_CHECK;

#endif
