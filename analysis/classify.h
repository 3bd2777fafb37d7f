/*
 * classify.h - the three verdicts on a row, side by side and never mixed (docs/MODEL.md).
 *
 *   ideal      flops (or flops_dense) and bytes_min     the datasheet, tensor path of the dtype
 *   predicted  flops_impl and bytes_impl                the datasheet, the implementation's path
 *   measured   flops_impl, bytes_impl and the time      ceilings measured on that very device
 *
 * What is not known makes a verdict missing, with the reason; nothing falls back to another
 * device's numbers.
 */
#ifndef RP_ANALYSIS_CLASSIFY_H
#define RP_ANALYSIS_CLASSIFY_H

#include <stdbool.h>

#include "analysis/roof.h"
#include "model/bound.h"
#include "model/gpu_spec.h"
#include "model/impl.h"
#include "store/study.h"

struct rp_verdict {
    enum rp_class class_name;
    double compute_s, memory_s; /* NaN when missing */
    char reason[200];           /* why it is missing; "" otherwise */
};

/* `gpu` null: data/ does not know `gpu_type`. */
struct rp_verdict rp_verdict_ideal(const struct rp_gpu_spec *gpu, const char *gpu_type,
                                   const struct rp_point *p, bool dense);

/* What `impl` would execute and move on this GPU type. */
struct rp_verdict rp_verdict_predicted(const struct rp_gpu_spec *gpu, const char *gpu_type,
                                       const struct rp_point *p, enum rp_impl impl);

/* What a count takes at a ceiling, and the ends that the ceiling's interval gives it. */
struct rp_span {
    double value_s, low_s, high_s; /* NaN when the ceiling is missing */
};

enum { RP_MEASURED_TIMES = 3 }; /* compute, memory, latency: indices are enum rp_class */

struct rp_measured_verdict {
    enum rp_class class_name;
    enum rp_class nearest; /* the ceiling that names the floor, also when unexplained */
    struct rp_roof roof;   /* what it is held against */
    struct rp_span times[RP_MEASURED_TIMES];
    int64_t dram_bytes, cache_bytes; /* bytes_impl by what they are charged to */
    double floor_s;                  /* the largest time; NaN when missing */
    double attained_frac;            /* floor over measured median */
    double ratio;                    /* largest over second largest time */
    double ratio_low, ratio_high;    /* from the ceilings' intervals */
    char reason[240]; /* why it is missing; else what a reader should know; "" otherwise */
};

/* Needs, measured where the row was (roof.h): compute of its path, latency, DRAM bandwidth for
 * bytes that pass through DRAM and cache_bandwidth for those that stay in the last-level cache. */
struct rp_measured_verdict rp_verdict_measured(const struct rp_study *study,
                                               const struct rp_result *row);

/* The same where rp_roof_of(study, row) is known already: of many rows alike. */
struct rp_measured_verdict rp_verdict_under_roof(const struct rp_study *study,
                                                 const struct rp_result *row,
                                                 const struct rp_roof *roof);

/* The GPU type of a device as data/ knows it: null for a CPU and for a simulated or strange one
 * that has no row. */
const struct rp_gpu_spec *rp_gpu_of_device(const struct rp_gpu_list *gpus,
                                           const struct rp_device_row *device);

/* a / b; NaN unless both are positive numbers, so that -1 and NaN (not applicable) stay out. */
double rp_ratio(double a, double b);

#endif
