/*
 * results_hdf5_scan.c - chosen columns, a chunk of each in memory, scattered into a block of rows.
 *
 * Chunks of columns end at different rows; a block ends where it is full or the file ends. Blocks
 * are small enough to stay in a cache.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/cells.h"
#include "store/results_hdf5_private.h"
#include "store/results_scan.h"

enum { BLOCK_ROWS = 256 };

struct stream {
    const struct rp_hdf5_found *found;
    const struct rp_column *column;
    struct rp_hdf5_column io;
    size_t first, count; /* rows of the chunk in io.bytes */
};

struct rp_results_scan {
    struct rp_hdf5_quiet quiet;
    struct rp_hdf5_reader reader;
    struct rp_study study;
    char *path;
    struct rp_hdf5_found_table table; /* /results */
    struct stream *streams;           /* heap */
    size_t n_streams;
    size_t next, rows;
};

static enum rp_status read_small_tables(struct rp_results_scan *scan)
{
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        if (id != RP_TABLE_RESULTS && id != RP_TABLE_SAMPLES)
            RP_TRY(rp_hdf5_read_table(&scan->reader, rp_table_schema((enum rp_table_id)id)->name));
    }
    return RP_OK;
}

static enum rp_status make_block(struct rp_results_scan *scan)
{
    struct rp_table *results = &scan->study.tables[RP_TABLE_RESULTS];
    results->rows = calloc(BLOCK_ROWS, sizeof(struct rp_result));
    if (!results->rows)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %d rows", BLOCK_ROWS);
    results->capacity = BLOCK_ROWS;
    for (size_t i = 0; i < BLOCK_ROWS; ++i)
        rp_row_init(RP_TABLE_RESULTS, (struct rp_result *)results->rows + i);
    return RP_OK;
}

/* A column that the file lacks stays not applicable. */
static enum rp_status add_stream(struct rp_results_scan *scan, const char *name)
{
    const struct rp_hdf5_found *found = NULL;
    for (size_t i = 0; i < scan->table.n_columns; ++i) {
        if (strcmp(scan->table.columns[i].name, name) == 0)
            found = &scan->table.columns[i];
    }
    if (!found)
        return RP_OK;
    struct stream *stream = &scan->streams[scan->n_streams++];
    stream->found = found;
    stream->column = rp_column_find(scan->table.schema, name);
    if (!rp_hdf5_column_open(&stream->io, scan->table.group, found))
        return rp_hdf5_unreadable(&scan->table, name);
    if (!rp_hdf5_same_kind(stream->column, found))
        return rp_hdf5_damaged(&scan->table, name, "is of another type than this column has");
    return RP_OK;
}

static enum rp_status open_streams(struct rp_results_scan *scan, const char *const *columns,
                                   size_t n_columns)
{
    RP_TRY(read_small_tables(scan));
    RP_TRY(
        rp_hdf5_found_open(&scan->reader, rp_table_schema(RP_TABLE_RESULTS)->name, &scan->table));
    scan->rows = (size_t)scan->table.columns[0].rows;
    if (scan->reader.rows != (int64_t)scan->rows)
        return RP_FAIL(RP_ERR_DAMAGED, "/results has %zu rows, the attribute rows says %" PRId64,
                       scan->rows, scan->reader.rows);
    scan->streams = calloc(n_columns, sizeof *scan->streams);
    if (!scan->streams)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu columns", n_columns);
    RP_TRY(make_block(scan));
    for (size_t i = 0; i < n_columns; ++i)
        RP_TRY(add_stream(scan, columns[i]));
    return RP_OK;
}

enum rp_status rp_results_scan_open(const char *path, const char *const *columns, size_t n_columns,
                                    struct rp_results_scan **opened)
{
    struct rp_results_scan *scan = calloc(1, sizeof *scan);
    *opened = NULL;
    if (!scan)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory to read %s", path);
    rp_study_init(&scan->study);
    scan->table.group = -1;
    rp_hdf5_quiet_begin(&scan->quiet);
    enum rp_status status = rp_hdf5_reader_open(&scan->reader, path, &scan->study);
    if (status == RP_OK) {
        scan->path = strdup(path);
        status = scan->path ? open_streams(scan, columns, n_columns)
                            : RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
        if (status != RP_OK)
            status = RP_FAIL(status, "%s: %s", path, rp_status_message());
    }
    if (status == RP_OK)
        *opened = scan;
    else
        rp_results_scan_close(scan);
    return status;
}

/* Cells of one column into the n rows of the block, which begin at scan->next. */
static enum rp_status fill_column(struct rp_results_scan *scan, struct stream *stream, size_t n)
{
    const struct rp_hdf5_found *found = stream->found;
    struct rp_cells cells = {scan->table.schema, stream->column, 0, 0, found->width};
    for (; cells.first < n; cells.first += cells.count) {
        size_t row = scan->next + cells.first;
        if (row == stream->first + stream->count) {
            stream->first = row;
            stream->count = scan->rows - row < found->chunk ? scan->rows - row : found->chunk;
            if (!rp_hdf5_column_read(&stream->io, row, stream->count))
                return rp_hdf5_unreadable(&scan->table, found->name);
        }
        size_t in_chunk = stream->first + stream->count - row;
        cells.count = n - cells.first < in_chunk ? n - cells.first : in_chunk;
        if (rp_cells_scatter(&cells, &scan->study.tables[RP_TABLE_RESULTS],
                             stream->io.bytes + (row - stream->first) * found->width) != RP_OK)
            return RP_FAIL(RP_ERR_DAMAGED, "%s, counted from row %zu", rp_status_message(),
                           scan->next);
    }
    return RP_OK;
}

enum rp_status rp_results_scan_next(struct rp_results_scan *scan, size_t *count)
{
    size_t left = scan->rows - scan->next;
    size_t n = left < BLOCK_ROWS ? left : BLOCK_ROWS;
    *count = 0;
    for (size_t i = 0; i < scan->n_streams; ++i) {
        if (fill_column(scan, &scan->streams[i], n) != RP_OK)
            return RP_FAIL(RP_ERR_DAMAGED, "%s: %s", scan->path, rp_status_message());
    }
    scan->study.tables[RP_TABLE_RESULTS].count = n;
    scan->next += n;
    *count = n;
    return RP_OK;
}

const struct rp_study *rp_results_scan_study(const struct rp_results_scan *scan)
{
    return &scan->study;
}

void rp_results_scan_close(struct rp_results_scan *scan)
{
    if (!scan)
        return;
    for (size_t i = 0; i < scan->n_streams; ++i)
        rp_hdf5_column_close(&scan->streams[i].io);
    free(scan->streams);
    rp_hdf5_found_close(&scan->table);
    rp_hdf5_reader_close(&scan->reader);
    rp_hdf5_quiet_end(&scan->quiet);
    rp_study_clear(&scan->study);
    free(scan->path);
    free(scan);
}
