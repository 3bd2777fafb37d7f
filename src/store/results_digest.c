/* results_digest.c - the digest of a result file, from memory or line by line. */
#include "store/results_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "store/cells.h"
#include "store/results_hdf5.h"

void rp_digest_list_init(struct rp_digest_list *list)
{
    *list = (struct rp_digest_list){0};
}

void rp_digest_list_clear(struct rp_digest_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->lines[i]);
    free(list->lines);
    rp_digest_list_init(list);
}

static bool list_grow(struct rp_digest_list *list)
{
    char **lines = rp_list_grow(list->lines, list->count, &list->capacity, sizeof *lines);
    if (lines)
        list->lines = lines;
    return lines != NULL;
}

enum rp_status rp_digest_list_add(struct rp_digest_list *list, const struct rp_digest_line *line,
                                  const char *cells_hex)
{
    static const char *const kinds[] = {
        [RP_COLUMN_WORD] = "word",
        [RP_COLUMN_TEXT] = "word",
        [RP_COLUMN_I64] = "i64",
        [RP_COLUMN_F64] = "f64",
    };
    struct rp_text text;
    rp_text_init(&text);
    rp_text_printf(&text, "%s/%s\t%s\t%zu\t%s\t%s\t%s\n", line->table, line->column,
                   kinds[line->kind], line->rows, line->units, line->description, cells_hex);
    if (!rp_text_ok(&text) || !list_grow(list)) {
        rp_text_clear(&text);
        return RP_FAIL(RP_ERR_INTERNAL, "out of host memory for the digest of /%s/%s", line->table,
                       line->column);
    }
    list->lines[list->count++] = text.data;
    return RP_OK;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum rp_status rp_digest_list_end(struct rp_digest_list *list, bool complete, int64_t rows_planned,
                                  int64_t rows, char hex[RP_DIGEST_HEX_SIZE])
{
    struct rp_digest *digest = rp_digest_create();
    struct rp_text first;
    rp_text_init(&first);
    rp_text_printf(&first, "%s\t%d\t%s\t%" PRId64 "\t%" PRId64 "\n", RP_RESULTS_FORMAT,
                   RP_RESULTS_SCHEMA_VERSION, complete ? "complete" : "partial", rows_planned,
                   rows);
    enum rp_status status = RP_OK;
    if (!rp_text_ok(&first))
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for a digest");
    else
        rp_digest_add(digest, first.data, first.length);
    if (list->count > 1)
        qsort(list->lines, list->count, sizeof *list->lines, compare_lines);
    for (size_t i = 0; i < list->count; ++i)
        rp_digest_add(digest, list->lines[i], strlen(list->lines[i]));
    if (status == RP_OK)
        status = rp_digest_end(digest, hex);
    rp_text_clear(&first);
    rp_digest_destroy(digest);
    return status;
}

/* SHA-256 of the cells of one column, in blocks so that wide texts need little memory. */
static enum rp_status column_hex(const struct rp_study *study, enum rp_table_id id,
                                 const struct rp_column *column, char hex[RP_DIGEST_HEX_SIZE])
{
    const struct rp_table *table = &study->tables[id];
    struct rp_cells cells = {rp_table_schema(id), column, 0, 0, 0};
    cells.width = rp_cells_width(table, cells.schema, column);
    size_t block = rp_cells_block(cells.width);
    char *bytes = malloc(block * cells.width);
    struct rp_digest *digest = rp_digest_create();
    enum rp_status status = RP_OK;
    if (!bytes) {
        status = RP_FAIL(RP_ERR_INTERNAL, "out of host memory for /%s/%s", cells.schema->name,
                         column->name);
        goto cleanup;
    }
    for (; cells.first < table->count; cells.first += cells.count) {
        size_t left = table->count - cells.first;
        cells.count = left < block ? left : block;
        rp_cells_gather(&cells, table, bytes);
        rp_cells_digest(digest, column->kind, cells.width, cells.count, bytes);
    }
    status = rp_digest_end(digest, hex);

cleanup:
    rp_digest_destroy(digest);
    free(bytes);
    return status;
}

static enum rp_status add_table(struct rp_digest_list *list, const struct rp_study *study,
                                enum rp_table_id id)
{
    const struct rp_table_schema *schema = rp_table_schema(id);
    for (size_t i = 0; i < schema->n_columns; ++i) {
        const struct rp_column *c = &schema->columns[i];
        const struct rp_digest_line line = {
            schema->name, c->name, c->kind, study->tables[id].count, c->units, c->description};
        char hex[RP_DIGEST_HEX_SIZE];
        RP_TRY(column_hex(study, id, c, hex));
        RP_TRY(rp_digest_list_add(list, &line, hex));
    }
    return RP_OK;
}

enum rp_status rp_results_digest(const struct rp_study *study, char hex[RP_DIGEST_HEX_SIZE])
{
    struct rp_digest_list list;
    rp_digest_list_init(&list);
    enum rp_status status = RP_OK;
    for (int id = 0; id < RP_TABLE_COUNT && status == RP_OK; ++id)
        status = add_table(&list, study, (enum rp_table_id)id);
    if (status == RP_OK)
        status = rp_digest_list_end(&list, study->complete, study->rows_planned,
                                    (int64_t)study->tables[RP_TABLE_RESULTS].count, hex);
    rp_digest_list_clear(&list);
    return status;
}
