/*
 * sweep_shape.h - one shape by one implementation in one place, and its order along an axis.
 *
 * Rows on devices that are alike (device_kind.h) stand together; so do predictions for a GPU type,
 * behind them. What is walked along an axis has this as its first member.
 */
#ifndef RP_ANALYSIS_SWEEP_SHAPE_H
#define RP_ANALYSIS_SWEEP_SHAPE_H

#include <stdint.h>

#include "analysis/crossover_axis.h"
#include "model/gpu_spec.h"

struct rp_sweep_shape {
    const struct rp_device_row *device; /* null: predicted for `gpu` */
    const struct rp_gpu_spec *gpu;
    int64_t threads;
    enum rp_impl impl;
    struct rp_point point;
    struct rp_point series; /* the point without the axis, and its value there: */
    int64_t value;
};

/* Sets series and value; false when the axis is none of this shape. */
bool rp_sweep_shape_set_axis(struct rp_sweep_shape *shape, enum rp_turn_axis axis);

/* Order of place, stage, implementation, dtype and mask: what is spoken of at once. */
int rp_sweep_shape_compare_subject(const struct rp_sweep_shape *x, const struct rp_sweep_shape *y);

/* For qsort: subject, series, value. */
int rp_sweep_shape_compare(const void *a, const void *b);

/* What method_cost asks of the place. */
struct rp_method_device rp_sweep_shape_device(const struct rp_sweep_shape *shape);

#endif
