/*
 * bound.h - which ceiling a call stands under (docs/MODEL.md).
 *
 *   t_compute = flops / peak(path)   t_memory = bytes / bandwidth   t_latency = launches * latency
 */
#ifndef RP_MODEL_BOUND_H
#define RP_MODEL_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/method_cost.h"

enum rp_class {
    RP_CLASS_COMPUTE,
    RP_CLASS_MEMORY,
    RP_CLASS_LATENCY,
    RP_CLASS_BALANCED,
    RP_CLASS_UNDECIDED,
    RP_CLASS_UNEXPLAINED,
    RP_CLASS_MISSING, /* a ceiling is not known; nothing falls back to another device's */
    RP_CLASS_COUNT
};

const char *rp_class_name(enum rp_class c);

struct rp_floor {
    double compute_s;
    double memory_s;
    double floor_s;           /* the larger of the two */
    enum rp_class class_name; /* compute or memory; missing when a ceiling is NaN or not positive */
};

/* Two-way verdict on given counts: peak in FLOP/s, bandwidth in B/s. */
struct rp_floor rp_floor_of(double flops, double bytes, double peak_flop_per_s,
                            double bandwidth_bytes_per_s);

/* Ridge point, FLOP/B. */
double rp_ridge(double peak_flop_per_s, double bandwidth_bytes_per_s);

struct rp_gpu_spec;

/* Path class_ideal is held against: the tensor path of the dtype; fp32: plain cores. */
const char *rp_bound_ideal_path(enum rp_dtype dtype);

/* Ridge point of the datasheet on that path, FLOP/B; NaN when it has no such path. */
double rp_bound_ideal_ridge(const struct rp_gpu_spec *gpu, enum rp_dtype dtype);

/* class_ideal: flops (or flops_dense) and bytes_min against the datasheet's tensor path of the
 * dtype (fp32: plain cores). Missing when the datasheet has no such path. */
struct rp_floor rp_bound_ideal(const struct rp_gpu_spec *gpu, const struct rp_point *p, bool dense);

/* class_predicted: what the implementation executes and moves, against its path's datasheet peak.
 * Traffic beyond bytes_min whose intermediates fit the last-level cache is charged to that cache's
 * bandwidth; the datasheet has none for it, so it is then left out of DRAM's time. */
struct rp_floor rp_bound_predicted(const struct rp_gpu_spec *gpu, const struct rp_method_cost *cost,
                                   int64_t bytes_min);

#endif
