/*
 * results_hdf5_chunk.c - the cells of one dataset, a chunk at a time.
 *
 * The library hands out a chunk as it is stored; its filters are undone here, into memory that is
 * used again, which takes half the time of having the library do it. zlib's own checksum is not
 * looked at: Fletcher-32, and the seal or the digest, have the same bytes.
 */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in points at what is not written */
#include <zlib.h>

#include "store/results_hdf5_private.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "cells are little endian, rows native");

enum { CHECKSUM_BYTES = 4 };

/* As libhdf5 computes it: sums modulo 65535 over big-endian words of 16 bits. */
static uint32_t fletcher32(const unsigned char *bytes, size_t n)
{
    const size_t without_overflow = 360; /* words */
    uint32_t a = 0;
    uint32_t b = 0;
    for (size_t i = 0; i < n;) {
        const size_t end = n - i > 2 * without_overflow ? i + 2 * without_overflow : n;
        for (; i < end; i += 2) {
            a += (uint32_t)bytes[i] << 8 | (i + 1 < n ? bytes[i + 1] : 0);
            b += a;
        }
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
    return b << 16 | a;
}

/* Cuts the checksum off; false when it does not fit. */
static bool check_fletcher32(const char *bytes, size_t *n)
{
    uint32_t stored;
    if (*n < CHECKSUM_BYTES)
        return false;
    *n -= CHECKSUM_BYTES;
    memcpy(&stored, bytes + *n, sizeof stored);
    return stored == fletcher32((const unsigned char *)bytes, *n);
}

/* RFC 1950: two bytes, the deflated data, and a checksum that is passed over. *to_size comes as the
 * room there is. */
static bool undo_deflate(z_stream *stream, const char *from, size_t n, char *to, size_t *to_size)
{
    const size_t header = 2;
    if (n < header || (from[0] & 0x0f) != Z_DEFLATED || (from[1] & 0x20) ||
        inflateReset(stream) != Z_OK)
        return false;
    stream->next_in = (const Bytef *)from + header;
    stream->avail_in = (uInt)(n - header);
    stream->next_out = (Bytef *)to;
    stream->avail_out = (uInt)*to_size;
    if (inflate(stream, Z_FINISH) != Z_STREAM_END)
        return false;
    *to_size -= stream->avail_out;
    return true;
}

/* The first bytes of all cells lie together, then the second ones, and so on. */
static void undo_shuffle(const char *from, size_t n, size_t width, char *to)
{
    const size_t cells = n / width;
    const unsigned char *planes = (const unsigned char *)from;
    if (width == 8) {
        for (size_t i = 0; i < cells; ++i) {
            uint64_t value = 0;
            for (size_t b = 0; b < 8; ++b)
                value |= (uint64_t)planes[b * cells + i] << (8 * b);
            memcpy(to + 8 * i, &value, sizeof value);
        }
    } else {
        for (size_t b = 0; b < width; ++b) {
            for (size_t i = 0; i < cells; ++i)
                to[i * width + b] = from[b * cells + i];
        }
    }
    memcpy(to + cells * width, from + cells * width, n - cells * width);
}

/* Room for `size` bytes, what was there is lost; false when host memory is out. */
static bool make_room(struct rp_hdf5_room *room, size_t size)
{
    if (room->size >= size)
        return true;
    free(room->bytes);
    room->bytes = malloc(size);
    room->size = room->bytes ? size : 0;
    return room->bytes != NULL;
}

/* The `n` bytes stored become the cells of io->cells.bytes: the filters, last to first, of which
 * `skipped` has a bit for each that this chunk went without. What is wrong, or null. */
static const char *undo_filters(struct rp_hdf5_column *io, size_t n, uint32_t skipped)
{
    const struct rp_hdf5_found *found = io->found;
    struct rp_hdf5_scratch *scratch = io->scratch;
    const char *at = scratch->stored.bytes;
    for (size_t i = found->n_filters; i-- > 0;) {
        char *to = at == scratch->stored.bytes ? scratch->between.bytes : io->cells.bytes;
        size_t room = io->room;
        if (skipped >> i & 1)
            continue;
        if (found->filters[i] == H5Z_FILTER_FLETCHER32) {
            if (!check_fletcher32(at, &n))
                return "does not fit its Fletcher-32";
        } else if (found->filters[i] == H5Z_FILTER_DEFLATE) {
            if (!undo_deflate(scratch->inflate, at, n, to, &room))
                return "cannot be inflated";
            n = room;
            at = to;
        } else {
            if (to == io->cells.bytes && n > room)
                break;
            undo_shuffle(at, n, found->width, to);
            at = to;
        }
    }
    if (n != found->chunk * found->width)
        return "has another length than its cells";
    if (at != io->cells.bytes)
        memcpy(io->cells.bytes, at, n);
    return NULL;
}

static enum rp_status read_chunk(struct rp_hdf5_column *io, size_t first)
{
    const struct rp_hdf5_found_table *table = io->table;
    const char *name = io->found->name;
    struct rp_hdf5_scratch *scratch = io->scratch;
    const hsize_t offset = first;
    hsize_t size = 0;
    uint32_t skipped = 0;
    if (H5Dget_chunk_storage_size(io->dataset, &offset, &size) < 0 || size == 0 ||
        size > io->found->stored)
        return rp_hdf5_unreadable(table, name);
    const size_t between = size > io->room ? (size_t)size : io->room; /* deflate may lengthen */
    if (!io->cells.bytes)
        io->cells.bytes = malloc(io->room);
    if (!io->cells.bytes || !make_room(&scratch->stored, (size_t)size) ||
        !make_room(&scratch->between, between))
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a chunk of /%s/%s", table->name,
                       name);
    if (H5Dread_chunk(io->dataset, H5P_DEFAULT, &offset, &skipped, scratch->stored.bytes) < 0)
        return rp_hdf5_unreadable(table, name);
    const char *wrong = undo_filters(io, (size_t)size, skipped);
    if (wrong)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s cannot be read: the chunk of row %zu %s",
                       table->name, name, first, wrong);
    return RP_OK;
}

