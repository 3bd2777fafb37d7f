/* rows.c - opens the columns of each file, and hands out the rows that can be spoken of. */
#include "analysis/rows.h"

#include <assert.h>

#include "analysis/child.h"
#include "analysis/device_kind.h"
#include "analysis/key.h"
#include "model/result.h"

static const char *const always[] = {"run",   "device",   "threads", "impl",     "stage",
                                     "dtype", "batch",    "heads",   "kv_heads", "seq_q",
                                     "seq_k", "head_dim", "causal"};
enum { COLUMNS_MAX = 64 };

static enum rp_status visit_scan(struct rp_results_scan *scan, rp_row_function *visit,
                                 void *context)
{
    size_t n = 0;
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(scan, &n));
        if (n == 0)
            return rp_results_scan_again(scan, always, 0); /* lets go of the chunks */
        const struct rp_result *rows = rp_study_results(rp_results_scan_study(scan));
        for (size_t i = 0; i < n; ++i)
            RP_TRY(visit(context, &rows[i], first + i));
    }
}

enum rp_status rp_file_rows_visit(const struct rp_study_file *file, const char *const *columns,
                                  size_t n_columns, rp_row_function *visit, void *context)
{
    const struct rp_study *study = &file->study;
    enum rp_status status = RP_OK;
    rp_child_note_file(file->path);
    if (study->scan) {
        status = rp_results_scan_again(study->scan, columns, n_columns);
        if (status == RP_OK)
            status = visit_scan(study->scan, visit, context);
    } else {
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS) && status == RP_OK; ++i)
            status = visit(context, &rp_study_results(study)[i], i);
    }
    rp_child_note_file(NULL);
    return status;
}

/* A file on its way to a visitor. */
struct passage {
    const struct rp_rows_visitor *visitor;
    const struct rp_study_file *file;
};

static enum rp_status see(void *context, const struct rp_result *row, size_t number)
{
    const struct passage *passage = context;
    const struct rp_rows_visitor *visitor = passage->visitor;
    const struct rp_study *study = &passage->file->study;
    struct rp_seen_row seen = {.file = passage->file,
                               .study = study,
                               .row = row,
                               .device = rp_study_device_of(study, row)};
    (void)number;
    seen.is_simulated = seen.device && rp_device_is_simulated(seen.device);
    bool is_left_out = seen.is_simulated && !visitor->simulated;
    if (is_left_out && visitor->left_out)
        ++*visitor->left_out;
    if (!seen.device || is_left_out || !rp_impl_find(row->impl, &seen.impl) ||
        rp_result_point(row, &seen.point) != RP_OK)
        return RP_OK;
    return visitor->visit(visitor->context, &seen);
}

enum rp_status rp_rows_visit(const struct rp_study_list *list,
                             const struct rp_rows_visitor *visitor)
{
    const char *columns[COLUMNS_MAX];
    enum rp_status status = RP_OK;
    size_t n = 0;
    assert(RP_COUNT(always) + visitor->n_columns <= COLUMNS_MAX);
    for (size_t i = 0; i < RP_COUNT(always); ++i)
        columns[n++] = always[i];
    for (size_t i = 0; i < visitor->n_columns; ++i)
        columns[n++] = visitor->columns[i];
    for (size_t f = 0; f < list->count && status == RP_OK; ++f) {
        struct passage passage = {visitor, &list->files[f]};
        status = rp_file_rows_visit(passage.file, columns, n, see, &passage);
    }
    return status;
}

uint64_t rp_seen_row_key(const struct rp_seen_row *seen)
{
    uint64_t key = rp_key_add_device_kind(0, seen->device);
    key = rp_key_add_i64(rp_key_add_i64(key, seen->row->threads), seen->impl);
    return rp_key_add_point(key, &seen->point);
}
