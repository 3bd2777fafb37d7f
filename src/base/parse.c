/* parse.c - strict numbers: digits are checked by hand, the C library only converts. */
#include "base/parse.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rp_parse_i64(const char *text, bool suffixes, int64_t *value)
{
    bool negative = text[0] == '-';
    const char *p = text + negative;
    if (*p < '0' || *p > '9')
        return false;
    /* Accumulated below zero, where one more number fits. */
    int64_t total = 0;
    for (; *p >= '0' && *p <= '9'; ++p) {
        if (__builtin_mul_overflow(total, 10, &total) ||
            __builtin_sub_overflow(total, *p - '0', &total))
            return false;
    }
    int64_t scale = 1;
    if (suffixes && (*p == 'k' || *p == 'M'))
        scale = *p++ == 'k' ? 1024 : 1048576;
    if (*p != '\0' || __builtin_mul_overflow(total, scale, &total))
        return false;
    if (!negative && __builtin_sub_overflow(0, total, &total))
        return false;
    *value = total;
    return true;
}

/* digits [. digits] [e [+-] digits], with an optional leading '-': what strtod may then see. */
static bool looks_decimal(const char *p)
{
    size_t digits = 0;
    if (*p == '-')
        ++p;
    for (; *p >= '0' && *p <= '9'; ++p)
        ++digits;
    if (*p == '.')
        for (++p; *p >= '0' && *p <= '9'; ++p)
            ++digits;
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        ++p;
        if (*p == '+' || *p == '-')
            ++p;
        if (*p < '0' || *p > '9')
            return false;
        while (*p >= '0' && *p <= '9')
            ++p;
    }
    return *p == '\0';
}

bool rp_parse_f64(const char *text, double *value)
{
    if (!looks_decimal(text))
        return false;
    /* strtod_l in the C locale: a library may have called setlocale behind our back. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double parsed = c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
    if (c_locale)
        freelocale(c_locale);
    if (!isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

bool rp_parse_bool(const char *text, bool *value)
{
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return false;
    *value = text[0] == 't';
    return true;
}
