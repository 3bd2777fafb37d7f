/*
 * document.c - libyaml's events, one by one, into a tree.
 *
 * The event interface lets us stop at the first event we do not want: nothing here grows faster
 * than the text. libyaml's marks count from 0 and in characters; places count from 1.
 */
#include "plan/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct builder {
    yaml_parser_t parser;
    const char *source;
    bool positions;
    const char *text;
    size_t length;
};

static struct rp_place place_of(const struct builder *b, const yaml_mark_t *mark)
{
    if (!b->positions)
        return (struct rp_place){b->source, 0, 0};
    return (struct rp_place){b->source, mark->line + 1, mark->column + 1};
}

/* Errors of libyaml's reader come with a byte offset instead of a mark. */
static struct rp_place place_of_offset(const struct builder *b, size_t offset)
{
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < offset && i < b->length; ++i) {
        unsigned char c = (unsigned char)b->text[i];
        bool ends_line = c == '\n' || (c == '\r' && (i + 1 == b->length || b->text[i + 1] != '\n'));
        mark.line += ends_line;
        mark.column = ends_line ? 0 : mark.column + ((c & 0xC0) != 0x80 && c != '\r');
    }
    return place_of(b, &mark);
}

static enum rp_status fail_memory(const struct builder *b)
{
    return RP_FAIL(RP_ERR_INTERNAL, "no memory to read %s", b->source);
}

static enum rp_status fail_syntax(const struct builder *b)
{
    const yaml_parser_t *parser = &b->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return fail_memory(b);
    struct rp_place place = parser->error == YAML_READER_ERROR
                                ? place_of_offset(b, parser->problem_offset)
                                : place_of(b, &parser->problem_mark);
    return rp_place_fail(&place, NULL, "%s%s%s", parser->problem ? parser->problem : "not YAML",
                         parser->context ? ", " : "", parser->context ? parser->context : "");
}

static enum rp_status next_event(struct builder *b, yaml_event_t *event)
{
    return yaml_parser_parse(&b->parser, event) ? RP_OK : fail_syntax(b);
}

static enum rp_status check_properties(const struct builder *b, const yaml_event_t *event,
                                       const yaml_char_t *anchor, const yaml_char_t *tag)
{
    struct rp_place place = place_of(b, &event->start_mark);
    if (anchor)
        return rp_place_fail(&place, NULL, "anchors (&%s) and aliases are not allowed",
                             (const char *)anchor);
    if (tag)
        return rp_place_fail(&place, NULL, "tags (%s) are not allowed", (const char *)tag);
    return RP_OK;
}

static enum rp_status build_scalar(struct builder *b, const yaml_event_t *event,
                                   struct rp_node **node)
{
    const char *text = (const char *)event->data.scalar.value;
    struct rp_place place = place_of(b, &event->start_mark);
    RP_TRY(check_properties(b, event, event->data.scalar.anchor, event->data.scalar.tag));
    if (strlen(text) != event->data.scalar.length)
        return rp_place_fail(&place, NULL, "a text with a null character is not allowed");
    *node = rp_node_create(RP_NODE_SCALAR, place, text, event->data.scalar.length);
    if (!*node)
        return fail_memory(b);
    (*node)->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return RP_OK;
}

static enum rp_status build_node(struct builder *b, const yaml_event_t *event, int depth,
                                 struct rp_node **node);

/* The value that follows a key; `name` becomes the entry's key. */
static enum rp_status build_entry(struct builder *b, const yaml_event_t *key, int depth,
                                  struct rp_node *map)
{
    yaml_event_t event;
    struct rp_node *name = NULL;
    struct rp_node *value = NULL;
    struct rp_place place = place_of(b, &key->start_mark);
    if (key->type != YAML_SCALAR_EVENT)
        return rp_place_fail(&place, NULL,
                             key->type == YAML_ALIAS_EVENT ? "aliases are not allowed"
                                                           : "a key must be a word");
    RP_TRY(build_scalar(b, key, &name));
    enum rp_status status = RP_OK;
    if (rp_node_find(map, name->text))
        status = rp_place_fail(&place, name->text, "is given twice in the same map");
    else if (map->count == RP_DOCUMENT_KEYS_MAX)
        status =
            rp_place_fail(&place, name->text, "more than %d keys in one map", RP_DOCUMENT_KEYS_MAX);
    if (status != RP_OK)
        goto cleanup;
    status = next_event(b, &event);
    if (status != RP_OK)
        goto cleanup;
    status = build_node(b, &event, depth, &value);
    yaml_event_delete(&event);
    if (status == RP_OK) {
        value->key = name->text;
        value->key_place = place;
        name->text = NULL;
        rp_node_append(map, value);
    }

cleanup:
    rp_node_destroy(name);
    return status;
}

