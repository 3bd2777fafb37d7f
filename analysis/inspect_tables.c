/*
 * inspect_tables.c - the tables as wholes: nothing twice, nothing pointing nowhere, nothing
 * missing.
 *
 * Rows are stored as they are finished: within a run their sequence rises, and the samples of one
 * lie behind those of the row before. So only identities have to be sought (keyed.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inspect.h"
#include "analysis/key.h"
#include "analysis/keyed.h"
#include "analysis/load.h"
#include "model/result.h"

/* The last row of a run. */
struct last {
    bool is_there;
    int64_t sequence;
    size_t number;
};

struct order {
    const struct rp_study *study;
    struct rp_faults *faults;
    struct last *runs;  /* heap; of each row of /runs */
    int64_t end, owned; /* of /samples, by the rows so far */
    size_t owner;       /* the row whose samples end there */
};

static void inspect_sequence(struct order *o, const struct rp_result *row, size_t number)
{
    char text[RP_FAULT_VALUE_SIZE];
    struct rp_fault_place place = {"results", (int64_t)number};
    if (row->sequence < 0) {
        rp_faults_error(o->faults, place, "sequence", rp_fault_i64(text, row->sequence),
                        "0 or more");
        return;
    }
    if (!rp_study_run_of(o->study, row))
        return;
    struct last *last = &o->runs[row->run];
    if (last->is_there && row->sequence <= last->sequence)
        rp_faults_error(o->faults, place, "sequence", rp_fault_i64(text, row->sequence),
                        "above %" PRId64 ", that of row %zu, which is before it in the same run",
                        last->sequence, last->number);
    *last = (struct last){true, row->sequence, number};
}

/* Every sample belongs to one row. */
static void inspect_sharing(struct order *o, const struct rp_result *row, size_t number)
{
    char text[RP_FAULT_VALUE_SIZE];
    if (row->samples <= 0 || row->sample_offset < 0 ||
        row->samples > INT64_MAX - row->sample_offset)
        return;
    if (row->sample_offset < o->end)
        rp_faults_error(o->faults, (struct rp_fault_place){"results", (int64_t)number},
                        "sample_offset", rp_fault_i64(text, row->sample_offset),
                        "at least %" PRId64 ", where the samples of row %zu end", o->end, o->owner);
    o->owned += row->samples;
    if (row->sample_offset + row->samples > o->end) {
        o->end = row->sample_offset + row->samples;
        o->owner = number;
    }
}

static enum rp_status inspect_order(struct rp_results_scan *scan, struct order *o)
{
    static const char *const columns[] = {"run", "device", "sequence", "samples", "sample_offset"};
    size_t n = 0;
    RP_TRY(rp_results_scan_again(scan, columns, RP_COUNT(columns)));
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(scan, &n));
        for (size_t i = 0; i < n; ++i) {
            const struct rp_result *row = &rp_study_results(o->study)[i];
            rp_inspect_row_references(o->study, row, first + i, o->faults);
            inspect_sequence(o, row, first + i);
            inspect_sharing(o, row, first + i);
        }
        if (n == 0)
            return RP_OK;
    }
}

static void inspect_owned(const struct order *o)
{
    char text[RP_FAULT_VALUE_SIZE];
    int64_t there = (int64_t)rp_study_sample_rows(o->study);
    if (o->owned < there)
        rp_faults_warning(o->faults, (struct rp_fault_place){"samples", -1}, "rows",
                          rp_fault_i64(text, there), "%" PRId64 ", the samples that rows own",
                          o->owned);
}

static const char *run_id_of(const struct rp_study *study, const struct rp_result *row)
{
    const struct rp_run *run = rp_study_run_of(study, row);
    return run ? run->run_id : "";
}

static const char *uuid_of(const struct rp_study *study, const struct rp_result *row)
{
    const struct rp_device_row *device = rp_study_device_of(study, row);
    return device ? device->uuid : "";
}

static bool key_of_identity(const struct rp_study *study, const struct rp_result *row,
                            struct rp_keyed_row *keyed)
{
    uint64_t key = rp_key_add_text(0, run_id_of(study, row));
    key = rp_key_add_text(key, uuid_of(study, row));
    key = rp_key_add_text(key, row->point);
    keyed->key = rp_key_add_text(key, row->impl);
    return true;
}

static enum rp_status inspect_identity(void *context, struct rp_results_scan *scan,
                                       const struct rp_keyed_row *begin,
                                       const struct rp_keyed_row *end)
{
    struct rp_faults *faults = context;
    const struct rp_study *study = rp_results_scan_study(scan);
    for (const struct rp_keyed_row *k = begin + 1; k < end; ++k) {
        const struct rp_result *row = NULL;
        RP_TRY(rp_results_scan_row(scan, k->number, &row));
        rp_faults_error(faults, (struct rp_fault_place){"results", (int64_t)k->number}, "point",
                        row->point, "once with impl=%s, run %s and device %s; row %zu has it too",
                        row->impl, run_id_of(study, row), uuid_of(study, row), k[-1].number);
    }
    return RP_OK;
}

static const char *const identity_columns[] = {"run", "device", "point", "impl"};
static const struct rp_keyed_check identities = {identity_columns, RP_COUNT(identity_columns),
                                                 key_of_identity, inspect_identity};

/* rows against rows_planned and what `state` claims. */
static void inspect_completeness(const struct rp_results_scan *scan, struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    struct rp_fault_place place = {"results", -1};
    const struct rp_study *study = rp_results_scan_study(scan);
    int64_t rows = (int64_t)rp_results_scan_rows(scan);
    if (rows > study->rows_planned)
        rp_faults_error(faults, place, "rows", rp_fault_i64(text, rows),
                        "at most rows_planned, %" PRId64, study->rows_planned);
    else if (study->complete && rows < study->rows_planned)
        rp_faults_error(faults, place, "rows", rp_fault_i64(text, rows),
                        "rows_planned, %" PRId64 ", for a file whose state is complete",
                        study->rows_planned);
}

enum rp_status rp_inspect_tables(struct rp_results_scan *scan, struct rp_faults *faults)
{
    struct order order = {.study = rp_results_scan_study(scan), .faults = faults};
    size_t runs = rp_study_count(order.study, RP_TABLE_RUNS);
    inspect_completeness(scan, faults);
    rp_inspect_references(order.study, faults);
    order.runs = calloc(runs + 1, sizeof *order.runs);
    if (!order.runs)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the order of %zu runs", runs);
    enum rp_status status = inspect_order(scan, &order);
    free(order.runs);
    RP_TRY(status);
    inspect_owned(&order);
    RP_TRY(rp_keyed_compare(scan, &identities, faults));
    return rp_inspect_drift(scan, faults);
}
