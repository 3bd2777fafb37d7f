/*
 * results_hdf5_read.c - an HDF5 file becomes a study, if it is exactly what docs/FILE.md says.
 *
 * Strict on purpose: without a checksum that fits nothing is believed. The digest is computed over
 * what the file holds, columns and groups this version does not know included.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/results_hdf5.h"
#include "store/results_hdf5_private.h"
#include "store/seal.h"

enum { MAX_GROUPS = 64 };

/* A scalar text; heap, null when there is none of that kind. */
char *rp_hdf5_get_text(hid_t object, const char *name)
{
    char *text = NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
    if (type >= 0 && space >= 0 && H5Tis_variable_str(type) > 0 &&
        H5Sget_simple_extent_type(space) == H5S_SCALAR && H5Aread(attribute, type, &text) < 0)
        text = NULL;
    rp_hdf5_close(space);
    rp_hdf5_close(type);
    rp_hdf5_close(attribute);
    return text; /* by malloc: the library's default for variable-length data */
}

static bool get_integer(hid_t object, const char *name, int64_t *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
    bool done = type >= 0 && space >= 0 && H5Tequal(type, H5T_STD_I64LE) > 0 &&
                H5Sget_simple_extent_type(space) == H5S_SCALAR &&
                H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;
    rp_hdf5_close(space);
    rp_hdf5_close(type);
    rp_hdf5_close(attribute);
    return done;
}

/* A hard link, so that nothing outside this file is opened. */
hid_t rp_hdf5_open_child(hid_t parent, const char *name, H5I_type_t kind)
{
    H5L_info_t link;
    if (H5Lget_info(parent, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return -1;
    hid_t child = H5Oopen(parent, name, H5P_DEFAULT);
    if (child >= 0 && H5Iget_type(child) != kind) {
        rp_hdf5_close(child);
        return -1;
    }
    return child;
}

bool rp_hdf5_child_name(hid_t group, uint64_t i, char name[RP_HDF5_NAME_SIZE])
{
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                        RP_HDF5_NAME_SIZE, H5P_DEFAULT);
    return length > 0 && length < RP_HDF5_NAME_SIZE;
}

bool rp_hdf5_child_count(hid_t group, uint64_t limit, uint64_t *count)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0 || info.nlinks > limit)
        return false;
    *count = info.nlinks;
    return true;
}

/* Plain reasons first: HDF5 says little about a file it cannot open, and may crash on a damaged
 * one.
 */
static enum rp_status look_at_file(const char *path, uint64_t *bytes, bool *sealed)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    unsigned char start[sizeof signature];
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be opened: %s", path, strerror(errno));
    enum rp_status status = RP_OK;
    if (fstat(descriptor, &about) != 0)
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s is not a file", path);
    else if (read(descriptor, start, sizeof start) != (ssize_t)sizeof start ||
             memcmp(start, signature, sizeof signature) != 0)
        status = RP_FAIL(RP_ERR_DAMAGED, "%s is not an HDF5 file", path);
    if (status == RP_OK) {
        *bytes = (uint64_t)about.st_size;
        status = rp_seal_check(descriptor, *bytes, sealed);
        if (status != RP_OK)
            status = RP_FAIL(status, "%s %s", path, rp_status_message());
    }
    close(descriptor);
    return status;
}

static enum rp_status read_root(struct rp_hdf5_reader *reader)
{
    int64_t version = 0;
    char *format = rp_hdf5_get_text(reader->file, "format");
    char *state = rp_hdf5_get_text(reader->file, "state");
    enum rp_status status = RP_OK;
    reader->digest = rp_hdf5_get_text(reader->file, "digest");
    if (!format || strcmp(format, RP_RESULTS_FORMAT) != 0)
        status = RP_FAIL(RP_ERR_DAMAGED, "not a %s file: its attribute format is %s%s%s",
                         RP_RESULTS_FORMAT, format ? "'" : "", format ? format : "missing",
                         format ? "'" : "");
    else if (!get_integer(reader->file, "schema_version", &version) || version < 1)
        status = RP_FAIL(RP_ERR_DAMAGED, "the attribute schema_version is missing or no version");
    else if (version > RP_RESULTS_SCHEMA_VERSION)
        status = RP_FAIL(RP_ERR_DAMAGED, "schema version %" PRId64 "; this program reads up to %d",
                         version, RP_RESULTS_SCHEMA_VERSION);
    else if (!state || (strcmp(state, "complete") != 0 && strcmp(state, "partial") != 0))
        status = RP_FAIL(RP_ERR_DAMAGED, "the attribute state is neither complete nor partial");
    else if (!reader->digest ||
             !get_integer(reader->file, "rows_planned", &reader->study->rows_planned) ||
             !get_integer(reader->file, "rows", &reader->rows))
        status = RP_FAIL(RP_ERR_DAMAGED, "an attribute is missing: rows_planned, rows or digest");
    reader->study->complete = status == RP_OK && strcmp(state, "complete") == 0;
    free(state);
    free(format);
    return status;
}