/* Children up to the event that ends a list or a map. */
static enum rp_status build_children(struct builder *b, int depth, struct rp_node *parent)
{
    for (;;) {
        yaml_event_t event;
        struct rp_node *child = NULL;
        RP_TRY(next_event(b, &event));
        bool ended = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        enum rp_status status = RP_OK;
        if (!ended && parent->kind == RP_NODE_MAP) {
            status = build_entry(b, &event, depth, parent);
        } else if (!ended) {
            status = build_node(b, &event, depth, &child);
            if (status == RP_OK)
                rp_node_append(parent, child);
        }
        yaml_event_delete(&event);
        if (ended || status != RP_OK)
            return status;
    }
}

static enum rp_status build_node(struct builder *b, const yaml_event_t *event, int depth,
                                 struct rp_node **node)
{
    struct rp_place place = place_of(b, &event->start_mark);
    *node = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return rp_place_fail(&place, NULL, "aliases (*%s) are not allowed",
                             (const char *)event->data.alias.anchor);
    if (event->type == YAML_SCALAR_EVENT)
        return build_scalar(b, event, node);
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    RP_TRY(check_properties(
        b, event, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
        list ? event->data.sequence_start.tag : event->data.mapping_start.tag));
    if (depth == RP_DOCUMENT_DEPTH_MAX)
        return rp_place_fail(&place, NULL, "nesting is deeper than %d", RP_DOCUMENT_DEPTH_MAX);
    *node = rp_node_create(list ? RP_NODE_LIST : RP_NODE_MAP, place, NULL, 0);
    if (!*node)
        return fail_memory(b);
    enum rp_status status = build_children(b, depth + 1, *node);
    if (status != RP_OK) {
        rp_node_destroy(*node);
        *node = NULL;
    }
    return status;
}

/* One event, taken and deleted, when only its type and place matter. */
static enum rp_status skip_event(struct builder *b, yaml_event_type_t *type, struct rp_place *place)
{
    yaml_event_t event;
    RP_TRY(next_event(b, &event));
    *type = event.type;
    *place = place_of(b, &event.start_mark);
    yaml_event_delete(&event);
    return RP_OK;
}

static enum rp_status build_document(struct builder *b, struct rp_node **root)
{
    yaml_event_type_t type;
    struct rp_place place;
    yaml_event_t event;
    RP_TRY(skip_event(b, &type, &place)); /* stream start */
    RP_TRY(skip_event(b, &type, &place));
    if (type != YAML_DOCUMENT_START_EVENT) {
        place = place_of(b, &(yaml_mark_t){0, 0, 0});
        return rp_place_fail(&place, NULL, "there is nothing in it");
    }
    RP_TRY(next_event(b, &event));
    enum rp_status status = build_node(b, &event, 0, root);
    yaml_event_delete(&event);
    RP_TRY(status);
    RP_TRY(skip_event(b, &type, &place)); /* document end */
    RP_TRY(skip_event(b, &type, &place));
    if (type != YAML_STREAM_END_EVENT)
        return rp_place_fail(&place, NULL, "a second document is not allowed");
    return RP_OK;
}

enum rp_status rp_document_parse(const char *source, const char *text, size_t length,
                                 bool positions, struct rp_node **root)
{
    *root = NULL;
    if (length > RP_DOCUMENT_BYTES_MAX)
        return RP_FAIL(RP_ERR_CONFIG, "%.512s: %zu bytes: at most %d are allowed", source, length,
                       RP_DOCUMENT_BYTES_MAX);
    /* A byte order mark is no character of the first line. */
    size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    struct builder b = {
        .source = source, .positions = positions, .text = text + mark, .length = length - mark};
    if (!yaml_parser_initialize(&b.parser))
        return fail_memory(&b);
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)b.text, b.length);
    enum rp_status status = build_document(&b, root);
    if (status != RP_OK) {
        rp_node_destroy(*root);
        *root = NULL;
    }
    yaml_parser_delete(&b.parser);
    return status;
}

enum rp_status rp_document_load(const char *path, char **text, size_t *length)
{
    bool standard_input = strcmp(path, "-") == 0;
    *text = NULL;
    *length = 0;
    FILE *file = standard_input ? stdin : fopen(path, "rb");
    if (!file)
        return RP_FAIL(RP_ERR_CONFIG, "%s: cannot be opened: %s", path, strerror(errno));
    enum rp_status status = RP_OK;
    /* One byte more than allowed tells a file that is too long from one that just fits. */
    char *bytes = malloc(RP_DOCUMENT_BYTES_MAX + 2);
    if (!bytes) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no memory to read %s", path);
        goto cleanup;
    }
    errno = 0;
    *length = fread(bytes, 1, RP_DOCUMENT_BYTES_MAX + 1, file);
    if (ferror(file))
        status = RP_FAIL(RP_ERR_CONFIG, "%s: cannot be read: %s", path, strerror(errno));
    else if (*length > RP_DOCUMENT_BYTES_MAX)
        status = RP_FAIL(RP_ERR_CONFIG, "%s: longer than the %d bytes that are allowed", path,
                         RP_DOCUMENT_BYTES_MAX);
    if (status != RP_OK)
        goto cleanup;
    bytes[*length] = '\0';
    *text = bytes;
    bytes = NULL;

cleanup:
    free(bytes);
    if (!standard_input)
        fclose(file);
    return status;
}
