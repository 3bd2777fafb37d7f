/*
 * merge_tables.c - tables one behind the other, sorted, equal rows once, then renumbered.
 *
 * rows_planned is the sum over runs. A run that went on in the file of an earlier one plans its
 * rows again, so of an unmerged file only the last run keeps a plan, the whole file's; of two
 * copies of a run the one that knows of such a later run is right.
 */
#include "analysis/merge_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int compare_function(const void *a, const void *b);

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Not applicable (NaN) comes first and equals itself. */
static int compare_f64(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(b) - isnan(a) : (a > b) - (a < b);
}

/* All columns, in their order; for tables without TEXT. */
static int compare_columns(enum rp_table_id id, const void *a, const void *b)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    int order = 0;
    for (size_t i = 0; i < schema->n_columns && order == 0; ++i) {
        const struct rp_column *column = &schema->columns[i];
        const void *x = (const char *)a + column->offset;
        const void *y = (const char *)b + column->offset;
        if (column->kind == RP_COLUMN_I64)
            order = compare_i64(*(const int64_t *)x, *(const int64_t *)y);
        else if (column->kind == RP_COLUMN_F64)
            order = compare_f64(*(const double *)x, *(const double *)y);
        else
            order = strcmp(x, y);
    }
    return order;
}

static int compare_devices(const void *a, const void *b)
{
    return compare_columns(RP_TABLE_DEVICES, a, b);
}

static int compare_ceilings(const void *a, const void *b)
{
    return compare_columns(RP_TABLE_CEILINGS, a, b);
}

static int compare_labels(const void *a, const void *b)
{
    return compare_columns(RP_TABLE_LABELS, a, b);
}

static int compare_runs(const void *a, const void *b)
{
    const struct rp_run *x = a;
    const struct rp_run *y = b;
    int order = strcmp(x->started_utc, y->started_utc);
    return order ? order : strcmp(x->run_id, y->run_id);
}

/* Sorts a table and keeps the first of equal rows; TEXT of the others is freed. */
static void sort_unique(struct rp_study *study, enum rp_table_id id, compare_function *compare)
{
    struct rp_table *table = &study->tables[id];
    size_t bytes = rp_table_schema(id)->row_bytes;
    size_t kept = 0;
    if (table->count > 1)
        qsort(table->rows, table->count, bytes, compare);
    for (size_t i = 0; i < table->count; ++i) {
        void *row = rp_study_row(study, id, i);
        if (kept > 0 && compare(rp_study_row(study, id, kept - 1), row) == 0)
            rp_row_clear(id, row);
        else
            memmove(rp_study_row(study, id, kept++), row, bytes);
    }
    table->count = kept;
}

/* Number of an equal row in a sorted table. */
static int64_t find_row(const struct rp_study *study, enum rp_table_id id, const void *row,
                        compare_function *compare)
{
    const struct rp_table *table = &study->tables[id];
    size_t bytes = rp_table_schema(id)->row_bytes;
    const char *found = bsearch(row, table->rows, table->count, bytes, compare);
    return (found - (const char *)table->rows) / (int64_t)bytes;
}

/* Two copies of one run become the later of them. */
static enum rp_status join_runs(struct rp_run *a, struct rp_run *b)
{
    if (strcmp(a->job_hash, b->job_hash) != 0)
        return RP_FAIL(RP_ERR_USAGE, "run %s is of job %s in one file and of job %s in another",
                       a->run_id, a->job_hash, b->job_hash);
    bool superseded = a->rows_planned < 0 || b->rows_planned < 0;
    int64_t more = a->rows_planned > b->rows_planned ? a->rows_planned : b->rows_planned;
    a->rows_planned = b->rows_planned = superseded ? -1 : more;
    if (strcmp(b->ended_utc, a->ended_utc) > 0) {
        struct rp_run earlier = *a;
        *a = *b;
        *b = earlier; /* cleared by sort_unique */
    }
    return RP_OK;
}

static enum rp_status merge_runs(const struct rp_study_list *list, struct rp_study *merged)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        size_t n = rp_study_count(study, RP_TABLE_RUNS);
        for (size_t i = 0; i < n; ++i) {
            struct rp_run run = rp_study_runs(study)[i]; /* the append copies its TEXT */
            if (run.merged != 1)
                run.rows_planned = i + 1 == n ? study->rows_planned : -1;
            run.merged = 1;
            RP_TRY(rp_study_append(merged, RP_TABLE_RUNS, &run));
        }
    }
    struct rp_run *runs = rp_study_runs(merged);
    size_t n = rp_study_count(merged, RP_TABLE_RUNS);
    if (n > 1)
        qsort(runs, n, sizeof *runs, compare_runs);
    for (size_t first = 0, i = 1; i < n; ++i) {
        if (compare_runs(&runs[first], &runs[i]) == 0)
            RP_TRY(join_runs(&runs[first], &runs[i]));
        else
            first = i;
    }
    sort_unique(merged, RP_TABLE_RUNS, compare_runs);
    return RP_OK;
}

