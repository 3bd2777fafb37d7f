/*
 * main.c - ridgepoint-analyze: subcommand to exit code. The only place that prints errors.
 *
 * Codes: 0 fine, 1 a check failed or a file is implausible, 2 bad usage, 3 a file is damaged or
 * the environment is broken.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/child.h"
#include "analysis/subcommands.h"
#include "base/text.h"
#include "store/provenance.h"

static const char program[] = "ridgepoint-analyze";

struct subcommand {
    const char *name;
    const char *summary;
    enum rp_status (*run)(int argc, char *const *argv, FILE *out, int *exit_code);
};

static const struct subcommand subcommands[] = {
    {"summary", "class and crossover per GPU type, stage, implementation and dtype",
     rp_summary_run},
    {"classes", "rows counted by class, for files of any size", rp_classes_run},
    {"check", "the notebook's checks, PASS, FAIL or SKIP with the number behind each",
     rp_check_run},
    {"verify", "is this file whole, complete and undamaged?", rp_verify_run},
    {"explain", "every number of a point's rows with its formula filled in", rp_explain_run},
    {"compare", "SAME, FASTER, SLOWER or UNDECIDED for each point of two files", rp_compare_run},
    {"merge", "several files into one study; merging twice changes nothing", rp_merge_run},
    {"report", "one self-contained page with the answer, figures and tables", rp_report_run},
    {"figures", "every figure as SVG and PNG, with its data and script", rp_figures_run},
    {"export", "every row with every derived column, as CSV or JSON", rp_export_run},
};

static void print_help(FILE *out)
{
    fprintf(out,
            "usage: %s COMMAND [OPTION...] FILE...\n\n"
            "Reduces result files of ridgepoint (HDF5) to an answer.\n\n",
            program);
    for (size_t i = 0; i < RP_COUNT(subcommands); ++i)
        fprintf(out, "  %-9s %s\n", subcommands[i].name, subcommands[i].summary);
    fprintf(out,
            "\n  --help     this text; '%s COMMAND --help' for a command's options\n"
            "  --version  version and commit\n\n"
            "example: %s summary results/notebook.h5\n",
            program, program);
}

static int fail(enum rp_status status)
{
    fprintf(stderr, "%s: %s\n", program, rp_status_message());
    return rp_status_exit_code(status);
}

static enum rp_status refuse_unknown(const char *word)
{
    const char *names[RP_COUNT(subcommands)];
    for (size_t i = 0; i < RP_COUNT(subcommands); ++i)
        names[i] = subcommands[i].name;
    const char *nearest = rp_text_nearest(word, names, RP_COUNT(names));
    const char *kind = word[0] == '-' ? "option" : "command";
    if (nearest)
        return RP_FAIL(RP_ERR_USAGE, "%s '%s' is not known; did you mean '%s'?", kind, word,
                       nearest);
    return RP_FAIL(RP_ERR_USAGE, "%s '%s' is not known; '%s --help' lists the commands", kind, word,
                   program);
}

/* In the child: the command, then whatever is still buffered. */
static int run_subcommand(const struct subcommand *subcommand, int argc, char *const *argv)
{
    int exit_code = 0;
    enum rp_status status = subcommand->run(argc, argv, stdout, &exit_code);
    rp_child_note_verdict(status == RP_OK ? exit_code : rp_status_exit_code(status));
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (status == RP_OK)
            status = RP_FAIL(RP_ERR_ENVIRONMENT, "standard output cannot be written: %s",
                             strerror(errno ? errno : EIO));
    }
    return status == RP_OK ? exit_code : fail(status);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("%s %s (%s)\n", program, rp_provenance_version(), rp_provenance_git_commit());
        return 0;
    }
    for (size_t i = 0; i < RP_COUNT(subcommands); ++i) {
        if (strcmp(argv[1], subcommands[i].name) != 0)
            continue;
        bool in_child = false;
        int exit_code = 0;
        enum rp_status status = rp_child_split(&in_child, &exit_code);
        if (status != RP_OK)
            return fail(status);
        return in_child ? run_subcommand(&subcommands[i], argc - 1, argv + 1) : exit_code;
    }
    return fail(refuse_unknown(argv[1]));
}
