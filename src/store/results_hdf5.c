/*
 * results_hdf5.c - a study becomes the bytes of an HDF5 file, and those bytes a file.
 *
 * The file is built in memory and then written by our own calls: HDF5 never calls fsync, and once
 * one of its own writes has failed (a full disk) it can neither close the file nor let go of it.
 * Equal studies give equal bytes: no times are stored.
 */
#include "store/results_hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/cells.h"
#include "store/results_hdf5_private.h"
#include "store/seal.h"

void rp_results_library_version(char *text, size_t size)
{
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, size, "%u.%u.%u", major, minor, release);
}

static enum rp_status fail(const char *what, const char *table, const char *column)
{
    char reason[RP_HDF5_REASON_SIZE];
    return RP_FAIL(RP_ERR_INTERNAL, "HDF5 cannot create %s of /%s%s%s: %s", what, table,
                   column ? "/" : "", column ? column : "", rp_hdf5_reason(reason));
}

/* A scalar attribute; `type` -1 stands for a variable-length string and `value` then points to a
 * char pointer. */
static bool put_attribute(hid_t object, const char *name, hid_t type, const void *value)
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

static bool put_text(hid_t object, const char *name, const char *text)
{
    return put_attribute(object, name, -1, &text);
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

/* Chunk by chunk, so that a column of long texts needs the memory of one chunk. */
static bool write_cells(hid_t dataset, hid_t file_type, struct rp_cells *cells,
                        const struct rp_table *table, char *bytes)
{
    const size_t block = rp_cells_block(cells->width);
    /* Cells are in the host's byte order; HDF5 turns numbers into the file's. */
    hid_t type = cells->column->kind == RP_COLUMN_I64   ? H5T_NATIVE_INT64
                 : cells->column->kind == RP_COLUMN_F64 ? H5T_NATIVE_DOUBLE
                                                        : file_type;
    hid_t space = H5Dget_space(dataset);
    bool done = space >= 0;
    for (cells->first = 0; done && cells->first < table->count; cells->first += cells->count) {
        const size_t left = table->count - cells->first;
        cells->count = left < block ? left : block;
        const hsize_t start = cells->first;
        const hsize_t count = cells->count;
        rp_cells_gather(cells, table, bytes);
        hid_t memory = H5Screate_simple(1, &count, NULL);
        done = memory >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
               H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, bytes) >= 0;
        rp_hdf5_close(memory);
    }
    rp_hdf5_close(space);
    return done;
}

static enum rp_status write_column(hid_t group, const struct rp_table *table,
                                   struct rp_cells *cells)
{
    const struct rp_column *column = cells->column;
    const char *table_name = cells->schema->name;
    enum rp_status status = RP_OK;
    cells->width = rp_cells_width(table, cells->schema, column);
    char *bytes = malloc(rp_cells_block(cells->width) * cells->width);
    hid_t type = cell_type(cells);
    hid_t dataset = type < 0 ? -1 : create_dataset(group, cells, type, table->count);
    if (!bytes)
        status =
            RP_FAIL(RP_ERR_INTERNAL, "out of host memory for /%s/%s", table_name, column->name);
    else if (dataset < 0)
        status = fail("the dataset", table_name, column->name);
    else if (!put_text(dataset, "units", column->units) ||
             !put_text(dataset, "description", column->description))
        status = fail("the attributes", table_name, column->name);
    else if (!write_cells(dataset, type, cells, table, bytes))
        status = fail("the rows", table_name, column->name);
    rp_hdf5_close(dataset);
    rp_hdf5_close(type);
    free(bytes);
    return status;
}

static enum rp_status write_table(hid_t file, const struct rp_study *study, enum rp_table_id id)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    enum rp_status status = RP_OK;
    hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = -1;
    /* Links stay in the group's header, which is smaller, and libhdf5 survives damage there more
     * often than in a heap of links. */
    if (properties >= 0 && H5Pset_obj_track_times(properties, false) >= 0 &&
        H5Pset_link_phase_change(properties, 512, 256) >= 0 &&
        H5Pset_est_link_info(properties, (unsigned)schema->n_columns, 24) >= 0)
        group = H5Gcreate2(file, schema->name, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (group < 0)
        status = fail("the group", schema->name, NULL);
    for (size_t i = 0; i < schema->n_columns && status == RP_OK; ++i) {
        struct rp_cells cells = {schema, &schema->columns[i], 0, 0, 0};
        status = write_column(group, &study->tables[id], &cells);
    }
    rp_hdf5_close(group);
    rp_hdf5_close(properties);
    return status;
}

static enum rp_status write_root(hid_t file, const struct rp_study *study)
{
    const int64_t version = RP_RESULTS_SCHEMA_VERSION;
    const int64_t rows = (int64_t)study->tables[RP_TABLE_RESULTS].count;
    char digest[RP_DIGEST_HEX_SIZE];
    RP_TRY(rp_results_digest(study, digest));
    if (!put_text(file, "format", RP_RESULTS_FORMAT) ||
        !put_attribute(file, "schema_version", H5T_NATIVE_INT64, &version) ||
        !put_text(file, "state", study->complete ? "complete" : "partial") ||
        !put_attribute(file, "rows_planned", H5T_NATIVE_INT64, &study->rows_planned) ||
        !put_attribute(file, "rows", H5T_NATIVE_INT64, &rows) || !put_text(file, "digest", digest))
        return fail("the attributes", "", NULL);
    return RP_OK;
}

static enum rp_status build(const struct rp_study *study, struct rp_hdf5_image *image)
{
    enum rp_status status = RP_OK;
    hid_t file = rp_hdf5_image_create(image);
    if (file < 0)
        status = fail("the file", "", NULL);
    for (int id = 0; id < RP_TABLE_COUNT && status == RP_OK; ++id)
        status = write_table(file, study, (enum rp_table_id)id);
    if (status == RP_OK)
        status = write_root(file, study);
    if (file >= 0 && H5Fclose(file) < 0 && status == RP_OK)
        status = fail("the end", "", NULL);
    if (status == RP_OK)
        status = rp_hdf5_image_trim(image);
    return status;
}

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(descriptor, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static enum rp_status save_image(const char *path, const char *image, size_t size)
{
    char seal[RP_SEAL_LENGTH];
    RP_TRY(rp_seal_make(image, size, seal));
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be created: %s", path, strerror(errno));
    /* close reports what some network file systems find out late */
    bool written = write_all(descriptor, image, size) && write_all(descriptor, seal, sizeof seal) &&
                   fsync(descriptor) == 0;
    int error = written ? 0 : errno;
    if (close(descriptor) != 0 && written)
        error = errno;
    if (error == 0)
        return RP_OK;
    unlink(path);
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s (%zu bytes) cannot be written: %s", path, size,
                   strerror(error));
}

enum rp_status rp_results_write(const char *path, const struct rp_study *study)
{
    struct rp_hdf5_image image = {0};
    struct rp_hdf5_quiet quiet;
    rp_hdf5_quiet_begin(&quiet);
    enum rp_status status = build(study, &image);
    rp_hdf5_quiet_end(&quiet);
    if (status == RP_OK)
        status = save_image(path, image.bytes, image.size);
    free(image.bytes);
    return status;
}
