/*
 * results_hdf5_table.c - one group of a result file becomes rows: the cells are read, chunk by
 * chunk, into the digest and, where this version knows the column, into the rows. Messages name the
 * dataset; the caller adds the path.
 */
#include <stdlib.h>

#include "store/cells.h"
#include "store/results_hdf5_private.h"

/* Chunk by chunk into the digest and, where the column is known and kept, into the rows. */
static enum rp_status read_cells(struct rp_hdf5_reader *reader,
                                 const struct rp_hdf5_found_table *table,
                                 const struct rp_hdf5_found *found, struct rp_hdf5_column *io,
                                 struct rp_digest *digest)
{
    const struct rp_column *column =
        table->schema ? rp_column_find(table->schema, found->name) : NULL;
    if (column && !rp_hdf5_same_kind(column, found))
        return rp_hdf5_damaged(table, found->name, "is of another type than this column has");
    struct rp_cells cells = {table->schema, column, 0, 0, found->width};
    for (; cells.first < found->rows; cells.first += cells.count) {
        RP_TRY(rp_hdf5_column_seek(io, cells.first));
        cells.count = io->cells.count;
        rp_cells_digest(digest, found->kind, found->width, cells.count, io->cells.bytes);
        if (column && reader->kept[table->id])
            RP_TRY(rp_cells_scatter(&cells, &reader->study->tables[table->id], io->cells.bytes));
    }
    return RP_OK;
}

static enum rp_status add_digest(struct rp_hdf5_reader *reader,
                                 const struct rp_hdf5_found_table *table,
                                 const struct rp_hdf5_found *found, hid_t dataset,
                                 struct rp_digest *digest)
{
    char hex[RP_DIGEST_HEX_SIZE];
    enum rp_status status = rp_digest_end(digest, hex);
    char *units = rp_hdf5_get_text(dataset, "units");
    char *description = rp_hdf5_get_text(dataset, "description");
    if (status == RP_OK && (!units || !description)) {
        status =
            rp_hdf5_damaged(table, found->name, "has no readable attributes units and description");
    } else if (status == RP_OK) {
        const struct rp_digest_line line = {table->name,         found->name, found->kind,
                                            (size_t)found->rows, units,       description};
        status = rp_digest_list_add(&reader->digests, &line, hex);
    }
    free(units);
    free(description);
    return status;
}

static enum rp_status read_column(struct rp_hdf5_reader *reader,
                                  const struct rp_hdf5_found_table *table,
                                  const struct rp_hdf5_found *found)
{
    struct rp_hdf5_column io;
    struct rp_digest *digest = rp_digest_create();
    enum rp_status status = rp_hdf5_column_open(&io, reader, table, found);
    if (status == RP_OK)
        status = read_cells(reader, table, found, &io, digest);
    if (status == RP_OK)
        status = add_digest(reader, table, found, io.dataset, digest);
    rp_hdf5_column_close(&io);
    rp_digest_destroy(digest);
    return status;
}

/* Rows that are "not applicable" in every column, to be filled. */
static enum rp_status make_rows(struct rp_hdf5_reader *reader,
                                const struct rp_hdf5_found_table *table)
{
    struct rp_table *rows = &reader->study->tables[table->id];
    const size_t count = (size_t)table->columns[0].rows;
    size_t bytes = 0;
    if (count == 0)
        return RP_OK;
    if (!__builtin_mul_overflow(count, table->schema->row_bytes, &bytes))
        rows->rows = malloc(bytes);
    if (!rows->rows)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu rows of /%s", count,
                       table->name);
    rows->capacity = count;
    rows->count = count;
    for (size_t i = 0; i < count; ++i)
        rp_row_init(table->id, rp_study_row(reader->study, table->id, i));
    return RP_OK;
}

enum rp_status rp_hdf5_read_table(struct rp_hdf5_reader *reader, const char *name)
{
    struct rp_hdf5_found_table table;
    enum rp_status status = rp_hdf5_found_open(reader, name, &table);
    if (status == RP_OK && table.schema && reader->kept[table.id])
        status = make_rows(reader, &table);
    for (size_t i = 0; i < table.n_columns && status == RP_OK; ++i)
        status = read_column(reader, &table, &table.columns[i]);
    rp_hdf5_found_close(&table);
    return status;
}
