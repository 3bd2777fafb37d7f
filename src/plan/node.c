/* node.c - building, searching and pointing at the tree of a job file. */
#include "plan/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct rp_node *rp_node_create(enum rp_node_kind kind, struct rp_place place, const char *text,
                               size_t n)
{
    struct rp_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->place = place;
    if (text) {
        node->text = strndup(text, n);
        if (!node->text) {
            free(node);
            return NULL;
        }
    }
    return node;
}

/* Recursion is as deep as the tree, which document.c limits. */
void rp_node_destroy(struct rp_node *node)
{
    if (!node)
        return;
    for (struct rp_node *child = node->first; child;) {
        struct rp_node *next = child->next;
        rp_node_destroy(child);
        child = next;
    }
    free(node->text);
    free(node->key);
    free(node);
}

void rp_node_append(struct rp_node *parent, struct rp_node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    ++parent->count;
}

void rp_node_replace(struct rp_node *parent, struct rp_node *old, struct rp_node *replacement)
{
    struct rp_node **link = &parent->first;
    while (*link != old)
        link = &(*link)->next;
    replacement->key = old->key;
    old->key = NULL;
    replacement->next = old->next;
    *link = replacement;
    if (parent->last == old)
        parent->last = replacement;
    rp_node_destroy(old);
}

struct rp_node *rp_node_find(const struct rp_node *map, const char *key)
{
    if (!map || map->kind != RP_NODE_MAP)
        return NULL;
    for (struct rp_node *child = map->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0)
            return child;
    }
    return NULL;
}

/* A key is the user's text too: cut, and without what would move a terminal's cursor. */
static void tidy(const char *text, char *tidied, size_t size)
{
    size_t used = 0;
    for (const char *p = text; *p && used + 5 < size;) {
        size_t n = rp_text_utf8_length(p, strlen(p));
        bool control = n == 0 || (unsigned char)*p < 0x20 || *p == 0x7f;
        n += n == 0;
        if (control)
            tidied[used++] = '?';
        else
            memcpy(tidied + used, p, n);
        used += control ? 0 : n;
        p += n;
        if (*p && used + 5 >= size) {
            memcpy(tidied + used, "...", 3);
            used += 3;
            break;
        }
    }
    tidied[used] = '\0';
}

static enum rp_status fail_va(const struct rp_place *place, const char *key, const char *format,
                              va_list args)
{
    char sentence[1024];
    char where[64] = "";
    char tidied[RP_QUOTE_SIZE] = "";
    vsnprintf(sentence, sizeof sentence, format, args);
    if (place->line > 0)
        snprintf(where, sizeof where, ":%zu:%zu", place->line, place->column);
    if (key)
        tidy(key, tidied, sizeof tidied);
    return RP_FAIL(RP_ERR_CONFIG, "%.512s%s: %s%s%s", place->source, where, tidied, key ? ": " : "",
                   sentence);
}

enum rp_status rp_place_fail(const struct rp_place *place, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum rp_status status = fail_va(place, key, format, args);
    va_end(args);
    return status;
}

enum rp_status rp_node_fail(const struct rp_node *node, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum rp_status status = fail_va(&node->place, key, format, args);
    va_end(args);
    return status;
}

enum rp_status rp_node_fail_at_key(const struct rp_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum rp_status status = fail_va(&node->key_place, node->key, format, args);
    va_end(args);
    return status;
}

const char *rp_node_quote(const struct rp_node *node, char quoted[RP_QUOTE_SIZE])
{
    if (node->kind != RP_NODE_SCALAR)
        return node->kind == RP_NODE_LIST ? "a list" : "a map";
    quoted[0] = '"';
    tidy(node->text, quoted + 1, RP_QUOTE_SIZE - 2);
    size_t length = strlen(quoted);
    quoted[length] = '"';
    quoted[length + 1] = '\0';
    return quoted;
}
