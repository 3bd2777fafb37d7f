/*
 * notebook_checks.c - six numbers and what they are held against.
 *
 * The intensities are the notebook's: flops_dense over bytes_min (docs/MODEL.md).
 */
#include "analysis/notebook_checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/classify.h"
#include "model/cost.h"
#include "model/result.h"

static const char *const outcome_names[RP_CHECK_OUTCOME_COUNT] = {"PASS", "FAIL", "SKIP"};

/* Visits rows of a shape in every file; `impl` null: any. Starts over when *position is 0. */
struct cursor {
    const struct rp_check_source *source;
    const char *impl;
    struct rp_point point;
    bool any_mask; /* causal or not */
    size_t file, row;
};

static bool row_fits(const struct cursor *c, const struct rp_study *study,
                     const struct rp_result *row)
{
    struct rp_point p;
    if (!c->source->simulated && rp_study_is_simulated(study, row))
        return false;
    if ((c->impl && strcmp(row->impl, c->impl) != 0) || rp_result_point(row, &p) != RP_OK)
        return false;
    if (c->any_mask)
        p.causal = c->point.causal;
    return rp_point_compare(&p, &c->point) == 0;
}

/* The next row that fits, or null at the end; *study is the file's it is in. */
static const struct rp_result *next_row(struct cursor *c, const struct rp_study **study)
{
    for (; c->file < c->source->list->count; ++c->file, c->row = 0) {
        *study = &c->source->list->files[c->file].study;
        while (c->row < rp_study_count(*study, RP_TABLE_RESULTS)) {
            const struct rp_result *row = &rp_study_results(*study)[c->row++];
            if (row_fits(c, *study, row))
                return row;
        }
    }
    return NULL;
}

static struct rp_point prefill(int64_t heads, int64_t seq, int64_t head_dim, enum rp_dtype dtype)
{
    return (struct rp_point){RP_STAGE_PREFILL, 1, heads, heads, seq, seq, head_dim, dtype, false};
}

/* Intensity by flops_dense over bytes_min: of a row of this shape, masked or not (both counts are
 * the same), or of the model. */
static double dense_intensity(const struct rp_check_source *source, const struct rp_point *p,
                              bool *from_row)
{
    struct cursor c = {.source = source, .point = *p, .any_mask = true};
    const struct rp_study *study = NULL;
    const struct rp_result *row;
    while ((row = next_row(&c, &study))) {
        double intensity = rp_ratio((double)row->flops_dense, (double)row->bytes_min);
        if (intensity > 0) {
            *from_row = true;
            return intensity;
        }
    }
    struct rp_cost cost;
    *from_row = false;
    if (rp_cost_of(p, &cost) != RP_OK)
        return NAN;
    return rp_cost_intensity(cost.flops_dense, cost.bytes_min);
}

static void set_origin(struct rp_finding *f, bool from_rows)
{
    snprintf(f->origin, sizeof f->origin, "%s",
             from_rows ? "counts of the file's rows" : "the model: no file has the shape");
}

static void check_doubles(const struct rp_check_source *source, struct rp_finding *f)
{
    bool short_row = false;
    bool long_row = false;
    struct rp_point p = prefill(32, 1024, 128, RP_DTYPE_fp16);
    double at_1k = dense_intensity(source, &p, &short_row);
    p.seq_q = p.seq_k = 2048;
    double at_2k = dense_intensity(source, &p, &long_row);
    f->value = at_2k / at_1k;
    f->outcome = f->value >= 1.8 && f->value <= 2.2 ? RP_CHECK_PASS : RP_CHECK_FAIL;
    snprintf(f->text, sizeof f->text,
             "%.4g (intensity %.4g FLOP/B at T=2048 over %.4g at T=1024; expected 1.8..2.2)",
             f->value, at_2k, at_1k);
    set_origin(f, short_row && long_row);
    if (short_row != long_row)
        snprintf(f->origin, sizeof f->origin, "T=%d of the file's rows, the other of the model",
                 short_row ? 1024 : 2048);
}

static void check_prefill(const struct rp_check_source *source, const char *gpu_type,
                          struct rp_finding *f)
{
    bool from_row = false;
    struct rp_point p = prefill(32, 1024, 128, RP_DTYPE_fp16);
    const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(source->gpus, gpu_type);
    if (!gpu) {
        f->outcome = RP_CHECK_SKIP;
        snprintf(f->text, sizeof f->text, "data/gpus.tsv has no row %s", gpu_type);
        return;
    }
    double ridge = rp_bound_ideal_ridge(gpu, RP_DTYPE_fp16);
    f->value = dense_intensity(source, &p, &from_row);
    f->outcome = f->value > ridge ? RP_CHECK_PASS : RP_CHECK_FAIL;
    snprintf(f->text, sizeof f->text,
             "%.4g FLOP/B at T=1024 without a mask (ridge of %s: %.4g FLOP/B, fp16)", f->value,
             gpu_type, ridge);
    set_origin(f, from_row);
}

