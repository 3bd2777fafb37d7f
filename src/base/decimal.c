/* decimal.c - shortest round-trip text, without setlocale and without trusting nobody called it. */
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Whatever the locale writes between the digits (one byte or several) becomes one '.'. */
static void replace_decimal_sign(char *text)
{
    char *to = text;
    bool replaced = false;
    for (const char *from = text; *from; ++from) {
        bool plain = (*from >= '0' && *from <= '9') || *from == '-' || *from == '+' ||
                     (*from >= 'a' && *from <= 'z');
        if (plain) {
            *to++ = *from;
        } else if (!replaced) {
            *to++ = '.';
            replaced = true;
        }
    }
    *to = '\0';
}

void rp_decimal_text(double value, char text[RP_DECIMAL_SIZE])
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, RP_DECIMAL_SIZE, "%.*g", digits, value);
        /* Same locale for writing and reading, so the sign between does not matter yet. Equality
         * is meant: this is about bits, not about nearness. */
        double back = strtod(text, NULL);
        if (!(back < value) && !(back > value))
            break;
    }
    replace_decimal_sign(text);
}

void rp_decimal_rounded(double value, int digits, char text[RP_DECIMAL_SIZE])
{
    if (digits > 17)
        digits = 17;
    snprintf(text, RP_DECIMAL_SIZE, "%.*g", digits, value);
    replace_decimal_sign(text);
}

void rp_decimal_plain(double value, int digits, char text[RP_DECIMAL_SIZE])
{
    double magnitude = fabs(value);
    if (magnitude >= pow(10, digits) - 0.5 && magnitude < 1e15)
        snprintf(text, RP_DECIMAL_SIZE, "%.0f", value);
    else
        rp_decimal_rounded(value, digits, text);
}
