/* pages.c - the commands that write a folder: figures, and report, which has them all. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/figure.h"
#include "analysis/report.h"
#include "analysis/sources.h"
#include "analysis/subcommands.h"
#include "analysis/summary.h"
#include "base/option.h"

struct values {
    struct rp_source_values source; /* without a format */
    const char *gpu;
    const char *folder;
    const char *note; /* report only */
};

static const struct rp_option options[] = {
    {"output", 'o', RP_OPTION_WORD, offsetof(struct values, folder), NULL, 0, 0, NULL, "DIR", NULL,
     "folder to write into; made when it is not there"},
    {"gpu", 0, RP_OPTION_WORD, offsetof(struct values, gpu), RP_SUMMARY_GPUS, 0, 0, NULL, "LIST",
     NULL,
     "GPU types of data/gpus.tsv to give verdicts for, comma-separated, beside those the files "
     "were measured on"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct values, source.data), NULL, 0, 0, NULL, "DIR", NULL,
     "folder searched for gpus.tsv before the installed data"},
    {"simulated", 0, RP_OPTION_FLAG, offsetof(struct values, source.simulated), NULL, 0, 0, NULL,
     NULL, NULL, "take rows of simulated devices in; pages and figures say so"},
    {"note", 0, RP_OPTION_WORD, offsetof(struct values, note), NULL, 0, 0, NULL, "FILE", NULL,
     "text file to show on the page as it is, such as what a campaign cost and lacks"},
};
enum { FIGURES_OPTIONS = RP_COUNT(options) - 1 }; /* all but --note */

static const struct rp_command figures_command = {
    .program = "ridgepoint-analyze",
    .name = "figures",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Draws every figure as SVG and PNG, with its data (csv) and the gnuplot script that "
               "draws it beside it.",
    .example = "ridgepoint-analyze figures results/notebook.h5 -o results/figures",
    .options = options,
    .n_options = FIGURES_OPTIONS,
};

/* Makes the last part of the path only, so that a mistyped one is not built. */
static enum rp_status create_folder(const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0777) == 0 ||
        (errno == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)))
        return RP_OK;
    return RP_FAIL(RP_ERR_ENVIRONMENT, "--output '%s' cannot be made: %s", folder,
                   errno == EEXIST ? "a file of that name is there" : strerror(errno));
}

static const struct rp_command report_command = {
    .program = "ridgepoint-analyze",
    .name = "report",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Writes DIR/index.html: the answer, every figure, tables, ceilings, what was left "
               "out and where it all comes from, in one page that needs nothing else.",
    .example = "ridgepoint-analyze report results/notebook.h5 -o results/notebook-report",
    .options = options,
    .n_options = RP_COUNT(options),
};

static void list_figures(const struct rp_figures *figures, FILE *out)
{
    for (size_t i = 0; i < figures->count; ++i)
        fprintf(out, "%s/%s.svg\n", figures->folder, figures->items[i].name);
    if (figures->count == 0)
        fprintf(out, "nothing to draw%s\n",
                figures->summary->measured.simulated
                    ? ": all rows are of simulated devices; --simulated takes them in"
                    : "");
}

static enum rp_status write_folder(const struct rp_sources *sources, const struct values *values,
                                   bool with_report, FILE *out)
{
    struct rp_figures figures = {0};
    struct rp_summary summary;
    enum rp_status status =
        rp_summary_create(sources, values->gpu, values->source.simulated, &summary);
    if (status == RP_OK)
        status = create_folder(values->folder);
    if (status == RP_OK)
        status = rp_figures_draw(&summary, &sources->gpus, values->folder, &figures);
    figures.note = values->note;
    if (status == RP_OK && with_report)
        status = rp_report_write(&figures);
    if (status == RP_OK && with_report)
        fprintf(out, "%s/index.html\n", figures.folder);
    else if (status == RP_OK)
        list_figures(&figures, out);
    rp_figures_clear(&figures);
    rp_summary_clear(&summary);
    return status;
}

static enum rp_status run(const struct rp_command *command, int argc, char *const *argv, FILE *out)
{
    struct values values = {0};
    struct rp_sources sources;
    enum rp_status status = rp_sources_open(command, argc, argv, &values.source, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(command, out);
    else if (status == RP_OK && !values.folder)
        status =
            RP_FAIL(RP_ERR_USAGE, "%s needs --output DIR: the folder to write into", command->name);
    else if (status == RP_OK)
        status = write_folder(&sources, &values, command == &report_command, out);
    rp_sources_close(&sources);
    return status;
}

enum rp_status rp_figures_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    *exit_code = 0;
    return run(&figures_command, argc, argv, out);
}

enum rp_status rp_report_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    *exit_code = 0;
    return run(&report_command, argc, argv, out);
}
