/* explain_verdict.c - the sections about ceilings, times at them, and classes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/explain_sections.h"
#include "model/cost.h"
#include "model/result.h"

static void explain_ceiling(struct rp_explainer *e, const char *name, const struct rp_ceiling *c)
{
    if (!c) {
        rp_explain_word(e, name, "missing", "not measured on this device with these threads");
        return;
    }
    char clock[64] = "";
    char datasheet[64] = "";
    if (c->clock_hz > 0)
        snprintf(clock, sizeof clock, ", at %.4g GHz", 1e-9 * c->clock_hz);
    if (c->datasheet > 0)
        snprintf(datasheet, sizeof datasheet, ", %.3g of the datasheet's", c->value / c->datasheet);
    rp_explain_number(
        e, name, (struct rp_quantity){c->value, rp_ceiling_low(c), rp_ceiling_high(c), c->units},
        "%s%s%s%s%s%s", c->path, c->path[0] && c->method[0] ? ", " : "",
        rp_ceiling_is_anchor(c) ? "reading, repeated at this moment of the run: " : "", c->method,
        clock, datasheet);
}

void rp_explain_ceilings(struct rp_explainer *e)
{
    const struct rp_roof *roof = &e->view->measured.roof;
    rp_explain_section(e, "measured ceilings");
    if (!roof->run) {
        rp_explain_word(e, "ceilings", "missing",
                        "none were measured on this device with this number of threads");
        return;
    }
    rp_explain_word(e, "ceilings_run", roof->run->run_id, "begun %s%s", roof->run->started_utc,
                    roof->is_borrowed ? "; the row's own run measured none" : ", the row's own");
    explain_ceiling(e, "compute", roof->compute);
    explain_ceiling(e, strcmp(e->view->row->stage, "decode") == 0 ? "read_bandwidth" : "bandwidth",
                    roof->memory);
    explain_ceiling(e, "cache_bandwidth", roof->cache);
    explain_ceiling(e, "latency", roof->latency);
}

static struct rp_quantity quantity_of_span(const struct rp_span *span)
{
    return (struct rp_quantity){span->value_s, span->low_s, span->high_s, "s"};
}

static double value_of(const struct rp_ceiling *c)
{
    return c ? c->value : NAN;
}

/* "%.6g" of a number, "?" of none. */
static const char *number_text(char text[32], double value)
{
    snprintf(text, 32, isnan(value) ? "?" : "%.6g", value);
    return text;
}

static void explain_spans(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    const struct rp_measured_verdict *m = &e->view->measured;
    char a[32];
    char b[32];
    rp_explain_number(e, "t_compute", quantity_of_span(&m->times[RP_CLASS_COMPUTE]),
                      "flops_impl / peak(%s) = %" PRId64 " / %s FLOP/s", row->path, row->flops_impl,
                      number_text(a, value_of(m->roof.compute)));
    rp_explain_number(e, "t_memory", quantity_of_span(&m->times[RP_CLASS_MEMORY]),
                      "DRAM bytes / bandwidth + cache bytes / cache bandwidth = %" PRId64
                      " / %s B/s + %" PRId64 " / %s B/s",
                      m->dram_bytes, number_text(a, value_of(m->roof.memory)), m->cache_bytes,
                      number_text(b, value_of(m->roof.cache)));
    rp_explain_number(e, "t_latency", quantity_of_span(&m->times[RP_CLASS_LATENCY]),
                      "launches * latency = %" PRId64 " * %s s", row->launches,
                      number_text(a, value_of(m->roof.latency)));
}

static const char *class_rule(enum rp_class class_name)
{
    switch (class_name) {
    case RP_CLASS_UNEXPLAINED:
        return "attained is below 0.5: something else than these ceilings takes the time";
    case RP_CLASS_BALANCED:
        return "all of r's interval is at or below 1.1";
    case RP_CLASS_UNDECIDED:
        return "r's interval lies on both sides of 1.1";
    case RP_CLASS_COMPUTE:
    case RP_CLASS_MEMORY:
    case RP_CLASS_LATENCY:
        return "all of r's interval is above 1.1: the largest time is named";
    case RP_CLASS_MISSING:
    case RP_CLASS_COUNT:
        break;
    }
    return "";
}

static void explain_plausibility(struct rp_explainer *e)
{
    const struct rp_plausibility *p = &e->view->plausibility;
    if (p->is_implausible)
        rp_explain_word(e, "implausible", "yes", "at least %.6g s: %s", p->least_s, p->reason);
    else if (!isnan(p->least_s))
        rp_explain_word(e, "implausible", "no",
                        "flops and bytes_min need at least %.6g s at the measured ceilings",
                        p->least_s);
    else
        rp_explain_word(e, "implausible", "not judged",
                        "only a timed cold row whose run measured ceilings is");
}

void rp_explain_measured(struct rp_explainer *e)
{
    const struct rp_measured_verdict *m = &e->view->measured;
    rp_explain_section(e, "class_measured");
    if (m->class_name == RP_CLASS_MISSING) {
        rp_explain_word(e, "class_measured", "missing", "%s", m->reason);
        explain_plausibility(e);
        return;
    }
    explain_spans(e);
    rp_explain_number(e, "floor_s", rp_quantity_of(m->floor_s, "s"), "the largest: t_%s",
                      rp_class_name(m->nearest));
    rp_explain_number(e, "floor_ratio",
                      (struct rp_quantity){m->ratio, m->ratio_low, m->ratio_high, "1"},
                      "r, the largest over the second largest time");
    rp_explain_number(e, "attained_frac", rp_quantity_of(m->attained_frac, "1"),
                      "floor / time_median_s = %.6g / %.6g", m->floor_s,
                      e->view->row->time_median_s);
    rp_explain_word(e, "class_measured", rp_class_name(m->class_name), "%s%s%s",
                    class_rule(m->class_name), m->reason[0] ? "; " : "", m->reason);
    explain_plausibility(e);
}

static void explain_verdict(struct rp_explainer *e, const char *name, const struct rp_verdict *v,
                            const char *counts)
{
    if (v->class_name == RP_CLASS_MISSING)
        rp_explain_word(e, name, "missing", "%s", v->reason);
    else
        rp_explain_word(e, name, rp_class_name(v->class_name),
                        "%s: t_compute = %.6g s, t_memory = %.6g s", counts, v->compute_s,
                        v->memory_s);
}

void rp_explain_datasheet(struct rp_explainer *e)
{
    const struct rp_row_view *v = e->view;
    struct rp_point p;
    rp_explain_section(e, "classes by the datasheet");
    if (v->gpu && rp_result_point(v->row, &p) == RP_OK)
        rp_explain_number(e, "ridge", rp_quantity_of(v->ridge_flop_per_byte, "FLOP/B"),
                          "%.6g FLOP/s (%s) / %.6g B/s; %s",
                          rp_gpu_spec_peak(v->gpu, rp_bound_ideal_path(p.dtype)),
                          rp_bound_ideal_path(p.dtype), v->gpu->bandwidth_bytes_per_s,
                          v->gpu->source);
    explain_verdict(e, "class_ideal", &v->ideal, "flops, bytes_min");
    explain_verdict(e, "class_ideal_dense", &v->ideal_dense, "flops_dense, bytes_min");
    explain_verdict(e, "class_predicted", &v->predicted,
                    "flops_impl, bytes_impl less what stays in the cache");
}
