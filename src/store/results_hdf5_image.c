/*
 * results_hdf5_image.c - an HDF5 file in memory, and how the library is kept quiet.
 *
 * The core driver keeps the file in a block it resizes through our functions. At H5Fclose, when the
 * library would free the finished block, we take it. (H5Fget_file_image is no way: before 1.14 it
 * clears the open-for-writing mark of the newest format but not its checksum.)
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/results_hdf5_private.h"

void rp_hdf5_quiet_begin(struct rp_hdf5_quiet *quiet)
{
    H5open();
    H5Eget_auto2(H5E_DEFAULT, &quiet->print, &quiet->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void rp_hdf5_quiet_end(const struct rp_hdf5_quiet *quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet->print, quiet->data);
}

static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *data)
{
    if (n == 0 && error->desc)
        snprintf(data, RP_HDF5_REASON_SIZE, "%s", error->desc);
    return 0;
}

const char *rp_hdf5_reason(char text[RP_HDF5_REASON_SIZE])
{
    snprintf(text, RP_HDF5_REASON_SIZE, "no reason given");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, text);
    return text;
}

hid_t rp_hdf5_file_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    if (access >= 0)
        H5Pset_file_locking(access, false, true);
#endif
    return access;
}

void rp_hdf5_close(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

static void *image_malloc(size_t size, H5FD_file_image_op_t operation, void *data)
{
    (void)operation;
    (void)data;
    return malloc(size);
}

static void *image_realloc(void *bytes, size_t size, H5FD_file_image_op_t operation, void *data)
{
    struct rp_hdf5_image *image = data;
    void *resized = realloc(bytes, size);
    (void)operation;
    if (resized)
        image->size = size;
    return resized;
}

static herr_t image_free(void *bytes, H5FD_file_image_op_t operation, void *data)
{
    struct rp_hdf5_image *image = data;
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
        free(image->bytes);
        image->bytes = bytes;
    } else {
        free(bytes);
    }
    return 0;
}

/* Property lists copy the pointer; the image stays the caller's. */
static void *share_image(void *data)
{
    return data;
}

static herr_t keep_image(void *data)
{
    (void)data;
    return 0;
}

hid_t rp_hdf5_image_create(struct rp_hdf5_image *image)
{
    /* Even a file to be created in memory is looked for on the disk first. */
    const char *name = "/dev/null/no-file-has-this-name";
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = image_malloc,
        .image_realloc = image_realloc,
        .image_free = image_free,
        .udata_copy = share_image,
        .udata_free = keep_image,
        .udata = image,
    };
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;
    /* The newest format has checksums on the metadata; 1.10 is the oldest library that reads it. */
    if (access >= 0 && creation >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_fapl_core(access, (size_t)1 << 20, false) >= 0 &&
        H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
    rp_hdf5_close(creation);
    rp_hdf5_close(access);
    return file;
}

enum rp_status rp_hdf5_image_trim(struct rp_hdf5_image *image)
{
    /* HDF5 file format, III.A, superblock versions 2 and 3: the version after the 8 bytes of the
     * signature, then the size of addresses; the end-of-file address at byte 28. */
    enum { VERSION = 8, ADDRESS_SIZE = 9, END_OF_FILE = 28, SUPERBLOCK = 48 };
    uint64_t end = 0;
    if (image->bytes && image->size >= SUPERBLOCK &&
        (image->bytes[VERSION] == 2 || image->bytes[VERSION] == 3) &&
        image->bytes[ADDRESS_SIZE] == 8)
        memcpy(&end, image->bytes + END_OF_FILE, sizeof end);
    end = le64toh(end);
    if (end < SUPERBLOCK || end > image->size)
        return RP_FAIL(RP_ERR_INTERNAL, "HDF5 left a file of unknown form in memory");
    image->size = (size_t)end;
    return RP_OK;
}
