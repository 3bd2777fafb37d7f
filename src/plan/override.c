/* override.c - walks a dotted path down the tree and replaces or adds what is at its end. */
#include "plan/override.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "plan/document.h"

enum { PATH_SIZE = 256, PATH_PARTS_MAX = 16 };

struct path {
    char text[PATH_SIZE]; /* dots became nulls */
    const char *parts[PATH_PARTS_MAX];
    size_t count;
};

static enum rp_status split_path(const char *label, const char *argument, size_t length,
                                 struct path *path)
{
    if (length == 0 || length >= PATH_SIZE)
        return RP_FAIL(RP_ERR_CONFIG,
                       "%.300s: must be KEY=VALUE, for instance measure.max_time_s=1", label);
    memcpy(path->text, argument, length);
    path->text[length] = '\0';
    path->count = 0;
    for (char *part = path->text; part;) {
        char *dot = strchr(part, '.');
        if (dot)
            *dot++ = '\0';
        if (part[0] == '\0' || path->count == PATH_PARTS_MAX)
            return RP_FAIL(RP_ERR_CONFIG, "%.300s: its path must be 1 to %d words with dots", label,
                           PATH_PARTS_MAX);
        path->parts[path->count++] = part;
        part = dot;
    }
    return RP_OK;
}

static enum rp_status find_element(const struct rp_node *list, const char *label, const char *part,
                                   struct rp_node **element)
{
    int64_t index = -1;
    if (!rp_parse_i64(part, false, &index) || index < 0 || (uint64_t)index >= list->count)
        return RP_FAIL(RP_ERR_CONFIG, "%.300s: \"%s\" is no element of this list: allowed %s%zu",
                       label, part, list->count > 1 ? "0.." : "",
                       list->count ? list->count - 1 : 0);
    *element = list->first;
    for (int64_t i = 0; i < index; ++i)
        *element = (*element)->next;
    return RP_OK;
}

/* The child a part of the path names; null in *child when a map has no such entry yet. */
static enum rp_status step(const struct rp_node *parent, const char *label, const char *part,
                           struct rp_node **child)
{
    *child = NULL;
    if (parent->kind == RP_NODE_LIST)
        return find_element(parent, label, part, child);
    if (parent->kind == RP_NODE_SCALAR)
        return RP_FAIL(RP_ERR_CONFIG, "%.300s: there is nothing below \"%.64s\" to set \"%s\" in",
                       label, parent->key ? parent->key : parent->text, part);
    *child = rp_node_find(parent, part);
    return RP_OK;
}

/* `node` becomes the entry `key` of a map. */
static enum rp_status add_entry(struct rp_node *map, const char *label, const char *key,
                                struct rp_node *node)
{
    node->key = strdup(key);
    if (!node->key) {
        rp_node_destroy(node);
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %.300s", label);
    }
    node->key_place = (struct rp_place){label, 0, 0};
    rp_node_append(map, node);
    return RP_OK;
}

/* The node whose child the last part names. */
static enum rp_status walk_to_parent(struct rp_node *root, const char *label,
                                     const struct path *path, struct rp_node **parent)
{
    *parent = root;
    for (size_t i = 0; i + 1 < path->count; ++i) {
        struct rp_node *child = NULL;
        RP_TRY(step(*parent, label, path->parts[i], &child));
        if (!child) {
            child = rp_node_create(RP_NODE_MAP, (struct rp_place){label, 0, 0}, NULL, 0);
            if (!child)
                return RP_FAIL(RP_ERR_INTERNAL, "no memory for %.300s", label);
            RP_TRY(add_entry(*parent, label, path->parts[i], child));
        }
        *parent = child;
    }
    return RP_OK;
}

enum rp_status rp_override_apply(struct rp_node *root, const char *label, const char *argument)
{
    struct path path;
    struct rp_node *parent = NULL;
    struct rp_node *old = NULL;
    struct rp_node *value = NULL;
    const char *equals = strchr(argument, '=');
    RP_TRY(split_path(label, argument, equals ? (size_t)(equals - argument) : 0, &path));
    RP_TRY(walk_to_parent(root, label, &path, &parent));
    RP_TRY(step(parent, label, path.parts[path.count - 1], &old));
    RP_TRY(rp_document_parse(label, equals + 1, strlen(equals + 1), false, &value));
    if (!old)
        return add_entry(parent, label, path.parts[path.count - 1], value);
    value->key_place = (struct rp_place){label, 0, 0};
    rp_node_replace(parent, old, value);
    return RP_OK;
}
