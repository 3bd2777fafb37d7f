/*
 * classify_measured.c - counts over measured ceilings, and which quotient is the largest.
 *
 *   t_compute = flops_impl / peak(path)
 *   t_memory  = bytes_dram / bandwidth + bytes_cache / cache bandwidth
 *   t_latency = launches * launch latency
 *   r         = largest / second largest; all of its interval above 1.1: named; all of it at or
 *               below 1.1: balanced; else undecided
 *   attained  = largest / measured median; below 0.5: unexplained
 *
 * To the cache go: intermediates that all fit it, and the tensors of a warm row that fit it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/load.h"
#include "model/method_cost.h"
#include "model/result.h"

/* count / rate; a better ceiling is a shorter time. Nothing counted needs no ceiling. */
static struct rp_span span_of_rate(int64_t count, const struct rp_ceiling *rate)
{
    double n = (double)count;
    if (count == 0)
        return (struct rp_span){0, 0, 0};
    if (!rate)
        return (struct rp_span){NAN, NAN, NAN};
    return (struct rp_span){n / rate->value, n / rp_ceiling_high(rate), n / rp_ceiling_low(rate)};
}

static struct rp_span span_of_latency(int64_t launches, const struct rp_ceiling *latency)
{
    double n = (double)launches;
    if (!latency)
        return (struct rp_span){NAN, NAN, NAN};
    return (struct rp_span){n * latency->value, n * rp_ceiling_low(latency),
                            n * rp_ceiling_high(latency)};
}

static struct rp_span sum_of(struct rp_span a, struct rp_span b)
{
    return (struct rp_span){a.value_s + b.value_s, a.low_s + b.low_s, a.high_s + b.high_s};
}

/* Bytes of intermediates the method holds, all of which are written and read back; -1: a method
 * this version does not know. */
static int64_t intermediates_of(const struct rp_device_row *device, const struct rp_result *row)
{
    struct rp_method_cost method;
    struct rp_point p;
    enum rp_impl impl;
    const struct rp_method_device on = rp_method_device_of(device, (int)row->threads);
    if (!rp_impl_find(row->impl, &impl) || rp_result_point(row, &p) != RP_OK ||
        rp_method_cost_of(&on, impl, &p, &method) != RP_OK)
        return -1;
    return method.scores_bytes + method.workspace_bytes;
}

static void charge_bytes(const struct rp_study *study, const struct rp_result *row,
                         struct rp_measured_verdict *v)
{
    const struct rp_device_row *device = rp_study_device_of(study, row);
    int64_t cache_bytes = device ? device->l2_bytes : -1;
    int64_t held = device ? intermediates_of(device, row) : -1;
    bool tensors_stay = strcmp(row->cache, "warm") == 0 && row->bytes_min <= cache_bytes;
    bool intermediates_stay = held >= 0 && held <= cache_bytes;
    v->cache_bytes = (tensors_stay ? row->bytes_min : 0) +
                     (intermediates_stay ? row->bytes_impl - row->bytes_min : 0);
    v->dram_bytes = row->bytes_impl - v->cache_bytes;
}

/* The row itself must have counts and a time. False with the reason when it has not. */
static bool row_is_complete(const struct rp_result *row, struct rp_measured_verdict *v)
{
    if (!(row->time_median_s > 0))
        snprintf(v->reason, sizeof v->reason, "the row has no time%s%.200s",
                 row->reason[0] ? ": " : "", row->reason);
    else if (row->flops_impl <= 0 || row->bytes_min <= 0 || row->bytes_impl < row->bytes_min ||
             row->launches <= 0)
        snprintf(v->reason, sizeof v->reason, "the row has no counts of its implementation");
    return !v->reason[0];
}

/* Fills the times; false with the reason when a ceiling they need was not measured. */
static bool hold_against_roof(const struct rp_study *study, const struct rp_result *row,
                              struct rp_measured_verdict *v)
{
    const struct rp_roof *roof = &v->roof;
    const char *lacks = NULL;
    charge_bytes(study, row, v);
    v->times[RP_CLASS_COMPUTE] = span_of_rate(row->flops_impl, roof->compute);
    v->times[RP_CLASS_MEMORY] = sum_of(span_of_rate(v->dram_bytes, roof->memory),
                                       span_of_rate(v->cache_bytes, roof->cache));
    v->times[RP_CLASS_LATENCY] = span_of_latency(row->launches, roof->latency);
    if (!roof->run) {
        snprintf(v->reason, sizeof v->reason,
                 rp_study_count(study, RP_TABLE_CEILINGS)
                     ? "no ceilings were measured on this device with this number of threads"
                     : "this file has no measured ceilings");
        return false;
    }
    if (!roof->compute) {
        snprintf(v->reason, sizeof v->reason,
                 "no compute ceiling was measured on this device for path %s", row->path);
        return false;
    }
    if (!roof->memory && v->dram_bytes > 0)
        lacks = strcmp(row->stage, "decode") == 0 ? "read_bandwidth" : "bandwidth";
    else if (!roof->cache && v->cache_bytes > 0)
        lacks = "cache_bandwidth";
    else if (!roof->latency)
        lacks = "latency";
    if (lacks)
        snprintf(v->reason, sizeof v->reason, "no %s ceiling was measured on this device", lacks);
    return !lacks;
}

