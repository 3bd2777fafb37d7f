/*
 * text.h - a string that grows.
 *
 * Running out of host memory for text is remembered and makes rp_text_ok false; every call on such
 * a text is a no-op, so a caller checks once at the end.
 */
#ifndef RP_BASE_TEXT_H
#define RP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct rp_text {
    char *data; /* null-terminated once something was added; null before */
    size_t length;
    size_t capacity;
    bool failed;
};

void rp_text_init(struct rp_text *text);
void rp_text_clear(struct rp_text *text); /* frees; the text is as after init */
void rp_text_add(struct rp_text *text, const char *bytes, size_t n);
void rp_text_printf(struct rp_text *text, const char *format, ...) RP_PRINTF(2, 3);
bool rp_text_ok(const struct rp_text *text);
const char *rp_text_string(const struct rp_text *text); /* "" when empty; owned by the text */

/* Bytes of the UTF-8 character at `p`, of which `n` bytes may be read; 0 when it is none (a stray
 * byte, cut short, overlong, a surrogate, beyond U+10FFFF). */
size_t rp_text_utf8_length(const char *p, size_t n);

/* Whether `word` is, whole, one of the words with '|' between them. */
bool rp_text_has_word(const char *words, const char *word);

/* Edit distance up to `limit` (more is `limit` + 1), for "did you mean"; two neighbours swapped
 * count as one edit. */
size_t rp_text_distance(const char *a, const char *b, size_t limit);

/* Of n words the nearest to `word` within distance 2 and half its length, or null. */
const char *rp_text_nearest(const char *word, const char *const *words, size_t n);

#endif
