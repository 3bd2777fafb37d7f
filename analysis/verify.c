/*
 * verify.c - is this file whole, complete and undamaged?
 *
 * The reader answers "undamaged" (structure, Fletcher-32, digest); inspect.h answers the rest. Both
 * go through the file block by block, so that memory does not grow with it. A file that cannot be
 * read does not keep the next one from being looked at.
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

static void put_verdict(struct printer *p, const char *path, const struct rp_results_scan *scan,
                        const struct rp_faults *faults)
{
    const struct rp_study *study = rp_results_scan_study(scan);
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
                   study->complete ? "complete" : "partial", rp_results_scan_rows(scan),
                   study->rows_planned, rp_results_scan_sample_rows(scan));
}

/* All that can be wrong with a file that opens. */
static enum rp_status inspect(struct rp_results_scan *scan, struct rp_faults *faults)
{
    const struct rp_study *study = rp_results_scan_study(scan);
    size_t n = 0;
    RP_TRY(rp_results_scan_check_digest(scan));
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(scan, &n));
        for (size_t i = 0; i < n; ++i)
            RP_TRY(rp_inspect_row(study, &rp_study_results(study)[i], first + i, faults));
        if (n == 0)
            break;
    }
    RP_TRY(rp_inspect_tables(scan, faults));
    if (faults->failed)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was found");
    return RP_OK;
}

/* One file; its exit code is 0, 1 or 3. */
static enum rp_status verify_file(const char *path, struct printer *p, int *exit_code)
{
    struct rp_results_scan *scan = NULL;
    struct rp_faults faults;
    rp_faults_init(&faults);
    enum rp_status status = rp_study_scan(path, NULL, 0, &scan);
    if (status == RP_OK)
        status = inspect(scan, &faults);
    if (status == RP_OK) {
        for (size_t i = 0; i < faults.count; ++i)
            put_fault(p, path, &faults.items[i]);
        put_verdict(p, path, scan, &faults);
        *exit_code = faults.errors ? 1 : 0;
    } else if (status != RP_ERR_INTERNAL) {
        put_damage(p, path);
        *exit_code = 3;
        status = RP_OK;
    }
    rp_faults_clear(&faults);
    rp_study_scan_close(scan);
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
