/*
 * table.c - one row of cells at a time, as csv, json or an aligned table.
 *
 * csv after RFC 4180 with "\n" as line end; json after RFC 8259 (bytes that are no UTF-8 become
 * U+FFFD, so that the output is valid whatever a file held). Only the table for eyes is kept in
 * memory, because its widths are known at the end.
 */
#include "base/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"

enum { JSON_SCHEMA_VERSION = 1 }; /* rises when a column changes its meaning */

struct rp_table_writer {
    FILE *out;
    enum rp_table_format format;
    const struct rp_table_column *columns;
    size_t n_columns;
    size_t column; /* the next cell's */
    size_t n_rows; /* complete ones */
    int error;     /* errno of the first write that failed; 0: none did */
    /* For eyes: every cell, headers first, each ended by a null, and per column the rest. */
    struct rp_text cells;
    size_t *widths;
    bool *has_words; /* a column with a word in it is left-aligned */
};

enum rp_table_format rp_table_format_of(const char *choice)
{
    if (strcmp(choice, "csv") == 0)
        return RP_TABLE_CSV;
    return strcmp(choice, "json") == 0 ? RP_TABLE_JSON : RP_TABLE_EYES;
}

/* stdio loses errno between the failing write and the end, so it is looked at after every piece. */
static void note_error(struct rp_table_writer *w)
{
    if (w->error == 0 && ferror(w->out))
        w->error = errno ? errno : EIO;
}

static void put(struct rp_table_writer *w, const char *text)
{
    if (w->error)
        return;
    errno = 0;
    fputs(text, w->out);
    note_error(w);
}

static void put_csv(struct rp_table_writer *w, const char *word)
{
    if (!word[strcspn(word, ",\"\r\n")]) {
        put(w, word);
        return;
    }
    errno = 0;
    fputc('"', w->out);
    for (const char *p = word; *p; ++p) {
        if (*p == '"')
            fputc('"', w->out);
        fputc(*p, w->out);
    }
    fputc('"', w->out);
    note_error(w);
}

