/* merge_counting.c - does every file count FLOP and bytes as this program does? */
#include <inttypes.h>

#include "analysis/inspect.h"
#include "analysis/merge_tables.h"

enum rp_status rp_merge_refuse_counting(const struct rp_study_list *list)
{
    enum rp_status status = RP_OK;
    for (size_t f = 0; list->count > 1 && f < list->count && status == RP_OK; ++f) {
        const struct rp_study_file *file = &list->files[f];
        struct rp_faults faults;
        rp_faults_init(&faults);
        for (size_t i = 0; i < rp_study_count(&file->study, RP_TABLE_RESULTS) && !faults.errors;
             ++i)
            rp_inspect_counting(&file->study, &rp_study_results(&file->study)[i], i, &faults);
        if (faults.failed)
            status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was found");
        else if (faults.errors)
            status = RP_FAIL(RP_ERR_USAGE,
                             "%s: row %" PRId64 ", %s is %s, and this program counts %s; unlike "
                             "counting is not mixed",
                             file->path, faults.items[0].row, faults.items[0].column,
                             faults.items[0].value, faults.items[0].expected);
        rp_faults_clear(&faults);
    }
    return status;
}
