/* test_column.c - the column lists are fit to be stored and read by anybody. */
#include "check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/column.h"

static const char *const units[] = {"s", "B", "1", "", "Hz", "W", "J", "degC"};

static bool is_unit(const char *text)
{
    for (size_t i = 0; i < RP_COUNT(units); ++i) {
        if (strcmp(units[i], text) == 0)
            return true;
    }
    return false;
}

/* A name in h5py, pandas, MATLAB and Julia alike, with its unit at its end where it has one. */
static void check_column(const struct rp_table_schema *schema, const struct rp_column *c)
{
    char name[128];
    snprintf(name, sizeof name, "/%s/%s", schema->name, c->name);
    CHECK_TRUE(islower((unsigned char)c->name[0]), name);
    CHECK_EQ_I64((int64_t)strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                 (int64_t)strlen(c->name), name);
    CHECK_TRUE(c->units && c->description, name);
    CHECK_TRUE(is_unit(c->units), name);
    CHECK_TRUE(strlen(c->description) >= 8, name);
    CHECK_TRUE(!strpbrk(c->description, "\t\n"), name); /* the digest separates by them */
    for (const char *p = c->description; *p; ++p)
        CHECK_TRUE(*p >= 0x20 && *p < 0x7F, name);
    CHECK_TRUE((c->kind == RP_COLUMN_WORD) == (c->width > 0), name);
    if (c->kind == RP_COLUMN_WORD || c->kind == RP_COLUMN_TEXT)
        CHECK_EQ_TEXT(c->units, "", name);
    if (strcmp(c->units, "s") == 0)
        CHECK_TRUE(strstr(c->name, "_s"), name);
    if (strcmp(c->units, "Hz") == 0)
        CHECK_TRUE(strstr(c->name, "_hz"), name);
    CHECK_TRUE(rp_column_find(schema, c->name) == c, name); /* no name twice */
}

static void test_every_column(void **state)
{
    (void)state;
    static const char *const names[RP_TABLE_COUNT] = {"results",  "samples", "devices",
                                                      "ceilings", "runs",    "labels"};
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        CHECK_EQ_TEXT(schema->name, names[id], "in the order of docs/FILE.md");
        CHECK_TRUE(schema->n_columns > 0, schema->name);
        for (size_t i = 0; i < schema->n_columns; ++i) {
            check_column(schema, &schema->columns[i]);
            size_t end = schema->columns[i].offset + schema->columns[i].width;
            CHECK_TRUE(end < schema->row_bytes, schema->columns[i].name);
        }
        CHECK_TRUE(!rp_column_find(schema, "no_such_column"), schema->name);
    }
}

static void test_init_is_not_applicable(void **state)
{
    (void)state;
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        char *row = malloc(schema->row_bytes);
        memset(row, 0x5A, schema->row_bytes);
        rp_row_init((enum rp_table_id)id, row);
        for (size_t i = 0; i < schema->n_columns; ++i) {
            const struct rp_column *c = &schema->columns[i];
            const char *field = row + c->offset;
            int64_t integer;
            double number;
            char *text;
            memcpy(&integer, field, sizeof integer);
            memcpy(&number, field, sizeof number);
            memcpy(&text, field, sizeof text);
            switch (c->kind) {
            case RP_COLUMN_I64:
                CHECK_EQ_I64(integer, -1, c->name);
                break;
            case RP_COLUMN_F64:
                CHECK_TRUE(isnan(number), c->name);
                break;
            case RP_COLUMN_WORD:
                CHECK_EQ_TEXT(field, "", c->name);
                break;
            case RP_COLUMN_TEXT:
                CHECK_TRUE(!text, c->name);
                break;
            }
        }
        rp_row_clear((enum rp_table_id)id, row);
        free(row);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
        const char *word; /* of at most 8 bytes */
    } cases[] = {
        {"empty", "", ""},
        {"short", "ok", "ok"},
        {"fills the field", "12345678", "12345678"},
        {"is cut", "123456789", "12345678"},
        {"a byte beyond ASCII", "a\xe9", "a\\xe9"},
        {"UTF-8", "\xc3\xa9", "\\xc3\\xa9"},
        {"an escape is never cut in two", "12345\xe9", "12345"},
        {"nor does what follows slip in",
         "12345\xe9"
         "6",
         "12345"},
        {"control bytes", "\n\x7f", "\\x0a\\x7f"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char word[9];
        memset(word, 'z', sizeof word);
        RP_WORD_SET(word, cases[i].text);
        CHECK_EQ_TEXT(word, cases[i].word, cases[i].name);
        for (size_t k = strlen(word); k < sizeof word; ++k)
            CHECK_EQ_I64(word[k], 0, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_column),
        cmocka_unit_test(test_init_is_not_applicable),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
