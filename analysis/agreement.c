/* agreement.c - neighbouring verdicts compared: ideal, dense, predicted, measured. */
#include "analysis/agreement.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dependence.h"
#include "base/decimal.h"
#include "model/result.h"

static const char *const names[] = {"counting", "grouped", "traffic", "path", "work",
                                    "latency",  "between", "other",   "ridge"};

const char *rp_disagreement_name(enum rp_disagreement d)
{
    return names[d];
}

static void RP_PRINTF(3, 4)
    add_reason(struct rp_agreement *a, enum rp_disagreement d, const char *format, ...)
{
    size_t n = strlen(a->reason);
    va_list arguments;
    a->found[d] = true;
    a->agree = false;
    n += (size_t)snprintf(a->reason + n, sizeof a->reason - n, "%s", n ? "; " : "");
    if (n >= sizeof a->reason)
        return;
    va_start(arguments, format);
    vsnprintf(a->reason + n, sizeof a->reason - n, format, arguments);
    va_end(arguments);
}

static void compare_counting(const struct rp_row_view *v, struct rp_agreement *a)
{
    if (v->ideal.class_name != v->ideal_dense.class_name)
        add_reason(a, RP_DISAGREE_COUNTING,
                   "ideal is %s by the visible pairs and %s by the dense rectangle",
                   rp_class_name(v->ideal.class_name), rp_class_name(v->ideal_dense.class_name));
    struct rp_point p;
    if (rp_result_point(v->row, &p) != RP_OK)
        return;
    enum rp_class on_kv_heads = rp_dependence_on_kv_heads(v->gpu, &p);
    if (p.heads != p.kv_heads && v->ideal_dense.class_name != on_kv_heads)
        add_reason(a, RP_DISAGREE_GROUPED,
                   "grouped queries: dense is %s on %" PRId64
                   " query heads and would be %s counted "
                   "on %" PRId64 " kv heads",
                   rp_class_name(v->ideal_dense.class_name), p.heads, rp_class_name(on_kv_heads),
                   p.kv_heads);
}

/* Ideal to predicted: other work, other traffic, another path. */
static void compare_predicted(const struct rp_row_view *v, struct rp_agreement *a)
{
    const struct rp_result *row = v->row;
    double ideal = rp_ratio((double)row->flops, (double)row->bytes_min);
    double impl = rp_ratio((double)row->flops_impl, (double)row->bytes_impl);
    char ideal_text[RP_DECIMAL_SIZE];
    char impl_text[RP_DECIMAL_SIZE];
    rp_decimal_plain(ideal, 3, ideal_text);
    rp_decimal_plain(impl, 3, impl_text);
    if (v->predicted.class_name == RP_CLASS_MISSING ||
        v->predicted.class_name == v->ideal.class_name)
        return;
    if (v->predicted.class_name == RP_CLASS_MEMORY)
        add_reason(a, RP_DISAGREE_TRAFFIC,
                   "predicted is memory: %s moves %.3g times bytes_min%s, %s FLOP/B instead of %s",
                   row->impl, rp_ratio((double)row->bytes_impl, (double)row->bytes_min),
                   row->scores_bytes > 0 ? " with its scores" : "", impl_text, ideal_text);
    else if (impl < v->ridge_flop_per_byte)
        add_reason(a, RP_DISAGREE_PATH,
                   "predicted is compute: %s runs on %s, below the peak of the dtype's tensor path",
                   row->impl, row->path);
    else
        add_reason(a, RP_DISAGREE_WORK,
                   "predicted is compute: %s executes %.3g times the flops that have to be",
                   row->impl, rp_ratio((double)row->flops_impl, (double)row->flops));
}

/* Predicted (without one: ideal) to measured. */
static void compare_measured(const struct rp_row_view *v, struct rp_agreement *a)
{
    const struct rp_measured_verdict *m = &v->measured;
    enum rp_class before =
        v->predicted.class_name != RP_CLASS_MISSING ? v->predicted.class_name : v->ideal.class_name;
    if (m->class_name == RP_CLASS_MISSING || m->class_name == before)
        return;
    if (m->class_name == RP_CLASS_UNEXPLAINED)
        add_reason(
            a, RP_DISAGREE_OTHER,
            "measured is unexplained: its ceilings account for %.2g of the time, the nearest "
            "is %s",
            m->attained_frac, rp_class_name(m->nearest));
    else if (before == RP_CLASS_MISSING)
        return; /* nothing to disagree with */
    else if (m->class_name == RP_CLASS_LATENCY)
        add_reason(a, RP_DISAGREE_LATENCY,
                   "measured is latency: %.3g us of launches, %.3g us of %s",
                   1e6 * m->times[RP_CLASS_LATENCY].value_s, 1e6 * m->times[before].value_s,
                   rp_class_name(before));
    else if (m->class_name == RP_CLASS_BALANCED || m->class_name == RP_CLASS_UNDECIDED)
        add_reason(a, RP_DISAGREE_BETWEEN,
                   "measured is %s: the two longest times are %.3g to %.3g "
                   "times apart",
                   rp_class_name(m->class_name), m->ratio_low, m->ratio_high);
    else
        add_reason(a, RP_DISAGREE_RIDGE,
                   "measured is %s: at the measured ceilings t_compute is %.3g times t_memory, at "
                   "the datasheet's %.3g",
                   rp_class_name(m->class_name),
                   m->times[RP_CLASS_COMPUTE].value_s / m->times[RP_CLASS_MEMORY].value_s,
                   v->predicted.compute_s / v->predicted.memory_s);
}

struct rp_agreement rp_agreement_of(const struct rp_row_view *v)
{
    struct rp_agreement a = {.agree = true};
    a.verdicts = (size_t)(v->ideal.class_name != RP_CLASS_MISSING) +
                 (size_t)(v->predicted.class_name != RP_CLASS_MISSING) +
                 (size_t)(v->measured.class_name != RP_CLASS_MISSING);
    if (v->ideal.class_name != RP_CLASS_MISSING) {
        compare_counting(v, &a);
        compare_predicted(v, &a);
    }
    compare_measured(v, &a);
    return a;
}
