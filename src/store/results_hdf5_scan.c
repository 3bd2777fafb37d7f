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
    const struct rp_column *column;
    struct rp_hdf5_column io;
};

/* One large table: what is read of it goes to the table of the same kind in the study. */
struct source {
    struct rp_hdf5_found_table table;
    struct stream *streams; /* heap */
    size_t n_streams;
};

struct rp_results_scan {
    struct rp_hdf5_quiet quiet;
    struct rp_hdf5_reader reader;
    struct rp_study study;
    char *path;
    struct source results, samples;
    size_t next; /* row of /results */
};

static size_t rows_of(const struct source *source)
{
    return (size_t)source->table.columns[0].rows;
}

/* Room for `count` rows, all of them not applicable in every column. */
static enum rp_status make_rows(struct rp_results_scan *scan, const struct source *source,
                                size_t count)
{
    const enum rp_table_id id = source->table.id;
    struct rp_table *table = &scan->study.tables[id];
    if (table->capacity < count) {
        free(table->rows);
        *table = (struct rp_table){calloc(count, source->table.schema->row_bytes), 0, count};
        if (!table->rows) {
            *table = (struct rp_table){0};
            return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu rows of /%s", count,
                           source->table.name);
        }
    }
    for (size_t i = 0; i < table->capacity; ++i)
        rp_row_init(id, rp_study_row(&scan->study, id, i));
    return RP_OK;
}

static void close_streams(struct source *source)
{
    for (size_t i = 0; i < source->n_streams; ++i)
        rp_hdf5_column_close(&source->streams[i].io);
    free(source->streams);
    source->streams = NULL;
    source->n_streams = 0;
}

/* A column that the file lacks stays not applicable. */
static enum rp_status add_stream(struct rp_results_scan *scan, struct source *source,
                                 const char *name)
{
    const struct rp_hdf5_found *found = NULL;
    for (size_t i = 0; i < source->table.n_columns; ++i) {
        if (strcmp(source->table.columns[i].name, name) == 0)
            found = &source->table.columns[i];
    }
    const struct rp_column *column = rp_column_find(source->table.schema, name);
    if (!found || !column)
        return RP_OK;
    struct stream *stream = &source->streams[source->n_streams++];
    stream->column = column;
    RP_TRY(rp_hdf5_column_open(&stream->io, &scan->reader, &source->table, found));
    if (!rp_hdf5_same_kind(column, found))
        return rp_hdf5_damaged(&source->table, name, "is of another type than this column has");
    return RP_OK;
}

/* `columns` null: all of the schema. */
static enum rp_status open_streams(struct rp_results_scan *scan, struct source *source,
                                   const char *const *columns, size_t n_columns)
{
    const struct rp_table_schema *schema = source->table.schema;
    const size_t n = columns ? n_columns : schema->n_columns;
    close_streams(source);
    source->streams = calloc(n ? n : 1, sizeof *source->streams);
    if (!source->streams)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu columns", n);
    for (size_t i = 0; i < n; ++i)
        RP_TRY(add_stream(scan, source, columns ? columns[i] : schema->columns[i].name));
    return RP_OK;
}

/* The small tables, and what the large ones have; all of them, once, when only their digest can
 * tell whether they are undamaged. */
static enum rp_status read_tables(struct rp_results_scan *scan)
{
    struct rp_hdf5_reader *reader = &scan->reader;
    reader->kept[RP_TABLE_RESULTS] = reader->kept[RP_TABLE_SAMPLES] = false;
    if (!reader->sealed)
        RP_TRY(rp_hdf5_read_tables(reader));
    for (int id = 0; id < RP_TABLE_COUNT && reader->sealed; ++id) {
        if (reader->kept[id])
            RP_TRY(rp_hdf5_read_table(reader, rp_table_schema((enum rp_table_id)id)->name));
    }
    RP_TRY(
        rp_hdf5_found_open(reader, rp_table_schema(RP_TABLE_RESULTS)->name, &scan->results.table));
    return rp_hdf5_found_open(reader, rp_table_schema(RP_TABLE_SAMPLES)->name,
                              &scan->samples.table);
}

static enum rp_status open_file(struct rp_results_scan *scan, const char *path,
                                const char *const *columns, size_t n_columns)
{
    RP_TRY(rp_hdf5_reader_open(&scan->reader, path, &scan->study));
    scan->path = strdup(path);
    enum rp_status status =
        scan->path ? read_tables(scan) : RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a path");
    if (status == RP_OK)
        return rp_results_scan_again(scan, columns, n_columns);
    return RP_FAIL(status, "%s: %s", path, rp_status_message());
}

enum rp_status rp_results_scan_open(const char *path, const char *const *columns, size_t n_columns,
                                    struct rp_results_scan **opened)
{
    struct rp_results_scan *scan = calloc(1, sizeof *scan);
    *opened = NULL;
    if (!scan)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory to read %s", path);
    rp_study_init(&scan->study);
    scan->study.scan = scan;
    scan->results.table.group = scan->samples.table.group = -1;
    rp_hdf5_quiet_begin(&scan->quiet);
    enum rp_status status = open_file(scan, path, columns, n_columns);
    if (status == RP_OK)
        *opened = scan;
    else
        rp_results_scan_close(scan);
    return status;
}

