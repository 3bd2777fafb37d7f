/* figure_file.c - the files of one figure: data as csv, and a gnuplot script that is whole. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/figure.h"
#include "base/decimal.h"

void rp_figure_name(char name[RP_FIGURE_NAME_SIZE], const char *kind, const char *subject)
{
    size_t n = (size_t)snprintf(name, RP_FIGURE_NAME_SIZE, "%.40s-", kind);
    for (const char *p = subject; *p && n + 1 < RP_FIGURE_NAME_SIZE; ++p) {
        if (isalnum((unsigned char)*p))
            name[n++] = (char)tolower((unsigned char)*p);
        else if (name[n - 1] != '-')
            name[n++] = '-';
    }
    while (name[n - 1] == '-')
        --n;
    name[n] = '\0';
}

static enum rp_status path_of(const struct rp_figures *figures, const char *name,
                              const char *ending, char path[RP_FIGURE_PATH_SIZE])
{
    int n = snprintf(path, RP_FIGURE_PATH_SIZE, "%s/%s.%s", figures->folder, name, ending);
    if (n < 0 || n >= RP_FIGURE_PATH_SIZE)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s/%s.%s is too long a path", figures->folder, name,
                       ending);
    return RP_OK;
}

static enum rp_status open_for_writing(const char *path, FILE **stream)
{
    *stream = fopen(path, "w");
    if (!*stream)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be written: %s", path, strerror(errno));
    return RP_OK;
}

enum rp_status rp_figure_begin(struct rp_figures *figures, const struct rp_figure_layout *layout,
                               const char *name, struct rp_figure_file *file)
{
    char path[RP_FIGURE_PATH_SIZE];
    *file = (struct rp_figure_file){.figures = figures, .script = layout->script};
    snprintf(file->figure.name, sizeof file->figure.name, "%s", name);
    rp_text_init(&file->settings);
    RP_TRY(path_of(figures, name, "csv", path));
    RP_TRY(open_for_writing(path, &file->csv));
    enum rp_status status = rp_table_begin(file->csv, RP_TABLE_CSV, "ridgepoint-figure",
                                           layout->columns, layout->n_columns, &file->table);
    if (status != RP_OK)
        fclose(file->csv);
    return status;
}

void rp_figure_row(struct rp_figure_file *file, bool is_simulated)
{
    ++file->rows;
    file->figure.is_simulated |= is_simulated;
}

/* In single quotes, where gnuplot knows no escapes but two of them. */
static void add_quoted(struct rp_text *text, const char *value)
{
    rp_text_add(text, "'", 1);
    for (const char *p = value; *p; ++p)
        rp_text_add(text, *p == '\'' ? "''" : p, *p == '\'' ? 2 : 1);
    rp_text_add(text, "'", 1);
}

static void add_number(struct rp_text *text, double value)
{
    char number[RP_DECIMAL_SIZE] = "NaN";
    if (isfinite(value))
        rp_decimal_rounded(value, 15, number);
    /* 65e12 and 65 alike are floating-point: gnuplot divides whole numbers as whole numbers. */
    bool is_whole = !number[strcspn(number, ".eN")];
    rp_text_printf(text, "%s%s", number, is_whole ? ".0" : "");
}

void rp_figure_set_text(struct rp_figure_file *file, const char *key, const char *value)
{
    rp_text_printf(&file->settings, "%s = ", key);
    add_quoted(&file->settings, value);
    rp_text_printf(&file->settings, "\n");
}

void rp_figure_set_number(struct rp_figure_file *file, const char *key, double value)
{
    rp_text_printf(&file->settings, "%s = ", key);
    add_number(&file->settings, value);
    rp_text_printf(&file->settings, "\n");
}

