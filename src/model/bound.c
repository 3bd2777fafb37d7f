/*
 * bound.c - floor times and the class they name.
 *
 *   t_compute = flops / peak(path)      t_memory = bytes / bandwidth
 *   floor     = the larger one, which also names the class
 *   ridge     = peak / bandwidth        flops / bytes at or above it: compute
 *
 * Only what is known is compared: a ceiling that is NaN or not positive makes the class missing.
 */
#include "model/bound.h"

#include <math.h>

#include "model/cost.h"
#include "model/gpu_spec.h"

static const char *const class_names[RP_CLASS_COUNT] = {
    [RP_CLASS_COMPUTE] = "compute",     [RP_CLASS_MEMORY] = "memory",
    [RP_CLASS_LATENCY] = "latency",     [RP_CLASS_BALANCED] = "balanced",
    [RP_CLASS_UNDECIDED] = "undecided", [RP_CLASS_UNEXPLAINED] = "unexplained",
    [RP_CLASS_MISSING] = "missing",
};

const char *rp_class_name(enum rp_class c)
{
    return class_names[c];
}

static const struct rp_floor floor_missing = {NAN, NAN, NAN, RP_CLASS_MISSING};

struct rp_floor rp_floor_of(double flops, double bytes, double peak_flop_per_s,
                            double bandwidth_bytes_per_s)
{
    /* Written so that NaN fails too. */
    if (!(flops > 0) || !(bytes > 0) || !(peak_flop_per_s > 0) || !(bandwidth_bytes_per_s > 0))
        return floor_missing;
    struct rp_floor f = {.compute_s = flops / peak_flop_per_s,
                         .memory_s = bytes / bandwidth_bytes_per_s};
    bool compute = f.compute_s >= f.memory_s;
    f.floor_s = compute ? f.compute_s : f.memory_s;
    f.class_name = compute ? RP_CLASS_COMPUTE : RP_CLASS_MEMORY;
    return f;
}

double rp_ridge(double peak_flop_per_s, double bandwidth_bytes_per_s)
{
    return peak_flop_per_s / bandwidth_bytes_per_s;
}

const char *rp_bound_ideal_path(enum rp_dtype dtype)
{
    switch (dtype) {
    case RP_DTYPE_fp16:
        return "tensor_fp16";
    case RP_DTYPE_bf16:
        return "tensor_bf16";
    case RP_DTYPE_tf32:
        return "tensor_tf32";
    case RP_DTYPE_fp32:
    case RP_DTYPE_COUNT:
        break;
    }
    return "simt_fp32";
}

double rp_bound_ideal_ridge(const struct rp_gpu_spec *gpu, enum rp_dtype dtype)
{
    return rp_ridge(rp_gpu_spec_peak(gpu, rp_bound_ideal_path(dtype)), gpu->bandwidth_bytes_per_s);
}

struct rp_floor rp_bound_ideal(const struct rp_gpu_spec *gpu, const struct rp_point *p, bool dense)
{
    struct rp_cost cost;
    if (rp_cost_of(p, &cost) != RP_OK)
        return floor_missing;
    return rp_floor_of((double)(dense ? cost.flops_dense : cost.flops), (double)cost.bytes_min,
                       rp_gpu_spec_peak(gpu, rp_bound_ideal_path(p->dtype)),
                       gpu->bandwidth_bytes_per_s);
}

struct rp_floor rp_bound_predicted(const struct rp_gpu_spec *gpu, const struct rp_method_cost *cost,
                                   int64_t bytes_min)
{
    /* Intermediates are written and read back: they stay in the last-level cache when all of them
     * fit, and then never reach DRAM. */
    bool in_cache = cost->scores_bytes + cost->workspace_bytes <= gpu->l2_bytes;
    int64_t bytes = in_cache && bytes_min > 0 ? bytes_min : cost->bytes_impl;
    return rp_floor_of((double)cost->flops_impl, (double)bytes, rp_gpu_spec_peak(gpu, cost->path),
                       gpu->bandwidth_bytes_per_s);
}
