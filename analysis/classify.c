/* classify.c - the verdicts that need only counts and a datasheet: ideal and predicted. */
#include "analysis/classify.h"

#include <math.h>
#include <stdio.h>

#include "model/cost.h"
#include "model/method_cost.h"

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
