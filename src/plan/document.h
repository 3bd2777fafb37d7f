/*
 * document.h - YAML text to a tree of nodes. document.c is the only includer of the YAML library.
 *
 * Refused by position, before anything large is built: anchors and aliases, tags, a second
 * document, nesting over 32, more than 1 MiB, duplicate keys, keys that are no plain text, more
 * than 1024 keys in a map, text that is not UTF-8, an empty text.
 */
#ifndef RP_PLAN_DOCUMENT_H
#define RP_PLAN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/node.h"

enum { RP_DOCUMENT_BYTES_MAX = 1048576, RP_DOCUMENT_DEPTH_MAX = 32, RP_DOCUMENT_KEYS_MAX = 1024 };

/* `source` stands for the text in messages and must outlive the tree. Without `positions` (one
 * argument of a command line) the source alone is named. The caller destroys the root. */
enum rp_status rp_document_parse(const char *source, const char *text, size_t length,
                                 bool positions, struct rp_node **root) RP_MUST_CHECK;

/* The bytes of a file, null-terminated, on the heap; "-" is standard input. RP_ERR_CONFIG when it
 * cannot be read or is too long. */
enum rp_status rp_document_load(const char *path, char **text, size_t *length) RP_MUST_CHECK;

#endif
