/* sweep_shape.c - the order that puts the shapes of a series behind one another. */
#include "analysis/sweep_shape.h"

#include <string.h>

#include "analysis/device_kind.h"

bool rp_sweep_shape_set_axis(struct rp_sweep_shape *shape, enum rp_turn_axis axis)
{
    if (!rp_turn_axis_applies(axis, &shape->point))
        return false;
    shape->series = rp_turn_axis_series(axis, &shape->point);
    shape->value = rp_turn_axis_value(axis, &shape->point);
    return true;
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_place(const struct rp_sweep_shape *x, const struct rp_sweep_shape *y)
{
    if (!x->device != !y->device)
        return x->device ? -1 : 1;
    if (!x->device)
        return strcmp(x->gpu->gpu_type, y->gpu->gpu_type);
    int order = rp_device_kind_compare(x->device, y->device);
    return order ? order : compare_i64(x->threads, y->threads);
}

int rp_sweep_shape_compare_subject(const struct rp_sweep_shape *x, const struct rp_sweep_shape *y)
{
    int order = compare_place(x, y);
    order = order ? order : compare_i64(x->series.stage, y->series.stage);
    order = order ? order : compare_i64(x->impl, y->impl);
    order = order ? order : compare_i64(x->series.dtype, y->series.dtype);
    return order ? order : x->series.causal - y->series.causal;
}

int rp_sweep_shape_compare(const void *a, const void *b)
{
    const struct rp_sweep_shape *x = a;
    const struct rp_sweep_shape *y = b;
    int order = rp_sweep_shape_compare_subject(x, y);
    order = order ? order : rp_point_compare(&x->series, &y->series);
    return order ? order : compare_i64(x->value, y->value);
}

struct rp_method_device rp_sweep_shape_device(const struct rp_sweep_shape *shape)
{
    if (shape->device)
        return rp_method_device_of(shape->device, (int)shape->threads);
    return (struct rp_method_device){"cuda", 0, shape->gpu->multiprocessors};
}
