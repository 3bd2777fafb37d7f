/* cells.c - between the struct of a row and the cell of a column. */
#include "store/cells.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

static const char *field(const struct rp_cells *cells, const struct rp_table *table, size_t i)
{
    return (const char *)table->rows + (cells->first + i) * cells->schema->row_bytes +
           cells->column->offset;
}

static bool printable(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

/* The value of "\xNN" at p (lower case, as written), or -1. */
static int escape_value(const char *p)
{
    if (p[0] != '\\' || p[1] != 'x' || !p[2] || !p[3])
        return -1;
    const char *high = strchr(hex_digits, p[2]);
    const char *low = strchr(hex_digits, p[3]);
    return high && low ? (int)((high - hex_digits) * 16 + (low - hex_digits)) : -1;
}

static bool stays(const char *p)
{
    if (*p == '\\')
        return escape_value(p) < 0;
    return printable((unsigned char)*p) || *p == '\n' || *p == '\t';
}

static size_t escaped_length(const char *text)
{
    size_t length = 0;
    for (const char *p = text; *p; ++p)
        length += stays(p) ? 1 : 4;
    return length;
}

static void escape(const char *text, char *cell)
{
    for (const char *p = text; *p; ++p) {
        if (stays(p)) {
            *cell++ = *p;
            continue;
        }
        unsigned char byte = (unsigned char)*p;
        *cell++ = '\\';
        *cell++ = 'x';
        *cell++ = hex_digits[byte >> 4];
        *cell++ = hex_digits[byte & 15];
    }
}

/* In place: what is written is never ahead of what is read. */
static void unescape(char *text)
{
    char *out = text;
    for (const char *p = text; *p; ++p) {
        int value = escape_value(p);
        if (value > 0)
            p += 3;
        *out++ = value > 0 ? (char)value : *p;
    }
    *out = '\0';
}

static const char *text_of(const char *field_bytes)
{
    const char *text;
    memcpy(&text, field_bytes, sizeof text);
    return text ? text : "";
}

size_t rp_cells_width(const struct rp_table *table, const struct rp_table_schema *schema,
                      const struct rp_column *column)
{
    const struct rp_cells all = {schema, column, 0, table->count, 0};
    size_t width = 1; /* HDF5 has no strings of width 0 */
    if (column->kind == RP_COLUMN_I64 || column->kind == RP_COLUMN_F64)
        return 8;
    for (size_t i = 0; i < table->count; ++i) {
        const char *value = field(&all, table, i);
        size_t length = column->kind == RP_COLUMN_TEXT ? escaped_length(text_of(value))
                                                       : strnlen(value, column->width);
        width = length > width ? length : width;
    }
    return width;
}

size_t rp_cells_block(size_t width)
{
    const size_t bytes = (size_t)256 << 10;
    return width < bytes ? bytes / width : 1;
}

void rp_cells_gather(const struct rp_cells *cells, const struct rp_table *table, char *bytes)
{
    const struct rp_column *column = cells->column;
    memset(bytes, 0, cells->count * cells->width);
    for (size_t i = 0; i < cells->count; ++i) {
        const char *value = field(cells, table, i);
        char *cell = bytes + i * cells->width;
        switch (column->kind) {
        case RP_COLUMN_I64:
        case RP_COLUMN_F64:
            memcpy(cell, value, 8);
            break;
        case RP_COLUMN_WORD:
            for (size_t k = 0; k < column->width && value[k]; ++k)
                cell[k] = printable((unsigned char)value[k]) ? value[k] : '?';
            break;
        case RP_COLUMN_TEXT:
            escape(text_of(value), cell);
            break;
        }
    }
}

/* Length of the string in a cell; false when it is not ASCII or goes on after its padding. */
static bool string_length(const char *cell, const struct rp_cells *cells, size_t *length)
{
    const size_t width = cells->width;
    const bool is_text = cells->column->kind == RP_COLUMN_TEXT;
    size_t n = 0;
    for (; n < width && cell[n]; ++n) {
        bool blank = cell[n] == '\n' || cell[n] == '\t';
        if (!printable((unsigned char)cell[n]) && !(blank && is_text))
            return false;
    }
    for (size_t k = n; k < width; ++k) {
        if (cell[k])
            return false;
    }
    *length = n;
    return true;
}

static enum rp_status scatter_string(const struct rp_cells *cells, size_t i, const char *cell,
                                     char *value)
{
    const struct rp_column *column = cells->column;
    size_t length = 0;
    if (!string_length(cell, cells, &length))
        return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s row %zu is not null-padded ASCII",
                       cells->schema->name, column->name, cells->first + i);
    if (column->kind == RP_COLUMN_TEXT) {
        char *text = strndup(cell, length);
        if (!text)
            return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu bytes of /%s/%s", length,
                           cells->schema->name, column->name);
        unescape(text);
        memcpy(value, &text, sizeof text);
        return RP_OK;
    }
    if (length > column->width)
        return RP_FAIL(RP_ERR_DAMAGED, "/%s/%s row %zu is a word of %zu bytes, at most %zu fit",
                       cells->schema->name, column->name, cells->first + i, length, column->width);
    memcpy(value, cell, length);
    value[length] = '\0';
    return RP_OK;
}

/* In locals: stores through `value` might change what is behind a pointer. */
static void scatter_numbers(char *value, size_t row_bytes, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        memcpy(value + i * row_bytes, bytes + 8 * i, 8);
}

enum rp_status rp_cells_scatter(const struct rp_cells *cells, struct rp_table *table,
                                const char *bytes)
{
    const size_t row_bytes = cells->schema->row_bytes;
    char *value = (char *)table->rows + cells->first * row_bytes + cells->column->offset;
    if (cells->column->kind == RP_COLUMN_I64 || cells->column->kind == RP_COLUMN_F64) {
        scatter_numbers(value, row_bytes, bytes, cells->count);
        return RP_OK;
    }
    for (size_t i = 0; i < cells->count; ++i)
        RP_TRY(scatter_string(cells, i, bytes + i * cells->width, value + i * row_bytes));
    return RP_OK;
}

/* Which NaN it is carries no meaning and need not survive a copy through a register. */
static uint64_t canonical_bits(enum rp_column_kind kind, const char *cell)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    uint64_t bits;
    memcpy(&bits, cell, sizeof bits);
    if (kind == RP_COLUMN_F64 && (bits & INT64_MAX) > infinity)
        bits = UINT64_C(0x7ff8000000000000);
    return htole64(bits);
}

static void digest_numbers(struct rp_digest *digest, enum rp_column_kind kind, size_t count,
                           const char *bytes)
{
    uint64_t block[256]; /* a call a number would cost more than the hash */
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        block[used++] = canonical_bits(kind, bytes + 8 * i);
        if (used == RP_COUNT(block) || i + 1 == count) {
            rp_digest_add(digest, block, used * sizeof block[0]);
            used = 0;
        }
    }
}

void rp_cells_digest(struct rp_digest *digest, enum rp_column_kind kind, size_t width, size_t count,
                     const char *bytes)
{
    if (kind == RP_COLUMN_I64 || kind == RP_COLUMN_F64) {
        digest_numbers(digest, kind, count, bytes);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const char *cell = bytes + i * width;
        rp_digest_add(digest, cell, strnlen(cell, width));
        rp_digest_add(digest, "", 1);
    }
}
