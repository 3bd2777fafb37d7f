/* test_document.c - YAML to a tree: places, and what is refused before it grows. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "plan/document.h"

static void check_refused(const char *text, size_t length, const char *message)
{
    struct rp_node *root = NULL;
    CHECK_STATUS(rp_document_parse("t.yaml", text, length, true, &root), RP_ERR_CONFIG, message);
    CHECK_CONTAINS(rp_status_message(), message, message);
    CHECK_TRUE(root == NULL, message);
}

static void test_tree(void **state)
{
    (void)state;
    static const char text[] = "# a comment\n"
                               "name: ä\n"
                               "ß: \"1\"\n"
                               "list: [ää, b, {c: d}]\n";
    struct rp_node *root = NULL;
    CHECK_OK(rp_document_parse("t.yaml", text, strlen(text), true, &root), "a small file");
    CHECK_EQ_I64((int64_t)root->count, 3, "entries");
    const struct rp_node *sharp = rp_node_find(root, "ß");
    CHECK_TRUE(sharp && sharp->quoted, "quotes are remembered");
    CHECK_EQ_I64((int64_t)sharp->place.line, 3, "line");
    CHECK_EQ_I64((int64_t)sharp->place.column, 4, "columns count characters");
    const struct rp_node *list = rp_node_find(root, "list");
    CHECK_EQ_I64((int64_t)list->count, 3, "elements");
    CHECK_EQ_TEXT(list->first->next->text, "b", "an element");
    CHECK_EQ_I64((int64_t)list->first->next->place.column, 12, "columns count characters");
    CHECK_EQ_I64((int64_t)list->last->first->key_place.column, 16, "a key has a place too");
    CHECK_TRUE(rp_node_find(list, "c") == NULL && rp_node_find(NULL, "c") == NULL, "no map");
    rp_node_destroy(root);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbfname: a\n";
    struct rp_node *root = NULL;
    CHECK_OK(rp_document_parse("t.yaml", text, strlen(text), true, &root), "a byte order mark");
    CHECK_EQ_I64((int64_t)rp_node_find(root, "name")->place.column, 7, "is no column");
    rp_node_destroy(root);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "t.yaml:1:1: there is nothing in it"},
        {"\n\n# only\n# comments\n", "t.yaml:1:1: there is nothing in it"},
        {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: a: is given twice in the same map"},
        {"a: {b: 1, c: 2, b: 3}\n", "t.yaml:1:17: b: is given twice in the same map"},
        {"a: &x 1\nb: *x\n", "t.yaml:1:4: anchors (&x) and aliases are not allowed"},
        {"a: *x\n", "t.yaml:1:4: aliases (*x) are not allowed"},
        {"*x : 1\n", "t.yaml:1:1: aliases are not allowed"},
        {"a: &x\n  - *x\n", "anchors (&x) and aliases are not allowed"},
        {"a: !!int 1\n", "t.yaml:1:4: tags (tag:yaml.org,2002:int) are not allowed"},
        {"a: !x {}\n", "t.yaml:1:4: tags (!x) are not allowed"},
        {"a: 1\n---\nb: 2\n", "t.yaml:2:1: a second document is not allowed"},
        {"a: 1\n...\n---\n", "t.yaml:3:1: a second document is not allowed"},
        {"[a, b]: 1\n", "t.yaml:1:1: a key must be a word"},
        {"a: \"x\\0y\"\n", "t.yaml:1:4: a text with a null character is not allowed"},
        {"a: [1, 2\nb: 3\n", "t.yaml:2:2: did not find expected ',' or ']'"},
        {"a: 1\n\tb: 2\n", "t.yaml:2:1: found a tab character that violates indentation"},
        {"ä: 1\nbcd: \xff\n", "t.yaml:2:6: invalid leading UTF-8 octet"},
        {"ää\xe4\n", "t.yaml:1:3: "},
        {"a: \x01\n", "t.yaml:1:4: control characters are not allowed"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
    check_refused("a\0b", 3, "control characters are not allowed");
}

static void test_nesting(void **state)
{
    (void)state;
    struct rp_text text;
    struct rp_node *root = NULL;
    rp_text_init(&text);
    for (int i = 0; i < 32; ++i)
        rp_text_printf(&text, "[");
    for (int i = 0; i < 32; ++i)
        rp_text_printf(&text, "]");
    CHECK_OK(rp_document_parse("t", text.data, text.length, true, &root), "32 deep");
    rp_node_destroy(root);
    rp_text_clear(&text);
    for (int i = 0; i < 100000; ++i)
        rp_text_printf(&text, "[");
    double started_s = rp_clock_now_s();
    check_refused(text.data, text.length, "t.yaml:1:33: nesting is deeper than 32");
    CHECK_TRUE(rp_clock_now_s() - started_s < 2.0, "refused early");
    rp_text_clear(&text);
}

static void test_size(void **state)
{
    (void)state;
    struct rp_node *root = NULL;
    char *text = malloc(RP_DOCUMENT_BYTES_MAX + 1);
    memset(text, '#', RP_DOCUMENT_BYTES_MAX + 1);
    memcpy(text, "a: 1\n", 5);
    CHECK_OK(rp_document_parse("t", text, RP_DOCUMENT_BYTES_MAX, true, &root), "1 MiB");
    rp_node_destroy(root);
    check_refused(text, RP_DOCUMENT_BYTES_MAX + 1, "t.yaml: 1048577 bytes: at most 1048576");
    free(text);
}

static void test_keys(void **state)
{
    (void)state;
    struct rp_text text;
    rp_text_init(&text);
    for (int i = 0; i < 1025; ++i)
        rp_text_printf(&text, "k%d: 1\n", i);
    check_refused(text.data, text.length, "t.yaml:1025:1: k1024: more than 1024 keys in one map");
    rp_text_clear(&text);
}

static void test_load(void **state)
{
    (void)state;
    char path[] = "/tmp/ridgepoint-document.XXXXXX";
    int fd = mkstemp(path);
    char *text = NULL;
    size_t length = 0;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a: 1\n", 5), 5);
    CHECK_OK(rp_document_load(path, &text, &length), "a small file");
    CHECK_EQ_TEXT(text, "a: 1\n", "as it was");
    free(text);
    assert_int_equal(ftruncate(fd, RP_DOCUMENT_BYTES_MAX + 1), 0);
    CHECK_STATUS(rp_document_load(path, &text, &length), RP_ERR_CONFIG, "over 1 MiB");
    CHECK_CONTAINS(rp_status_message(), "longer than the 1048576 bytes", "over 1 MiB");
    close(fd);
    unlink(path);
    CHECK_STATUS(rp_document_load(path, &text, &length), RP_ERR_CONFIG, "no such file");
    CHECK_CONTAINS(rp_status_message(), "No such file", "no such file");
    CHECK_STATUS(rp_document_load("/tmp", &text, &length), RP_ERR_CONFIG, "a folder");
    CHECK_TRUE(text == NULL, "a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),     cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_size),     cmocka_unit_test(test_keys),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
