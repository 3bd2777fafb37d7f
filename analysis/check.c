/* check.c - prints the notebook's checks, one line each, and makes the exit code of them. */
#include "analysis/child.h"
#include "analysis/notebook_checks.h"
#include "analysis/sources.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/table.h"

static const struct rp_option options[] = {
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct rp_source_values, format), "table", 0, 0,
     RP_TABLE_FORMATS, NULL, NULL, "how to write the checks"},
    {"data", 0, RP_OPTION_WORD, offsetof(struct rp_source_values, data), NULL, 0, 0, NULL, "DIR",
     NULL, "folder searched for gpus.tsv before the installed data"},
    {"simulated", 0, RP_OPTION_FLAG, offsetof(struct rp_source_values, simulated), NULL, 0, 0, NULL,
     NULL, NULL, "take rows of simulated devices in"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "check",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Prints the notebook's six checks; exits with 1 if one fails.",
    .example = "ridgepoint-analyze check results/notebook.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

static void print_lines(const struct rp_finding findings[RP_NOTEBOOK_CHECKS], FILE *out)
{
    int count[RP_CHECK_OUTCOME_COUNT] = {0};
    for (size_t i = 0; i < RP_NOTEBOOK_CHECKS; ++i) {
        const struct rp_finding *f = &findings[i];
        ++count[f->outcome];
        fprintf(out, "%s %s: %s%s%s%s\n", rp_check_outcome_name(f->outcome), f->name, f->text,
                f->origin[0] ? " [" : "", f->origin, f->origin[0] ? "]" : "");
    }
    fprintf(out, "%d passed, %d failed, %d skipped\n", count[RP_CHECK_PASS], count[RP_CHECK_FAIL],
            count[RP_CHECK_SKIP]);
}

static enum rp_status print_table(const struct rp_finding findings[RP_NOTEBOOK_CHECKS],
                                  enum rp_table_format format, FILE *out)
{
    static const struct rp_table_column columns[] = {{"check", NULL, NULL},
                                                     {"outcome", NULL, NULL},
                                                     {"value", NULL, NULL},
                                                     {"detail", NULL, NULL},
                                                     {"origin", NULL, NULL}};
    struct rp_table_writer *writer = NULL;
    RP_TRY(rp_table_begin(out, format, "ridgepoint-check", columns, RP_COUNT(columns), &writer));
    for (size_t i = 0; i < RP_NOTEBOOK_CHECKS; ++i) {
        const struct rp_finding *f = &findings[i];
        rp_table_word(writer, f->name);
        rp_table_word(writer, rp_check_outcome_name(f->outcome));
        rp_table_f64(writer, f->value, NULL);
        rp_table_word(writer, f->text);
        rp_table_word_or_missing(writer, f->origin);
    }
    return rp_table_end(writer);
}

static enum rp_status check_files(const struct rp_sources *sources,
                                  const struct rp_source_values *values, FILE *out, int *exit_code)
{
    const struct rp_check_source source = {&sources->list, &sources->gpus, values->simulated};
    struct rp_finding findings[RP_NOTEBOOK_CHECKS];
    RP_TRY(rp_notebook_checks(&source, findings));
    for (size_t i = 0; i < RP_NOTEBOOK_CHECKS; ++i) {
        if (findings[i].outcome == RP_CHECK_FAIL)
            *exit_code = 1;
    }
    rp_child_note_verdict(*exit_code);
    enum rp_table_format format = rp_table_format_of(values->format);
    if (format != RP_TABLE_EYES)
        return print_table(findings, format, out);
    print_lines(findings, out);
    return RP_OK;
}

enum rp_status rp_check_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct rp_source_values values = {0};
    struct rp_sources sources;
    *exit_code = 0;
    enum rp_status status = rp_sources_open(&command, argc, argv, &values, &sources);
    if (status == RP_OK && sources.operands.help_asked)
        rp_option_print_help(&command, out);
    else if (status == RP_OK)
        status = check_files(&sources, &values, out, exit_code);
    rp_sources_close(&sources);
    return status;
}