static void check_prefill_t4(const struct rp_check_source *source, struct rp_finding *f)
{
    check_prefill(source, "t4", f);
}

static void check_prefill_a100(const struct rp_check_source *source, struct rp_finding *f)
{
    check_prefill(source, "a100-sxm-80gb", f);
}

/* The notebook counts FLOPs on its 8 kv heads; with 32 query heads on them there are 4 times as
 * many. The larger intensity has to pass. */
static void check_decode(const struct rp_check_source *source, struct rp_finding *f)
{
    bool grouped_row = false;
    bool plain_row = false;
    struct rp_point p = {RP_STAGE_DECODE, 1, 32, 8, 1, 2048, 128, RP_DTYPE_fp16, false};
    double grouped = dense_intensity(source, &p, &grouped_row);
    p.heads = 8;
    double plain = dense_intensity(source, &p, &plain_row);
    f->value = grouped;
    f->outcome = grouped < 20 && plain < 20 ? RP_CHECK_PASS : RP_CHECK_FAIL;
    snprintf(f->text, sizeof f->text,
             "%.4g FLOP/B at T=2048 with 32 query heads on 8 kv heads, %.4g with 8 on 8, as the "
             "notebook counts (limit 20 FLOP/B)",
             grouped, plain);
    set_origin(f, grouped_row);
}

/* What a row that is there but has no number is worth. */
static void judge_without_number(const struct rp_result *row, struct rp_finding *f)
{
    bool bad = strcmp(row->status, "mismatch") == 0 || strcmp(row->status, "error") == 0 ||
               strcmp(row->status, "timeout") == 0;
    f->outcome = bad ? RP_CHECK_FAIL : RP_CHECK_SKIP;
    snprintf(f->text, sizeof f->text, "the row of %s is %s%s%.200s", row->impl, row->status,
             row->reason[0] ? ": " : "", row->reason);
}

static void compare_naive(const struct rp_result *row, size_t *compared, struct rp_finding *f)
{
    const double limit = 1e-3;
    double difference = row->reference_diff_max_abs;
    if (difference >= 0) {
        f->value = *compared && f->value > difference ? f->value : difference;
        f->outcome = f->value < limit ? RP_CHECK_PASS : RP_CHECK_FAIL;
        snprintf(f->text, sizeof f->text,
                 "%.3g largest absolute difference of naive to reference (limit 0.001; B=1 H=4 "
                 "T=128 D=32 fp32 causal)",
                 f->value);
        ++*compared;
        return;
    }
    struct rp_finding aside = *f;
    judge_without_number(row, &aside);
    if (strcmp(row->status, "ok") == 0)
        snprintf(aside.text, sizeof aside.text,
                 "the row of naive was not compared with reference: it has no "
                 "reference_diff_max_abs");
    if (*compared == 0 || aside.outcome == RP_CHECK_FAIL)
        *f = aside;
}

/* Over all rows of the shape; the first that fails decides. */
static void check_naive(const struct rp_check_source *source, struct rp_finding *f)
{
    const struct rp_study *study = NULL;
    const struct rp_result *row;
    struct cursor c = {
        .source = source, .impl = "naive", .point = prefill(4, 128, 32, RP_DTYPE_fp32)};
    size_t compared = 0;
    c.point.causal = true;
    snprintf(f->text, sizeof f->text, "no row of naive at B=1 H=4 T=128 D=32 fp32 causal");
    while (f->outcome != RP_CHECK_FAIL && (row = next_row(&c, &study)))
        compare_naive(row, &compared, f);
    if (compared)
        snprintf(f->origin, sizeof f->origin, "%zu measured row%s", compared,
                 compared == 1 ? "" : "s");
}

/* The devices of one type share a sweep: the rows of a curve come from any of them. */
static bool same_device_type(const struct rp_study *study, const struct rp_result *a,
                             const struct rp_result *b)
{
    const struct rp_device_row *x = rp_study_device_of(study, a);
    const struct rp_device_row *y = rp_study_device_of(study, b);
    return x && y && strcmp(x->gpu_type, y->gpu_type) == 0 && a->threads == b->threads;
}

