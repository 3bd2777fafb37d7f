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

/* Whether what is at `path` holds rows that `merged` lacks. */
static enum rp_status holds_others(const char *path, const struct rp_merged *merged, bool *others)
{
    const struct rp_study_list *list = merged->list;
    struct rp_study_list more = {calloc(list->count + 1, sizeof *more.files), list->count + 1};
    struct rp_study_list old = {0};
    struct rp_merged with_old;
    if (!more.files)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu files", more.count);
    enum rp_status status = rp_study_list_open(&path, 1, &old);
    if (status != RP_OK) {
        status = RP_FAIL(status, "the output is no whole result file and stays: %s",
                         rp_status_message());
        goto cleanup;
    }
    memcpy(more.files, list->files, list->count * sizeof *more.files);
    more.files[list->count] = old.files[0];
    status = rp_merged_create(&more, &with_old);
    if (status == RP_OK) {
        *others = with_old.count > merged->count;
        rp_merged_clear(&with_old);
    }

cleanup:
    rp_study_list_close(&old);
    free(more.files);
    return status;
}

static enum rp_status publish(const char *path, struct rp_merged *merged, FILE *out)
{
    const struct rp_results_source source = rp_merged_source(merged);
    struct rp_lock *lock = NULL;
    bool others = false;
    RP_TRY(rp_publish_probe(path));
    RP_TRY(rp_lock_acquire(path, "merge", &lock));
    enum rp_status status = refuse_journal(path);
    if (status == RP_OK && access(path, F_OK) == 0)
        status = holds_others(path, merged, &others);
    if (status == RP_OK && others) {
        fprintf(out, "%s held rows that these files lack; it is moved aside\n", path);
        status = rp_publish_move_aside(path);
    }
    if (status == RP_OK)
        status = rp_publish_from(path, &merged->study, &source);
    rp_lock_release(lock);
    return status;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print(const struct rp_merged *merged, const char *path, FILE *out)
{
    const struct rp_study *study = &merged->study;
    const size_t runs = rp_study_count(study, RP_TABLE_RUNS);
    const size_t devices = rp_study_count(study, RP_TABLE_DEVICES);
    const size_t several = rp_study_list_rows(merged->list) - merged->count;
    fprintf(out,
            "%s: %s, %zu of %" PRId64 " planned rows; %zu file%s, %zu run%s, %zu device%s, %zu "
            "row%s in several files\n",
            path, study->complete ? "complete" : "partial", merged->count, study->rows_planned,
            merged->list->count, plural(merged->list->count), runs, plural(runs), devices,
            plural(devices), several, plural(several));
}

static enum rp_status merge(const struct rp_operands *files, const char *path, FILE *out)
{
    struct rp_study_list list;
    struct rp_merged merged = {0};
    RP_TRY(rp_study_list_open(files->items, files->count, &list));
    enum rp_status status = rp_merge_refuse_counting(&list);
    if (status == RP_OK)
        status = rp_merged_create(&list, &merged);
    if (status == RP_OK)
        status = publish(path, &merged, out);
    if (status == RP_OK)
        print(&merged, path, out);
    rp_merged_clear(&merged);
    rp_study_list_close(&list);
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
