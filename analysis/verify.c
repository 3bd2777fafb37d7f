/*
 * verify.c - is this file whole, complete and undamaged?
 *
 * The reader answers "undamaged" (structure, Fletcher-32, digest); inspect.h answers the rest. A
 * file that cannot be read does not keep the next one from being looked at.
 */
#include <inttypes.h>

#include "analysis/child.h"
#include "analysis/inspect.h"
#include "analysis/load.h"
#include "analysis/subcommands.h"
#include "base/option.h"
#include "base/table.h"
#include "base/text.h"

struct values {
    const char *format;
};

static const struct rp_option options[] = {
    {"format", 0, RP_OPTION_CHOICE, offsetof(struct values, format), "table", 0, 0,
     RP_TABLE_FORMATS, NULL, NULL, "how to write what was found"},
};

static const struct rp_command command = {
    .program = "ridgepoint-analyze",
    .name = "verify",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = 100000,
    .summary = "Says whether each file is whole, complete and undamaged: exit 0 when it is (also "
               "when it is partial), 1 when it is implausible or incomplete, 3 when it is damaged "
               "or no result file.",
    .example = "ridgepoint-analyze verify results/notebook.h5",
    .options = options,
    .n_options = RP_COUNT(options),
};

static const struct rp_table_column columns[] = {
    {"file", NULL, NULL},   {"level", NULL, NULL}, {"table", NULL, NULL},    {"row", NULL, NULL},
    {"column", NULL, NULL}, {"value", NULL, NULL}, {"expected", NULL, NULL},
};

struct printer {
    FILE *out;
    struct rp_table_writer *writer; /* null: lines for eyes */
    struct rp_text lines;           /* for eyes: kept until the verdict is known */
};

static void put_fault(struct printer *p, const char *path, const struct rp_fault *fault)
{
    const char *level = fault->warning ? "warning" : "error";
    if (!p->writer) {
        rp_text_printf(&p->lines, "%s: %s: %s", path, level, fault->table);
        if (fault->row >= 0)
            rp_text_printf(&p->lines, " row %" PRId64, fault->row);
        rp_text_printf(&p->lines, ", %s is %s, expected %s\n", fault->column, fault->value,
                       fault->expected);
        return;
    }
    rp_table_word(p->writer, path);
    rp_table_word(p->writer, level);
    rp_table_word(p->writer, fault->table);
    if (fault->row >= 0)
        rp_table_i64(p->writer, fault->row);
    else
        rp_table_missing(p->writer);
    rp_table_word(p->writer, fault->column);
    rp_table_word(p->writer, fault->value);
    rp_table_word(p->writer, fault->expected);
}

/* A file that could not be read. */
static void put_damage(struct printer *p, const char *path)
{
    if (!p->writer) {
        rp_text_printf(&p->lines, "%s: damaged or no result file: %s\n", path, rp_status_message());
        return;
    }
    rp_table_word(p->writer, path);
    rp_table_word(p->writer, "damaged");
    for (int i = 0; i < 4; ++i)
        rp_table_missing(p->writer);
    rp_table_word(p->writer, rp_status_message());
}

static void put_verdict(struct printer *p, const char *path, const struct rp_study *study,
                        const struct rp_faults *faults)
{
    size_t rows = rp_study_count(study, RP_TABLE_RESULTS);
    size_t kept = faults->count;
    if (p->writer)
        return;
    if (faults->errors + faults->warnings > kept)
        rp_text_printf(&p->lines, "%s: and %zu more\n", path,
                       faults->errors + faults->warnings - kept);
    rp_text_printf(&p->lines, "%s: undamaged, ", path);
    if (faults->errors)
        rp_text_printf(&p->lines, "but %zu error%s", faults->errors,
                       faults->errors == 1 ? "" : "s");
    else
        rp_text_printf(&p->lines, "and what it says fits together");
    if (faults->warnings)
        rp_text_printf(&p->lines, ", %zu warning%s", faults->warnings,
                       faults->warnings == 1 ? "" : "s");
    rp_text_printf(&p->lines, "; %s: %zu of %" PRId64 " planned rows, %zu samples\n",
                   study->complete ? "complete" : "partial", rows, study->rows_planned,
                   rp_study_count(study, RP_TABLE_SAMPLES));
}

static enum rp_status inspect(const struct rp_study *study, struct rp_faults *faults)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i)
        rp_inspect_row(study, i, faults);
    RP_TRY(rp_inspect_tables(study, faults));
    if (faults->failed)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was found");
    return RP_OK;
}

/* One file; its exit code is 0, 1 or 3. */
static enum rp_status verify_file(const char *path, struct printer *p, int *exit_code)
{
    struct rp_study study;
    struct rp_faults faults;
    enum rp_status status = rp_study_load(path, &study);
    if (status == RP_ERR_INTERNAL)
        return status;
    if (status != RP_OK) {
        put_damage(p, path);
        *exit_code = 3;
        return RP_OK;
    }
    rp_faults_init(&faults);
    status = inspect(&study, &faults);
    for (size_t i = 0; status == RP_OK && i < faults.count; ++i)
        put_fault(p, path, &faults.items[i]);
    if (status == RP_OK)
        put_verdict(p, path, &study, &faults);
    *exit_code = faults.errors ? 1 : 0;
    rp_faults_clear(&faults);
    rp_study_clear(&study);
    return status;
}

static enum rp_status verify_files(const struct rp_operands *files, struct printer *p,
                                   int *exit_code)
{
    for (size_t i = 0; i < files->count; ++i) {
        int one = 0;
        RP_TRY(verify_file(files->items[i], p, &one));
        *exit_code = one > *exit_code ? one : *exit_code;
    }
    rp_child_note_verdict(*exit_code);
    if (!p->writer && !rp_text_ok(&p->lines))
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was found");
    if (!p->writer)
        fputs(rp_text_string(&p->lines), p->out);
    return RP_OK;
}

enum rp_status rp_verify_run(int argc, char *const *argv, FILE *out, int *exit_code)
{
    struct values values = {0};
    struct rp_operands operands = {0};
    struct printer printer = {.out = out};
    *exit_code = 0;
    rp_text_init(&printer.lines);

    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status != RP_OK)
        goto cleanup;
    if (operands.help_asked) {
        rp_option_print_help(&command, out);
        goto cleanup;
    }
    enum rp_table_format format = rp_table_format_of(values.format);
    if (format != RP_TABLE_EYES)
        status = rp_table_begin(out, format, "ridgepoint-verify", columns, RP_COUNT(columns),
                                &printer.writer);
    if (status == RP_OK)
        status = verify_files(&operands, &printer, exit_code);

cleanup:;
    enum rp_status ended = rp_table_end(printer.writer);
    rp_text_clear(&printer.lines);
    rp_operands_clear(&operands);
    return status == RP_OK ? ended : status;
}
