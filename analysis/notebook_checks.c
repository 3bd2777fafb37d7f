/*
 * notebook_checks.c - six numbers and what they are held against.
 *
 * The intensities are the notebook's: flops_dense over bytes_min (docs/MODEL.md).
 */
#include "analysis/notebook_checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "analysis/rows.h"
#include "base/list.h"
#include "model/cost.h"
#include "model/result.h"

static const char *const outcome_names[RP_CHECK_OUTCOME_COUNT] = {"PASS", "FAIL", "SKIP"};

static struct rp_point prefill(int64_t heads, int64_t seq, int64_t head_dim, enum rp_dtype dtype)
{
    return (struct rp_point){RP_STAGE_PREFILL, 1, heads, heads, seq, seq, head_dim, dtype, false};
}

/* Shapes that checks count: their intensity by flops_dense over bytes_min. */
enum shape { PREFILL_1K, PREFILL_2K, GROUPED_DECODE, PLAIN_DECODE, SHAPES };

static struct rp_point point_of(enum shape shape)
{
    struct rp_point p = {RP_STAGE_DECODE, 1, 32, 8, 1, 2048, 128, RP_DTYPE_fp16, false};
    if (shape == PREFILL_1K || shape == PREFILL_2K)
        return prefill(32, shape == PREFILL_1K ? 1024 : 2048, 128, RP_DTYPE_fp16);
    if (shape == PLAIN_DECODE)
        p.heads = 8;
    return p;
}

/* A row of reference at one of the lengths whose memory is compared. */
struct memory_row {
    const struct rp_device_row *device;
    const struct rp_study *study;
    struct rp_result row;
    size_t rows; /* it stands for: on the same type of device, of the same peak and status */
};

/* What the rows of the files say of the checks. */
struct evidence {
    const struct rp_gpu_list *gpus;
    double intensities[SHAPES]; /* of the first row that has counts; NaN: of none */
    struct rp_finding naive;
    size_t naive_compared;
    struct memory_row *memory; /* heap; in the order of the files */
    size_t n_memory, memory_room;
};

/* Of a row of this shape, masked or not (both counts are the same), or of the model. */
static double dense_intensity(const struct evidence *e, enum shape shape, bool *from_row)
{
    struct rp_point p = point_of(shape);
    struct rp_cost cost;
    *from_row = e->intensities[shape] > 0;
    if (*from_row)
        return e->intensities[shape];
    if (rp_cost_of(&p, &cost) != RP_OK)
        return NAN;
    return rp_cost_intensity(cost.flops_dense, cost.bytes_min);
}

static void add_intensity(struct evidence *e, const struct rp_seen_row *seen)
{
    for (int shape = 0; shape < SHAPES; ++shape) {
        struct rp_point p = point_of((enum shape)shape);
        p.causal = seen->point.causal;
        if (!(e->intensities[shape] > 0) && rp_point_compare(&p, &seen->point) == 0)
            e->intensities[shape] =
                rp_ratio((double)seen->row->flops_dense, (double)seen->row->bytes_min);
    }
}

static void set_origin(struct rp_finding *f, bool from_rows)
{
    snprintf(f->origin, sizeof f->origin, "%s",
             from_rows ? "counts of the file's rows" : "the model: no file has the shape");
}

