/*
 * classify.c - counts over ceilings, and which quotient is the largest.
 *
 *   t_compute = flops_impl / peak(path)
 *   t_memory  = bytes_dram / bandwidth + bytes_cache / cache bandwidth
 *   t_latency = launches * launch latency
 *   r         = largest / second largest; all of its interval above 1.1: named; all of it at or
 *               below 1.1: balanced; else undecided
 *   attained  = largest / measured median; below 0.5: unexplained
 */
#include "analysis/classify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/load.h"
#include "model/cost.h"
#include "model/method_cost.h"
#include "model/result.h"

double rp_ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : NAN;
}

const struct rp_gpu_spec *rp_gpu_of_device(const struct rp_gpu_list *gpus,
                                           const struct rp_device_row *device)
{
    return device ? rp_gpu_list_find_exact(gpus, device->gpu_type) : NULL;
}

static struct rp_verdict missing(void)
{
    return (struct rp_verdict){.class_name = RP_CLASS_MISSING, .compute_s = NAN, .memory_s = NAN};
}

static struct rp_verdict not_in_data(const char *gpu_type)
{
    struct rp_verdict verdict = missing();
    snprintf(verdict.reason, sizeof verdict.reason, "data/gpus.tsv has no row '%.100s'", gpu_type);
    return verdict;
}

static struct rp_verdict verdict_of(const struct rp_floor *f, const struct rp_gpu_spec *gpu,
                                    const char *path)
{
    struct rp_verdict verdict = {
        .class_name = f->class_name, .compute_s = f->compute_s, .memory_s = f->memory_s};
    if (f->class_name == RP_CLASS_MISSING)
        snprintf(verdict.reason, sizeof verdict.reason, "the datasheet of %s has no peak for %s",
                 gpu->gpu_type, path);
    return verdict;
}

struct rp_verdict rp_verdict_ideal(const struct rp_gpu_spec *gpu, const char *gpu_type,
                                   const struct rp_point *p, bool dense)
{
    if (!gpu)
        return not_in_data(gpu_type);
    struct rp_floor f = rp_bound_ideal(gpu, p, dense);
    return verdict_of(&f, gpu, rp_bound_ideal_path(p->dtype));
}

struct rp_verdict rp_verdict_predicted(const struct rp_gpu_spec *gpu, const char *gpu_type,
                                       const struct rp_point *p, enum rp_impl impl)
{
    if (!gpu)
        return not_in_data(gpu_type);
    const struct rp_method_device device = {
        .backend = "cuda", .threads = 0, .multiprocessors = gpu->multiprocessors};
    struct rp_method_cost method;
    struct rp_cost cost;
    if (rp_method_cost_of(&device, impl, p, &method) != RP_OK || rp_cost_of(p, &cost) != RP_OK) {
        struct rp_verdict verdict = missing();
        snprintf(verdict.reason, sizeof verdict.reason, "%.190s", rp_status_message());
        return verdict;
    }
    struct rp_floor f = rp_bound_predicted(gpu, &method, cost.bytes_min);
    return verdict_of(&f, gpu, method.path);
}

/* A measured ceiling with its interval; without one the interval is the value itself. */
struct ceiling {
    double value, low, high;
};

/* The best ceiling of one kind on one device. `path` null: any. */
static bool find_ceiling(const struct rp_study *study, int64_t device, const char *kind,
                         const char *path, struct ceiling *best)
{
    const struct rp_ceiling *rows = study->tables[RP_TABLE_CEILINGS].rows;
    bool found = false;
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *c = &rows[i];
        if (c->device != device || strcmp(c->kind, kind) != 0 || !(c->value > 0) ||
            (path && strcmp(c->path, path) != 0) || (found && c->value <= best->value))
            continue;
        best->value = c->value;
        best->low = c->ci_low > 0 ? c->ci_low : c->value;
        best->high = c->ci_high > 0 ? c->ci_high : c->value;
        found = true;
    }
    return found;
}

struct span { /* a time and what the ceilings' intervals make of it */
    enum rp_class class_name;
    double value, low, high;
};

/* work / rate; a better ceiling is a shorter time. */
static struct span span_of(enum rp_class class_name, double work, const struct ceiling *rate)
{
    return (struct span){class_name, work / rate->value, work / rate->high, work / rate->low};
}

static void add_span(struct span *to, const struct span *more)
{
    to->value += more->value;
    to->low += more->low;
    to->high += more->high;
}

