/* axis.c - axes.def as a table, and a point's member by axis. */
#include "model/axis.h"

static const struct rp_axis_info infos[] = {
#define RP_AXIS_WORD(name, meaning)          {#name, RP_AXIS_KIND_WORD, 0, 0, meaning},
#define RP_AXIS_INT(name, min, max, meaning) {#name, RP_AXIS_KIND_INT, min, max, meaning},
#define RP_AXIS_BOOL(name, meaning)          {#name, RP_AXIS_KIND_BOOL, 0, 1, meaning},
#include "registry/axes.def"
};

const struct rp_axis_info *rp_axis_info(enum rp_axis axis)
{
    return &infos[axis];
}

size_t rp_axis_words(enum rp_axis axis, const char *words[RP_AXIS_WORDS_MAX])
{
    size_t count = 0;
    if (axis == RP_AXIS_stage) {
        for (; count <= RP_STAGE_DECODE; ++count)
            words[count] = rp_stage_name((enum rp_stage)count);
    } else if (axis == RP_AXIS_dtype) {
        for (; count < RP_DTYPE_COUNT && count < RP_AXIS_WORDS_MAX; ++count)
            words[count] = rp_dtype_info((enum rp_dtype)count)->name;
    }
    return count;
}

int64_t rp_axis_get(const struct rp_point *p, enum rp_axis axis)
{
    switch (axis) {
#define RP_AXIS_WORD(name, meaning)                                                                \
    case RP_AXIS_##name:                                                                           \
        return (int64_t)p->name;
#define RP_AXIS_INT(name, min, max, meaning) RP_AXIS_WORD(name, meaning)
#define RP_AXIS_BOOL(name, meaning)          RP_AXIS_WORD(name, meaning)
#include "registry/axes.def"
    case RP_AXIS_COUNT:
        break;
    }
    return 0;
}

void rp_axis_set(struct rp_point *p, enum rp_axis axis, int64_t value)
{
    switch (axis) {
#define RP_AXIS_WORD(name, meaning)                                                                \
    case RP_AXIS_##name:                                                                           \
        p->name = (__typeof__(p->name))value;                                                      \
        return;
#define RP_AXIS_INT(name, min, max, meaning)                                                       \
    case RP_AXIS_##name:                                                                           \
        p->name = value;                                                                           \
        return;
#define RP_AXIS_BOOL(name, meaning)                                                                \
    case RP_AXIS_##name:                                                                           \
        p->name = value != 0;                                                                      \
        return;
#include "registry/axes.def"
    case RP_AXIS_COUNT:
        return;
    }
}
