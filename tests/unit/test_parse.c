/* test_parse.c - numbers a person typed, words that are near, and what is UTF-8. */
#include "check.h"

#include "base/parse.h"
#include "base/text.h"
#include "comma_locale.h"

static void test_whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool suffixes;
        bool accepted;
        int64_t value;
    } cases[] = {
        {"0", false, true, 0},
        {"-1", false, true, -1},
        {"4294967424", false, true, 4294967424},
        {"9223372036854775807", false, true, INT64_MAX},
        {"-9223372036854775808", false, true, INT64_MIN},
        {"1k", true, true, 1024},
        {"64M", true, true, 67108864},
        {"9223372036854775808", false, false, 0},
        {"18446744073709551616", false, false, 0},
        {"9007199254740992k", true, false, 0}, /* 2^63 */
        {"1k", false, false, 0},
        {"1K", true, false, 0},
        {"1kk", true, false, 0},
        {"k", true, false, 0},
        {" -1", false, false, 0},
        {"-1 ", false, false, 0},
        {"+1", false, false, 0},
        {"0x10", false, false, 0},
        {"1e3", false, false, 0},
        {"12abc", false, false, 0},
        {"1.0", false, false, 0},
        {"1_000", false, false, 0},
        {"-", false, false, 0},
        {"", false, false, 0},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        int64_t value = 42;
        bool accepted = rp_parse_i64(cases[i].text, cases[i].suffixes, &value);
        CHECK_EQ_I64(accepted, cases[i].accepted, cases[i].text);
        CHECK_EQ_I64(value, cases[i].accepted ? cases[i].value : 42, cases[i].text);
    }
}

static void check_decimals(void)
{
    static const struct {
        const char *text;
        bool accepted;
        double value;
    } cases[] = {
        {"0.01", true, 0.01}, {"2", true, 2.0},  {"1e-3", true, 1e-3}, {"-.5", true, -0.5},
        {"1e999", false, 0},  {"nan", false, 0}, {"inf", false, 0},    {"0,5", false, 0},
        {"0x1p3", false, 0},  {"1e", false, 0},  {".", false, 0},      {"", false, 0},
        {" 1", false, 0},     {"1 ", false, 0},  {"+1", false, 0},     {"1.2.3", false, 0},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        double value = 42.0;
        bool accepted = rp_parse_f64(cases[i].text, &value);
        CHECK_EQ_I64(accepted, cases[i].accepted, cases[i].text);
        CHECK_NEAR(value, cases[i].accepted ? cases[i].value : 42.0, 0.0, cases[i].text);
    }
}

static void test_decimals(void **state)
{
    (void)state;
    check_decimals();
}

static void test_decimals_under_a_comma(void **state)
{
    (void)state;
    if (!comma_locale_begin())
        skip();
    check_decimals();
    setlocale(LC_ALL, "C");
}

static void test_booleans(void **state)
{
    (void)state;
    bool value = false;
    CHECK_TRUE(rp_parse_bool("true", &value) && value, "true");
    CHECK_TRUE(rp_parse_bool("false", &value) && !value, "false");
    CHECK_TRUE(!rp_parse_bool("yes", &value), "yes");
    CHECK_TRUE(!rp_parse_bool("True", &value), "True");
    CHECK_TRUE(!rp_parse_bool("", &value), "nothing");
}

static void test_distance(void **state)
{
    (void)state;
    CHECK_EQ_I64((int64_t)rp_text_distance("kitten", "sitting", 5), 3, "the textbook's pair");
    CHECK_EQ_I64((int64_t)rp_text_distance("fp61", "fp16", 5), 1, "neighbours swapped");
    CHECK_EQ_I64((int64_t)rp_text_distance("", "abc", 5), 3, "from nothing");
    CHECK_EQ_I64((int64_t)rp_text_distance("abcdef", "uvwxyz", 2), 3, "beyond the limit");
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"fp32", "tf32", "fp16", "bf16", "heads", "head_dim"};
    static const struct {
        const char *word;
        const char *nearest;
    } cases[] = {{"fp61", "fp16"}, {"haeds", "heads"}, {"headdim", "head_dim"},
                 {"zebra", NULL},  {"x", NULL},        {"", NULL}};
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const char *near = rp_text_nearest(cases[i].word, words, RP_COUNT(words));
        CHECK_EQ_TEXT(near ? near : "none", cases[i].nearest ? cases[i].nearest : "none",
                      cases[i].word);
    }
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t length;
    } cases[] = {
        {"ascii", "a", 1},
        {"two bytes", "\xc3\xa4", 2},
        {"three bytes", "\xe2\x82\xac", 3},
        {"four bytes", "\xf0\x9f\x98\x80", 4},
        {"a stray continuation", "\xa4", 0},
        {"cut short", "\xe2\x82", 0},
        {"overlong slash", "\xc0\xaf", 0},
        {"overlong in three", "\xe0\x80\xaf", 0},
        {"a surrogate", "\xed\xa0\x80", 0},
        {"beyond U+10FFFF", "\xf4\x90\x80\x80", 0},
        {"latin-1", "\xe4 ", 0},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        CHECK_EQ_I64((int64_t)rp_text_utf8_length(cases[i].bytes, strlen(cases[i].bytes)),
                     (int64_t)cases[i].length, cases[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_decimals_under_a_comma),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
