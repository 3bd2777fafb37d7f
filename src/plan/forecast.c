/*
 * forecast.c - the protocol of a point (docs/PROTOCOL.md) with expected times instead of a clock.
 *
 *   sample_s = launches * launch_s + reading twice the last-level cache when it is cold + overhead
 *   wall_s   = the memory pass (one sample, and its pages touched for the first time)
 *              + warm-up: six launches, or as many as fit a quarter of max_time_s
 *              + samples: the first look at which the interval is expected to be within target_ci,
 *                at most max_samples and max_time_s, one at least
 *              + checking two outputs
 *   point_s  = filling the inputs + the oracle + the sum of wall_s
 *
 * The interval of the median of n samples is about +-1.96 * 1.25 * spread / sqrt(n), where spread
 * is the standard deviation over the median.
 */
#include "plan/forecast.h"

#include <math.h>

#include "model/cost.h"

static const double cpu_spread = 0.05;
static const double gpu_spread = 0.01;
static const double cpu_sample_min_s = 5e-6; /* 100 ticks of the timer */
static const double gpu_sample_min_s = 50e-6;
static const double sample_overhead_s = 20e-6;
static const double row_overhead_s = 1e-3; /* messages, journal */

static const double touch_bytes_per_s = 2e9;    /* pages of a CPU's scratch, for the first time */
static const double check_elements_per_s = 2e8; /* of an output against oracle and reference */
static const double fill_bytes_per_s = 1e9;     /* Philox and rounding to the dtype, a thread */
static const double oracle_flop_per_s = 1e9;    /* double precision, plain code, a thread */
static const int gpu_host_threads = 4;          /* that fill and check for a GPU */

static const int64_t cpu_rank_bytes = INT64_C(256) << 20;
static const int64_t gpu_rank_bytes = INT64_C(2) << 30; /* a driver's context is large */

enum {
    WARMUP_LAUNCHES = 6,
    FIRST_LOOK = 10,   /* samples after which the interval is looked at; then twice as many ... */
    EVICTED_CACHES = 2 /* of how many last-level caches is read before a cold sample */
};

double rp_forecast_launch_s(const struct rp_rates *rates, const struct rp_point *p,
                            enum rp_impl impl)
{
    struct rp_rates unmeasured = *rates;
    struct rp_method_cost cost;
    unmeasured.n_measured = 0;
    if (rp_method_cost_of(&rates->method, impl, p, &cost) != RP_OK)
        return 0.0;
    return rp_rates_launch_s(&unmeasured, p, impl, &cost);
}

/* Samples until the interval is expected to be narrow enough. */
static double samples_to_target(const struct rp_rates *rates, const struct rp_protocol *protocol)
{
    double spread = rp_rates_is_cpu(rates) ? cpu_spread : gpu_spread;
    double needed = pow(1.96 * 1.25 * spread / protocol->target_ci, 2);
    double look = fmax(FIRST_LOOK, (double)protocol->min_samples);
    while (look < needed && look < (double)protocol->max_samples)
        look *= 2;
    return fmin(look, (double)protocol->max_samples);
}

static double output_elements(const struct rp_point *p)
{
    return (double)p->batch * (double)p->heads * (double)p->seq_q * (double)p->head_dim;
}

/* What surrounds the launches of a sample: the output poisoned, the caches evicted. */
static double around_s(const struct rp_rates *rates, const struct rp_point *p, bool cold)
{
    double bytes = output_elements(p) * rp_dtype_info(p->dtype)->storage_bytes;
    if (cold && rates->cache_bytes > 0)
        bytes += EVICTED_CACHES * (double)rates->cache_bytes;
    return sample_overhead_s + bytes / rp_rates_bytes_per_s(rates);
}

