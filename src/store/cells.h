/*
 * cells.h - a column as a result file stores it: one contiguous run of equally wide cells.
 *
 *   I64   8 bytes, native order      F64   8 bytes, native order
 *   WORD and TEXT   ASCII, padded with nulls to the longest value of the column, at least 1
 *
 * A word's byte outside printable ASCII becomes '?' (rp_word_set lets none in). A TEXT may hold any
 * byte: tab, newline and printable ASCII stay, every other byte is written \xNN, and so is a
 * backslash that would otherwise read as such an escape; reading undoes it.
 *
 * Knows structs and bytes, not files.
 */
#ifndef RP_STORE_CELLS_H
#define RP_STORE_CELLS_H

#include <stddef.h>

#include "base/digest.h"
#include "base/status.h"
#include "model/column.h"
#include "store/study.h"

/* Bytes of one cell of this column. */
size_t rp_cells_width(const struct rp_table *table, const struct rp_table_schema *schema,
                      const struct rp_column *column);

/* Cells handled at once, and the rows of a chunk: about 256 KiB of them, at least one. */
size_t rp_cells_block(size_t width);

/* A run of rows `first` .. `first + count` of one column and the cells beside it. */
struct rp_cells {
    const struct rp_table_schema *schema;
    const struct rp_column *column;
    size_t first;
    size_t count;
    size_t width; /* bytes of one cell */
};

/* `bytes` holds count * width. */
void rp_cells_gather(const struct rp_cells *cells, const struct rp_table *table, char *bytes);

/* The reverse, into rows that were initialised; TEXT is allocated. RP_ERR_DAMAGED when a cell does
 * not fit its column: too long, not ASCII, or a byte after its padding began. */
enum rp_status rp_cells_scatter(const struct rp_cells *cells, struct rp_table *table,
                                const char *bytes) RP_MUST_CHECK;

/* Adds cells in their canonical form (docs/FILE.md): numbers as 8 bytes, little endian, every NaN
 * as 0x7ff8000000000000; words and texts without padding, each followed by one null. */
void rp_cells_digest(struct rp_digest *digest, enum rp_column_kind kind, size_t width, size_t count,
                     const char *bytes);

#endif