enum rp_status rp_results_scan_again(struct rp_results_scan *scan, const char *const *columns,
                                     size_t n_columns)
{
    enum rp_status status = make_rows(scan, &scan->results, BLOCK_ROWS);
    scan->next = 0;
    if (status == RP_OK)
        status = open_streams(scan, &scan->results, columns, n_columns);
    return status == RP_OK ? RP_OK : RP_FAIL(status, "%s: %s", scan->path, rp_status_message());
}

/* Cells of one column, from row `first` of the file on, into the first n rows of the study. */
static enum rp_status fill_column(struct rp_table *rows, struct stream *stream, size_t first,
                                  size_t n)
{
    struct rp_hdf5_column *io = &stream->io;
    const size_t width = io->found->width;
    struct rp_cells cells = {io->table->schema, stream->column, 0, 0, width};
    for (; cells.first < n; cells.first += cells.count) {
        size_t row = first + cells.first;
        RP_TRY(rp_hdf5_column_seek(io, row));
        size_t in_chunk = io->cells.first + io->cells.count - row;
        cells.count = n - cells.first < in_chunk ? n - cells.first : in_chunk;
        if (rp_cells_scatter(&cells, rows, io->cells.bytes + (row - io->cells.first) * width) !=
            RP_OK)
            return RP_FAIL(RP_ERR_DAMAGED, "%s, counted from row %zu", rp_status_message(), first);
    }
    return RP_OK;
}

static enum rp_status fill_rows(struct rp_results_scan *scan, struct source *source, size_t first,
                                size_t n)
{
    struct rp_table *rows = &scan->study.tables[source->table.id];
    for (size_t i = 0; i < source->n_streams; ++i) {
        enum rp_status status = fill_column(rows, &source->streams[i], first, n);
        if (status != RP_OK)
            return RP_FAIL(status, "%s: %s", scan->path, rp_status_message());
    }
    return RP_OK;
}

enum rp_status rp_results_scan_next(struct rp_results_scan *scan, size_t *count)
{
    size_t left = rows_of(&scan->results) - scan->next;
    size_t n = left < BLOCK_ROWS ? left : BLOCK_ROWS;
    *count = 0;
    RP_TRY(fill_rows(scan, &scan->results, scan->next, n));
    scan->study.tables[RP_TABLE_RESULTS].count = n;
    scan->next += n;
    *count = n;
    return RP_OK;
}

enum rp_status rp_results_scan_row(struct rp_results_scan *scan, size_t number,
                                   const struct rp_result **row)
{
    *row = rp_study_results(&scan->study);
    scan->study.tables[RP_TABLE_RESULTS].count = 1;
    return fill_rows(scan, &scan->results, number, 1);
}

enum rp_status rp_results_scan_samples(struct rp_results_scan *scan, const struct rp_result *row,
                                       const struct rp_sample **samples, size_t *n)
{
    const size_t there = rows_of(&scan->samples);
    *samples = NULL;
    *n = 0;
    if (row->samples <= 0 || row->sample_offset < 0 || (uint64_t)row->sample_offset > there ||
        (uint64_t)row->samples > there - (uint64_t)row->sample_offset)
        return RP_OK;
    if (!scan->samples.streams)
        RP_TRY(open_streams(scan, &scan->samples, NULL, 0));
    if (scan->study.tables[RP_TABLE_SAMPLES].capacity < (size_t)row->samples)
        RP_TRY(make_rows(scan, &scan->samples, (size_t)row->samples));
    RP_TRY(fill_rows(scan, &scan->samples, (size_t)row->sample_offset, (size_t)row->samples));
    *samples = rp_study_samples(&scan->study);
    *n = (size_t)row->samples;
    return RP_OK;
}

enum rp_status rp_results_scan_check_digest(struct rp_results_scan *scan)
{
    for (int id = 0; id < RP_TABLE_COUNT; ++id)
        scan->reader.kept[id] = false;
    enum rp_status status = rp_hdf5_read_tables(&scan->reader);
    return status == RP_OK ? RP_OK : RP_FAIL(status, "%s: %s", scan->path, rp_status_message());
}

size_t rp_results_scan_rows(const struct rp_results_scan *scan)
{
    return rows_of(&scan->results);
}

size_t rp_results_scan_sample_rows(const struct rp_results_scan *scan)
{
    return rows_of(&scan->samples);
}

const struct rp_study *rp_results_scan_study(const struct rp_results_scan *scan)
{
    return &scan->study;
}

void rp_results_scan_close(struct rp_results_scan *scan)
{
    if (!scan)
        return;
    close_streams(&scan->results);
    close_streams(&scan->samples);
    rp_hdf5_found_close(&scan->results.table);
    rp_hdf5_found_close(&scan->samples.table);
    rp_hdf5_reader_close(&scan->reader);
    rp_hdf5_quiet_end(&scan->quiet);
    rp_study_clear(&scan->study);
    free(scan->path);
    free(scan);
}
