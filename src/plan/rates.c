/*
 * rates.c - from ceilings to what a kernel is expected to make of them.
 *
 *   launch_s = max(flops_impl / (efficiency * peak(path)), bytes_impl / (efficiency * bandwidth))
 *              + launches * latency
 *
 * The efficiencies and the nominal rates are round numbers, right within a factor of two on
 * ordinary machines.
 */
#include "plan/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A core of a server CPU with 256-bit vectors, in a loop of multiply-adds; how much of that each
 * implementation reaches (tests/bench/plan.sh). A memory channel or two feed a few threads. */
static const double cpu_thread_flop_per_s = 60e9;
static const double cpu_efficiency[RP_IMPL_COUNT] = {
    [RP_IMPL_naive] = 0.6, [RP_IMPL_reference] = 0.6, [RP_IMPL_fused] = 0.8};
static const double cpu_thread_bytes_per_s = 10e9;
static const int cpu_threads_that_share_memory = 8;
static const double cpu_latency_s = 20e-6; /* a team of threads starts and ends */

/* Any GPU of a data centre, within a factor of ten. */
static const double gpu_flop_per_s = 50e12;
static const double gpu_bytes_per_s = 1e12;
static const double gpu_latency_s = 5e-6;

/* Of measured ceilings, which are themselves below the datasheet's. */
static const double gpu_measured_compute_efficiency = 0.75;
static const double measured_memory_efficiency = 0.9;

void rp_rates_init(struct rp_rates *rates, const struct rp_device_row *device, int threads,
                   const struct rp_gpu_spec *gpu)
{
    *rates = (struct rp_rates){
        .method = rp_method_device_of(device, threads > 0 ? threads : 1),
        .cache_bytes = device->l2_bytes,
        .memory_bytes = device->memory_bytes,
        .gpu = gpu,
    };
}

/* Index of the rate; `n_measured` when there is none. */
static size_t find(const struct rp_rates *rates, const char *kind, const char *path)
{
    size_t i = 0;
    while (i < rates->n_measured && (strcmp(rates->measured[i].kind, kind) != 0 ||
                                     strcmp(rates->measured[i].path, path) != 0))
        ++i;
    return i;
}

void rp_rates_learn(struct rp_rates *rates, const struct rp_ceiling *ceiling)
{
    size_t at = find(rates, ceiling->kind, ceiling->path);
    if (!(ceiling->value > 0) || !isfinite(ceiling->value) || at == RP_RATES_MEASURED_MAX)
        return;
    struct rp_measured_rate *rate = &rates->measured[at];
    if (at == rates->n_measured) {
        ++rates->n_measured;
        *rate = (struct rp_measured_rate){0};
        snprintf(rate->kind, sizeof rate->kind, "%s", ceiling->kind);
        snprintf(rate->path, sizeof rate->path, "%s", ceiling->path);
    }
    ++rate->n;
    rate->mean += (ceiling->value - rate->mean) / rate->n;
}

const char *rp_rates_source(const struct rp_rates *rates)
{
    if (rates->n_measured > 0)
        return "measured";
    return rates->gpu ? "datasheet" : "nominal";
}

bool rp_rates_is_cpu(const struct rp_rates *rates)
{
    return strcmp(rates->method.backend, "cpu") == 0;
}

/* 0 when it was not measured. */
static double measured(const struct rp_rates *rates, const char *kind, const char *path)
{
    size_t at = find(rates, kind, path);
    return at < rates->n_measured ? rates->measured[at].mean : 0.0;
}

static double flop_per_s(const struct rp_rates *rates, enum rp_impl impl, const char *path)
{
    double ceiling = measured(rates, "compute", path);
    if (rp_rates_is_cpu(rates)) {
        double nominal = rates->method.threads * cpu_thread_flop_per_s;
        return (ceiling > 0 ? ceiling : nominal) * cpu_efficiency[impl];
    }
    if (ceiling > 0)
        return ceiling * gpu_measured_compute_efficiency;
    double peak = rates->gpu ? rp_gpu_spec_peak(rates->gpu, path) : NAN;
    return peak > 0 ? peak * RP_GPU_COMPUTE_EFFICIENCY : gpu_flop_per_s;
}

/* `kind` is the ceiling that counts, where it was measured. */
static double bytes_per_s(const struct rp_rates *rates, const char *kind)
{
    double ceiling = measured(rates, kind, "");
    if (!(ceiling > 0))
        ceiling = measured(rates, "bandwidth", "");
    if (ceiling > 0)
        return ceiling * measured_memory_efficiency;
    if (rates->gpu)
        return rates->gpu->bandwidth_bytes_per_s * RP_GPU_MEMORY_EFFICIENCY;
    if (!rp_rates_is_cpu(rates))
        return gpu_bytes_per_s;
    int threads = rates->method.threads;
    int sharing = threads < cpu_threads_that_share_memory ? threads : cpu_threads_that_share_memory;
    return sharing * cpu_thread_bytes_per_s;
}

double rp_rates_bytes_per_s(const struct rp_rates *rates)
{
    return bytes_per_s(rates, "bandwidth");
}

static double latency_s(const struct rp_rates *rates)
{
    double ceiling = measured(rates, "latency", "");
    if (ceiling > 0)
        return ceiling;
    if (rp_rates_is_cpu(rates))
        return cpu_latency_s;
    return rates->gpu && rates->gpu->launch_latency_s > 0 ? rates->gpu->launch_latency_s
                                                          : gpu_latency_s;
}

double rp_rates_launch_s(const struct rp_rates *rates, const struct rp_point *p, enum rp_impl impl,
                         const struct rp_method_cost *cost)
{
    /* Decode reads the whole cache of keys and values and writes next to nothing. */
    const char *kind = p->stage == RP_STAGE_DECODE ? "read_bandwidth" : "bandwidth";
    double compute_s = (double)cost->flops_impl / flop_per_s(rates, impl, cost->path);
    double memory_s = (double)cost->bytes_impl / bytes_per_s(rates, kind);
    return fmax(compute_s, memory_s) + (double)cost->launches * latency_s(rates);
}
