/*
 * check.h - cmocka with the name of the case in every failure. Include this first in a test.
 */
#ifndef RP_TESTS_CHECK_H
#define RP_TESTS_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"

#define CHECK_TRUE(condition, name)                                                                \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: not true: %s", (name), #condition);                                      \
    } while (0)

#define CHECK_OK(call, name)                                                                       \
    do {                                                                                           \
        if ((call) != RP_OK)                                                                       \
            fail_msg("%s: %s failed: %s", (name), #call, rp_status_message());                     \
    } while (0)

#define CHECK_STATUS(call, expected, name)                                                         \
    do {                                                                                           \
        int check_got = (int)(call);                                                               \
        if (check_got != (int)(expected))                                                          \
            fail_msg("%s: %s gave %d, not %s (%s)", (name), #call, check_got, #expected,           \
                     rp_status_message());                                                         \
    } while (0)

#define CHECK_EQ_I64(got, expected, name)                                                          \
    do {                                                                                           \
        int64_t check_got = (got);                                                                 \
        int64_t check_expected = (expected);                                                       \
        if (check_got != check_expected)                                                           \
            fail_msg("%s: %s is %" PRId64 ", not %" PRId64, (name), #got, check_got,               \
                     check_expected);                                                              \
    } while (0)

#define CHECK_NEAR(got, expected, tolerance, name)                                                 \
    do {                                                                                           \
        double check_got = (got);                                                                  \
        double check_expected = (expected);                                                        \
        if (!(fabs(check_got - check_expected) <= (tolerance)))                                    \
            fail_msg("%s: %s is %.17g, not %.17g", (name), #got, check_got, check_expected);       \
    } while (0)

#define CHECK_EQ_TEXT(got, expected, name)                                                         \
    do {                                                                                           \
        const char *check_got = (got);                                                             \
        const char *check_expected = (expected);                                                   \
        if (strcmp(check_got, check_expected) != 0)                                                \
            fail_msg("%s: %s is \"%s\", not \"%s\"", (name), #got, check_got, check_expected);     \
    } while (0)

#define CHECK_CONTAINS(got, part, name)                                                            \
    do {                                                                                           \
        const char *check_got = (got);                                                             \
        if (!strstr(check_got, (part)))                                                            \
            fail_msg("%s: \"%s\" lacks \"%s\"", (name), check_got, (part));                        \
    } while (0)

#endif
