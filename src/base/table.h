/*
 * table.h - rows for eyes or for programs: --format table|csv|json, and html for pages.
 *
 * csv and json are streamed row by row with full precision (the shortest text that reads back to
 * the same double) and no locale; a value that is not applicable is an empty field or null, never
 * nan or inf. table is aligned, buffered until the end, and rounds as the caller says; its header
 * carries the units.
 *
 * html: a <table>, with what the table for eyes would show, streamed; in a <div class="table">,
 * which may scroll where the page is narrow.
 *
 * csv: one header line of column names. json: one object {"format": , "schema_version": ,
 * "rows": [{name: value, ...}, ...]}.
 */
#ifndef RP_BASE_TABLE_H
#define RP_BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

enum rp_table_format { RP_TABLE_EYES, RP_TABLE_CSV, RP_TABLE_JSON, RP_TABLE_HTML };

/* The option row's choices, and which one it is. */
#define RP_TABLE_FORMATS "table|csv|json"
enum rp_table_format rp_table_format_of(const char *choice);

struct rp_table_column {
    const char *name;  /* of csv and json, with the unit at its end: time_median_s */
    const char *title; /* for eyes; null: the name */
    const char *units; /* for eyes, of the displayed value; null: none */
};

struct rp_table_writer;

/* `format_name` is json's "format". `columns` must outlive the writer. */
enum rp_status rp_table_begin(FILE *out, enum rp_table_format format, const char *format_name,
                              const struct rp_table_column *columns, size_t n_columns,
                              struct rp_table_writer **writer) RP_MUST_CHECK;

/* Cells are added in the order of the columns; a full row is written by itself. */
void rp_table_word(struct rp_table_writer *w, const char *word);
void rp_table_word_or_missing(struct rp_table_writer *w,
                              const char *word); /* null or "": missing */
void rp_table_i64(struct rp_table_writer *w, int64_t value);
void rp_table_bool(struct rp_table_writer *w, bool value);
/* For eyes `display` (already scaled and rounded, null: %.6g of value); NaN or infinite: missing.
 */
void rp_table_f64(struct rp_table_writer *w, double value, const char *display);
void rp_table_missing(struct rp_table_writer *w); /* empty, null, or "-" for eyes */

/* Ends the rows so far and begins others under columns of their own: for eyes and in html a table
 * below, in json an array `name` beside "rows". Not for csv, which is one table. */
enum rp_status rp_table_next(struct rp_table_writer *w, const char *name,
                             const struct rp_table_column *columns, size_t n_columns) RP_MUST_CHECK;

/* Ends the output and frees the writer, which may be null. RP_ERR_ENVIRONMENT when writing failed
 * other than by a closed pipe. */
enum rp_status rp_table_end(struct rp_table_writer *writer) RP_MUST_CHECK;

/* Writes text so that a page shows it as it is; control characters and bytes that are no UTF-8
 * become '?'. */
void rp_table_escape_html(const char *text, FILE *out);

#endif
