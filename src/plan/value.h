/*
 * value.h - what a node must be: a whole number, a number, true or false, a word, a map of known
 * keys. Each refusal names place, key, value and what is allowed, with "did you mean" for a near
 * miss. `key` is the name to show; of a list's element it is the list's.
 */
#ifndef RP_PLAN_VALUE_H
#define RP_PLAN_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/node.h"

struct rp_value_range {
    int64_t min, max;
    bool suffixes; /* k means 1024, M means 1048576 */
};

enum rp_status rp_value_i64(const struct rp_node *node, const char *key,
                            const struct rp_value_range *range, int64_t *value) RP_MUST_CHECK;
enum rp_status rp_value_f64(const struct rp_node *node, const char *key, double min, double max,
                            double *value) RP_MUST_CHECK;
enum rp_status rp_value_bool(const struct rp_node *node, const char *key,
                             bool *value) RP_MUST_CHECK;

/* *index: which of the n words (at most 1024) it is. */
enum rp_status rp_value_word(const struct rp_node *node, const char *key, const char *const *words,
                             size_t n, size_t *index) RP_MUST_CHECK;

/* `node` is a map and each of its keys one of the n words; `what` ("a sweep block") is how the
 * sentence calls it. */
enum rp_status rp_value_check_map(const struct rp_node *node, const char *key, const char *what,
                                  const char *const *words, size_t n) RP_MUST_CHECK;

#endif