void rp_figure_set_texts(struct rp_figure_file *file, const char *key, const char *const *values,
                         size_t n)
{
    rp_text_printf(&file->settings, "array %s[%zu] = [", key, n);
    for (size_t i = 0; i < n; ++i) {
        rp_text_printf(&file->settings, i ? ", " : "");
        add_quoted(&file->settings, values[i]);
    }
    rp_text_printf(&file->settings, "]\n");
}

void rp_figure_set_numbers(struct rp_figure_file *file, const char *key, const double *values,
                           size_t n)
{
    rp_text_printf(&file->settings, "array %s[%zu] = [", key, n);
    for (size_t i = 0; i < n; ++i) {
        rp_text_printf(&file->settings, i ? ", " : "");
        add_number(&file->settings, values[i]);
    }
    rp_text_printf(&file->settings, "]\n");
}

void rp_figure_say(struct rp_figure_file *file, const char *format, ...)
{
    va_list arguments;
    char *caption = file->figure.caption;
    size_t used = strlen(caption);
    va_start(arguments, format);
    vsnprintf(caption + used, sizeof file->figure.caption - used, format, arguments);
    va_end(arguments);
}

static enum rp_status append_script(const struct rp_figures *figures, const char *script, FILE *out)
{
    char path[RP_FIGURE_PATH_SIZE + 64];
    char block[4096];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s.gp", figures->scripts, script);
    FILE *in = fopen(path, "r");
    if (!in)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read: %s", path, strerror(errno));
    fputc('\n', out);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, out);
    fclose(in);
    return RP_OK;
}

static enum rp_status write_script(const struct rp_figure_file *file)
{
    const struct rp_figure *figure = &file->figure;
    char path[RP_FIGURE_PATH_SIZE];
    FILE *out = NULL;
    RP_TRY(path_of(file->figures, figure->name, "gp", path));
    RP_TRY(open_for_writing(path, &out));
    fprintf(out,
            "# %s.gp - draws %s.svg and %s.png from %s.csv: gnuplot %s.gp\n"
            "reset session\n%s",
            figure->name, figure->name, figure->name, figure->name, figure->name,
            rp_text_string(&file->settings));
    enum rp_status status = append_script(file->figures, "style", out);
    if (status == RP_OK)
        status = append_script(file->figures, file->script, out);
    if (status == RP_OK)
        status = append_script(file->figures, "finish", out);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    if (status == RP_OK && failed)
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be written: %s", path, strerror(errno));
    return status;
}

static enum rp_status drop(const struct rp_figure_file *file)
{
    char path[RP_FIGURE_PATH_SIZE];
    RP_TRY(path_of(file->figures, file->figure.name, "csv", path));
    if (unlink(path) != 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be removed: %s", path, strerror(errno));
    return RP_OK;
}

static enum rp_status list(const struct rp_figure_file *file)
{
    struct rp_figures *figures = file->figures;
    struct rp_figure *items = realloc(figures->items, (figures->count + 1) * sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu figures", figures->count + 1);
    figures->items = items;
    items[figures->count++] = file->figure;
    return RP_OK;
}

enum rp_status rp_figure_end(struct rp_figure_file *file)
{
    rp_figure_set_text(file, "name", file->figure.name);
    rp_figure_set_text(file, "title", file->figure.title);
    rp_figure_set_text(file, "subject", file->figure.subject);
    rp_figure_set_number(file, "simulated", file->figure.is_simulated);
    enum rp_status status = rp_table_end(file->table);
    if (fclose(file->csv) != 0 && status == RP_OK)
        status = RP_FAIL(RP_ERR_ENVIRONMENT, "%s/%s.csv cannot be written: %s",
                         file->figures->folder, file->figure.name, strerror(errno));
    if (status == RP_OK && !rp_text_ok(&file->settings))
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory for figure %s", file->figure.name);
    if (status == RP_OK && file->rows == 0)
        status = drop(file);
    else if (status == RP_OK)
        status = write_script(file);
    if (status == RP_OK && file->rows)
        status = list(file);
    rp_text_clear(&file->settings);
    return status;
}
