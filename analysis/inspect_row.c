/*
 * inspect_row.c - one row of /results: is it a possible row, and are its counts those of its shape?
 *
 * Counts are recomputed from the axes (model/cost, model/method_cost), never taken from other rows.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/device_kind.h"
#include "analysis/inspect.h"
#include "analysis/load.h"
#include "analysis/plausible.h"
#include "model/cost.h"
#include "model/method_cost.h"
#include "model/result.h"

struct row_context {
    const struct rp_study *study;
    const struct rp_result *row;
    struct rp_fault_place place;
    struct rp_faults *faults;
    struct rp_point point;
    enum rp_outcome outcome;
    enum rp_impl impl;
};

static void expect_i64(const struct row_context *c, const char *column, int64_t got,
                       int64_t expected, const char *why)
{
    char text[RP_FAULT_VALUE_SIZE];
    if (got != expected)
        rp_faults_error(c->faults, c->place, column, rp_fault_i64(text, got), "%" PRId64 " (%s)",
                        expected, why);
}

/* False when nothing more can be said about the row. */
static bool inspect_words(struct row_context *c)
{
    const struct rp_result *row = c->row;
    bool good = true;
    if (!rp_outcome_find(row->status, &c->outcome)) {
        rp_faults_error(c->faults, c->place, "status", row->status,
                        "ok, mismatch, oom, unsupported, timeout, error or skipped");
        good = false;
    }
    if (!rp_impl_find(row->impl, &c->impl)) {
        rp_faults_error(c->faults, c->place, "impl", row->impl, "naive, reference, fused or cudnn");
        good = false;
    }
    if (rp_result_point(row, &c->point) != RP_OK) {
        rp_faults_error(c->faults, c->place, "point", row->point, "axes that make a point: %s",
                        rp_status_message());
        good = false;
    } else if (row->causal != 0 && row->causal != 1) {
        char text[RP_FAULT_VALUE_SIZE];
        rp_faults_error(c->faults, c->place, "causal", rp_fault_i64(text, row->causal), "0 or 1");
    }
    return good;
}

static void inspect_identity(const struct row_context *c)
{
    char id[RP_POINT_ID_SIZE];
    if (rp_point_id(&c->point, id) == RP_OK && strcmp(id, c->row->point) != 0)
        rp_faults_error(c->faults, c->place, "point", c->row->point,
                        "%s, the identity of the row's axes", id);
    if (c->point.seq_q == 1 && c->point.causal)
        rp_faults_error(c->faults, c->place, "causal", "1",
                        "0: with one query nothing is hidden, so it is stored as one point");
}

static void inspect_counts(const struct row_context *c)
{
    struct rp_cost cost = {-1, -1, -1, -1}; /* not applicable where a count overflows */
    if (rp_cost_of(&c->point, &cost) != RP_OK)
        return;
    expect_i64(c, "flops", c->row->flops, cost.flops, "4 * batch * heads * head_dim * pairs");
    expect_i64(c, "flops_dense", c->row->flops_dense, cost.flops_dense,
               "4 * batch * heads * head_dim * seq_q * seq_k");
    expect_i64(c, "bytes_min", c->row->bytes_min, cost.bytes_min, "Q, K, V and O moved once");
}

/* False where the row says nothing of its method, or of a backend this version does not know. */
static bool find_method(const struct row_context *c, struct rp_method_cost *cost)
{
    const struct rp_device_row *device = rp_study_device_of(c->study, c->row);
    if (!device || c->row->flops_impl == -1)
        return false;
    const struct rp_method_device on = rp_method_device_of(device, (int)c->row->threads);
    return rp_method_cost_of(&on, c->impl, &c->point, cost) == RP_OK;
}

/* What the implementation executes and moves. */
static void inspect_method_counts(const struct row_context *c)
{
    struct rp_method_cost cost;
    if (!find_method(c, &cost))
        return;
    expect_i64(c, "flops_impl", c->row->flops_impl, cost.flops_impl, "what this method executes");
    expect_i64(c, "bytes_impl", c->row->bytes_impl, cost.bytes_impl, "what this method moves");
}

/* A library's workspace is what it said it was: then the prediction can only be too small. */
static void inspect_prediction(const struct row_context *c, const struct rp_method_cost *cost)
{
    char text[RP_FAULT_VALUE_SIZE];
    int64_t predicted = c->row->predicted_memory_bytes;
    int64_t least = rp_method_cost_memory(cost);
    if (predicted == -1)
        return;
    if (!cost->asks_workspace)
        expect_i64(c, "predicted_memory_bytes", predicted, least,
                   "tensors, scores and workspace of this method");
    else if (predicted < least)
        rp_faults_error(c->faults, c->place, "predicted_memory_bytes",
                        rp_fault_i64(text, predicted),
                        "at least %" PRId64 ", the tensors of this method", least);
}

