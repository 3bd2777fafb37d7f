/*
 * merge.c - the command: files in, one study out, published as a run publishes.
 *
 * The output is rebuilt from the files named. Rows are never lost by it: an older output that holds
 * others is moved aside, one that is no whole result file or belongs to a run is not touched.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/load.h"
#include "analysis/merge_tables.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/text.h"
#include "store/lock.h"
#include "store/publish.h"

struct values {
    const char *output;
};

static const struct rp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_WORD,
     .offset = offsetof(struct values, output),
     .value_name = "OUT.h5",
     .help = "where the merged study goes; what is there is replaced, and moved aside when it "
             "holds rows that the files lack"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "merge",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Puts several files into one study: a row that several files have is kept once, the "
               "same point measured by another run stays as a repeat. Merging twice changes "
               "nothing; files that count FLOP or bytes unlike are refused.",
    .example = "ridgepoint-analyze merge -o study.h5 results/t4.h5 results/h100.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

/* A stopped run goes on from its journal, and would meet a file that is not its own. */
static enum rp_status refuse_journal(const char *path)
{
    struct rp_text journal;
    rp_text_init(&journal);
    rp_text_printf(&journal, "%s.journal", path);
    enum rp_status status = RP_OK;
    if (!rp_text_ok(&journal))
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for a path");
    else if (access(journal.data, F_OK) == 0)
        status = RP_FAIL(RP_ERR_ENVIRONMENT,
                         "%s is there: %s belongs to a run that was stopped; give another --output",
                         journal.data, path);
    rp_text_clear(&journal);
    return status;
}

/* Whether what is at `path` holds rows that `merged`, made of `list`, lacks. */
static enum rp_status holds_others(const char *path, const struct rp_study_list *list,
                                   const struct rp_study *merged, bool *others)
{
    struct rp_study_list more = {calloc(list->count + 1, sizeof *more.files), list->count + 1};
    struct rp_study with_old;
    if (!more.files)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu files", more.count);
    memcpy(more.files, list->files, list->count * sizeof *more.files);
    struct rp_study_file *old = &more.files[list->count];
    old->path = path;
    enum rp_status status = rp_study_load(path, &old->study);
    if (status != RP_OK)
        status = RP_FAIL(status, "the output is no whole result file and stays: %s",
                         rp_status_message());
    else
        status = rp_merge_tables(&more, &with_old);
    if (status == RP_OK) {
        *others =
            rp_study_count(&with_old, RP_TABLE_RESULTS) > rp_study_count(merged, RP_TABLE_RESULTS);
        rp_study_clear(&with_old);
    }
    rp_study_clear(&old->study);
    free(more.files);
    return status;
}

static enum rp_status publish(const char *path, const struct rp_study_list *list,
                              const struct rp_study *merged, FILE *out)
{
    struct rp_lock *lock = NULL;
    bool others = false;
    RP_TRY(rp_publish_probe(path));
    RP_TRY(rp_lock_acquire(path, "merge", &lock));
    enum rp_status status = refuse_journal(path);
    if (status == RP_OK && access(path, F_OK) == 0)
        status = holds_others(path, list, merged, &others);
    if (status == RP_OK && others) {
        fprintf(out, "%s held rows that these files lack; it is moved aside\n", path);
        status = rp_publish_move_aside(path);
    }
    if (status == RP_OK)
        status = rp_publish(path, merged);
    rp_lock_release(lock);
    return status;
}

static enum rp_status merge(const struct rp_operands *files, const char *path, FILE *out)
{
    struct rp_study_list list;
    struct rp_study merged;
    rp_study_init(&merged);
    RP_TRY(rp_study_list_load(files->items, files->count, &list));
    enum rp_status status = rp_merge_refuse_counting(&list);
    if (status == RP_OK)
        status = rp_merge_tables(&list, &merged);
    if (status == RP_OK)
        status = publish(path, &list, &merged, out);
    if (status == RP_OK) {
        size_t rows = rp_study_count(&merged, RP_TABLE_RESULTS);
        fprintf(out,
                "%s: %s, %zu of %" PRId64 " planned rows; %zu file%s, %zu run%s, %zu device%s, "
                "%zu row%s in several files\n",
                path, merged.complete ? "complete" : "partial", rows, merged.rows_planned,
                list.count, list.count == 1 ? "" : "s", rp_study_count(&merged, RP_TABLE_RUNS),
                rp_study_count(&merged, RP_TABLE_RUNS) == 1 ? "" : "s",
                rp_study_count(&merged, RP_TABLE_DEVICES),
                rp_study_count(&merged, RP_TABLE_DEVICES) == 1 ? "" : "s",
                rp_study_list_rows(&list) - rows, rp_study_list_rows(&list) - rows == 1 ? "" : "s");
    }
    rp_study_clear(&merged);
    rp_study_list_clear(&list);
    return status;
}

enum rp_status rp_merge_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_operands operands = {0};
    *exit_code = 0;
    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status == RP_OK && operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK && !values.output)
        status = RP_FAIL(RP_ERR_USAGE, "merge needs --output OUT.h5, where the study goes");
    else if (status == RP_OK)
        status = merge(&operands, values.output, out);
    rp_operands_clear(&operands);
    return status;
}
