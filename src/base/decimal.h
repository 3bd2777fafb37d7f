/* decimal.h - a double as text that reads back to the same double, in every locale. */
#ifndef RP_BASE_DECIMAL_H
#define RP_BASE_DECIMAL_H

#define RP_DECIMAL_SIZE 32

/* The shortest of 15, 16 and 17 digits that reads back to the same value; the decimal sign is '.'.
 * `value` must be finite: what stands for a missing number is the caller's matter. */
void rp_decimal_text(double value, char text[RP_DECIMAL_SIZE]);

/* printf's %.*g with '.' as the decimal sign: for eyes. */
void rp_decimal_rounded(double value, int digits, char text[RP_DECIMAL_SIZE]);

/* The same, but whole instead of with an exponent where it has more digits before the point: 32768,
 * not 3.28e+04. */
void rp_decimal_plain(double value, int digits, char text[RP_DECIMAL_SIZE]);

#endif
