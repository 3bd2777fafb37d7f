/*
 * merge_rows.c - rows of all files in one order, each identity once, and their cells when they are
 * written: of one column at a time, read from where the rows are.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/key.h"
#include "analysis/merge_tables.h"
#include "analysis/rows.h"
#include "base/list.h"

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Equal ones in the order of the files. */
static int compare_identity(const void *a, const void *b)
{
    const struct rp_merged_row *x = a;
    const struct rp_merged_row *y = b;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    int order = compare_i64(x->file, y->file);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_finished(const void *a, const void *b)
{
    const struct rp_merged_row *x = a;
    const struct rp_merged_row *y = b;
    int order = compare_i64(x->run, y->run);
    order = order ? order : compare_i64(x->sequence, y->sequence);
    return order ? order : compare_identity(a, b);
}

/* Every identity once, in the order the rows were finished, and where their samples go. */
static void arrange(struct rp_merged *merged)
{
    struct rp_merged_row *rows = merged->rows;
    size_t kept = 0;
    if (merged->count)
        qsort(rows, merged->count, sizeof *rows, compare_identity);
    for (size_t i = 0; i < merged->count; ++i) {
        if (kept == 0 || rows[kept - 1].identity != rows[i].identity)
            rows[kept++] = rows[i];
    }
    if (kept)
        qsort(rows, kept, sizeof *rows, compare_finished);
    merged->count = kept;
    merged->samples = 0;
    for (size_t i = 0; i < kept; ++i) {
        rows[i].to = merged->samples;
        merged->samples += rows[i].samples;
    }
}

/* Where rows are listed. */
struct listing {
    struct rp_merged *merged;
    int32_t file;
};

/* Sets samples and from; no samples where the row points outside of them. */
static void find_samples(struct rp_merged_row *r, const struct rp_study *study,
                         const struct rp_result *row)
{
    const int64_t there = (int64_t)rp_study_sample_rows(study);
    if (row->samples <= 0 || row->sample_offset < 0 || row->sample_offset > there ||
        row->samples > there - row->sample_offset)
        return;
    r->samples = row->samples;
    r->from = row->sample_offset;
}

static enum rp_status list_row(void *context, const struct rp_result *row, size_t number)
{
    struct listing *l = context;
    struct rp_merged *merged = l->merged;
    const struct rp_study_file *file = &merged->list->files[l->file];
    struct rp_merged_row r = {.sequence = row->sequence, .number = number, .file = l->file};
    int64_t run = row->run;
    int64_t device = row->device;
    RP_TRY(rp_merge_renumber(&merged->study, file, &run, &device));
    r.run = (int32_t)run;
    r.device = (int32_t)device;
    r.identity =
        rp_key_add_text(rp_key_add_i64(0, run), rp_study_devices(&merged->study)[device].uuid);
    r.identity = rp_key_add_text(rp_key_add_text(r.identity, row->point), row->impl);
    find_samples(&r, &file->study, row);
    struct rp_merged_row *rows =
        rp_list_grow(merged->rows, merged->count, &merged->room, sizeof *rows);
    if (!rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to merge %zu rows", merged->count);
    merged->rows = rows;
    rows[merged->count++] = r;
    return RP_OK;
}

enum rp_status rp_merge_list_rows(struct rp_merged *merged)
{
    static const char *const columns[] = {"run",      "device",  "point",        "impl",
                                          "sequence", "samples", "sample_offset"};
    for (size_t f = 0; f < merged->list->count; ++f) {
        struct listing listing = {merged, (int32_t)f};
        RP_TRY(rp_file_rows_visit(&merged->list->files[f], columns, RP_COUNT(columns), list_row,
                                  &listing));
    }
    arrange(merged);
    return RP_OK;
}

static const struct rp_study_file *file_of(const struct rp_merged *merged,
                                           const struct rp_merged_row *r)
{
    return &merged->list->files[r->file];
}

/* In all files, to read rows of them. */
static enum rp_status open_column(const struct rp_merged *merged, const struct rp_column *column)
{
    for (size_t f = 0; f < merged->list->count; ++f) {
        const struct rp_study *study = &merged->list->files[f].study;
        if (study->scan)
            RP_TRY(rp_results_scan_again(study->scan, &column->name, 1));
    }
    return RP_OK;
}

static enum rp_status read_results(const struct rp_merged *merged, const struct rp_column *column,
                                   size_t first, struct rp_table *table)
{
    const size_t width = column->kind == RP_COLUMN_WORD ? column->width + 1 : sizeof(int64_t);
    if (first == 0)
        RP_TRY(open_column(merged, column));
    for (size_t i = 0; i < table->count; ++i) {
        const struct rp_merged_row *r = &merged->rows[first + i];
        const struct rp_study *study = &file_of(merged, r)->study;
        struct rp_result *row = (struct rp_result *)table->rows + i;
        const struct rp_result *from = NULL;
        if (study->scan)
            RP_TRY(rp_results_scan_row(study->scan, r->number, &from));
        else
            from = &rp_study_results(study)[r->number];
        memcpy((char *)row + column->offset, (const char *)from + column->offset, width);
        row->run = r->run;
        row->device = r->device;
        row->samples = r->samples;
        row->sample_offset = r->to;
    }
    return RP_OK;
}

/* The last row whose samples begin at `sample` or before it. */
static size_t row_of_sample(const struct rp_merged *merged, size_t sample)
{
    size_t low = 0;
    size_t high = merged->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (merged->rows[middle].to <= (int64_t)sample)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Whole samples, whichever column is asked for. */
static enum rp_status read_samples(const struct rp_merged *merged, size_t first,
                                   struct rp_table *table)
{
    struct rp_sample *samples = table->rows;
    size_t i = 0;
    for (size_t at = row_of_sample(merged, first); i < table->count; ++at) {
        const struct rp_merged_row *r = &merged->rows[at];
        const struct rp_result place = {.samples = r->samples, .sample_offset = r->from};
        const struct rp_sample *found = NULL;
        size_t n = 0;
        RP_TRY(rp_study_samples_of(&file_of(merged, r)->study, &place, &found, &n));
        for (size_t k = first + i - (size_t)r->to; k < n && i < table->count; ++k)
            samples[i++] = found[k];
    }
    return RP_OK;
}

static enum rp_status read_column(void *context, enum rp_table_id id,
                                  const struct rp_column *column, size_t first,
                                  struct rp_table *rows)
{
    const struct rp_merged *merged = context;
    return id == RP_TABLE_RESULTS ? read_results(merged, column, first, rows)
                                  : read_samples(merged, first, rows);
}

struct rp_results_source rp_merged_source(struct rp_merged *merged)
{
    return (struct rp_results_source){merged, merged->count, (size_t)merged->samples, read_column};
}
