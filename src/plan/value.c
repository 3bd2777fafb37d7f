/* value.c - a node's text as a number or a word, or the sentence that says why not. */
#include "plan/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/parse.h"
#include "base/text.h"

/* A plain number in quotes is text in YAML; saying so saves a long look. */
static const char *quotes_hint(const struct rp_node *node)
{
    return node->kind == RP_NODE_SCALAR && node->quoted ? " (in quotes it is text)" : "";
}

static bool is_digits(const char *text)
{
    text += *text == '-';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* 010 is ten to most people and eight to YAML 1.1: not plainly a whole number. */
static bool has_leading_zero(const char *text)
{
    text += *text == '-';
    return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

enum rp_status rp_value_i64(const struct rp_node *node, const char *key,
                            const struct rp_value_range *range, int64_t *value)
{
    char quoted[RP_QUOTE_SIZE];
    char allowed[96];
    int64_t parsed = 0;
    snprintf(allowed, sizeof allowed, "allowed %" PRId64 "..%" PRId64 "%s", range->min, range->max,
             range->suffixes ? ", suffixes k and M" : "");
    bool plain = node->kind == RP_NODE_SCALAR && !node->quoted && !has_leading_zero(node->text);
    bool number = plain && rp_parse_i64(node->text, range->suffixes, &parsed);
    if (!number && !(plain && is_digits(node->text)))
        return rp_node_fail(node, key, "%s is no whole number%s: %s", rp_node_quote(node, quoted),
                            quotes_hint(node), allowed);
    if (!number || parsed < range->min || parsed > range->max)
        return rp_node_fail(node, key, "%s is out of range: %s", rp_node_quote(node, quoted),
                            allowed);
    *value = parsed;
    return RP_OK;
}

enum rp_status rp_value_f64(const struct rp_node *node, const char *key, double min, double max,
                            double *value)
{
    char quoted[RP_QUOTE_SIZE];
    char low[RP_DECIMAL_SIZE];
    char high[RP_DECIMAL_SIZE];
    double parsed = 0.0;
    rp_decimal_text(min, low);
    rp_decimal_text(max, high);
    bool number =
        node->kind == RP_NODE_SCALAR && !node->quoted && rp_parse_f64(node->text, &parsed);
    if (!number)
        return rp_node_fail(node, key, "%s is no number%s: allowed %s..%s",
                            rp_node_quote(node, quoted), quotes_hint(node), low, high);
    if (parsed < min || parsed > max)
        return rp_node_fail(node, key, "%s is out of range: allowed %s..%s",
                            rp_node_quote(node, quoted), low, high);
    *value = parsed;
    return RP_OK;
}

enum rp_status rp_value_bool(const struct rp_node *node, const char *key, bool *value)
{
    char quoted[RP_QUOTE_SIZE];
    if (node->kind != RP_NODE_SCALAR || node->quoted || !rp_parse_bool(node->text, value))
        return rp_node_fail(node, key, "%s is neither true nor false%s: allowed true, false",
                            rp_node_quote(node, quoted), quotes_hint(node));
    return RP_OK;
}

/* "a, b, c"; a list longer than a sentence can hold ends in "...". */
static void join(const char *const *words, size_t n, char *joined, size_t size)
{
    size_t used = 0;
    joined[0] = '\0';
    for (size_t i = 0; i < n; ++i) {
        size_t length = strlen(words[i]);
        if (used + length + 8 > size) {
            memcpy(joined + used, ", ...", 6);
            return;
        }
        used += (size_t)snprintf(joined + used, size - used, "%s%s", i ? ", " : "", words[i]);
    }
}

enum rp_status rp_value_word(const struct rp_node *node, const char *key, const char *const *words,
                             size_t n, size_t *index)
{
    char quoted[RP_QUOTE_SIZE];
    char joined[512];
    bool scalar = node->kind == RP_NODE_SCALAR;
    for (size_t i = 0; scalar && i < n; ++i) {
        if (strcmp(words[i], node->text) == 0) {
            *index = i;
            return RP_OK;
        }
    }
    const char *near = scalar ? rp_text_nearest(node->text, words, n) : NULL;
    join(words, n, joined, sizeof joined);
    return rp_node_fail(node, key, "%s is not known: allowed %s%s%s%s", rp_node_quote(node, quoted),
                        joined, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

enum rp_status rp_value_check_map(const struct rp_node *node, const char *key, const char *what,
                                  const char *const *words, size_t n)
{
    char quoted[RP_QUOTE_SIZE];
    char joined[512];
    join(words, n, joined, sizeof joined);
    if (node->kind != RP_NODE_MAP)
        return rp_node_fail(node, key, "%s must be a map: allowed keys %s",
                            rp_node_quote(node, quoted), joined);
    for (const struct rp_node *entry = node->first; entry; entry = entry->next) {
        bool known = false;
        for (size_t i = 0; !known && i < n; ++i)
            known = strcmp(words[i], entry->key) == 0;
        if (known)
            continue;
        const char *near = rp_text_nearest(entry->key, words, n);
        if (near)
            return rp_node_fail_at_key(entry, "unknown key in %s; did you mean %s?", what, near);
        return rp_node_fail_at_key(entry, "unknown key in %s: allowed %s", what, joined);
    }
    return RP_OK;
}
