/* explain_row.c - the sections of one row: what it is, its counts, its times, its memory. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/explain.h"
#include "analysis/explain_sections.h"
#include "model/cost.h"
#include "model/result.h"

struct rp_quantity rp_quantity_of(double value, const char *units)
{
    return (struct rp_quantity){value, NAN, NAN, units};
}

static void explain_identity(struct rp_explainer *e)
{
    const struct rp_row_view *v = e->view;
    const struct rp_result *row = v->row;
    struct rp_point p;
    char text[RP_POINT_TEXT_SIZE] = "";
    if (rp_result_point(row, &p) == RP_OK)
        rp_point_text(&p, text);
    rp_explain_section(e, "row");
    rp_explain_word(e, "point", row->point, "first 16 hex digits of SHA-256 of: %s", text);
    rp_explain_word(e, "impl", row->impl, "row %" PRId64 " of /results in %s", e->row, v->path);
    rp_explain_word(e, "status", row->status, "%s", row->reason);
    rp_explain_word(e, "device", v->device ? v->device->gpu_type : "", "%s, %s, on %s",
                    v->device ? v->device->name : "?", v->device ? v->device->uuid : "?",
                    v->device ? v->device->host : "?");
    rp_explain_word(e, "run", v->run ? v->run->run_id : "", "job %s begun %s",
                    v->run ? v->run->job_name : "?", v->run ? v->run->started_utc : "?");
    rp_explain_word(e, "cache", row->cache, "protocol %s", row->protocol);
    if (row->threads > 0)
        rp_explain_count(e, "threads", row->threads, "1", "that computed it");
    rp_explain_word(e, "flags", row->flags, "what a reader should know of how it was measured");
}

/* count / divisor, or that one of them is not known; the divisor comes with the quotient's units.
 */
static void explain_quotient(struct rp_explainer *e, const char *name, int64_t count,
                             const char *formula, struct rp_quantity divisor)
{
    struct rp_quantity q = rp_quantity_of(rp_ratio((double)count, divisor.value), divisor.units);
    if (isnan(q.value))
        rp_explain_number(e, name, q, "%s, not both known", formula);
    else
        rp_explain_number(e, name, q, "%s = %" PRId64 " / %.10g", formula, count, divisor.value);
}

/* What the implementation executes and moves; -1 when it was never tried. */
static void explain_impl_counts(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    rp_explain_count(e, "flops_impl", row->flops_impl, "FLOP",
                     "what %s executes: hidden pairs it computes, tiles rounded up", row->impl);
    if (row->bytes_impl >= 0)
        rp_explain_count(e, "bytes_impl", row->bytes_impl, "B",
                         "bytes_min and %" PRId64 " B that %s moves besides",
                         row->bytes_impl - row->bytes_min, row->impl);
    else
        rp_explain_count(e, "bytes_impl", -1, "B", "not counted");
    rp_explain_count(e, "launches", row->launches, "1", "kernel launches of one call");
}

static void explain_counts(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    struct rp_point p;
    struct rp_cost cost = {-1, -1, -1, -1};
    char heads[64];
    rp_explain_section(e, "counts");
    snprintf(heads, sizeof heads, "%" PRId64 " * %" PRId64 " * %" PRId64, row->batch, row->heads,
             row->head_dim);
    if (rp_result_point(row, &p) == RP_OK && rp_cost_of(&p, &cost) == RP_OK) {
        if (p.causal)
            rp_explain_count(e, "pairs", cost.pairs, "1",
                             "seq_q * seq_k - seq_q * (seq_q - 1) / 2 = %" PRId64 " * %" PRId64
                             " - %" PRId64 " * %" PRId64 " / 2",
                             p.seq_q, p.seq_k, p.seq_q, p.seq_q - 1);
        else
            rp_explain_count(e, "pairs", cost.pairs, "1", "seq_q * seq_k = %" PRId64 " * %" PRId64,
                             p.seq_q, p.seq_k);
        rp_explain_count(e, "flops", row->flops, "FLOP",
                         "4 * batch * heads * head_dim * pairs = 4 * %s * %" PRId64, heads,
                         cost.pairs);
        rp_explain_count(e, "flops_dense", row->flops_dense, "FLOP",
                         "4 * batch * heads * head_dim * seq_q * seq_k = 4 * %s * %" PRId64
                         " * %" PRId64,
                         heads, p.seq_q, p.seq_k);
        rp_explain_count(e, "bytes_min", row->bytes_min, "B",
                         "e * head_dim * batch * (2 * heads * seq_q + 2 * kv_heads * seq_k) = %d * "
                         "%" PRId64 " * %" PRId64 " * (2 * %" PRId64 " * %" PRId64 " + 2 * %" PRId64
                         " * %" PRId64 ")",
                         rp_dtype_info(p.dtype)->storage_bytes, p.head_dim, p.batch, p.heads,
                         p.seq_q, p.kv_heads, p.seq_k);
    }
    struct rp_quantity bytes_min = rp_quantity_of((double)row->bytes_min, "FLOP/B");
    struct rp_quantity bytes_impl = rp_quantity_of((double)row->bytes_impl, "FLOP/B");
    explain_impl_counts(e);
    explain_quotient(e, "intensity", row->flops, "flops / bytes_min", bytes_min);
    explain_quotient(e, "intensity_dense", row->flops_dense, "flops_dense / bytes_min", bytes_min);
    explain_quotient(e, "intensity_impl", row->flops_impl, "flops_impl / bytes_impl", bytes_impl);
}

