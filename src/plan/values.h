/*
 * values.h - the values one key of a sweep block stands for: a scalar, a list of scalars and
 * ranges, or a range {from:, to:, times:} or {from:, to:, plus:}, sorted and without duplicates.
 *
 * A range ends at its last value that is not above `to`. Words are kept as their index.
 */
#ifndef RP_PLAN_VALUES_H
#define RP_PLAN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/axis.h"
#include "plan/node.h"

enum { RP_VALUES_MAX = 1000000 }; /* of one key */

struct rp_values {
    int64_t *items; /* heap; rising */
    size_t count;   /* 0: the key was not there */
};

/* What the values of a key must be. */
struct rp_values_type {
    const char *key;
    enum rp_axis_kind kind;
    int64_t min, max;         /* INT */
    const char *const *words; /* WORD */
    size_t n_words;
};

/* Reads `node` into empty `values`; an empty list is refused. The caller clears, also on failure.
 */
enum rp_status rp_values_read(const struct rp_node *node, const struct rp_values_type *type,
                              struct rp_values *values) RP_MUST_CHECK;
void rp_values_clear(struct rp_values *values);

bool rp_values_have(const struct rp_values *values, int64_t value);

#endif
