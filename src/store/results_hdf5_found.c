/*
 * results_hdf5_found.c - what of a group of a result file is there, judged before it is read.
 *
 * Every dataset is looked at: kind, length, chunks, and sizes held against what is stored, before
 * anything is allocated. Messages name the dataset; the caller adds the path.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/results_hdf5_private.h"

enum { MAX_COLUMNS = 512 };

static const size_t max_cell_bytes = (size_t)16 << 20;  /* a job text of 1 MiB, all escaped: 4 */
static const size_t max_chunk_bytes = (size_t)64 << 20; /* HDF5 allocates a whole chunk */

/* Deflate makes at most 1032 bytes of one. */
static const uint64_t max_expansion = 1032;

enum rp_status rp_hdf5_damaged(const struct rp_hdf5_found_table *table, const char *column,
                               const char *what)
{
    return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s %s", table->name, column, what);
}

enum rp_status rp_hdf5_unreadable(const struct rp_hdf5_found_table *table, const char *column)
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

/* Each at most once; others would be loaded from anywhere. */
static bool add_filter(struct rp_hdf5_found *found, H5Z_filter_t filter)
{
    bool known = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE ||
                 filter == H5Z_FILTER_FLETCHER32;
    for (size_t i = 0; i < found->n_filters; ++i)
        known = known && found->filters[i] != filter;
    if (known)
        found->filters[found->n_filters++] = filter;
    return known;
}

/* Chunked, by filters that can be undone. */
static bool get_chunk(hid_t dataset, struct rp_hdf5_found *found)
{
    hsize_t rows = 0;
    hid_t properties = H5Dget_create_plist(dataset);
    bool known = properties >= 0 && H5Pget_layout(properties) == H5D_CHUNKED &&
                 H5Pget_chunk(properties, 1, &rows) == 1;
    int filters = known ? H5Pget_nfilters(properties) : 0;
    for (int i = 0; i < filters && known; ++i) {
        unsigned flags = 0;
        size_t n_values = 0;
        known = add_filter(
            found, H5Pget_filter2(properties, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL));
    }
    rp_hdf5_close(properties);
    found->chunk = (size_t)rows;
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
                                   const struct rp_hdf5_found_table *table,
                                   const struct rp_hdf5_found *found)
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
                                     const struct rp_hdf5_found_table *table,
                                     struct rp_hdf5_found *found)
{
    enum rp_status status = RP_OK;
    hid_t dataset = rp_hdf5_open_child(table->group, found->name, H5I_DATASET);
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    if (dataset < 0 || type < 0)
        status = rp_hdf5_damaged(table, found->name, "is not a dataset that can be opened");
    else if (!get_kind(type, &found->kind, &found->width))
        status = rp_hdf5_damaged(table, found->name,
                                 "is neither int64, float64 nor null-padded ASCII of fixed length");
    else if (!get_rows(dataset, &found->rows))
        status = rp_hdf5_damaged(table, found->name, "is not one-dimensional");
    else if (!get_chunk(dataset, found))
        status = rp_hdf5_damaged(table, found->name,
                                 "is not chunked with shuffle, deflate and Fletcher-32 only");
    else {
        found->stored = H5Dget_storage_size(dataset);
        status = judge_column(reader, table, found);
    }
    rp_hdf5_close(type);
    rp_hdf5_close(dataset);
    return status;
}

static enum rp_status examine_table(const struct rp_hdf5_reader *reader,
                                    struct rp_hdf5_found_table *table)
{
    uint64_t count = 0;
    if (!rp_hdf5_child_count(table->group, MAX_COLUMNS, &count) || count == 0)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s has no columns, or more than %d", table->name,
                       MAX_COLUMNS);
    table->columns = calloc(count, sizeof *table->columns);
    if (!table->columns)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the columns of /%s", table->name);
    for (uint64_t i = 0; i < count; ++i) {
        struct rp_hdf5_found *found = &table->columns[i];
        if (!rp_hdf5_child_name(table->group, i, found->name))
            return RP_FAIL(RP_ERR_DAMAGED, "/%s: the name of column %" PRIu64 " cannot be read",
                           table->name, i);
        RP_TRY(examine_column(reader, table, found));
        ++table->n_columns;
    }
    if (table->schema && table->id == RP_TABLE_RESULTS &&
        (int64_t)table->columns[0].rows != reader->rows)
        return RP_FAIL(RP_ERR_DAMAGED,
                       "/results has %" PRIu64 " rows, the attribute rows says %" PRId64,
                       table->columns[0].rows, reader->rows);
    return RP_OK;
}

enum rp_status rp_hdf5_found_open(const struct rp_hdf5_reader *reader, const char *name,
                                  struct rp_hdf5_found_table *table)
{
    *table = (struct rp_hdf5_found_table){.name = name, .group = -1};
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        if (strcmp(rp_table_schema((enum rp_table_id)id)->name, name) == 0) {
            table->schema = rp_table_schema((enum rp_table_id)id);
            table->id = (enum rp_table_id)id;
        }
    }
    table->group = rp_hdf5_open_child(reader->file, name, H5I_GROUP);
    if (table->group < 0)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s is not a group that can be opened", name);
    return examine_table(reader, table);
}

void rp_hdf5_found_close(struct rp_hdf5_found_table *table)
{
    rp_hdf5_close(table->group);
    free(table->columns);
}

bool rp_hdf5_same_kind(const struct rp_column *column, const struct rp_hdf5_found *found)
{
    enum rp_column_kind kind = column->kind == RP_COLUMN_TEXT ? RP_COLUMN_WORD : column->kind;
    return kind == found->kind;
}