/* What it runs on and holds, where the row says it at all. */
static void inspect_method(const struct row_context *c)
{
    const struct rp_result *row = c->row;
    struct rp_method_cost cost;
    if (!find_method(c, &cost))
        return;
    if (strcmp(row->path, cost.path) != 0)
        rp_faults_error(c->faults, c->place, "path", row->path, "%s", cost.path);
    inspect_prediction(c, &cost);
    if (row->scores_bytes != -1)
        expect_i64(c, "scores_bytes", row->scores_bytes, cost.scores_bytes,
                   "scores of this method");
    if (row->peak_memory_bytes != -1)
        expect_i64(c, "peak_memory_bytes", row->peak_memory_bytes,
                   cost.asks_workspace ? row->predicted_memory_bytes : rp_method_cost_memory(&cost),
                   "counted bytes are predicted exactly");
}

/* Less traffic or work than the shape needs is impossible, whoever counted. */
static void inspect_least(const struct row_context *c)
{
    char text[RP_FAULT_VALUE_SIZE];
    const struct rp_result *row = c->row;
    if (row->bytes_impl != -1 && row->bytes_impl < row->bytes_min)
        rp_faults_error(c->faults, c->place, "bytes_impl", rp_fault_i64(text, row->bytes_impl),
                        "at least bytes_min, %" PRId64, row->bytes_min);
    if (row->flops_impl != -1 && row->flops_impl < row->flops)
        rp_faults_error(c->faults, c->place, "flops_impl", rp_fault_i64(text, row->flops_impl),
                        "at least flops, %" PRId64, row->flops);
}

/* error_tolerance belongs to the query row that came closest to its own limit, so it bounds
 * error_max_abs only in kind: an ok row was compared, and nothing in it was infinite. */
static void inspect_accuracy(const struct row_context *c)
{
    char text[RP_FAULT_VALUE_SIZE];
    const struct rp_device_row *device = rp_study_device_of(c->study, c->row);
    if (device && rp_device_is_simulated(device))
        return; /* computes nothing, so there was nothing to compare */
    if (c->outcome == RP_OUTCOME_OK &&
        (!(c->row->error_max_abs >= 0) || isinf(c->row->error_max_abs)))
        rp_faults_error(c->faults, c->place, "error_max_abs",
                        rp_fault_f64(text, c->row->error_max_abs),
                        "a finite number: a row is ok because it was compared with the oracle");
}

static void inspect_reason(const struct row_context *c)
{
    if (c->outcome != RP_OUTCOME_OK && !c->row->reason[0])
        rp_faults_error(c->faults, c->place, "reason", "\"\"", "why the row is %s", c->row->status);
}

static bool is_flag(const char *word, size_t n)
{
    static const char *const flags[] = {"throttled", "noisy", "unpaired", "implausible"};
    for (size_t i = 0; i < RP_COUNT(flags); ++i) {
        if (strlen(flags[i]) == n && strncmp(word, flags[i], n) == 0)
            return true;
    }
    return false;
}

static void inspect_flags(const struct row_context *c)
{
    for (const char *p = c->row->flags; *p;) {
        size_t n = strcspn(p, ",");
        if (!is_flag(p, n)) {
            rp_faults_error(c->faults, c->place, "flags", c->row->flags,
                            "comma-separated: throttled, noisy, unpaired, implausible");
            return;
        }
        p += n + (p[n] == ',');
    }
    if (strstr(c->row->flags, "implausible"))
        rp_faults_error(c->faults, c->place, "flags", c->row->flags,
                        "no row faster than its counts and ceilings allow");
}

static void inspect_plausibility(const struct row_context *c)
{
    char text[RP_FAULT_VALUE_SIZE];
    struct rp_plausibility p = rp_row_plausibility(c->study, c->row);
    if (p.is_implausible)
        rp_faults_error(c->faults, c->place, "time_median_s",
                        rp_fault_f64(text, c->row->time_median_s),
                        "at least %.4g, or the row is implausible: %s", p.least_s, p.reason);
}

void rp_inspect_counting(const struct rp_study *study, const struct rp_result *row, size_t number,
                         struct rp_faults *faults)
{
    struct row_context c = {
        .study = study, .row = row, .place = {"results", (int64_t)number}, .faults = faults};
    if (!inspect_words(&c))
        return;
    inspect_counts(&c);
    inspect_method_counts(&c);
}

enum rp_status rp_inspect_row(const struct rp_study *study, const struct rp_result *row,
                              size_t number, struct rp_faults *faults)
{
    struct row_context c = {
        .study = study, .row = row, .place = {"results", (int64_t)number}, .faults = faults};
    if (!inspect_words(&c))
        return RP_OK;
    inspect_identity(&c);
    inspect_counts(&c);
    inspect_least(&c);
    inspect_method_counts(&c);
    inspect_method(&c);
    inspect_accuracy(&c);
    inspect_reason(&c);
    inspect_flags(&c);
    inspect_plausibility(&c);
    return rp_inspect_times(study, row, number, faults);
}