static void check_doubles(const struct evidence *e, struct rp_finding *f)
{
    bool short_row = false;
    bool long_row = false;
    double at_1k = dense_intensity(e, PREFILL_1K, &short_row);
    double at_2k = dense_intensity(e, PREFILL_2K, &long_row);
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

static void check_prefill(const struct evidence *e, const char *gpu_type, struct rp_finding *f)
{
    bool from_row = false;
    const struct rp_gpu_spec *gpu = rp_gpu_list_find_exact(e->gpus, gpu_type);
    if (!gpu) {
        f->outcome = RP_CHECK_SKIP;
        snprintf(f->text, sizeof f->text, "data/gpus.tsv has no row %s", gpu_type);
        return;
    }
    double ridge = rp_bound_ideal_ridge(gpu, RP_DTYPE_fp16);
    f->value = dense_intensity(e, PREFILL_1K, &from_row);
    f->outcome = f->value > ridge ? RP_CHECK_PASS : RP_CHECK_FAIL;
    snprintf(f->text, sizeof f->text,
             "%.4g FLOP/B at T=1024 without a mask (ridge of %s: %.4g FLOP/B, fp16)", f->value,
             gpu_type, ridge);
    set_origin(f, from_row);
}

static void check_prefill_t4(const struct evidence *e, struct rp_finding *f)
{
    check_prefill(e, "t4", f);
}

static void check_prefill_a100(const struct evidence *e, struct rp_finding *f)
{
    check_prefill(e, "a100-sxm-80gb", f);
}

/* The notebook counts FLOPs on its 8 kv heads; with 32 query heads on them there are 4 times as
 * many. The larger intensity has to pass. */
static void check_decode(const struct evidence *e, struct rp_finding *f)
{
    bool grouped_row = false;
    bool plain_row = false;
    double grouped = dense_intensity(e, GROUPED_DECODE, &grouped_row);
    double plain = dense_intensity(e, PLAIN_DECODE, &plain_row);
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
static void add_naive(struct evidence *e, const struct rp_seen_row *seen)
{
    struct rp_point p = prefill(4, 128, 32, RP_DTYPE_fp32);
    p.causal = true;
    if (e->naive.outcome != RP_CHECK_FAIL && seen->impl == RP_IMPL_naive &&
        rp_point_compare(&p, &seen->point) == 0)
        compare_naive(seen->row, &e->naive_compared, &e->naive);
}

static void check_naive(const struct evidence *e, struct rp_finding *f)
{
    const char *name = f->name;
    *f = e->naive;
    f->name = name;
    if (e->naive_compared)
        snprintf(f->origin, sizeof f->origin, "%zu measured row%s", e->naive_compared,
                 e->naive_compared == 1 ? "" : "s");
}

/* The devices of one type share a sweep: the rows of a curve come from any of them. */
static bool same_device_type(const struct memory_row *a, const struct memory_row *b)
{
    return a->study == b->study && strcmp(a->device->gpu_type, b->device->gpu_type) == 0 &&
           a->row.threads == b->row.threads;
}

/* The row of one length, by the device type of `like`; null when there is none. */
static const struct memory_row *memory_row(const struct evidence *e, int64_t seq,
                                           const struct memory_row *like)
{
    for (size_t i = 0; i < e->n_memory; ++i) {
        const struct memory_row *m = &e->memory[i];
        if (m->row.seq_k == seq && same_device_type(m, like))
            return m;
    }
    return NULL;
}

/* Whether nothing but the number of rows is new in `m`. */
static bool is_repeat(const struct memory_row *known, const struct memory_row *m)
{
    return same_device_type(known, m) && known->row.seq_k == m->row.seq_k &&
           known->row.peak_memory_bytes == m->row.peak_memory_bytes &&
           strcmp(known->row.status, m->row.status) == 0;
}

static enum rp_status add_memory(struct evidence *e, const struct rp_seen_row *seen)
{
    struct memory_row m = {seen->device, seen->study, *seen->row, 1};
    struct rp_point p = prefill(8, seen->point.seq_k, 64, RP_DTYPE_fp16);
    p.causal = true;
    if (seen->impl != RP_IMPL_reference || rp_point_compare(&p, &seen->point) != 0 ||
        (p.seq_k != 256 && p.seq_k != 512 && p.seq_k != 1024))
        return RP_OK;
    for (size_t i = 0; i < e->n_memory; ++i) {
        if (is_repeat(&e->memory[i], &m)) {
            ++e->memory[i].rows;
            return RP_OK;
        }
    }
    struct memory_row *rows = rp_list_grow(e->memory, e->n_memory, &e->memory_room, sizeof *rows);
    if (!rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu rows of reference", e->n_memory);
    e->memory = rows;
    rows[e->n_memory++] = m;
    return RP_OK;
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
static bool judge_device(const struct evidence *e, const struct memory_row *at_256,
                         struct rp_finding *f)
{
    const struct memory_row *at_512 = memory_row(e, 512, at_256);
    const struct memory_row *at_1024 = memory_row(e, 1024, at_256);
    const struct rp_result *small = &at_256->row;
    const struct rp_result *large = at_1024 ? &at_1024->row : NULL;
    const struct rp_result *lacking = small->peak_memory_bytes > 0 ? large : small;
    if (small->peak_memory_bytes > 0 && large && large->peak_memory_bytes > 0) {
        judge_growth(small, at_512 ? &at_512->row : NULL, large, f);
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
static void check_memory(const struct evidence *e, struct rp_finding *f)
{
    size_t compared = 0;
    snprintf(f->text, sizeof f->text,
             "no row of reference at B=1 H=8 D=64 fp16 causal, T=256 (and 1024)");
    for (size_t i = 0; i < e->n_memory && f->outcome != RP_CHECK_FAIL; ++i) {
        struct rp_finding device = *f;
        if (e->memory[i].row.seq_k != 256)
            continue;
        bool has_number = judge_device(e, &e->memory[i], &device);
        compared += has_number ? e->memory[i].rows : 0;
        if (has_number || compared == 0 || device.outcome == RP_CHECK_FAIL)
            *f = device;
    }
    if (compared)
        snprintf(f->origin, sizeof f->origin, "%zu measured pair%s of rows", compared,
                 compared == 1 ? "" : "s");
}

static const struct check {
    const char *name;
    void (*run)(const struct evidence *e, struct rp_finding *f);
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

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct evidence *e = context;
    add_intensity(e, seen);
    add_naive(e, seen);
    return add_memory(e, seen);
}

enum rp_status rp_notebook_checks(const struct rp_check_source *source,
                                  struct rp_finding findings[RP_NOTEBOOK_CHECKS])
{
    _Static_assert(RP_COUNT(checks) == RP_NOTEBOOK_CHECKS, "one finding a check");
    static const char *const columns[] = {
        "status",           "reason", "flops_dense", "bytes_min", "reference_diff_max_abs",
        "peak_memory_bytes"};
    struct evidence e = {.gpus = source->gpus,
                         .intensities = {NAN, NAN, NAN, NAN},
                         .naive = {.outcome = RP_CHECK_SKIP,
                                   .value = NAN,
                                   .text = "no row of naive at B=1 H=4 T=128 D=32 fp32 causal"}};
    const struct rp_rows_visitor visitor = {.context = &e,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = source->simulated};
    enum rp_status status = rp_rows_visit(source->list, &visitor);
    for (size_t i = 0; i < RP_NOTEBOOK_CHECKS && status == RP_OK; ++i) {
        findings[i] =
            (struct rp_finding){.name = checks[i].name, .outcome = RP_CHECK_SKIP, .value = NAN};
        checks[i].run(&e, &findings[i]);
    }
    free(e.memory);
    return status;
}
