/* crossover_axis.h - the axes of crossover_table.h: what a point has on them. */
#ifndef RP_ANALYSIS_CROSSOVER_AXIS_H
#define RP_ANALYSIS_CROSSOVER_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/crossover_table.h"
#include "model/method_cost.h"
#include "model/point.h"

/* Whether the axis is looked at for this point. */
bool rp_turn_axis_applies(enum rp_turn_axis axis, const struct rp_point *p);

/* Whether one shape says something: of T, that it is below or above; a batch alone is no sweep. */
bool rp_turn_axis_needs_sweep(enum rp_turn_axis axis);

int64_t rp_turn_axis_value(enum rp_turn_axis axis, const struct rp_point *p);

/* The point moved along the axis; query heads per kv head must divide the heads. */
struct rp_point rp_turn_axis_at(enum rp_turn_axis axis, const struct rp_point *p, int64_t value);

/* The point without the axis: equal for the shapes of one series. */
struct rp_point rp_turn_axis_series(enum rp_turn_axis axis, const struct rp_point *p);

/* Intensity of the implementation, FLOP/B, where the axis goes as far as it can: K/V heads down to
 * 1, causal queries up to the keys, the others to 64 Ki or four times p, or as far as counts fit.
 * NaN: not known. */
double rp_turn_axis_limit(enum rp_turn_axis axis, const struct rp_point *p, enum rp_impl impl,
                          const struct rp_method_device *on);

#endif
