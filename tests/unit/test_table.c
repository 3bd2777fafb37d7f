/* test_table.c - rows as csv, json and for eyes, byte for byte. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/parse.h"
#include "base/table.h"
#include "comma_locale.h"

static const struct rp_table_column columns[] = {
    {.name = "name", .title = NULL, .units = NULL},
    {.name = "time_median_s", .title = "time", .units = "ms"},
    {.name = "samples", .title = NULL, .units = NULL},
    {.name = "used", .title = NULL, .units = NULL},
};

static char *write_rows(enum rp_table_format format, size_t n_rows)
{
    char *text = NULL;
    size_t size = 0;
    struct rp_table_writer *w = NULL;
    FILE *out = open_memstream(&text, &size);
    CHECK_OK(rp_table_begin(out, format, "ridgepoint-results", columns, RP_COUNT(columns), &w),
             "begin");
    if (n_rows > 0) {
        rp_table_word(w, "plain");
        rp_table_f64(w, 0.1, "100");
        rp_table_i64(w, -7);
        rp_table_bool(w, true);
    }
    if (n_rows > 1) {
        rp_table_word(w, "a \"b\", c\n\\\x01\xff\xc3\xa4");
        rp_table_f64(w, NAN, "nonsense");
        rp_table_missing(w);
        rp_table_bool(w, false);
    }
    CHECK_OK(rp_table_end(w), "end");
    fclose(out);
    return text;
}

static void check_output(enum rp_table_format format, size_t n_rows, const char *expected,
                         const char *name)
{
    char *text = write_rows(format, n_rows);
    CHECK_EQ_TEXT(text, expected, name);
    free(text);
}

static void test_html(void **state)
{
    (void)state;
    check_output(RP_TABLE_HTML, 2,
                 "<div class=\"table\"><table>\n<thead><tr><th>name</th><th>time "
                 "[ms]</th><th>samples</th><th>used</th>"
                 "</tr></thead>\n<tbody>\n"
                 "<tr><td>plain</td><td class=\"number\">100</td><td class=\"number\">-7</td>"
                 "<td class=\"number\">yes</td></tr>\n"
                 "<tr><td>a &#34;b&#34;, c\n\\??\xc3\xa4</td><td class=\"number\">-</td>"
                 "<td class=\"number\">-</td><td class=\"number\">no</td></tr>\n"
                 "</tbody>\n</table></div>\n",
                 "what the table for eyes shows, escaped");
}

static void test_csv(void **state)
{
    (void)state;
    check_output(RP_TABLE_CSV, 0, "name,time_median_s,samples,used\n", "no rows");
    check_output(RP_TABLE_CSV, 2,
                 "name,time_median_s,samples,used\n"
                 "plain,0.1,-7,true\n"
                 "\"a \"\"b\"\", c\n\\\x01\xff\xc3\xa4\",,,false\n",
                 "quotes double, missing is empty");
}

static void test_json(void **state)
{
    (void)state;
    check_output(RP_TABLE_JSON, 0,
                 "{\"format\": \"ridgepoint-results\", \"schema_version\": 1, \"rows\": []}\n",
                 "no rows");
    check_output(RP_TABLE_JSON, 2,
                 "{\"format\": \"ridgepoint-results\", \"schema_version\": 1, \"rows\": [\n"
                 "{\"name\": \"plain\", \"time_median_s\": 0.1, \"samples\": -7, \"used\": true},\n"
                 "{\"name\": \"a \\\"b\\\", c\\u000a\\\\\\u0001\\ufffd\xc3\xa4\", "
                 "\"time_median_s\": null, \"samples\": null, \"used\": false}\n]}\n",
                 "escapes; a byte that is no UTF-8; no nan");
}

static void test_eyes(void **state)
{
    (void)state;
    check_output(RP_TABLE_EYES, 2,
                 "name           time [ms]  samples  used\n"
                 "plain                100       -7  yes\n"
                 "a \"b\", c?\\?\xff\xc3\xa4          -        -  no\n",
                 "words left, numbers right, units in the header, control characters as ?");
}

/* A second table in the same output: of other columns, empty here and with a row there. */
static char *write_two(enum rp_table_format format, size_t n_rows)
{
    static const struct rp_table_column more[] = {
        {.name = "total_s", .title = "total", .units = "s"}, {.name = "who", NULL, NULL}};
    char *text = NULL;
    size_t size = 0;
    struct rp_table_writer *w = NULL;
    FILE *out = open_memstream(&text, &size);
    CHECK_OK(rp_table_begin(out, format, "x", columns, RP_COUNT(columns), &w), "begin");
    for (size_t i = 0; i < n_rows; ++i) {
        rp_table_word(w, "long enough");
        rp_table_f64(w, 2.5, "2500");
        rp_table_i64(w, 1);
        rp_table_bool(w, true);
    }
    CHECK_OK(rp_table_next(w, "totals", more, RP_COUNT(more)), "next");
    rp_table_f64(w, 2.5, NULL);
    rp_table_word(w, "me");
    CHECK_OK(rp_table_end(w), "end");
    fclose(out);
    return text;
}