/* Over all times within their intervals: whichever is the largest then, over the larger of the
 * other two. Where two of them overlap they may be equal, so the low end is 1. */
static void find_ratio(struct rp_measured_verdict *v)
{
    v->ratio = v->ratio_low = 1;
    v->ratio_high = 0;
    for (int i = 0; i < RP_MEASURED_TIMES; ++i) {
        const struct rp_span *a = &v->times[i];
        const struct rp_span *b = &v->times[(i + 1) % RP_MEASURED_TIMES];
        const struct rp_span *c = &v->times[(i + 2) % RP_MEASURED_TIMES];
        v->ratio = fmax(v->ratio, a->value_s / fmax(b->value_s, c->value_s));
        v->ratio_low = fmax(v->ratio_low, a->low_s / fmax(b->high_s, c->high_s));
        v->ratio_high = fmax(v->ratio_high, a->high_s / fmax(b->low_s, c->low_s));
    }
}

static void name_class(struct rp_measured_verdict *v)
{
    const double margin = 1.1;
    const double explained = 0.5;
    if (v->attained_frac < explained)
        v->class_name = RP_CLASS_UNEXPLAINED;
    else if (v->ratio_low > margin)
        v->class_name = v->nearest;
    else if (v->ratio_high <= margin)
        v->class_name = RP_CLASS_BALANCED;
    else
        v->class_name = RP_CLASS_UNDECIDED;
}

static bool roof_is_disturbed(const struct rp_roof *roof)
{
    return rp_ceiling_is_disturbed(roof->compute) || rp_ceiling_is_disturbed(roof->latency) ||
           (roof->memory && rp_ceiling_is_disturbed(roof->memory)) ||
           (roof->cache && rp_ceiling_is_disturbed(roof->cache));
}

/* What a reader should know of a verdict that is there. */
static void note(const struct rp_result *row, struct rp_measured_verdict *v)
{
    size_t n = 0;
    if (v->roof.is_borrowed)
        n = (size_t)snprintf(v->reason, sizeof v->reason,
                             "by the ceilings of run %.32s, begun %.28s: the row's own run "
                             "measured none",
                             v->roof.run->run_id, v->roof.run->started_utc);
    else if (roof_is_disturbed(&v->roof))
        n = (size_t)snprintf(v->reason, sizeof v->reason,
                             "a ceiling was disturbed while it was measured and may be too low");
    if (v->nearest == RP_CLASS_MEMORY && v->times[RP_CLASS_MEMORY].low_s > row->time_ci_high_s)
        snprintf(v->reason + n, sizeof v->reason - n,
                 "%st_memory is above the measured time: a cache served part of bytes_impl",
                 n ? "; " : "");
}

struct rp_measured_verdict rp_verdict_measured(const struct rp_study *study,
                                               const struct rp_result *row)
{
    struct rp_roof roof = rp_roof_of(study, row);
    return rp_verdict_under_roof(study, row, &roof);
}

struct rp_measured_verdict rp_verdict_under_roof(const struct rp_study *study,
                                                 const struct rp_result *row,
                                                 const struct rp_roof *roof)
{
    struct rp_measured_verdict v = {.class_name = RP_CLASS_MISSING,
                                    .nearest = RP_CLASS_MISSING,
                                    .roof = *roof,
                                    .floor_s = NAN,
                                    .attained_frac = NAN,
                                    .ratio = NAN,
                                    .ratio_low = NAN,
                                    .ratio_high = NAN};
    for (int i = 0; i < RP_MEASURED_TIMES; ++i)
        v.times[i] = (struct rp_span){NAN, NAN, NAN};
    if (!row_is_complete(row, &v) || !hold_against_roof(study, row, &v))
        return v;
    v.nearest = RP_CLASS_COMPUTE;
    for (int i = 1; i < RP_MEASURED_TIMES; ++i) {
        if (v.times[i].value_s > v.times[v.nearest].value_s)
            v.nearest = (enum rp_class)i;
    }
    v.floor_s = v.times[v.nearest].value_s;
    v.attained_frac = v.floor_s / row->time_median_s;
    find_ratio(&v);
    name_class(&v);
    note(row, &v);
    return v;
}