static enum rp_status merge_devices(const struct rp_study_list *list, struct rp_study *merged)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_DEVICES); ++i)
            RP_TRY(rp_study_append(merged, RP_TABLE_DEVICES, &rp_study_devices(study)[i]));
    }
    sort_unique(merged, RP_TABLE_DEVICES, compare_devices);
    return RP_OK;
}

enum rp_status rp_merge_renumber(const struct rp_study *merged, const struct rp_study_file *file,
                                 int64_t *run, int64_t *device)
{
    const struct rp_study *study = &file->study;
    if (*run < 0 || (size_t)*run >= rp_study_count(study, RP_TABLE_RUNS))
        return RP_FAIL(RP_ERR_DAMAGED, "%s: a row points at run %" PRId64 ", which is not there",
                       file->path, *run);
    *run = find_row(merged, RP_TABLE_RUNS, &rp_study_runs(study)[*run], compare_runs);
    if (!device)
        return RP_OK;
    if (*device < 0 || (size_t)*device >= rp_study_count(study, RP_TABLE_DEVICES))
        return RP_FAIL(RP_ERR_DAMAGED, "%s: a row points at device %" PRId64 ", which is not there",
                       file->path, *device);
    *device =
        find_row(merged, RP_TABLE_DEVICES, &rp_study_devices(study)[*device], compare_devices);
    return RP_OK;
}

static enum rp_status merge_ceilings(const struct rp_study_list *list, struct rp_study *merged)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
            struct rp_ceiling ceiling = rp_study_ceilings(study)[i];
            RP_TRY(rp_merge_renumber(merged, &list->files[f], &ceiling.run, &ceiling.device));
            RP_TRY(rp_study_append(merged, RP_TABLE_CEILINGS, &ceiling));
        }
    }
    sort_unique(merged, RP_TABLE_CEILINGS, compare_ceilings);
    return RP_OK;
}

static enum rp_status merge_labels(const struct rp_study_list *list, struct rp_study *merged)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_LABELS); ++i) {
            struct rp_label label =
                *(const struct rp_label *)rp_study_row(study, RP_TABLE_LABELS, i);
            RP_TRY(rp_merge_renumber(merged, &list->files[f], &label.run, NULL));
            RP_TRY(rp_study_append(merged, RP_TABLE_LABELS, &label));
        }
    }
    sort_unique(merged, RP_TABLE_LABELS, compare_labels);
    return RP_OK;
}

/* A row that a later run measured again (--retry) is there twice and was planned twice. */
static void settle_plan(struct rp_study *merged, int64_t rows)
{
    struct rp_run *last = NULL;
    for (size_t i = 0; i < rp_study_count(merged, RP_TABLE_RUNS); ++i) {
        struct rp_run *run = &rp_study_runs(merged)[i];
        if (run->rows_planned < 0)
            continue;
        merged->rows_planned += run->rows_planned;
        last = run;
    }
    if (last && rows > merged->rows_planned) {
        last->rows_planned += rows - merged->rows_planned;
        merged->rows_planned = rows;
    }
    merged->complete = rows == merged->rows_planned;
}

enum rp_status rp_merged_create(const struct rp_study_list *list, struct rp_merged *merged)
{
    struct rp_study *study = &merged->study;
    *merged = (struct rp_merged){.list = list};
    enum rp_status status = merge_runs(list, study);
    if (status == RP_OK)
        status = merge_devices(list, study);
    if (status == RP_OK)
        status = merge_ceilings(list, study);
    if (status == RP_OK)
        status = merge_labels(list, study);
    if (status == RP_OK)
        status = rp_merge_list_rows(merged);
    if (status == RP_OK)
        settle_plan(study, (int64_t)merged->count);
    else
        rp_merged_clear(merged);
    return status;
}

void rp_merged_clear(struct rp_merged *merged)
{
    rp_study_clear(&merged->study);
    free(merged->rows);
    *merged = (struct rp_merged){0};
}