static void test_next(void **state)
{
    (void)state;
    char *text = write_two(RP_TABLE_JSON, 1);
    CHECK_EQ_TEXT(
        text,
        "{\"format\": \"x\", \"schema_version\": 1, \"rows\": [\n"
        "{\"name\": \"long enough\", \"time_median_s\": 2.5, \"samples\": 1, \"used\": true}"
        "\n],\n\"totals\": [\n{\"total_s\": 2.5, \"who\": \"me\"}\n]}\n",
        "an array beside the rows");
    free(text);
    text = write_two(RP_TABLE_JSON, 0);
    CHECK_CONTAINS(text, "\"rows\": [],\n\"totals\": [\n{", "no rows before");
    free(text);
    text = write_two(RP_TABLE_EYES, 1);
    CHECK_EQ_TEXT(text,
                  "name         time [ms]  samples  used\n"
                  "long enough       2500        1  yes\n"
                  "\n"
                  "total [s]  who\n"
                  "      2.5  me\n",
                  "a table with widths of its own");
    free(text);
}

static void test_decimal_text(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {1.0 / 3.0, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100.0, "100"},
        {1e22, "1e+22"},
        {5e-324, "4.94065645841247e-324"},
        {-0.0, "-0"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char text[RP_DECIMAL_SIZE];
        double back = 0.0;
        rp_decimal_text(cases[i].value, text);
        CHECK_EQ_TEXT(text, cases[i].text, cases[i].text);
        CHECK_TRUE(rp_parse_f64(text, &back), cases[i].text);
        CHECK_TRUE(memcmp(&back, &cases[i].value, sizeof back) == 0, cases[i].text);
    }
}

static void test_decimal_plain(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {32768, "32768"}, {1234.5678, "1235"}, {999.7, "1000"},    {115.34, "115"},
        {42.614, "42.6"}, {-4321.9, "-4322"},  {0.0001, "0.0001"}, {2e20, "2e+20"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char text[RP_DECIMAL_SIZE];
        rp_decimal_plain(cases[i].value, 3, text);
        CHECK_EQ_TEXT(text, cases[i].text, cases[i].text);
    }
}

static void test_locale(void **state)
{
    (void)state;
    char text[RP_DECIMAL_SIZE];
    if (!comma_locale_begin())
        skip();
    rp_decimal_text(0.5, text);
    char *csv = write_rows(RP_TABLE_CSV, 1);
    setlocale(LC_ALL, "C");
    CHECK_EQ_TEXT(text, "0.5", "a decimal comma around");
    CHECK_CONTAINS(csv, "plain,0.1,-7,true", "a decimal comma around");
    free(csv);
}

/* Enough rows to fill any buffer on the way to `out`. */
static enum rp_status write_many(FILE *out)
{
    static const struct rp_table_column one = {.name = "number", .title = NULL, .units = NULL};
    struct rp_table_writer *w = NULL;
    enum rp_status status = rp_table_begin(out, RP_TABLE_CSV, "x", &one, 1, &w);
    for (int64_t i = 0; status == RP_OK && i < 100000; ++i)
        rp_table_i64(w, i);
    enum rp_status ended = rp_table_end(w);
    return status == RP_OK ? ended : status;
}

static void test_closed_pipe(void **state)
{
    (void)state;
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    FILE *out = fdopen(ends[1], "w");
    CHECK_OK(write_many(out), "| head is no failure");
    fclose(out);
}

static void test_full_disk(void **state)
{
    (void)state;
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        skip();
    CHECK_STATUS(write_many(out), RP_ERR_ENVIRONMENT, "no space left");
    CHECK_CONTAINS(rp_status_message(), "No space left", "the reason is there");
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html),         cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),         cmocka_unit_test(test_eyes),
        cmocka_unit_test(test_decimal_text), cmocka_unit_test(test_decimal_plain),
        cmocka_unit_test(test_locale),       cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