static enum rp_status read_groups(struct rp_hdf5_reader *reader)
{
    uint64_t count = 0;
    bool present[RP_TABLE_COUNT] = {false};
    if (!rp_hdf5_child_count(reader->file, MAX_GROUPS, &count))
        return RP_FAIL(RP_ERR_DAMAGED, "the groups cannot be listed, or are more than %d",
                       MAX_GROUPS);
    for (uint64_t i = 0; i < count; ++i) {
        char name[RP_HDF5_NAME_SIZE];
        if (!rp_hdf5_child_name(reader->file, i, name))
            return RP_FAIL(RP_ERR_DAMAGED, "the name of group %" PRIu64 " cannot be read", i);
        RP_TRY(rp_hdf5_read_table(reader, name));
        for (int id = 0; id < RP_TABLE_COUNT; ++id)
            present[id] |= strcmp(name, rp_table_schema((enum rp_table_id)id)->name) == 0;
    }
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        if (!present[id])
            return RP_FAIL(RP_ERR_DAMAGED, "the group /%s is missing",
                           rp_table_schema((enum rp_table_id)id)->name);
    }
    return RP_OK;
}

enum rp_status rp_hdf5_read_tables(struct rp_hdf5_reader *reader)
{
    char hex[RP_DIGEST_HEX_SIZE];
    rp_digest_list_clear(&reader->digests);
    RP_TRY(read_groups(reader));
    RP_TRY(rp_digest_list_end(&reader->digests, reader->study->complete,
                              reader->study->rows_planned, reader->rows, hex));
    if (strcmp(hex, reader->digest) != 0)
        return RP_FAIL(RP_ERR_DAMAGED, "the tables do not fit the file's digest");
    return RP_OK;
}

enum rp_status rp_hdf5_reader_open(struct rp_hdf5_reader *reader, const char *path,
                                   struct rp_study *study)
{
    *reader = (struct rp_hdf5_reader){.file = -1, .study = study};
    rp_digest_list_init(&reader->digests);
    for (int id = 0; id < RP_TABLE_COUNT; ++id)
        reader->kept[id] = true;
    RP_TRY(look_at_file(path, &reader->file_bytes, &reader->sealed));
    hid_t access = rp_hdf5_file_access();
    reader->file = access < 0 ? -1 : H5Fopen(path, H5F_ACC_RDONLY, access);
    rp_hdf5_close(access);
    if (reader->file < 0) {
        char reason[RP_HDF5_REASON_SIZE];
        return RP_FAIL(RP_ERR_DAMAGED, "%s: HDF5 cannot open it: %s", path, rp_hdf5_reason(reason));
    }
    enum rp_status status = read_root(reader);
    if (status != RP_OK)
        status = RP_FAIL(status, "%s: %s", path, rp_status_message());
    return status;
}

void rp_hdf5_reader_close(struct rp_hdf5_reader *reader)
{
    rp_hdf5_close(reader->file);
    rp_hdf5_scratch_clear(&reader->scratch);
    rp_digest_list_clear(&reader->digests);
    free(reader->digest);
}

enum rp_status rp_results_read(const char *path, struct rp_study *study)
{
    struct rp_hdf5_quiet quiet;
    struct rp_hdf5_reader reader;
    rp_study_init(study);
    rp_hdf5_quiet_begin(&quiet);
    enum rp_status status = rp_hdf5_reader_open(&reader, path, study);
    if (status == RP_OK) {
        status = rp_hdf5_read_tables(&reader);
        if (status != RP_OK)
            status = RP_FAIL(status, "%s: %s", path, rp_status_message());
    }
    rp_hdf5_reader_close(&reader);
    rp_hdf5_quiet_end(&quiet);
    if (status != RP_OK)
        rp_study_clear(study);
    return status;
}
