/*
 * forecast.c - nominal rates instead of measured ones.
 *
 *   launch_s = max(flops_impl / peak, bytes_impl / bandwidth) + overhead
 *   impl_s   = the memory pass, warm-up and samples, each launch with its eviction when the cache
 *              is cold; samples until max_time_s or max_samples, one at least
 *   point_s  = filling the inputs + the oracle + the sum of impl_s
 *
 * The rates are round numbers of ordinary machines, right within a factor of a few. They order
 * points well, which is all that "longest first" needs; a progress line corrects itself as it goes.
 */
#include "plan/forecast.h"

#include <math.h>
#include <string.h>

#include "model/cost.h"
#include "model/method_cost.h"

/* A thread of a server CPU with 256-bit vectors; a memory channel or two feed a few threads. */
static const double cpu_thread_flop_per_s = 25e9;
static const double cpu_thread_gemm_flop_per_s = 60e9;
static const double cpu_thread_bytes_per_s = 10e9;
static const int cpu_threads_that_share_memory = 8;

/* Any GPU of a data centre, within a factor of ten. */
static const double gpu_flop_per_s = 50e12;
static const double gpu_bytes_per_s = 1e12;

static const double launch_overhead_s = 20e-6;
static const double fill_bytes_per_s = 2e9;  /* Philox and rounding to the dtype, on the host */
static const double oracle_flop_per_s = 1e9; /* double precision, plain code */

enum {
    WARMUP_LAUNCHES = 6, /* of a launch so short that they fit a quarter of max_time_s */
    EVICTED_CACHES = 2   /* of how many last-level caches is read before a cold sample */
};

struct rates {
    double flop_per_s;
    double gemm_flop_per_s; /* of the vendor's matrix library */
    double bytes_per_s;
};

static bool is_cpu(const struct rp_device_row *device)
{
    return strcmp(device->backend, "cpu") == 0;
}

static struct rates nominal_rates(const struct rp_device_row *device, int threads)
{
    if (!is_cpu(device))
        return (struct rates){gpu_flop_per_s, gpu_flop_per_s, gpu_bytes_per_s};
    int sharing = threads < cpu_threads_that_share_memory ? threads : cpu_threads_that_share_memory;
    return (struct rates){threads * cpu_thread_flop_per_s, threads * cpu_thread_gemm_flop_per_s,
                          sharing * cpu_thread_bytes_per_s};
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* One launch; 0 for what will not be tried: not supported, or longer than the limit of a launch. */
double rp_forecast_launch_s(const struct rp_device_row *device, int threads,
                            const struct rp_point *p, enum rp_impl impl)
{
    const struct rp_method_device method = rp_method_device_of(device, threads);
    struct rp_method_cost cost;
    if (rp_method_cost_of(&method, impl, p, &cost) != RP_OK)
        return 0.0;
    struct rates rates = nominal_rates(device, threads);
    double peak = impl == RP_IMPL_reference ? rates.gemm_flop_per_s : rates.flop_per_s;
    double seconds =
        larger((double)cost.flops_impl / peak, (double)cost.bytes_impl / rates.bytes_per_s);
    seconds += (double)cost.launches * launch_overhead_s;
    return seconds;
}

static double eviction_s(const struct rp_device_row *device, const struct rates *rates)
{
    double cache_bytes = larger(0.0, (double)device->l2_bytes);
    return EVICTED_CACHES * cache_bytes / rates->bytes_per_s;
}

double rp_forecast_point_s(const struct rp_device_row *device, int threads,
                           const struct rp_point *p, rp_impl_set impls,
                           const struct rp_protocol *protocol)
{
    int team = threads > 0 ? threads : 1;
    struct rates rates = nominal_rates(device, team);
    double evict_s = protocol->cold ? eviction_s(device, &rates) : 0.0;
    double total_s = launch_overhead_s;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        if (!rp_impl_in(impls, (enum rp_impl)i))
            continue;
        double launch_s = rp_forecast_launch_s(device, team, p, (enum rp_impl)i);
        if (launch_s <= 0.0 || launch_s > RP_FORECAST_HOPELESS * protocol->timeout_s)
            continue; /* will not be tried */
        double sample_s = smaller(launch_s, protocol->timeout_s) + evict_s;
        double warmup_s =
            smaller(WARMUP_LAUNCHES * sample_s, larger(0.0, protocol->max_time_s / 4 - sample_s));
        double samples =
            smaller(ceil(protocol->max_time_s / sample_s), (double)protocol->max_samples);
        total_s += sample_s + warmup_s + samples * sample_s;
    }
    struct rp_cost paper;
    if (rp_cost_of(p, &paper) == RP_OK)
        total_s += (double)paper.bytes_min / fill_bytes_per_s;
    double rows = smaller((double)protocol->verify_rows,
                          (double)p->batch * (double)p->heads * (double)p->seq_q);
    return total_s + rows * (double)p->seq_k * (double)p->head_dim * 4.0 / oracle_flop_per_s;
}
