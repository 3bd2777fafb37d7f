/* merge_counting.c - does every file count FLOP and bytes as this program does? */
#include <inttypes.h>

#include "analysis/inspect.h"
#include "analysis/merge_tables.h"
#include "analysis/rows.h"

/* One file. */
struct inspection {
    const struct rp_study_file *file;
    struct rp_faults faults;
};

static enum rp_status inspect(void *context, const struct rp_result *row, size_t number)
{
    struct inspection *i = context;
    struct rp_faults *faults = &i->faults;
    rp_inspect_counting(&i->file->study, row, number, faults);
    if (faults->failed)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was found");
    if (faults->errors)
        return RP_FAIL(RP_ERR_USAGE,
                       "%s: row %" PRId64 ", %s is %s, and this program counts %s; unlike counting "
                       "is not mixed",
                       i->file->path, faults->items[0].row, faults->items[0].column,
                       faults->items[0].value, faults->items[0].expected);
    return RP_OK;
}

enum rp_status rp_merge_refuse_counting(const struct rp_study_list *list)
{
    enum rp_status status = RP_OK;
    for (size_t f = 0; list->count > 1 && f < list->count && status == RP_OK; ++f) {
        struct inspection inspection = {.file = &list->files[f]};
        rp_faults_init(&inspection.faults);
        status = rp_file_rows_visit(inspection.file, NULL, 0, inspect, &inspection);
        rp_faults_clear(&inspection.faults);
    }
    return status;
}
