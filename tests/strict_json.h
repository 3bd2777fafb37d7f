/*
 * strict_json.h - is a text JSON by RFC 8259, to the letter? And which scalars does it hold?
 *
 * Nothing is forgiven: no trailing comma, no NaN, no raw control character, no key twice in an
 * object, nothing behind the end. Numbers must be finite as doubles.
 */
#ifndef RP_TESTS_STRICT_JSON_H
#define RP_TESTS_STRICT_JSON_H

#include "check.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/text.h"

enum { JSON_KEYS_MAX = 256, JSON_DEPTH_MAX = 8 };

#define JSON_SEPARATOR "\x1f" /* after each scalar */

struct strict_json {
    const char *at;
    const char *fault; /* null: none so far */
    struct rp_text *scalars;
    int depth;
};

static inline bool json_refuse(struct strict_json *j, const char *why)
{
    j->fault = j->fault ? j->fault : why;
    return false;
}

static inline void json_skip(struct strict_json *j)
{
    j->at += strspn(j->at, " \t\n\r");
}

static inline bool json_take(struct strict_json *j, char c)
{
    json_skip(j);
    if (*j->at != c)
        return false;
    ++j->at;
    return true;
}

/* An escape behind its backslash; what is not ASCII is kept as '?'. */
static inline bool json_escape(struct strict_json *j, struct rp_text *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *known = *j->at ? strchr(letters, *j->at) : NULL;
    char hex[5] = "";
    if (known) {
        rp_text_add(out, &meanings[known - letters], 1);
        ++j->at;
        return true;
    }
    if (*j->at != 'u' || strspn(j->at + 1, "0123456789abcdefABCDEF") < 4)
        return json_refuse(j, "an escape that JSON does not have");
    memcpy(hex, j->at + 1, 4);
    long code = strtol(hex, NULL, 16);
    rp_text_printf(out, "%c", code > 0 && code < 128 ? (int)code : '?');
    j->at += 5;
    return true;
}

static inline bool json_string(struct strict_json *j, struct rp_text *out)
{
    if (!json_take(j, '"'))
        return json_refuse(j, "a string expected");
    while (*j->at != '"') {
        if ((unsigned char)*j->at < 0x20)
            return json_refuse(j, "a raw control character, or no end, in a string");
        if (*j->at == '\\') {
            ++j->at;
            if (!json_escape(j, out))
                return false;
            continue;
        }
        rp_text_add(out, j->at++, 1);
    }
    ++j->at;
    return true;
}

static inline bool json_number(struct strict_json *j)
{
    const char *begin = j->at;
    const char *p = begin + (*begin == '-');
    size_t digits = strspn(p, "0123456789");
    if (digits == 0 || (digits > 1 && *p == '0'))
        return json_refuse(j, "a value expected, or a number with leading zeros");
    p += digits;
    if (*p == '.') {
        digits = strspn(++p, "0123456789");
        if (digits == 0)
            return json_refuse(j, "no digit after the point");
        p += digits;
    }
    if (*p == 'e' || *p == 'E') {
        ++p;
        p += *p == '+' || *p == '-';
        digits = strspn(p, "0123456789");
        if (digits == 0)
            return json_refuse(j, "no digit in the exponent");
        p += digits;
    }
    if (isinf(strtod(begin, NULL)))
        return json_refuse(j, "a number beyond double");
    rp_text_add(j->scalars, begin, (size_t)(p - begin));
    j->at = p;
    return true;
}

static inline bool json_value(struct strict_json *j);

static inline bool json_object(struct strict_json *j)
{
    struct rp_text keys[JSON_KEYS_MAX];
    size_t n = 0;
    bool good = true;
    if (json_take(j, '}'))
        return true;
    do {
        rp_text_init(&keys[n]);
        json_skip(j);
        good = json_string(j, &keys[n]);
        for (size_t i = 0; good && i < n; ++i) {
            if (strcmp(rp_text_string(&keys[i]), rp_text_string(&keys[n])) == 0)
                good = json_refuse(j, "a key twice");
        }
        ++n;
        good = good && (json_take(j, ':') || json_refuse(j, "':' expected")) && json_value(j);
    } while (good && n < JSON_KEYS_MAX && json_take(j, ','));
    for (size_t i = 0; i < n; ++i)
        rp_text_clear(&keys[i]);
    return good && (json_take(j, '}') || json_refuse(j, "',' or '}' expected"));
}

static inline bool json_array(struct strict_json *j)
{
    if (json_take(j, ']'))
        return true;
    do {
        if (!json_value(j))
            return false;
    } while (json_take(j, ','));
    return json_take(j, ']') || json_refuse(j, "',' or ']' expected");
}

static inline bool json_scalar(struct strict_json *j)
{
    static const char *const words[] = {"true", "false", "null"};
    bool good = true;
    if (*j->at == '"') {
        good = json_string(j, j->scalars);
    } else if (isalpha((unsigned char)*j->at)) {
        size_t n = strspn(j->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        size_t i = 0;
        while (i < RP_COUNT(words) && (strlen(words[i]) != n || strncmp(words[i], j->at, n) != 0))
            ++i;
        if (i == RP_COUNT(words))
            return json_refuse(j, "a word that is not true, false or null");
        rp_text_add(j->scalars, j->at, strcmp(words[i], "null") == 0 ? 0 : n);
        j->at += n;
    } else {
        good = json_number(j);
    }
    rp_text_printf(j->scalars, JSON_SEPARATOR);
    return good;
}

static inline bool json_value(struct strict_json *j)
{
    json_skip(j);
    if (*j->at != '{' && *j->at != '[')
        return json_scalar(j);
    if (++j->depth > JSON_DEPTH_MAX)
        return json_refuse(j, "nested too deeply");
    bool good = *j->at++ == '{' ? json_object(j) : json_array(j);
    --j->depth;
    return good;
}

/* Null when the text is JSON, else what is wrong. Its scalars, null as an empty one, are added to
 * `scalars`, each followed by JSON_SEPARATOR. */
static inline const char *strict_json_fault(const char *text, struct rp_text *scalars)
{
    struct strict_json j = {text, NULL, scalars, 0};
    if (json_value(&j)) {
        json_skip(&j);
        if (*j.at)
            json_refuse(&j, "something behind the end");
    }
    return j.fault;
}

#endif
