/* crossover_axis.c - reading and moving along an axis of a point. */
#include "analysis/crossover_axis.h"

#include <math.h>

#include "analysis/crossover.h"

bool rp_turn_axis_applies(enum rp_turn_axis axis, const struct rp_point *p)
{
    if (axis == RP_TURN_SEQ || p->stage == RP_STAGE_PREFILL)
        return axis == RP_TURN_SEQ && rp_crossover_follows(p);
    return true;
}

bool rp_turn_axis_needs_sweep(enum rp_turn_axis axis)
{
    return axis != RP_TURN_SEQ && axis != RP_TURN_SEQ_K;
}

int64_t rp_turn_axis_value(enum rp_turn_axis axis, const struct rp_point *p)
{
    switch (axis) {
    case RP_TURN_BATCH:
        return p->batch;
    case RP_TURN_GROUP:
        return p->heads / p->kv_heads;
    case RP_TURN_SEQ_Q:
        return p->seq_q;
    default:
        return p->seq_k;
    }
}

static void set_value(enum rp_turn_axis axis, struct rp_point *p, int64_t value)
{
    switch (axis) {
    case RP_TURN_BATCH:
        p->batch = value;
        break;
    case RP_TURN_GROUP:
        p->kv_heads = p->heads / value;
        break;
    case RP_TURN_SEQ_Q:
        p->seq_q = value;
        break;
    case RP_TURN_SEQ:
        p->seq_q = p->seq_k = value;
        break;
    default:
        p->seq_k = value;
        break;
    }
}

struct rp_point rp_turn_axis_at(enum rp_turn_axis axis, const struct rp_point *p, int64_t value)
{
    struct rp_point moved = *p;
    set_value(axis, &moved, value);
    return moved;
}

struct rp_point rp_turn_axis_series(enum rp_turn_axis axis, const struct rp_point *p)
{
    struct rp_point series = *p;
    /* One query is stored without a mask and begins the series of the masked ones. */
    if (axis == RP_TURN_SEQ_Q && p->seq_q == 1)
        series.causal = true;
    set_value(axis, &series, 1);
    return series;
}

double rp_turn_axis_limit(enum rp_turn_axis axis, const struct rp_point *p, enum rp_impl impl,
                          const struct rp_method_device *on)
{
    struct rp_method_cost cost;
    struct rp_point far = rp_turn_axis_series(axis, p);
    int64_t value = INT64_C(1) << 16; /* counting walks the tiles, so not farther than tells */
    while (value < 4 * rp_turn_axis_value(axis, p) && value <= INT64_MAX / 4)
        value *= 2;
    if (axis == RP_TURN_GROUP)
        value = p->heads;
    if (axis == RP_TURN_SEQ_Q && far.causal)
        value = p->seq_k;
    for (; value >= 1; value /= 2) {
        set_value(axis, &far, value);
        if (rp_method_cost_of(on, impl, &far, &cost) == RP_OK && cost.bytes_impl > 0)
            return (double)cost.flops_impl / (double)cost.bytes_impl;
    }
    return NAN;
}