static void put_json(struct rp_table_writer *w, const char *word)
{
    errno = 0;
    fputc('"', w->out);
    size_t left = strlen(word);
    for (const char *p = word; left > 0;) {
        size_t n = rp_text_utf8_length(p, left);
        unsigned char c = (unsigned char)*p;
        if (n == 0)
            fputs("\\ufffd", w->out);
        else if (c == '"' || c == '\\')
            fprintf(w->out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(w->out, "\\u%04x", c);
        else
            fwrite(p, 1, n, w->out);
        n += n == 0;
        p += n;
        left -= n;
    }
    fputc('"', w->out);
    note_error(w);
}

void rp_table_escape_html(const char *text, FILE *out)
{
    size_t left = strlen(text);
    for (size_t n = 0; left > 0; text += n, left -= n) {
        unsigned char c = (unsigned char)*text;
        n = rp_text_utf8_length(text, left);
        if (n > 1)
            fwrite(text, 1, n, out);
        else if (strchr("&<>\"'", c))
            fprintf(out, "&#%d;", c);
        else
            fputc(n == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? '?' : c, out);
        n += n == 0;
    }
}

static void put_html(struct rp_table_writer *w, const char *text)
{
    errno = 0;
    rp_table_escape_html(text, w->out);
    note_error(w);
}

static void put_html_cell(struct rp_table_writer *w, const char *text, bool is_number)
{
    put(w, w->column ? "" : "<tr>");
    put(w, is_number ? "<td class=\"number\">" : "<td>");
    put_html(w, text);
    put(w, "</td>");
}

/* Characters, not bytes; control characters would move the cursor and become '?'. */
static void keep_cell(struct rp_table_writer *w, const char *text)
{
    size_t characters = 0;
    for (const char *p = text; *p; ++p) {
        unsigned char c = (unsigned char)*p;
        bool control = c < 0x20 || c == 0x7f;
        characters += (c & 0xC0) != 0x80;
        rp_text_add(&w->cells, control ? "?" : p, 1);
    }
    rp_text_add(&w->cells, "", 1);
    if (characters > w->widths[w->column])
        w->widths[w->column] = characters;
}

/* What stands before a cell of csv or json. */
static void lead_in(struct rp_table_writer *w)
{
    if (w->format == RP_TABLE_CSV) {
        put(w, w->column ? "," : "");
    } else if (w->format == RP_TABLE_JSON) {
        if (w->column == 0)
            put(w, w->n_rows ? ",\n{" : "\n{");
        else
            put(w, ", ");
        put_json(w, w->columns[w->column].name);
        put(w, ": ");
    }
}

static void lead_out(struct rp_table_writer *w)
{
    if (++w->column < w->n_columns)
        return;
    w->column = 0;
    ++w->n_rows;
    if (w->format == RP_TABLE_CSV)
        put(w, "\n");
    else if (w->format == RP_TABLE_JSON)
        put(w, "}");
    else if (w->format == RP_TABLE_HTML)
        put(w, "</tr>\n");
}

/* A cell whose text needs no escaping: numbers, true, false. */
static void add_plain(struct rp_table_writer *w, const char *text, const char *for_eyes)
{
    lead_in(w);
    if (w->format == RP_TABLE_EYES)
        keep_cell(w, for_eyes);
    else if (w->format == RP_TABLE_HTML)
        put_html_cell(w, for_eyes, true);
    else
        put(w, text);
    lead_out(w);
}

void rp_table_word(struct rp_table_writer *w, const char *word)
{
    lead_in(w);
    if (w->format == RP_TABLE_CSV) {
        put_csv(w, word);
    } else if (w->format == RP_TABLE_JSON) {
        put_json(w, word);
    } else if (w->format == RP_TABLE_HTML) {
        put_html_cell(w, word, false);
    } else {
        w->has_words[w->column] = true;
        keep_cell(w, word);
    }
    lead_out(w);
}

void rp_table_i64(struct rp_table_writer *w, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    add_plain(w, text, text);
}

void rp_table_bool(struct rp_table_writer *w, bool value)
{
    if (w->format == RP_TABLE_EYES)
        w->has_words[w->column] = true;
    add_plain(w, value ? "true" : "false", value ? "yes" : "no");
}

void rp_table_f64(struct rp_table_writer *w, double value, const char *display)
{
    if (!isfinite(value)) {
        rp_table_missing(w);
        return;
    }
    char text[RP_DECIMAL_SIZE];
    char rounded[RP_DECIMAL_SIZE];
    rp_decimal_text(value, text);
    rp_decimal_rounded(value, 6, rounded);
    add_plain(w, text, display ? display : rounded);
}

void rp_table_missing(struct rp_table_writer *w)
{
    add_plain(w, w->format == RP_TABLE_JSON ? "null" : "", "-");
}

void rp_table_word_or_missing(struct rp_table_writer *w, const char *word)
{
    if (word && *word)
        rp_table_word(w, word);
    else if (w->format == RP_TABLE_HTML)
        rp_table_word(w, "-"); /* where its words stand */
    else
        rp_table_missing(w);
}

/* "best [GB/s]": the header of a column for eyes. */
static void put_title(struct rp_table_writer *w, const struct rp_table_column *c)
{
    struct rp_text title;
    rp_text_init(&title);
    rp_text_printf(&title, c->units ? "%s [%s]" : "%s%s", c->title ? c->title : c->name,
                   c->units ? c->units : "");
    if (w->format == RP_TABLE_HTML) {
        put(w, "<th>");
        put_html(w, rp_text_string(&title));
        put(w, "</th>");
    } else {
        keep_cell(w, rp_text_string(&title));
    }
    w->cells.failed = w->cells.failed || !rp_text_ok(&title);
    rp_text_clear(&title);
}

/* The columns' names and units; in json they stand in every row. */
static void put_header(struct rp_table_writer *w)
{
    put(w, w->format == RP_TABLE_HTML ? "<div class=\"table\"><table>\n<thead><tr>" : "");
    for (size_t i = 0; w->format != RP_TABLE_JSON && i < w->n_columns; ++i) {
        const struct rp_table_column *c = &w->columns[i];
        if (w->format == RP_TABLE_CSV) {
            put(w, i ? "," : "");
            put_csv(w, c->name);
            continue;
        }
        w->column = i;
        put_title(w, c);
    }
    w->column = 0;
    put(w, w->format == RP_TABLE_HTML ? "</tr></thead>\n<tbody>\n" : "");
    if (w->format == RP_TABLE_CSV)
        put(w, "\n");
}

static void put_preamble(struct rp_table_writer *w, const char *format_name)
{
    char version[64];
    if (w->format != RP_TABLE_JSON)
        return;
    put(w, "{\"format\": ");
    put_json(w, format_name);
    snprintf(version, sizeof version, ", \"schema_version\": %d, \"rows\": [", JSON_SCHEMA_VERSION);
    put(w, version);
}

static void destroy(struct rp_table_writer *w)
{
    rp_text_clear(&w->cells);
    free(w->widths);
    free(w->has_words);
    free(w);
}

static enum rp_status set_columns(struct rp_table_writer *w, const struct rp_table_column *columns,
                                  size_t n_columns)
{
    free(w->widths);
    free(w->has_words);
    w->columns = columns;
    w->n_columns = n_columns;
    w->n_rows = 0;
    w->widths = calloc(n_columns + 1, sizeof w->widths[0]);
    w->has_words = calloc(n_columns + 1, sizeof w->has_words[0]);
    if (w->widths && w->has_words)
        return RP_OK;
    w->cells.failed = true; /* nothing is printed for eyes any more */
    return RP_FAIL(RP_ERR_INTERNAL, "no memory for a table of %zu columns", n_columns);
}

enum rp_status rp_table_begin(FILE *out, enum rp_table_format format, const char *format_name,
                              const struct rp_table_column *columns, size_t n_columns,
                              struct rp_table_writer **writer)
{
    *writer = NULL;
    struct rp_table_writer *w = calloc(1, sizeof *w);
    if (!w)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for a table of %zu columns", n_columns);
    w->out = out;
    w->format = format;
    enum rp_status status = set_columns(w, columns, n_columns);
    if (status != RP_OK) {
        destroy(w);
        return status;
    }
    put_preamble(w, format_name);
    put_header(w);
    *writer = w;
    return RP_OK;
}

static void put_padding(struct rp_table_writer *w, size_t columns)
{
    for (size_t i = 0; i < columns; ++i)
        put(w, " ");
}

/* One kept row; returns the address behind it. */
static const char *put_kept_row(struct rp_table_writer *w, const char *cell)
{
    for (size_t i = 0; i < w->n_columns; ++i) {
        size_t characters = 0;
        for (const char *p = cell; *p; ++p)
            characters += ((unsigned char)*p & 0xC0) != 0x80;
        size_t padding = w->widths[i] - characters;
        put(w, i ? "  " : "");
        if (!w->has_words[i])
            put_padding(w, padding);
        put(w, cell);
        if (w->has_words[i] && i + 1 < w->n_columns)
            put_padding(w, padding);
        cell += strlen(cell) + 1;
    }
    put(w, "\n");
    return cell;
}

static void put_kept_rows(struct rp_table_writer *w)
{
    const char *cell = rp_text_string(&w->cells);
    for (size_t row = 0; row < w->n_rows + 1 && rp_text_ok(&w->cells); ++row)
        cell = put_kept_row(w, cell);
}

enum rp_status rp_table_next(struct rp_table_writer *w, const char *name,
                             const struct rp_table_column *columns, size_t n_columns)
{
    if (w->format == RP_TABLE_JSON) {
        put(w, w->n_rows ? "\n],\n" : "],\n");
        put_json(w, name);
        put(w, ": [");
    } else if (w->format == RP_TABLE_EYES) {
        put_kept_rows(w);
        put(w, "\n");
        w->cells.length = 0;
    } else if (w->format == RP_TABLE_HTML) {
        put(w, "</tbody>\n</table></div>\n");
    }
    RP_TRY(set_columns(w, columns, n_columns));
    put_header(w);
    return RP_OK;
}

enum rp_status rp_table_end(struct rp_table_writer *writer)
{
    if (!writer)
        return RP_OK;
    bool memory_ok = rp_text_ok(&writer->cells);
    if (writer->format == RP_TABLE_JSON)
        put(writer, writer->n_rows ? "\n]}\n" : "]}\n");
    else if (writer->format == RP_TABLE_EYES)
        put_kept_rows(writer);
    else if (writer->format == RP_TABLE_HTML)
        put(writer, "</tbody>\n</table></div>\n");
    errno = 0;
    fflush(writer->out);
    note_error(writer);
    int error = writer->error;
    destroy(writer);
    if (!memory_ok)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for the rows of a table");
    /* A closed pipe (| head) means the reader has seen enough. */
    if (error != 0 && error != EPIPE)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "writing the table failed: %s", strerror(error));
    return RP_OK;
}
