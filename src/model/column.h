/*
 * column.h - the tables of a result file as C structs, and their columns as data.
 *
 * Both come from registry/columns.def. File writer, reader, digest, messages and export walk the
 * column lists; nothing else knows how many columns there are.
 */
#ifndef RP_MODEL_COLUMN_H
#define RP_MODEL_COLUMN_H

#include <stddef.h>
#include <stdint.h>

enum rp_column_kind { RP_COLUMN_WORD, RP_COLUMN_TEXT, RP_COLUMN_I64, RP_COLUMN_F64 };

struct rp_column {
    enum rp_column_kind kind;
    size_t width; /* WORD: bytes without the null */
    size_t offset;
    const char *name;
    const char *units;
    const char *description;
};

#define RP_FIELD_WORD(width, name) char name[(width) + 1];
#define RP_FIELD_TEXT(width, name) char *name; /* heap, owned by the row; null reads as "" */
#define RP_FIELD_I64(width, name)  int64_t name;
#define RP_FIELD_F64(width, name)  double name;

struct rp_result {
#define RP_RESULT(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};
struct rp_sample {
#define RP_SAMPLE(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};
struct rp_device_row {
#define RP_DEVICE(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};
struct rp_ceiling {
#define RP_CEILING(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};
struct rp_run {
#define RP_RUN(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};
struct rp_label {
#define RP_LABEL(kind, width, name, units, description) RP_FIELD_##kind(width, name)
#include "registry/columns.def"
};

enum rp_table_id {
    RP_TABLE_RESULTS,
    RP_TABLE_SAMPLES,
    RP_TABLE_DEVICES,
    RP_TABLE_CEILINGS,
    RP_TABLE_RUNS,
    RP_TABLE_LABELS,
    RP_TABLE_COUNT
};

struct rp_table_schema {
    const char *name; /* group in the file, without the slash */
    size_t row_bytes; /* sizeof the struct */
    const struct rp_column *columns;
    size_t n_columns;
};

const struct rp_table_schema *rp_table_schema(enum rp_table_id id);

/* Null when the table has no such column. */
const struct rp_column *rp_column_find(const struct rp_table_schema *schema, const char *name);

/* Sets every column of one row to its "not applicable". TEXT becomes null without freeing. */
void rp_row_init(enum rp_table_id id, void *row);

/* Frees the TEXT columns of one row. */
void rp_row_clear(enum rp_table_id id, void *row);

/* Copies a word, cut at the column's width; bytes outside printable ASCII become \xNN. */
void rp_word_set(char *word, size_t word_size, const char *text);
#define RP_WORD_SET(field, text) rp_word_set((field), sizeof(field), (text))

#endif
