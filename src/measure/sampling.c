/*
 * sampling.c - warm-up and the stopping rule (docs/PROTOCOL.md).
 *
 * The interval of the median is looked at after 10, 20, 40, ... samples only: looking after every
 * sample and stopping at the first narrow interval would make narrow intervals look common.
 */
#include "measure/sampling.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "model/result.h"

static const double warmup_agreement = 0.02; /* relative difference of two medians */
static const double interval_level = 0.95;

void rp_warmup_init(struct rp_warmup *warmup, const struct rp_protocol *protocol)
{
    *warmup = (struct rp_warmup){.budget_s = protocol->max_time_s / 4};
}

void rp_warmup_add_cost(struct rp_warmup *warmup, double cost_s)
{
    warmup->spent_s += cost_s;
}

void rp_warmup_add(struct rp_warmup *warmup, double time_s, double cost_s)
{
    rp_warmup_add_cost(warmup, cost_s);
    warmup->block[warmup->in_block++] = time_s;
    if (warmup->in_block < RP_WARMUP_BLOCK)
        return;
    rp_stats_sort(warmup->block, RP_WARMUP_BLOCK);
    double median = rp_stats_median(warmup->block, RP_WARMUP_BLOCK);
    if (warmup->last_median_s > 0 &&
        fabs(median - warmup->last_median_s) <= warmup_agreement * warmup->last_median_s)
        warmup->settled = true;
    warmup->last_median_s = median;
    warmup->in_block = 0;
}

bool rp_warmup_is_over(const struct rp_warmup *warmup)
{
    return warmup->settled || warmup->spent_s >= warmup->budget_s;
}

int64_t rp_sampling_launches(double launch_s, double tick_s)
{
    const double ticks = 100;
    if (!(launch_s > 0) || launch_s >= ticks * tick_s)
        return 1;
    return (int64_t)ceil(ticks * tick_s / launch_s);
}

const char *rp_stop_name(enum rp_stop stop)
{
    static const char *const names[] = {"", "target_ci", "max_samples", "max_time"};
    return names[stop];
}

enum rp_status rp_sampling_init(struct rp_sampling *sampling, const struct rp_protocol *protocol)
{
    size_t most = (size_t)protocol->max_samples;
    *sampling = (struct rp_sampling){
        .protocol = protocol,
        .samples = calloc(most, sizeof *sampling->samples),
        .sorted = calloc(most, sizeof *sampling->sorted),
        .next_look = protocol->min_samples > 10 ? (size_t)protocol->min_samples : 10,
    };
    if (sampling->samples && sampling->sorted)
        return RP_OK;
    rp_sampling_clear(sampling);
    return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu samples", most);
}

void rp_sampling_clear(struct rp_sampling *sampling)
{
    free(sampling->samples);
    free(sampling->sorted);
    *sampling = (struct rp_sampling){0};
}

/* Sorts the samples that count into the scratch array and returns how many there are. */
static size_t sort_counted(const struct rp_sampling *sampling)
{
    int64_t least_used = rp_samples_least_used(sampling->samples, sampling->count);
    size_t n = 0;
    for (size_t i = 0; i < sampling->count; ++i) {
        if (sampling->samples[i].used >= least_used)
            sampling->sorted[n++] = sampling->samples[i].time_s;
    }
    rp_stats_sort(sampling->sorted, n);
    return n;
}

static bool is_narrow(const struct rp_sampling *sampling)
{
    size_t n = sort_counted(sampling);
    double median = rp_stats_median(sampling->sorted, n);
    struct rp_stats_interval interval =
        rp_stats_median_interval(sampling->sorted, n, interval_level);
    double allowed = sampling->protocol->target_ci * median;
    return interval.level >= interval_level && median - interval.low <= allowed &&
           interval.high - median <= allowed;
}

enum rp_status rp_sampling_add(struct rp_sampling *sampling, const struct rp_sample *sample)
{
    if (!(sample->time_s > 0) || !isfinite(sample->time_s))
        return RP_FAIL(RP_ERR_DEVICE, "timer: a sample of %g s cannot be", sample->time_s);
    sampling->samples[sampling->count++] = *sample;
    if (sample->used == 0)
        return RP_OK;
    ++sampling->used;
    if (sampling->used == sampling->next_look) {
        sampling->reached_target = is_narrow(sampling);
        sampling->next_look *= 2;
    }
    return RP_OK;
}

enum rp_stop rp_sampling_stop(const struct rp_sampling *sampling, double spent_s)
{
    if (sampling->count == 0)
        return RP_STOP_NONE;
    if (sampling->reached_target)
        return RP_STOP_TARGET_CI;
    if (sampling->count >= (size_t)sampling->protocol->max_samples)
        return RP_STOP_MAX_SAMPLES;
    return spent_s >= sampling->protocol->max_time_s ? RP_STOP_MAX_TIME : RP_STOP_NONE;
}

void rp_sampling_summarise(const struct rp_sampling *sampling, enum rp_stop stop,
                           struct rp_result *row)
{
    row->samples = (int64_t)sampling->count;
    RP_WORD_SET(row->stop_reason, rp_stop_name(stop));
    size_t n = sort_counted(sampling);
    struct rp_stats_interval interval =
        rp_stats_median_interval(sampling->sorted, n, interval_level);
    row->time_median_s = rp_stats_median(sampling->sorted, n);
    row->time_min_s = sampling->sorted[0];
    row->time_ci_low_s = interval.low;
    row->time_ci_high_s = interval.high;
    row->ci_level = sampling->used > 0 ? interval.level : 0; /* of disturbed ones it says nothing */
}