/* Samples by whether they count. */
static enum rp_status explain_samples(struct rp_explainer *e, const struct rp_study *study)
{
    const struct rp_result *row = e->view->row;
    const struct rp_sample *samples = NULL;
    size_t n = 0;
    int64_t used = 0;
    int64_t last_round = -1;
    RP_TRY(rp_study_samples_of(study, row, &samples, &n));
    for (size_t i = 0; i < n; ++i) {
        used += samples[i].used == 1;
        last_round = samples[i].round > last_round ? samples[i].round : last_round;
    }
    rp_explain_count(e, "samples", row->samples, "1",
                     "rows %" PRId64 " .. %" PRId64 " of /samples, rounds 0 .. %" PRId64,
                     row->sample_offset, row->sample_offset + row->samples - 1, last_round);
    rp_explain_count(e, "samples_used", used, "1", "sampling ended by %s",
                     row->stop_reason[0] ? row->stop_reason : "nothing: there was none");
    rp_explain_count(e, "samples_left_out", used > 0 ? (int64_t)n - used : 0, "1",
                     "disturbed or throttled%s%s", row->reason[0] ? ": " : "", row->reason);
    return RP_OK;
}

static void explain_times(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    if (!(row->time_median_s > 0)) {
        rp_explain_word(e, "time", "missing", "%s",
                        row->reason[0] ? row->reason : "the row was not timed");
        return;
    }
    rp_explain_number(
        e, "time_median_s",
        (struct rp_quantity){row->time_median_s, row->time_ci_low_s, row->time_ci_high_s, "s"},
        "median of the used samples; the interval holds it with probability %.3g", row->ci_level);
    rp_explain_number(e, "time_min_s", rp_quantity_of(row->time_min_s, "s"), "fastest used sample");
    struct rp_quantity flop_per_s = rp_quantity_of(row->time_median_s, "FLOP/s");
    struct rp_quantity bytes_per_s = rp_quantity_of(row->time_median_s, "B/s");
    explain_quotient(e, "achieved", row->flops, "flops / time_median_s", flop_per_s);
    explain_quotient(e, "achieved_bytes", row->bytes_min, "bytes_min / time_median_s", bytes_per_s);
    explain_quotient(e, "achieved_impl", row->flops_impl, "flops_impl / time_median_s", flop_per_s);
    explain_quotient(e, "achieved_impl_bytes", row->bytes_impl, "bytes_impl / time_median_s",
                     bytes_per_s);
}

