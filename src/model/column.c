/* column.c - the column lists, expanded from columns.def. */
#include "model/column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

#define ENTRY(row, kind, width, name, units, description)                                          \
    {RP_COLUMN_##kind, width, offsetof(struct row, name), #name, units, description},

static const struct rp_column result_columns[] = {
#define RP_RESULT(kind, width, name, units, description)                                           \
    ENTRY(rp_result, kind, width, name, units, description)
#include "registry/columns.def"
};
static const struct rp_column sample_columns[] = {
#define RP_SAMPLE(kind, width, name, units, description)                                           \
    ENTRY(rp_sample, kind, width, name, units, description)
#include "registry/columns.def"
};
static const struct rp_column device_columns[] = {
#define RP_DEVICE(kind, width, name, units, description)                                           \
    ENTRY(rp_device_row, kind, width, name, units, description)
#include "registry/columns.def"
};
static const struct rp_column ceiling_columns[] = {
#define RP_CEILING(kind, width, name, units, description)                                          \
    ENTRY(rp_ceiling, kind, width, name, units, description)
#include "registry/columns.def"
};
static const struct rp_column run_columns[] = {
#define RP_RUN(kind, width, name, units, description)                                              \
    ENTRY(rp_run, kind, width, name, units, description)
#include "registry/columns.def"
};
static const struct rp_column label_columns[] = {
#define RP_LABEL(kind, width, name, units, description)                                            \
    ENTRY(rp_label, kind, width, name, units, description)
#include "registry/columns.def"
};

static const struct rp_table_schema schemas[RP_TABLE_COUNT] = {
    [RP_TABLE_RESULTS] = {"results", sizeof(struct rp_result), result_columns,
                          RP_COUNT(result_columns)},
    [RP_TABLE_SAMPLES] = {"samples", sizeof(struct rp_sample), sample_columns,
                          RP_COUNT(sample_columns)},
    [RP_TABLE_DEVICES] = {"devices", sizeof(struct rp_device_row), device_columns,
                          RP_COUNT(device_columns)},
    [RP_TABLE_CEILINGS] = {"ceilings", sizeof(struct rp_ceiling), ceiling_columns,
                           RP_COUNT(ceiling_columns)},
    [RP_TABLE_RUNS] = {"runs", sizeof(struct rp_run), run_columns, RP_COUNT(run_columns)},
    [RP_TABLE_LABELS] = {"labels", sizeof(struct rp_label), label_columns, RP_COUNT(label_columns)},
};

const struct rp_table_schema *rp_table_schema(enum rp_table_id id)
{
    return &schemas[id];
}

const struct rp_column *rp_column_find(const struct rp_table_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->n_columns; ++i) {
        if (strcmp(schema->columns[i].name, name) == 0)
            return &schema->columns[i];
    }
    return NULL;
}

void rp_row_init(enum rp_table_id id, void *row)
{
    const struct rp_table_schema *schema = &schemas[id];
    const double not_a_number = NAN;
    const int64_t minus_one = -1;
    memset(row, 0, schema->row_bytes);
    for (size_t i = 0; i < schema->n_columns; ++i) {
        const struct rp_column *c = &schema->columns[i];
        if (c->kind == RP_COLUMN_F64)
            memcpy((char *)row + c->offset, &not_a_number, sizeof not_a_number);
        if (c->kind == RP_COLUMN_I64)
            memcpy((char *)row + c->offset, &minus_one, sizeof minus_one);
    }
}

void rp_row_clear(enum rp_table_id id, void *row)
{
    const struct rp_table_schema *schema = &schemas[id];
    for (size_t i = 0; i < schema->n_columns; ++i) {
        const struct rp_column *c = &schema->columns[i];
        if (c->kind == RP_COLUMN_TEXT) {
            char **text = (char **)(void *)((char *)row + c->offset);
            free(*text);
            *text = NULL;
        }
    }
}

void rp_word_set(char *word, size_t word_size, const char *text)
{
    size_t used = 0;
    memset(word, 0, word_size);
    for (const unsigned char *p = (const unsigned char *)text; *p; ++p) {
        char escaped[5] = {(char)*p};
        size_t n = 1;
        if (*p < 0x20 || *p >= 0x7F)
            n = (size_t)snprintf(escaped, sizeof escaped, "\\x%02x", *p);
        if (used + n >= word_size)
            break;
        memcpy(word + used, escaped, n);
        used += n;
    }
}
