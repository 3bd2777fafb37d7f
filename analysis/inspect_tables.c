/*
 * inspect_tables.c - the tables as wholes: nothing twice, nothing pointing nowhere, nothing
 * missing.
 *
 * Identities and neighbours are found by sorting row indices, so a large file costs n log n.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inspect.h"
#include "analysis/load.h"
#include "model/result.h"

/* A row and what it is sorted by. */
struct entry {
    size_t index;
    const struct rp_result *row;
    const char *run_id;
    const char *uuid;
};

struct entries {
    struct entry *items;
    size_t count;
};

static enum rp_status list_entries(const struct rp_study *study, struct entries *entries)
{
    entries->count = rp_study_count(study, RP_TABLE_RESULTS);
    entries->items = calloc(entries->count ? entries->count : 1, sizeof *entries->items);
    if (!entries->items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare %zu rows", entries->count);
    for (size_t i = 0; i < entries->count; ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        const struct rp_run *run = rp_study_run_of(study, row);
        const struct rp_device_row *device = rp_study_device_of(study, row);
        entries->items[i] =
            (struct entry){i, row, run ? run->run_id : "", device ? device->uuid : ""};
    }
    return RP_OK;
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_identity(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    int order = strcmp(x->run_id, y->run_id);
    order = order ? order : strcmp(x->uuid, y->uuid);
    order = order ? order : strcmp(x->row->point, y->row->point);
    return order ? order : strcmp(x->row->impl, y->row->impl);
}

static int compare_sequence(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    int order = strcmp(x->run_id, y->run_id);
    return order ? order : compare_i64(x->row->sequence, y->row->sequence);
}

static int compare_offset(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    return compare_i64(x->row->sample_offset, y->row->sample_offset);
}

static void inspect_identities(struct entries *e, struct rp_faults *faults)
{
    qsort(e->items, e->count, sizeof *e->items, compare_identity);
    for (size_t i = 1; i < e->count; ++i) {
        const struct entry *x = &e->items[i];
        if (compare_identity(x, &e->items[i - 1]) == 0)
            rp_faults_error(faults, (struct rp_fault_place){"results", (int64_t)x->index}, "point",
                            x->row->point,
                            "once with impl=%s, run %s and device %s; row %zu has it too",
                            x->row->impl, x->run_id, x->uuid, e->items[i - 1].index);
    }
}

static void inspect_sequences(struct entries *e, struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    qsort(e->items, e->count, sizeof *e->items, compare_sequence);
    for (size_t i = 0; i < e->count; ++i) {
        const struct entry *x = &e->items[i];
        struct rp_fault_place place = {"results", (int64_t)x->index};
        if (x->row->sequence < 0)
            rp_faults_error(faults, place, "sequence", rp_fault_i64(text, x->row->sequence),
                            "0 or more");
        else if (i > 0 && compare_sequence(x, &e->items[i - 1]) == 0)
            rp_faults_error(faults, place, "sequence", rp_fault_i64(text, x->row->sequence),
                            "once in a run; row %zu has it too", e->items[i - 1].index);
    }
}

/* Every sample belongs to one row. */
static void inspect_sharing(const struct rp_study *study, struct entries *e,
                            struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    int64_t end = 0;
    int64_t owned = 0;
    const struct entry *before = NULL;
    qsort(e->items, e->count, sizeof *e->items, compare_offset);
    for (size_t i = 0; i < e->count; ++i) {
        const struct entry *x = &e->items[i];
        if (x->row->samples <= 0 || x->row->sample_offset < 0 ||
            x->row->samples > INT64_MAX - x->row->sample_offset)
            continue;
        if (before && x->row->sample_offset < end)
            rp_faults_error(faults, (struct rp_fault_place){"results", (int64_t)x->index},
                            "sample_offset", rp_fault_i64(text, x->row->sample_offset),
                            "at least %" PRId64 ", where the samples of row %zu end", end,
                            before->index);
        owned += x->row->samples;
        if (!before || x->row->sample_offset + x->row->samples > end) {
            end = x->row->sample_offset + x->row->samples;
            before = x;
        }
    }
    int64_t there = (int64_t)rp_study_count(study, RP_TABLE_SAMPLES);
    if (owned < there)
        rp_faults_warning(faults, (struct rp_fault_place){"samples", -1}, "rows",
                          rp_fault_i64(text, there), "%" PRId64 ", the samples that rows own",
                          owned);
}

/* rows against rows_planned and what `state` claims. */
static void inspect_completeness(const struct rp_study *study, struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    struct rp_fault_place place = {"results", -1};
    int64_t rows = (int64_t)rp_study_count(study, RP_TABLE_RESULTS);
    if (rows > study->rows_planned)
        rp_faults_error(faults, place, "rows", rp_fault_i64(text, rows),
                        "at most rows_planned, %" PRId64, study->rows_planned);
    else if (study->complete && rows < study->rows_planned)
        rp_faults_error(faults, place, "rows", rp_fault_i64(text, rows),
                        "rows_planned, %" PRId64 ", for a file whose state is complete",
                        study->rows_planned);
}

enum rp_status rp_inspect_tables(const struct rp_study *study, struct rp_faults *faults)
{
    struct entries entries = {0};
    inspect_completeness(study, faults);
    rp_inspect_references(study, faults);
    RP_TRY(list_entries(study, &entries));
    inspect_identities(&entries, faults);
    inspect_sequences(&entries, faults);
    inspect_sharing(study, &entries, faults);
    free(entries.items);
    return rp_inspect_drift(study, faults);
}
