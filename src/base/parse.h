/*
 * parse.h - numbers a person typed. Whole strings only, no locale, no octal, no hex, no blanks.
 */
#ifndef RP_BASE_PARSE_H
#define RP_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A plain whole number: an optional '-', digits, and, where `suffixes`, an optional k (1024) or
 * M (1048576). False when the text is anything else or does not fit 64 bits; *value is untouched.
 */
bool rp_parse_i64(const char *text, bool suffixes, int64_t *value);

/* A finite decimal number such as 0.01, 2 or 1e-3; the decimal sign is '.' in every locale. */
bool rp_parse_f64(const char *text, double *value);

/* Exactly true or false. */
bool rp_parse_bool(const char *text, bool *value);

#endif
