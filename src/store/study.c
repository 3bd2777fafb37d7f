/* study.c - growing arrays of rows; the only owner of the rows' TEXT once they are appended. */
#include "store/study.h"

#include <stdlib.h>
#include <string.h>

void rp_study_init(struct rp_study *study)
{
    *study = (struct rp_study){0};
}

void rp_study_clear(struct rp_study *study)
{
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        for (size_t i = 0; i < study->tables[id].count; ++i)
            rp_row_clear((enum rp_table_id)id, rp_study_row(study, (enum rp_table_id)id, i));
        free(study->tables[id].rows);
    }
    rp_study_init(study);
}

/* Room for one more row; doubling keeps appending linear. */
static enum rp_status grow(struct rp_table *table, const struct rp_table_schema *schema)
{
    if (table->count < table->capacity)
        return RP_OK;
    size_t capacity = table->capacity ? 2 * table->capacity : 16;
    size_t bytes = 0;
    void *rows = NULL;
    if (!__builtin_mul_overflow(capacity, schema->row_bytes, &bytes))
        rows = realloc(table->rows, bytes);
    if (!rows)
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for %zu rows of /%s", capacity,
                       schema->name);
    table->rows = rows;
    table->capacity = capacity;
    return RP_OK;
}

/* Gives a copied row its own TEXT; on failure none of it is left. */
static enum rp_status own_texts(enum rp_table_id id, void *row)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    bool complete = true;
    for (size_t i = 0; i < schema->n_columns; ++i) {
        if (schema->columns[i].kind != RP_COLUMN_TEXT)
            continue;
        char **text = (char **)(void *)((char *)row + schema->columns[i].offset);
        char *copy = *text && complete ? strdup(*text) : NULL;
        complete = complete && (copy || !*text);
        *text = copy;
    }
    if (complete)
        return RP_OK;
    rp_row_clear(id, row);
    return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the texts of a row of /%s",
                   schema->name);
}

enum rp_status rp_study_append(struct rp_study *study, enum rp_table_id id, const void *row)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    struct rp_table *table = &study->tables[id];
    RP_TRY(grow(table, schema));
    char *slot = (char *)table->rows + table->count * schema->row_bytes;
    memcpy(slot, row, schema->row_bytes);
    RP_TRY(own_texts(id, slot));
    ++table->count;
    return RP_OK;
}

size_t rp_study_count(const struct rp_study *study, enum rp_table_id id)
{
    return study->tables[id].count;
}

void *rp_study_row(const struct rp_study *study, enum rp_table_id id, size_t index)
{
    return (char *)study->tables[id].rows + index * rp_table_schema(id)->row_bytes;
}

int64_t rp_study_next_sequence(const struct rp_study *study)
{
    int64_t next = 0;
    const struct rp_result *rows = rp_study_results(study);
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        if (rows[i].sequence >= next)
            next = rows[i].sequence + 1;
    }
    return next;
}

enum rp_status rp_study_append_result(struct rp_study *study, const struct rp_result *row,
                                      const struct rp_sample *samples, size_t n_samples)
{
    struct rp_result placed = *row;
    placed.samples = (int64_t)n_samples;
    placed.sample_offset = (int64_t)rp_study_count(study, RP_TABLE_SAMPLES);
    for (size_t i = 0; i < n_samples; ++i)
        RP_TRY(rp_study_append(study, RP_TABLE_SAMPLES, &samples[i]));
    return rp_study_append(study, RP_TABLE_RESULTS, &placed);
}

/* Removes `n` rows from `first` on. */
static void remove_rows(struct rp_study *study, enum rp_table_id id, size_t first, size_t n)
{
    struct rp_table *table = &study->tables[id];
    size_t row_bytes = rp_table_schema(id)->row_bytes;
    char *rows = table->rows;
    for (size_t i = 0; i < n; ++i)
        rp_row_clear(id, rows + (first + i) * row_bytes);
    memmove(rows + first * row_bytes, rows + (first + n) * row_bytes,
            (table->count - first - n) * row_bytes);
    table->count -= n;
}

void rp_study_drop_result(struct rp_study *study, int64_t sequence)
{
    struct rp_result *rows = rp_study_results(study);
    size_t count = rp_study_count(study, RP_TABLE_RESULTS);
    size_t at = 0;
    while (at < count && rows[at].sequence != sequence)
        ++at;
    if (at == count)
        return;
    int64_t offset = rows[at].sample_offset;
    int64_t n = rows[at].samples;
    if (n > 0 && offset >= 0 &&
        offset <= (int64_t)rp_study_count(study, RP_TABLE_SAMPLES) - n) /* else: verify tells */
        remove_rows(study, RP_TABLE_SAMPLES, (size_t)offset, (size_t)n);
    remove_rows(study, RP_TABLE_RESULTS, at, 1);
    for (size_t i = 0; i + 1 < count; ++i) {
        if (rows[i].sample_offset > offset)
            rows[i].sample_offset -= n;
    }
}