void rp_forecast_row(const struct rp_rates *rates, const struct rp_point *p, enum rp_impl impl,
                     const struct rp_protocol *protocol, struct rp_forecast *forecast)
{
    bool is_cpu = rp_rates_is_cpu(rates);
    struct rp_method_cost cost;
    *forecast = (struct rp_forecast){0};
    if (rp_method_cost_of(&rates->method, impl, p, &cost) != RP_OK ||
        (rates->memory_bytes >= 0 && rp_method_cost_memory(&cost) > rates->memory_bytes) ||
        rp_forecast_launch_s(rates, p, impl) > RP_FORECAST_HOPELESS * protocol->timeout_s)
        return;
    double launch_s = rp_rates_launch_s(rates, p, impl, &cost);
    double beside_s = around_s(rates, p, protocol->cold);
    double touch_s =
        is_cpu ? (double)(rp_method_cost_memory(&cost) - cost.tensor_bytes) / touch_bytes_per_s
               : 0.0;
    double pass_s = fmin(launch_s, protocol->timeout_s) + beside_s + touch_s;
    forecast->launch_s = launch_s;
    forecast->launches = 1;
    forecast->wall_s = row_overhead_s + pass_s;
    if (launch_s > protocol->timeout_s)
        return; /* the memory pass is its last launch */

    double sample_min_s = is_cpu ? cpu_sample_min_s : gpu_sample_min_s;
    double launches = fmax(1.0, ceil(sample_min_s / launch_s));
    double sample_s = launches * launch_s + beside_s;
    double warmup_left_s = fmax(0.0, protocol->max_time_s / 4 - pass_s);
    double warmups = fmin(WARMUP_LAUNCHES, fmax(1.0, ceil(warmup_left_s / (launch_s + beside_s))));
    double samples =
        fmin(samples_to_target(rates, protocol), ceil(protocol->max_time_s / sample_s));
    forecast->launches = (int64_t)launches;
    forecast->samples = (int64_t)samples;
    forecast->exclusive_s = warmups * (launch_s + beside_s) + samples * sample_s;
    forecast->wall_s += forecast->exclusive_s + 2 * output_elements(p) / check_elements_per_s;
}

double rp_forecast_prepare_s(const struct rp_rates *rates, const struct rp_point *p,
                             const struct rp_protocol *protocol)
{
    int threads = rp_rates_is_cpu(rates) ? rates->method.threads : gpu_host_threads;
    double rows =
        fmin((double)protocol->verify_rows, (double)p->batch * (double)p->heads * (double)p->seq_q);
    double oracle_s = rows * (double)p->seq_k * (double)p->head_dim * 4.0 / oracle_flop_per_s;
    struct rp_cost paper;
    double fill_s = 0.0;
    if (rp_cost_of(p, &paper) == RP_OK)
        fill_s = (double)paper.bytes_min / fill_bytes_per_s;
    return row_overhead_s + (fill_s + oracle_s) / threads;
}

double rp_forecast_point_s(const struct rp_rates *rates, const struct rp_point *p,
                           rp_impl_set impls, const struct rp_protocol *protocol)
{
    double rows_s = 0.0;
    for (int i = 0; i < RP_IMPL_COUNT; ++i) {
        struct rp_forecast row;
        if (!rp_impl_in(impls, (enum rp_impl)i))
            continue;
        rp_forecast_row(rates, p, (enum rp_impl)i, protocol, &row);
        rows_s += row.wall_s;
    }
    /* Inputs are made when the first row needs them. */
    return rows_s > 0.0 ? rows_s + rp_forecast_prepare_s(rates, p, protocol) : row_overhead_s;
}

int64_t rp_forecast_rank_bytes(const struct rp_rates *rates)
{
    if (!rp_rates_is_cpu(rates))
        return gpu_rank_bytes;
    return cpu_rank_bytes + (rates->cache_bytes > 0 ? EVICTED_CACHES * rates->cache_bytes : 0);
}

int64_t rp_forecast_row_bytes(const struct rp_rates *rates, const struct rp_point *p,
                              const struct rp_method_cost *cost)
{
    /* Output and reference output are copied to the host; for a GPU the inputs come from there. */
    int64_t output_bytes = (int64_t)output_elements(p) * rp_dtype_info(p->dtype)->storage_bytes;
    if (rp_rates_is_cpu(rates))
        return rp_method_cost_memory(cost) + 2 * output_bytes;
    return cost->tensor_bytes + output_bytes;
}
