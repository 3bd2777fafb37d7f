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

/* `rows` are n rows of `file`. */
static enum rp_status visit_block(const struct rp_rows_visitor *visitor,
                                  const struct rp_study_file *file, const struct rp_result *rows,
                                  size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        struct rp_seen_row seen = {.file = file,
                                   .study = &file->study,
                                   .row = &rows[i],
                                   .device = rp_study_device_of(&file->study, &rows[i])};
        seen.is_simulated = seen.device && rp_device_is_simulated(seen.device);
        bool is_left_out = seen.is_simulated && !visitor->simulated;
        if (is_left_out && visitor->left_out)
            ++*visitor->left_out;
        if (!seen.device || is_left_out || !rp_impl_find(rows[i].impl, &seen.impl) ||
            rp_result_point(&rows[i], &seen.point) != RP_OK)
            continue;
        RP_TRY(visitor->visit(visitor->context, &seen));
    }
    return RP_OK;
}

static enum rp_status visit_scan(const struct rp_rows_visitor *visitor,
                                 const struct rp_study_file *file)
{
    const char *columns[COLUMNS_MAX];
    struct rp_results_scan *scan = file->study.scan;
    size_t n = 0;
    assert(RP_COUNT(always) + visitor->n_columns <= COLUMNS_MAX);
    for (size_t i = 0; i < RP_COUNT(always); ++i)
        columns[n++] = always[i];
    for (size_t i = 0; i < visitor->n_columns; ++i)
        columns[n++] = visitor->columns[i];
    RP_TRY(rp_results_scan_again(scan, columns, n));
    for (n = 1; n > 0;) {
        RP_TRY(rp_results_scan_next(scan, &n));
        RP_TRY(visit_block(visitor, file, rp_study_results(rp_results_scan_study(scan)), n));
    }
    return rp_results_scan_again(scan, always, 0); /* lets go of the chunks */
}

enum rp_status rp_rows_visit(const struct rp_study_list *list,
                             const struct rp_rows_visitor *visitor)
{
    enum rp_status status = RP_OK;
    for (size_t f = 0; f < list->count && status == RP_OK; ++f) {
        const struct rp_study_file *file = &list->files[f];
        rp_child_note_file(file->path);
        if (file->study.scan)
            status = visit_scan(visitor, file);
        else
            status = visit_block(visitor, file, rp_study_results(&file->study),
                                 rp_study_count(&file->study, RP_TABLE_RESULTS));
    }
    rp_child_note_file(NULL);
    return status;
}

uint64_t rp_seen_row_key(const struct rp_seen_row *seen)
{
    uint64_t key = rp_key_add_device_kind(0, seen->device);
    key = rp_key_add_i64(rp_key_add_i64(key, seen->row->threads), seen->impl);
    return rp_key_add_point(key, &seen->point);
}
