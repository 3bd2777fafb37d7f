/* text.c - a string that grows, and how near two words are. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rp_text_init(struct rp_text *text)
{
    *text = (struct rp_text){0};
}

void rp_text_clear(struct rp_text *text)
{
    free(text->data);
    rp_text_init(text);
}

static bool reserve(struct rp_text *text, size_t more)
{
    if (text->failed)
        return false;
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void rp_text_add(struct rp_text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n))
        return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

void rp_text_printf(struct rp_text *text, const char *format, ...)
{
    va_list args;
    va_list again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

bool rp_text_ok(const struct rp_text *text)
{
    return !text->failed;
}

const char *rp_text_string(const struct rp_text *text)
{
    return text->data ? text->data : "";
}

size_t rp_text_utf8_length(const char *p, size_t n)
{
    const unsigned char *byte = (const unsigned char *)p;
    if (n == 0)
        return 0;
    if (byte[0] < 0x80)
        return 1;
    size_t length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || n < length)
        return 0;
    for (size_t i = 1; i < length; ++i) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    }
    /* The second byte alone tells the overlong, the surrogates and the too large (RFC 3629). */
    bool refused = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
                   (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F);
    return refused ? 0 : length;
}

bool rp_text_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, "|");
        if (n == length && memcmp(p, word, n) == 0)
            return true;
        p += n + (p[n] == '|');
    }
    return false;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t rp_text_distance(const char *a, const char *b, size_t limit)
{
    enum { LONGEST = 63 };
    size_t na = strlen(a);
    size_t nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return limit + 1;
    /* Rows i - 2, i - 1 and i of the table, used in turn. */
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; ++j)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; ++i) {
        size_t *current = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        current[0] = i;
        for (size_t j = 1; j <= nb; ++j) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            current[j] = least(replaced, least(above[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = least(current[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    size_t distance = rows[na % 3][nb];
    return distance <= limit ? distance : limit + 1;
}

const char *rp_text_nearest(const char *word, const char *const *words, size_t n)
{
    size_t limit = strlen(word) / 2 < 2 ? strlen(word) / 2 : 2;
    const char *best = NULL;
    size_t best_distance = limit + 1;
    for (size_t i = 0; i < n; ++i) {
        size_t distance = rp_text_distance(word, words[i], limit);
        if (distance < best_distance) {
            best_distance = distance;
            best = words[i];
        }
    }
    return best;
}
