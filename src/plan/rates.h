/*
 * rates.h - what a device is expected to reach: ceilings that were measured on its type, else the
 * datasheet, else the round numbers of ordinary machines. For forecasts, never for a verdict.
 */
#ifndef RP_PLAN_RATES_H
#define RP_PLAN_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/column.h"
#include "model/gpu_spec.h"
#include "model/impl.h"
#include "model/method_cost.h"
#include "model/point.h"

enum { RP_RATES_MEASURED_MAX = 16 };

struct rp_measured_rate {
    char kind[25]; /* of /ceilings */
    char path[RP_PATH_SIZE];
    double mean;
    int n; /* rows behind the mean */
};

struct rp_rates {
    struct rp_method_device method;
    int64_t cache_bytes;           /* last-level cache; -1: not known */
    int64_t memory_bytes;          /* of the device; -1: not known */
    const struct rp_gpu_spec *gpu; /* datasheet, owned by its list; null: there is none */
    struct rp_measured_rate measured[RP_RATES_MEASURED_MAX];
    size_t n_measured;
};

/* `threads` are those that compute on a CPU; a GPU ignores them. The row's backend must outlive the
 * rates. */
void rp_rates_init(struct rp_rates *rates, const struct rp_device_row *device, int threads,
                   const struct rp_gpu_spec *gpu);

/* A ceiling of a device of this type; several of one kind are averaged. */
void rp_rates_learn(struct rp_rates *rates, const struct rp_ceiling *ceiling);

/* Where the rates come from: measured, datasheet or nominal. */
const char *rp_rates_source(const struct rp_rates *rates);

bool rp_rates_is_cpu(const struct rp_rates *rates);

/* Bytes from and to memory, of a plain pass over it. */
double rp_rates_bytes_per_s(const struct rp_rates *rates);

/* One launch: max(flops_impl / rate of the path, bytes_impl / bandwidth) + launches * latency. */
double rp_rates_launch_s(const struct rp_rates *rates, const struct rp_point *p, enum rp_impl impl,
                         const struct rp_method_cost *cost);

#endif