/* Bytes of intermediates the method holds, all of which are written and read back. */
static bool intermediates_of(const struct rp_study *study, const struct rp_result *row,
                             int64_t *bytes)
{
    const struct rp_device_row *device = rp_study_device_of(study, row);
    struct rp_method_cost method;
    struct rp_point p;
    enum rp_impl impl;
    if (!device || !rp_impl_find(row->impl, &impl) || rp_result_point(row, &p) != RP_OK)
        return false;
    const struct rp_method_device on = rp_method_device_of(device, (int)row->threads);
    if (rp_method_cost_of(&on, impl, &p, &method) != RP_OK)
        return false;
    *bytes = method.scores_bytes + method.workspace_bytes;
    return true;
}

static const char *memory_span(const struct rp_study *study, const struct rp_result *row,
                               struct span *span)
{
    const struct rp_device_row *device = rp_study_device_of(study, row);
    struct ceiling dram = {0};
    struct ceiling cache = {0};
    int64_t held = 0;
    const char *kind = strcmp(row->stage, "decode") == 0 ? "read_bandwidth" : "bandwidth";
    if (!find_ceiling(study, row->device, kind, NULL, &dram))
        return kind;
    bool in_cache = row->bytes_impl > row->bytes_min && intermediates_of(study, row, &held) &&
                    held <= device->l2_bytes;
    *span = span_of(RP_CLASS_MEMORY, (double)(in_cache ? row->bytes_min : row->bytes_impl), &dram);
    if (!in_cache)
        return NULL;
    if (!find_ceiling(study, row->device, "cache_bandwidth", NULL, &cache))
        return "cache_bandwidth";
    struct span more = span_of(RP_CLASS_MEMORY, (double)(row->bytes_impl - row->bytes_min), &cache);
    add_span(span, &more);
    return NULL;
}

/* Fills the three times; returns the kind of ceiling that is not there, or null. */
static const char *measured_spans(const struct rp_study *study, const struct rp_result *row,
                                  struct span spans[3])
{
    struct ceiling peak = {0};
    struct ceiling latency = {0};
    if (!find_ceiling(study, row->device, "compute", row->path, &peak))
        return "compute";
    spans[0] = span_of(RP_CLASS_COMPUTE, (double)row->flops_impl, &peak);
    const char *lacks = memory_span(study, row, &spans[1]);
    if (lacks)
        return lacks;
    if (!find_ceiling(study, row->device, "latency", NULL, &latency))
        return "latency";
    double launches = (double)row->launches;
    spans[2] = (struct span){RP_CLASS_LATENCY, launches * latency.value, launches * latency.low,
                             launches * latency.high};
    return NULL;
}

static void sort_spans(struct span spans[3])
{
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (spans[j].value > spans[i].value) {
                struct span s = spans[i];
                spans[i] = spans[j];
                spans[j] = s;
            }
        }
    }
}

/* The row itself must have counts and a time. */
static const char *row_lacks(const struct rp_result *row)
{
    if (!(row->time_median_s > 0))
        return "the row has no time";
    if (row->flops_impl <= 0 || row->bytes_impl <= 0 || row->bytes_min <= 0 || row->launches <= 0)
        return "the row has no counts of its implementation";
    return NULL;
}

struct rp_measured_verdict rp_verdict_measured(const struct rp_study *study,
                                               const struct rp_result *row)
{
    const double margin = 1.1;
    const double explained = 0.5;
    struct rp_measured_verdict v = {RP_CLASS_MISSING, RP_CLASS_MISSING, NAN, NAN, NAN, NAN, ""};
    struct span spans[3];
    const char *lacks = row_lacks(row);
    if (lacks) {
        snprintf(v.reason, sizeof v.reason, "%s", lacks);
        return v;
    }
    lacks = measured_spans(study, row, spans);
    if (lacks) {
        snprintf(v.reason, sizeof v.reason,
                 rp_study_count(study, RP_TABLE_CEILINGS)
                     ? "no %s ceiling was measured on this device%s%s"
                     : "this file has no measured ceilings",
                 lacks, strcmp(lacks, "compute") == 0 ? " for path " : "",
                 strcmp(lacks, "compute") == 0 ? row->path : "");
        return v;
    }
    sort_spans(spans);
    v.nearest = spans[0].class_name;
    v.floor_s = spans[0].value;
    v.attained_frac = v.floor_s / row->time_median_s;
    v.ratio_low = spans[0].low / spans[1].high;
    v.ratio_high = spans[0].high / spans[1].low;
    if (v.attained_frac < explained)
        v.class_name = RP_CLASS_UNEXPLAINED;
    else if (v.ratio_low > margin)
        v.class_name = v.nearest;
    else if (v.ratio_high <= margin)
        v.class_name = RP_CLASS_BALANCED;
    else
        v.class_name = RP_CLASS_UNDECIDED;
    return v;
}
