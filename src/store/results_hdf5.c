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

/* Once every table was written. */
static enum rp_status write_root(struct rp_hdf5_writer *w)
{
    const struct rp_study *study = w->study;
    const int64_t version = RP_RESULTS_SCHEMA_VERSION;
    const int64_t rows = (int64_t)rp_hdf5_writer_rows(w, RP_TABLE_RESULTS);
    char digest[RP_DIGEST_HEX_SIZE];
    RP_TRY(rp_digest_list_end(&w->digests, study->complete, study->rows_planned, rows, digest));
    if (!rp_hdf5_put_text(w->file, "format", RP_RESULTS_FORMAT) ||
        !rp_hdf5_put_attribute(w->file, "schema_version", H5T_NATIVE_INT64, &version) ||
        !rp_hdf5_put_text(w->file, "state", study->complete ? "complete" : "partial") ||
        !rp_hdf5_put_attribute(w->file, "rows_planned", H5T_NATIVE_INT64, &study->rows_planned) ||
        !rp_hdf5_put_attribute(w->file, "rows", H5T_NATIVE_INT64, &rows) ||
        !rp_hdf5_put_text(w->file, "digest", digest))
        return rp_hdf5_not_created("the attributes", "", NULL);
    return RP_OK;
}

static enum rp_status build(struct rp_hdf5_writer *w, struct rp_hdf5_image *image)
{
    enum rp_status status = RP_OK;
    rp_digest_list_init(&w->digests);
    w->file = rp_hdf5_image_create(image);
    if (w->file < 0)
        status = rp_hdf5_not_created("the file", "", NULL);
    for (int id = 0; id < RP_TABLE_COUNT && status == RP_OK; ++id)
        status = rp_hdf5_write_table(w, (enum rp_table_id)id);
    if (status == RP_OK)
        status = write_root(w);
    rp_digest_list_clear(&w->digests);
    if (w->file >= 0 && H5Fclose(w->file) < 0 && status == RP_OK)
        status = rp_hdf5_not_created("the end", "", NULL);
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
    return rp_results_write_from(path, study, NULL);
}

enum rp_status rp_results_write_from(const char *path, const struct rp_study *study,
                                     const struct rp_results_source *source)
{
    struct rp_hdf5_writer writer = {.study = study, .source = source};
    struct rp_hdf5_image image = {0};
    struct rp_hdf5_quiet quiet;
    rp_hdf5_quiet_begin(&quiet);
    enum rp_status status = build(&writer, &image);
    rp_hdf5_quiet_end(&quiet);
    if (status == RP_OK)
        status = save_image(path, image.bytes, image.size);
    free(image.bytes);
    return status;
}
