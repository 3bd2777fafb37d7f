/*
 * node.h - a job file as a tree of maps, lists and scalars, each knowing where it was written.
 *
 * Knows nothing of YAML's text (document.h) nor of what a job means (job.h). Children are a linked
 * list, so that a node keeps its address when another is replaced.
 */
#ifndef RP_PLAN_NODE_H
#define RP_PLAN_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum rp_node_kind { RP_NODE_SCALAR, RP_NODE_LIST, RP_NODE_MAP };

struct rp_place {
    const char *source; /* a file's name, or an argument such as --set seed=1; borrowed */
    size_t line;        /* from 1; 0: the source is too short to need positions */
    size_t column;      /* from 1, in characters */
};

struct rp_node {
    enum rp_node_kind kind;
    struct rp_place place;
    bool quoted; /* a scalar in quotes or a text block: never a number, true or false */
    char *text;  /* of a scalar; heap */
    char *key;   /* of a map's entry; heap, else null */
    struct rp_place key_place;
    struct rp_node *first, *last; /* children, owned */
    struct rp_node *next;         /* sibling */
    size_t count;                 /* of children */
};

/* Null when there is no memory. `text` of n bytes is copied; null for lists and maps. */
struct rp_node *rp_node_create(enum rp_node_kind kind, struct rp_place place, const char *text,
                               size_t n);
void rp_node_destroy(struct rp_node *node); /* with its children; takes null */

/* The parent owns the child from now on. */
void rp_node_append(struct rp_node *parent, struct rp_node *child);

/* `old`, a child of `parent`, is destroyed; `replacement` takes its place and its key. */
void rp_node_replace(struct rp_node *parent, struct rp_node *old, struct rp_node *replacement);

/* The entry of a map, or null; null as well when the node is null or no map. */
struct rp_node *rp_node_find(const struct rp_node *map, const char *key);

/* RP_ERR_CONFIG: "FILE:LINE:COLUMN: key: sentence"; key null: left out. */
enum rp_status rp_node_fail(const struct rp_node *node, const char *key, const char *format, ...)
    RP_PRINTF(3, 4);

/* The same where the entry's key was written. */
enum rp_status rp_node_fail_at_key(const struct rp_node *node, const char *format, ...)
    RP_PRINTF(2, 3);

enum rp_status rp_place_fail(const struct rp_place *place, const char *key, const char *format, ...)
    RP_PRINTF(3, 4);

#define RP_QUOTE_SIZE 96
/* A value as a sentence shows it: "text" (long ones cut, control characters as '?'), a list or a
 * map. */
const char *rp_node_quote(const struct rp_node *node, char quoted[RP_QUOTE_SIZE]);

#endif
