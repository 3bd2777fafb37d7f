/*
 * results_hdf5_table.c - one group of a result file becomes rows, if it is what docs/FILE.md says.
 *
 * First every dataset is looked at: kind, length, chunks, and sizes judged against what is stored,
 * before anything is allocated. Then the cells are read, chunk by chunk, into the digest and, where
 * this version knows the column, into the rows. Messages name the dataset; the caller adds the
 * path.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/cells.h"
#include "store/results_hdf5_private.h"

enum { MAX_COLUMNS = 512 };

static const size_t max_cell_bytes = (size_t)16 << 20;  /* a job text of 1 MiB, all escaped: 4 */
static const size_t max_chunk_bytes = (size_t)64 << 20; /* HDF5 allocates a whole chunk */

/* Deflate makes at most 1032 bytes of one. */
static const uint64_t max_expansion = 1032;

/* One dataset as found in the file. */
struct found {
    char name[RP_HDF5_NAME_SIZE];
    enum rp_column_kind kind; /* strings are WORD until the schema says TEXT */
    size_t width;
    uint64_t rows;
    size_t chunk;    /* rows */
    uint64_t stored; /* bytes its chunks take in the file */
};

struct found_table {
    const char *name;
    hid_t group;
    const struct rp_table_schema *schema; /* null: a group of a later version */
    enum rp_table_id id;                  /* where there is a schema */
    struct found *columns;                /* heap */
    size_t n_columns;
};

static enum rp_status damaged(const struct found_table *table, const char *column, const char *what)
{
    return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s %s", table->name, column, what);
}

static enum rp_status unreadable(const struct found_table *table, const char *column)
{
    char reason[RP_HDF5_REASON_SIZE];
    return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s cannot be read: %s", table->name, column,
                   rp_hdf5_reason(reason));
}

static bool get_kind(hid_t type, enum rp_column_kind *kind, size_t *width)
{
    *width = H5Tget_size(type);
    if (H5Tequal(type, H5T_STD_I64LE) > 0)
        *kind = RP_COLUMN_I64;
    else if (H5Tequal(type, H5T_IEEE_F64LE) > 0)
        *kind = RP_COLUMN_F64;
    else if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
             H5Tget_strpad(type) == H5T_STR_NULLPAD && H5Tget_cset(type) == H5T_CSET_ASCII)
        *kind = RP_COLUMN_WORD;
    else
        return false;
    return *width > 0;
}

/* Chunked, and by filters that are part of HDF5: others would be loaded from anywhere. */
static bool get_chunk(hid_t dataset, size_t *chunk)
{
    hsize_t rows = 0;
    hid_t properties = H5Dget_create_plist(dataset);
    bool known = properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED &&
                 H5Pget_chunk(properties, 1, &rows) == 1;
    int filters = known ? H5Pget_nfilters(properties) : 0;
    for (int i = 0; i < filters && known; ++i) {
        unsigned flags = 0;
        size_t n_values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL);
        known = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE ||
                filter == H5Z_FILTER_FLETCHER32;
    }
    rp_hdf5_close(properties);
    *chunk = (size_t)rows;
    return known && rows > 0;
}

static bool get_rows(hid_t dataset, uint64_t *rows)
{
    hsize_t extent = 0;
    hid_t space = H5Dget_space(dataset);
    bool done = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &extent, NULL) == 1;
    rp_hdf5_close(space);
    *rows = extent;
    return done;
}

