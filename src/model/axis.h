/*
 * axis.h - the axes of a point as data: name, kind, limits, and a value as a whole number.
 *
 * Every axis' value fits an int64_t: a word is its enum, a mask 0 or 1. So what a sweep does with
 * axes (lists, products, exclusions) is written once for all of them. The rows are axes.def.
 */
#ifndef RP_MODEL_AXIS_H
#define RP_MODEL_AXIS_H

#include <stddef.h>
#include <stdint.h>

#include "model/point.h"

enum rp_axis {
#define RP_AXIS_WORD(name, meaning)          RP_AXIS_##name,
#define RP_AXIS_INT(name, min, max, meaning) RP_AXIS_##name,
#define RP_AXIS_BOOL(name, meaning)          RP_AXIS_##name,
#include "registry/axes.def"
    RP_AXIS_COUNT
};

enum rp_axis_kind { RP_AXIS_KIND_WORD, RP_AXIS_KIND_INT, RP_AXIS_KIND_BOOL };

enum { RP_AXIS_WORDS_MAX = 16 };

struct rp_axis_info {
    const char *name;
    enum rp_axis_kind kind;
    int64_t min, max; /* INT */
    const char *meaning;
};

const struct rp_axis_info *rp_axis_info(enum rp_axis axis);

/* The words of a WORD axis, in the order of their enum; returns how many. 0 for other axes. */
size_t rp_axis_words(enum rp_axis axis, const char *words[RP_AXIS_WORDS_MAX]);

int64_t rp_axis_get(const struct rp_point *p, enum rp_axis axis);

/* `value` must be one the axis can have. */
void rp_axis_set(struct rp_point *p, enum rp_axis axis, int64_t value);

#endif