static void explain_ratios(struct rp_explainer *e)
{
    rp_explain_section(e, "against the other implementations");
    for (int impl = 0; impl < RP_IMPL_COUNT; ++impl) {
        const struct rp_paired_ratio *r = &e->view->ratios[impl];
        const char *name = rp_impl_name((enum rp_impl)impl);
        struct rp_quantity q = {r->value, r->low, r->high, "1"};
        char title[64];
        bool is_elsewhere = impl >= RP_IMPL_DEFAULT_COUNT && isnan(r->value); /* not asked for */
        if (strcmp(name, e->view->row->impl) == 0 || is_elsewhere)
            continue;
        snprintf(title, sizeof title, "%s_time_ratio", name);
        if (isnan(r->value))
            rp_explain_number(e, title, q, "no two times of this point, device and run");
        else if (r->rounds > 0)
            rp_explain_number(e, title, q,
                              "median of the ratios of %" PRId64
                              " shared rounds; the interval holds it with probability %.3g",
                              r->rounds, r->level);
        else
            rp_explain_number(e, title, q,
                              "ratio of the medians: they are unpaired or share no round");
    }
}

static void explain_memory(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    rp_explain_section(e, "memory");
    rp_explain_count(e, "predicted_memory_bytes", row->predicted_memory_bytes, "B",
                     "before anything was allocated: %" PRId64
                     " B of tensors, the rest scores and workspace",
                     row->bytes_min);
    rp_explain_count(e, "peak_memory_bytes", row->peak_memory_bytes, "B",
                     "counted by the allocator%s",
                     row->peak_memory_bytes == row->predicted_memory_bytes ? ": as predicted" : "");
    rp_explain_count(e, "scores_bytes", row->scores_bytes, "B",
                     "part of it that holds scores or probabilities");
    rp_explain_count(e, "device_memory_bytes", row->device_memory_bytes, "B",
                     "peak as seen from outside the allocator");
}

/* What the GPU counted, beside what was counted on paper. */
static void explain_traffic(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    if (row->dram_read_bytes < 0 || row->dram_write_bytes < 0)
        return;
    int64_t moved = row->dram_read_bytes + row->dram_write_bytes;
    rp_explain_section(e, "traffic of the device's memory");
    rp_explain_count(e, "dram_read_bytes", row->dram_read_bytes, "B", "counted by the GPU");
    rp_explain_count(e, "dram_write_bytes", row->dram_write_bytes, "B",
                     "counted by the GPU, with what an eviction left to be written");
    rp_explain_number(e, "dram_over_bytes_impl",
                      rp_quantity_of(rp_ratio((double)moved, (double)row->bytes_impl), "1"),
                      "both / bytes_impl = %" PRId64 " B / %" PRId64 " B", moved, row->bytes_impl);
}

static void explain_accuracy(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    rp_explain_section(e, "accuracy");
    rp_explain_number(e, "error_max_abs", rp_quantity_of(row->error_max_abs, "1"),
                      "largest difference from the double-precision oracle");
    rp_explain_number(e, "error_tolerance", rp_quantity_of(row->error_tolerance, "1"),
                      "allowed for this dtype and shape");
    rp_explain_number(e, "error_rel_l2", rp_quantity_of(row->error_rel_l2, "1"),
                      "2-norm of that difference over that of the oracle");
    rp_explain_number(e, "reference_diff_max_abs", rp_quantity_of(row->reference_diff_max_abs, "1"),
                      "from the output of impl=reference");
}

static void explain_device_state(struct rp_explainer *e)
{
    const struct rp_result *row = e->view->row;
    rp_explain_section(e, "device while it was sampled");
    rp_explain_number(e, "clock_hz", rp_quantity_of(row->clock_hz, "Hz"), "as the device tells it");
    rp_explain_number(e, "temperature_c", rp_quantity_of(row->temperature_c, "degC"), "likewise");
    rp_explain_number(e, "power_w", rp_quantity_of(row->power_w, "W"), "mean");
    rp_explain_number(e, "energy_j", rp_quantity_of(row->energy_j, "J"), "of one launch");
}

enum rp_status rp_explain_row(struct rp_explainer *e, const struct rp_row_view *view,
                              const struct rp_study *study, size_t number)
{
    e->view = view;
    e->row = (int64_t)number;
    explain_identity(e);
    explain_counts(e);
    rp_explain_section(e, "time");
    if (view->row->samples > 0)
        RP_TRY(explain_samples(e, study));
    explain_times(e);
    rp_explain_ceilings(e);
    rp_explain_measured(e);
    rp_explain_datasheet(e);
    explain_ratios(e);
    explain_memory(e);
    explain_traffic(e);
    explain_accuracy(e);
    explain_device_state(e);
    return RP_OK;
}