static enum rp_status judge_column(const struct rp_hdf5_reader *reader,
                                   const struct found_table *table, const struct found *found)
{
    uint64_t bytes = 0;
    size_t chunk_bytes = 0;
    if (found->width > max_cell_bytes)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s has cells of %zu bytes, at most %zu are read",
                       table->name, found->name, found->width, max_cell_bytes);
    if (__builtin_mul_overflow(found->chunk, found->width, &chunk_bytes) ||
        chunk_bytes > max_chunk_bytes)
        return RP_FAIL(RP_ERR_DAMAGED,
                       "/%s/%s has chunks of %zu rows of %zu bytes, at most %zu "
                       "bytes are read",
                       table->name, found->name, found->chunk, found->width, max_chunk_bytes);
    if (__builtin_mul_overflow(found->rows, (uint64_t)found->width, &bytes) ||
        found->stored > reader->file_bytes || bytes / max_expansion > found->stored ||
        (bytes > 0 && found->stored == 0))
        return RP_FAIL(RP_ERR_DAMAGED,
                       "/%s/%s claims %" PRIu64 " rows of %zu bytes, but holds %" PRIu64
                       " bytes in a file of %" PRIu64,
                       table->name, found->name, found->rows, found->width, found->stored,
                       reader->file_bytes);
    if (found->rows != table->columns[0].rows)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s has %" PRIu64 " rows, /%s/%s has %" PRIu64,
                       table->name, found->name, found->rows, table->name, table->columns[0].name,
                       table->columns[0].rows);
    return RP_OK;
}

static enum rp_status examine_column(const struct rp_hdf5_reader *reader,
                                     const struct found_table *table, struct found *found)
{
    enum rp_status status = RP_OK;
    hid_t dataset = rp_hdf5_open_child(table->group, found->name, H5I_DATASET);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    if (dataset < 0 || type < 0)
        status = damaged(table, found->name, "is not a dataset that can be opened");
    else if (!get_kind(type, &found->kind, &found->width))
        status = damaged(table, found->name,
                         "is neither int64, float64 nor null-padded ASCII of fixed length");
    else if (!get_rows(dataset, &found->rows))
        status = damaged(table, found->name, "is not one-dimensional");
    else if (!get_chunk(dataset, &found->chunk))
        status = damaged(table, found->name,
                         "is not chunked with shuffle, deflate and Fletcher-32 only");
    else {
        found->stored = H5Dget_storage_size(dataset);
        status = judge_column(reader, table, found);
    }
    rp_hdf5_close(type);
    rp_hdf5_close(dataset);
    return status;
}

static enum rp_status examine_table(const struct rp_hdf5_reader *reader, struct found_table *table)
{
    uint64_t count = 0;
    if (!rp_hdf5_child_count(table->group, MAX_COLUMNS, &count) || count == 0)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s has no columns, or more than %d", table->name,
                       MAX_COLUMNS);
    table->columns = calloc(count, sizeof *table->columns);
    if (!table->columns)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the columns of /%s", table->name);
    for (uint64_t i = 0; i < count; ++i) {
        struct found *found = &table->columns[i];
        if (!rp_hdf5_child_name(table->group, i, found->name))
            return RP_FAIL(RP_ERR_DAMAGED, "/%s: the name of column %" PRIu64 " cannot be read",
                           table->name, i);
        RP_TRY(examine_column(reader, table, found));
        ++table->n_columns;
    }
    return RP_OK;
}

struct column_io {
    hid_t dataset;
    hid_t file_space;
    hid_t memory_type;
    char *bytes; /* heap, one chunk */
};

static bool io_open(struct column_io *io, hid_t group, const struct found *found)
{
    io->dataset = rp_hdf5_open_child(group, found->name, H5I_DATASET);
    io->file_space = io->dataset < 0 ? -1 : H5Dget_space(io->dataset);
    io->memory_type = -1;
    if (io->dataset >= 0)
        io->memory_type = found->kind == RP_COLUMN_I64   ? H5Tcopy(H5T_NATIVE_INT64)
                          : found->kind == RP_COLUMN_F64 ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                                         : H5Dget_type(io->dataset);
    io->bytes = malloc(found->chunk * found->width);
    return io->file_space >= 0 && io->memory_type >= 0 && io->bytes;
}

static void io_close(struct column_io *io)
{
    free(io->bytes);
    rp_hdf5_close(io->memory_type);
    rp_hdf5_close(io->file_space);
    rp_hdf5_close(io->dataset);
}