/* The row of reference at one length, by the device type of `like`; null when there is none. */
static const struct rp_result *reference_row(const struct rp_check_source *source, int64_t seq,
                                             const struct rp_result *like,
                                             const struct rp_study *in_study)
{
    const struct rp_study *study = NULL;
    const struct rp_result *row;
    struct cursor c = {
        .source = source, .impl = "reference", .point = prefill(8, seq, 64, RP_DTYPE_fp16)};
    c.point.causal = true;
    while ((row = next_row(&c, &study))) {
        if (study == in_study && same_device_type(study, row, like))
            return row;
    }
    return NULL;
}

static void judge_growth(const struct rp_result *small, const struct rp_result *middle,
                         const struct rp_result *large, struct rp_finding *f)
{
    const double mib = 1048576;
    char between[64] = "";
    f->value = (double)large->peak_memory_bytes / (double)small->peak_memory_bytes;
    f->outcome = f->value >= 8 && f->value <= 25 ? RP_CHECK_PASS : RP_CHECK_FAIL;
    if (middle && middle->peak_memory_bytes > 0)
        snprintf(between, sizeof between, ", %.4g at 512", (double)middle->peak_memory_bytes / mib);
    snprintf(
        f->text, sizeof f->text,
        "%.4g (peak memory of reference %.4g MiB at T=1024%s, %.4g at 256; expected 8..25; B=1 "
        "H=8 D=64 fp16 causal)",
        f->value, (double)large->peak_memory_bytes / mib, between,
        (double)small->peak_memory_bytes / mib);
}

/* One device type that has a row at T=256; true when it gave a number. */
static bool judge_device(const struct rp_check_source *source, const struct rp_study *study,
                         const struct rp_result *small, struct rp_finding *f)
{
    const struct rp_result *large = reference_row(source, 1024, small, study);
    const struct rp_result *lacking = small->peak_memory_bytes > 0 ? large : small;
    if (small->peak_memory_bytes > 0 && large && large->peak_memory_bytes > 0) {
        judge_growth(small, reference_row(source, 512, small, study), large, f);
        return true;
    }
    if (lacking)
        judge_without_number(lacking, f);
    if (lacking && strcmp(lacking->status, "ok") == 0)
        snprintf(f->text, sizeof f->text,
                 "the row of reference at T=%" PRId64 " has no peak memory", lacking->seq_k);
    if (!lacking)
        snprintf(f->text, sizeof f->text,
                 "no row of reference at B=1 H=8 D=64 fp16 causal, T=1024, beside the one at 256");
    return false;
}

/* Every device type that measured T=256 is asked for T=1024; the first that fails decides. */
static void check_memory(const struct rp_check_source *source, struct rp_finding *f)
{
    const struct rp_study *study = NULL;
    const struct rp_result *small;
    struct cursor c = {
        .source = source, .impl = "reference", .point = prefill(8, 256, 64, RP_DTYPE_fp16)};
    size_t compared = 0;
    c.point.causal = true;
    snprintf(f->text, sizeof f->text,
             "no row of reference at B=1 H=8 D=64 fp16 causal, T=256 (and 1024)");
    while (f->outcome != RP_CHECK_FAIL && (small = next_row(&c, &study))) {
        struct rp_finding device = *f;
        bool has_number = judge_device(source, study, small, &device);
        compared += has_number;
        if (has_number || compared == 0 || device.outcome == RP_CHECK_FAIL)
            *f = device;
    }
    if (compared)
        snprintf(f->origin, sizeof f->origin, "%zu measured pair%s of rows", compared,
                 compared == 1 ? "" : "s");
}

static const struct check {
    const char *name;
    void (*run)(const struct rp_check_source *source, struct rp_finding *f);
} checks[] = {
    {"naive_matches_sdpa_1e_minus_3", check_naive},
    {"ai_doubles_with_seq_len", check_doubles},
    {"prefill_compute_bound_on_T4", check_prefill_t4},
    {"decode_memory_bound", check_decode},
    {"prefill_compute_bound_on_A100_too", check_prefill_a100},
    {"empirical_memory_quadratic_in_T", check_memory},
};

const char *rp_check_outcome_name(enum rp_check_outcome outcome)
{
    return outcome_names[outcome];
}

void rp_notebook_checks(const struct rp_check_source *source,
                        struct rp_finding findings[RP_NOTEBOOK_CHECKS])
{
    _Static_assert(RP_COUNT(checks) == RP_NOTEBOOK_CHECKS, "one finding a check");
    for (size_t i = 0; i < RP_NOTEBOOK_CHECKS; ++i) {
        findings[i] =
            (struct rp_finding){.name = checks[i].name, .outcome = RP_CHECK_SKIP, .value = NAN};
        checks[i].run(source, &findings[i]);
    }
}