static bool has_row(const struct rp_hdf5_cells *cells, size_t row)
{
    return row >= cells->first && row - cells->first < cells->count;
}

enum rp_status rp_hdf5_column_seek(struct rp_hdf5_column *io, size_t row)
{
    const struct rp_hdf5_found *found = io->found;
    if (has_row(&io->cells, row))
        return RP_OK;
    if (row < io->cells.first || has_row(&io->aside, row)) {
        struct rp_hdf5_cells left_behind = io->cells;
        io->cells = io->aside;
        io->aside = left_behind;
    }
    if (has_row(&io->cells, row))
        return RP_OK;
    const size_t first = row - row % found->chunk;
    const size_t left = (size_t)found->rows - first;
    io->cells.count = 0;
    RP_TRY(read_chunk(io, first));
    io->cells.first = first;
    io->cells.count = left < found->chunk ? left : found->chunk;
    return RP_OK;
}

enum rp_status rp_hdf5_column_open(struct rp_hdf5_column *io, struct rp_hdf5_reader *reader,
                                   const struct rp_hdf5_found_table *table,
                                   const struct rp_hdf5_found *found)
{
    *io = (struct rp_hdf5_column){.table = table,
                                  .found = found,
                                  .scratch = &reader->scratch,
                                  .room = found->chunk * found->width + CHECKSUM_BYTES};
    io->dataset = rp_hdf5_open_child(table->group, found->name, H5I_DATASET);
    if (io->dataset < 0)
        return rp_hdf5_unreadable(table, found->name);
    if (!io->scratch->inflate) {
        io->scratch->inflate = calloc(1, sizeof *io->scratch->inflate);
        if (io->scratch->inflate && inflateInit2(io->scratch->inflate, -MAX_WBITS) != Z_OK) {
            free(io->scratch->inflate);
            io->scratch->inflate = NULL;
        }
    }
    if (!io->scratch->inflate)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a chunk of /%s/%s", table->name,
                       found->name);
    return RP_OK;
}

void rp_hdf5_column_close(struct rp_hdf5_column *io)
{
    if (!io->table)
        return; /* never opened */
    free(io->cells.bytes);
    free(io->aside.bytes);
    rp_hdf5_close(io->dataset);
}

void rp_hdf5_scratch_clear(struct rp_hdf5_scratch *scratch)
{
    if (scratch->inflate)
        inflateEnd(scratch->inflate);
    free(scratch->inflate);
    free(scratch->stored.bytes);
    free(scratch->between.bytes);
    *scratch = (struct rp_hdf5_scratch){0};
}