static bool io_read(struct column_io *io, size_t first, size_t n)
{
    const hsize_t start = first;
    const hsize_t count = n;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool done =
        memory >= 0 &&
        H5Sselect_hyperslab(io->file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
        H5Dread(io->dataset, io->memory_type, memory, io->file_space, H5P_DEFAULT, io->bytes) >= 0;
    rp_hdf5_close(memory);
    return done;
}

/* Whether the schema's column is of the kind found. */
static bool same_kind(const struct rp_column *column, const struct found *found)
{
    enum rp_column_kind kind = column->kind == RP_COLUMN_TEXT ? RP_COLUMN_WORD : column->kind;
    return kind == found->kind;
}

/* Chunk by chunk into the digest and, where the column is known, into the rows. */
static enum rp_status read_cells(struct rp_hdf5_reader *reader, const struct found_table *table,
                                 const struct found *found, struct column_io *io,
                                 struct rp_digest *digest)
{
    const struct rp_column *column =
        table->schema ? rp_column_find(table->schema, found->name) : NULL;
    if (column && !same_kind(column, found))
        return damaged(table, found->name, "is of another type than this column has");
    struct rp_cells cells = {table->schema, column, 0, 0, found->width};
    for (; cells.first < found->rows; cells.first += cells.count) {
        const size_t left = (size_t)found->rows - cells.first;
        cells.count = left < found->chunk ? left : found->chunk;
        if (!io_read(io, cells.first, cells.count))
            return unreadable(table, found->name);
        rp_cells_digest(digest, found->kind, found->width, cells.count, io->bytes);
        if (column)
            RP_TRY(rp_cells_scatter(&cells, &reader->study->tables[table->id], io->bytes));
    }
    return RP_OK;
}

static enum rp_status add_digest(struct rp_hdf5_reader *reader, const struct found_table *table,
                                 const struct found *found, hid_t dataset, struct rp_digest *digest)
{
    char hex[RP_DIGEST_HEX_SIZE];
    enum rp_status status = rp_digest_end(digest, hex);
    char *units = rp_hdf5_get_text(dataset, "units");
    char *description = rp_hdf5_get_text(dataset, "description");
    if (status == RP_OK && (!units || !description)) {
        status = damaged(table, found->name, "has no readable attributes units and description");
    } else if (status == RP_OK) {
        const struct rp_digest_line line = {table->name,         found->name, found->kind,
                                            (size_t)found->rows, units,       description};
        status = rp_digest_list_add(&reader->digests, &line, hex);
    }
    free(units);
    free(description);
    return status;
}

static enum rp_status read_column(struct rp_hdf5_reader *reader, const struct found_table *table,
                                  const struct found *found)
{
    struct column_io io;
    struct rp_digest *digest = rp_digest_create();
    enum rp_status status = RP_OK;
    if (!io_open(&io, table->group, found))
        status = unreadable(table, found->name);
    else
        status = read_cells(reader, table, found, &io, digest);
    if (status == RP_OK)
        status = add_digest(reader, table, found, io.dataset, digest);
    io_close(&io);
    rp_digest_destroy(digest);
    return status;
}

/* Rows that are "not applicable" in every column, to be filled. */
static enum rp_status make_rows(struct rp_hdf5_reader *reader, const struct found_table *table)
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
    struct found_table table = {.name = name, .group = -1};
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        if (strcmp(rp_table_schema((enum rp_table_id)id)->name, name) == 0) {
            table.schema = rp_table_schema((enum rp_table_id)id);
            table.id = (enum rp_table_id)id;
        }
    }
    enum rp_status status = RP_OK;
    table.group = rp_hdf5_open_child(reader->file, name, H5I_GROUP);
    if (table.group < 0)
        status = RP_FAIL(RP_ERR_DAMAGED, "/%s is not a group that can be opened", name);
    if (status == RP_OK)
        status = examine_table(reader, &table);
    if (status == RP_OK && table.schema)
        status = make_rows(reader, &table);
    for (size_t i = 0; i < table.n_columns && status == RP_OK; ++i)
        status = read_column(reader, &table, &table.columns[i]);
    rp_hdf5_close(table.group);
    free(table.columns);
    return status;
}
