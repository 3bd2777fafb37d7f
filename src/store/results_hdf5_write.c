/*
 * results_hdf5_write.c - tables as groups of an HDF5 file, column by column, from memory or from a
 * source; the digest is taken of the cells on their way.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/cells.h"
#include "store/results_hdf5_private.h"

enum rp_status rp_hdf5_not_created(const char *what, const char *table, const char *column)
{
    char reason[RP_HDF5_REASON_SIZE];
    return RP_FAIL(RP_ERR_INTERNAL, "HDF5 cannot create %s of /%s%s%s: %s", what, table,
                   column ? "/" : "", column ? column : "", rp_hdf5_reason(reason));
}

bool rp_hdf5_put_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t string = -1;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = -1;
    bool done = space >= 0;
    if (type < 0) {
        string = H5Tcopy(H5T_C_S1);
        done = done && H5Tset_size(string, H5T_VARIABLE) >= 0;
        type = string;
    }
    if (done)
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    rp_hdf5_close(attribute);
    rp_hdf5_close(space);
    rp_hdf5_close(string);
    return done;
}

bool rp_hdf5_put_text(hid_t object, const char *name, const char *text)
{
    return rp_hdf5_put_attribute(object, name, -1, &text);
}

/* The type of a cell; to be closed. */
static hid_t cell_type(const struct rp_cells *cells)
{
    if (cells->column->kind == RP_COLUMN_I64)
        return H5Tcopy(H5T_STD_I64LE);
    if (cells->column->kind == RP_COLUMN_F64)
        return H5Tcopy(H5T_IEEE_F64LE);
    hid_t type = H5Tcopy(H5T_C_S1); /* ASCII: Octave does not read the UTF-8 tag */
    if (type >= 0 &&
        (H5Tset_size(type, cells->width) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

/* Shuffle and deflate make columns small; Fletcher-32 is outermost so that it guards what lies on
 * the disk. No chunk is larger than the extent, which HDF5 refuses. */
static hid_t creation_properties(size_t rows, size_t width)
{
    const size_t block = rp_cells_block(width);
    const hsize_t chunk = rows == 0 ? 1 : rows < block ? rows : block;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties >= 0 &&
        (H5Pset_chunk(properties, 1, &chunk) < 0 || H5Pset_shuffle(properties) < 0 ||
         H5Pset_deflate(properties, 4) < 0 || H5Pset_fletcher32(properties) < 0 ||
         H5Pset_obj_track_times(properties, false) < 0)) {
        H5Pclose(properties);
        return -1;
    }
    return properties;
}

static hid_t create_dataset(hid_t group, const struct rp_cells *cells, hid_t type, size_t rows)
{
    const hsize_t extent = rows;
    const hsize_t limit = rows ? extent : H5S_UNLIMITED; /* an extent fixed at 0 allows no chunk */
    hid_t space = H5Screate_simple(1, &extent, &limit);
    hid_t properties = creation_properties(rows, cells->width);
    hid_t dataset = -1;
    if (space >= 0 && properties >= 0)
        dataset = H5Dcreate2(group, cells->column->name, type, space, H5P_DEFAULT, properties,
                             H5P_DEFAULT);
    rp_hdf5_close(properties);
    rp_hdf5_close(space);
    return dataset;
}

/* One column on its way into a dataset. */
struct column {
    struct rp_hdf5_writer *writer;
    enum rp_table_id id;
    const struct rp_table_schema *schema;
    const struct rp_column *column;
    size_t width;          /* of a cell */
    struct rp_table block; /* of a source: room for BLOCK_ROWS */
};

enum { BLOCK_ROWS = 1024 };

static bool is_from_source(const struct rp_hdf5_writer *w, enum rp_table_id id)
{
    return w->source && (id == RP_TABLE_RESULTS || id == RP_TABLE_SAMPLES);
}

size_t rp_hdf5_writer_rows(const struct rp_hdf5_writer *w, enum rp_table_id id)
{
    if (!is_from_source(w, id))
        return w->study->tables[id].count;
    return id == RP_TABLE_RESULTS ? w->source->results : w->source->samples;
}

/* Rows first .. first + n - 1, at most BLOCK_ROWS, are rows *at .. of *table. */
static enum rp_status find_rows(struct column *c, size_t first, size_t n,
                                const struct rp_table **table, size_t *at)
{
    const struct rp_hdf5_writer *w = c->writer;
    *table = &w->study->tables[c->id];
    *at = first;
    if (!is_from_source(w, c->id))
        return RP_OK;
    *table = &c->block;
    *at = 0;
    c->block.count = n;
    return w->source->read(w->source->context, c->id, c->column, first, &c->block);
}

static size_t at_most(size_t n, size_t limit)
{
    return n < limit ? n : limit;
}

/* Sets the width: that of the longest value. */
static enum rp_status measure_width(struct column *c)
{
    const size_t rows = rp_hdf5_writer_rows(c->writer, c->id);
    const bool is_number = c->column->kind == RP_COLUMN_I64 || c->column->kind == RP_COLUMN_F64;
    if (is_number || !is_from_source(c->writer, c->id)) {
        c->width = rp_cells_width(&c->writer->study->tables[c->id], c->schema, c->column);
        return RP_OK;
    }
    c->width = 1;
    for (size_t first = 0; first < rows; first += BLOCK_ROWS) {
        const struct rp_table *table = NULL;
        size_t at = 0;
        RP_TRY(find_rows(c, first, at_most(rows - first, BLOCK_ROWS), &table, &at));
        size_t width = rp_cells_width(table, c->schema, c->column);
        c->width = width > c->width ? width : c->width;
    }
    return RP_OK;
}

static enum rp_status gather(struct column *c, size_t first, size_t count, char *bytes)
{
    for (size_t done = 0; done < count; done += BLOCK_ROWS) {
        const struct rp_table *table = NULL;
        struct rp_cells cells = {c->schema, c->column, 0, at_most(count - done, BLOCK_ROWS),
                                 c->width};
        RP_TRY(find_rows(c, first + done, cells.count, &table, &cells.first));
        rp_cells_gather(&cells, table, bytes + done * c->width);
    }
    return RP_OK;
}

static bool write_block(hid_t dataset, hid_t type, size_t first, size_t n, const char *bytes)
{
    const hsize_t start = first;
    const hsize_t count = n;
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool done = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
                H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, bytes) >= 0;
    rp_hdf5_close(memory);
    rp_hdf5_close(space);
    return done;
}

/* Chunk by chunk, so that a column of long texts needs the memory of one chunk. */
static enum rp_status write_cells(struct column *c, hid_t dataset, hid_t file_type, char *bytes,
                                  struct rp_digest *digest)
{
    const enum rp_column_kind kind = c->column->kind;
    const size_t rows = rp_hdf5_writer_rows(c->writer, c->id);
    const size_t block = rp_cells_block(c->width);
    /* Cells are in the host's byte order; HDF5 turns numbers into the file's. */
    hid_t type = kind == RP_COLUMN_I64   ? H5T_NATIVE_INT64
                 : kind == RP_COLUMN_F64 ? H5T_NATIVE_DOUBLE
                                         : file_type;
    for (size_t first = 0; first < rows; first += block) {
        const size_t n = at_most(rows - first, block);
        RP_TRY(gather(c, first, n, bytes));
        rp_cells_digest(digest, kind, c->width, n, bytes);
        if (!write_block(dataset, type, first, n, bytes))
            return rp_hdf5_not_created("the rows", c->schema->name, c->column->name);
    }
    return RP_OK;
}

static enum rp_status add_digest(struct column *c, struct rp_digest *digest)
{
    const struct rp_digest_line line = {c->schema->name,  c->column->name,
                                        c->column->kind,  rp_hdf5_writer_rows(c->writer, c->id),
                                        c->column->units, c->column->description};
    char hex[RP_DIGEST_HEX_SIZE];
    RP_TRY(rp_digest_end(digest, hex));
    return rp_digest_list_add(&c->writer->digests, &line, hex);
}

static enum rp_status write_column(hid_t group, struct column *c)
{
    const struct rp_column *column = c->column;
    const char *table_name = c->schema->name;
    RP_TRY(measure_width(c));
    struct rp_cells cells = {c->schema, column, 0, 0, c->width};
    enum rp_status status = RP_OK;
    struct rp_digest *digest = rp_digest_create();
    char *bytes = malloc(rp_cells_block(c->width) * c->width);
    hid_t type = cell_type(&cells);
    hid_t dataset =
        type < 0 ? -1 : create_dataset(group, &cells, type, rp_hdf5_writer_rows(c->writer, c->id));
    if (!bytes)
        status =
            RP_FAIL(RP_ERR_INTERNAL, "out of host memory for /%s/%s", table_name, column->name);
    else if (dataset < 0)
        status = rp_hdf5_not_created("the dataset", table_name, column->name);
    else if (!rp_hdf5_put_text(dataset, "units", column->units) ||
             !rp_hdf5_put_text(dataset, "description", column->description))
        status = rp_hdf5_not_created("the attributes", table_name, column->name);
    else
        status = write_cells(c, dataset, type, bytes, digest);
    if (status == RP_OK)
        status = add_digest(c, digest);
    rp_hdf5_close(dataset);
    rp_hdf5_close(type);
    free(bytes);
    rp_digest_destroy(digest);
    return status;
}

/* Links stay in the group's header, which is smaller, and libhdf5 survives damage there more often
 * than in a heap of links. */
static hid_t create_group(hid_t file, const struct rp_table_schema *schema)
{
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = -1;
    if (properties >= 0 && H5Pset_obj_track_times(properties, false) >= 0 &&
        H5Pset_link_phase_change(properties, 512, 256) >= 0 &&
        H5Pset_est_link_info(properties, (unsigned)schema->n_columns, 24) >= 0)
        group = H5Gcreate2(file, schema->name, H5P_DEFAULT, properties, H5P_DEFAULT);
    rp_hdf5_close(properties);
    return group;
}

enum rp_status rp_hdf5_write_table(struct rp_hdf5_writer *w, enum rp_table_id id)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    struct column c = {.writer = w, .id = id, .schema = schema};
    enum rp_status status = RP_OK;
    hid_t group = create_group(w->file, schema);
    if (is_from_source(w, id))
        c.block.rows = calloc(BLOCK_ROWS, schema->row_bytes);
    if (group < 0)
        status = rp_hdf5_not_created("the group", schema->name, NULL);
    else if (is_from_source(w, id) && !c.block.rows)
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for rows of /%s", schema->name);
    for (size_t i = 0; i < schema->n_columns && status == RP_OK; ++i) {
        c.column = &schema->columns[i];
        status = write_column(group, &c);
    }
    free(c.block.rows);
    rp_hdf5_close(group);
    return status;
}
