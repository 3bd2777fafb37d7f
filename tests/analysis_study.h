/*
 * analysis_study.h - a small whole study built in memory, written to a folder of its own, and the
 * commands of ridgepoint-analyze run on it. For the tests of analysis/.
 */
#ifndef RP_TESTS_ANALYSIS_STUDY_H
#define RP_TESTS_ANALYSIS_STUDY_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/subcommands.h"
#include "base/stats.h"
#include "model/method_cost.h"
#include "model/result.h"
#include "store/results_hdf5.h"
#include "store/study.h"

enum { STUDY_SAMPLES = 11 };

struct synthetic {
    char folder[32];
    char path[64];
    struct rp_study study;
};

static inline struct rp_point shape_of(enum rp_stage stage, int64_t heads, int64_t kv_heads,
                                       int64_t seq, int64_t head_dim)
{
    return (struct rp_point){.stage = stage,
                             .batch = 1,
                             .heads = heads,
                             .kv_heads = kv_heads,
                             .seq_q = stage == RP_STAGE_DECODE ? 1 : seq,
                             .seq_k = seq,
                             .head_dim = head_dim,
                             .dtype = RP_DTYPE_fp16,
                             .causal = false};
}

/* One run on one CPU, no rows yet. */
static inline void synthetic_begin(struct synthetic *s)
{
    struct rp_run run;
    struct rp_device_row device;
    snprintf(s->folder, sizeof s->folder, "/tmp/rp_study_XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/study.h5", s->folder);
    rp_study_init(&s->study);
    rp_row_init(RP_TABLE_RUNS, &run);
    RP_WORD_SET(run.run_id, "run-1");
    RP_WORD_SET(run.job_name, "synthetic");
    RP_WORD_SET(run.started_utc, "2026-01-31T12:00:00.000Z");
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_RUNS, &run), "run");
    rp_row_init(RP_TABLE_DEVICES, &device);
    RP_WORD_SET(device.gpu_type, "cpu-test");
    RP_WORD_SET(device.name, "Test CPU");
    RP_WORD_SET(device.uuid, "uuid-1");
    RP_WORD_SET(device.host, "host-1");
    RP_WORD_SET(device.backend, "cpu");
    device.multiprocessors = 2;
    device.l2_bytes = INT64_C(1) << 20;
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_DEVICES, &device), "device");
    s->study.complete = true;
}

/* The row at an index, to be changed. */
static inline struct rp_result *row_at(struct synthetic *s, size_t index)
{
    return rp_study_row(&s->study, RP_TABLE_RESULTS, index);
}

static inline void fill_counts(struct rp_result *row, const struct rp_point *p, enum rp_impl impl)
{
    const struct rp_method_device on = {"cpu", 2, 2};
    struct rp_method_cost cost;
    CHECK_OK(rp_method_cost_of(&on, impl, p, &cost), "method cost");
    RP_WORD_SET(row->path, cost.path);
    row->threads = 2;
    row->launches = cost.launches;
    row->flops_impl = cost.flops_impl;
    row->bytes_impl = cost.bytes_impl;
    row->scores_bytes = cost.scores_bytes;
    row->predicted_memory_bytes = rp_method_cost_memory(&cost);
    row->peak_memory_bytes = row->predicted_memory_bytes;
}

/* Samples around `time_s`, one of them far off and not used, and the row's times from them. */
static inline void fill_times(struct synthetic *s, struct rp_result *row, double time_s)
{
    double used[STUDY_SAMPLES];
    size_t n = 0;
    row->samples = STUDY_SAMPLES;
    row->sample_offset = (int64_t)rp_study_count(&s->study, RP_TABLE_SAMPLES);
    RP_WORD_SET(row->stop_reason, "target_ci");
    for (int i = 0; i < STUDY_SAMPLES; ++i) {
        struct rp_sample sample = {time_s * (1 + 0.001 * ((i * 7) % STUDY_SAMPLES)), 1, i, 1};
        if (i == 3) {
            sample.time_s = 0.1 * time_s;
            sample.used = 0;
        }
        if (sample.used)
            used[n++] = sample.time_s;
        CHECK_OK(rp_study_append(&s->study, RP_TABLE_SAMPLES, &sample), "sample");
    }
    rp_stats_sort(used, n);
    struct rp_stats_interval interval = rp_stats_median_interval(used, n, 0.95);
    row->time_median_s = rp_stats_median(used, n);
    row->time_min_s = used[0];
    row->time_ci_low_s = interval.low;
    row->time_ci_high_s = interval.high;
    row->ci_level = interval.level;
}

/* A good row; returns its index. */
static inline size_t synthetic_add(struct synthetic *s, const struct rp_point *p, enum rp_impl impl,
                                   double time_s)
{
    struct rp_result row;
    size_t index = rp_study_count(&s->study, RP_TABLE_RESULTS);
    CHECK_OK(rp_result_begin(&row, p, impl), "row");
    rp_result_set_outcome(&row, RP_OUTCOME_OK, "");
    row.run = 0;
    row.device = 0;
    row.sequence = (int64_t)index;
    RP_WORD_SET(row.cache, "cold");
    row.error_max_abs = 1e-5;
    row.error_rel_l2 = 1e-5;
    row.error_tolerance = 1e-3;
    if (impl != RP_IMPL_reference)
        row.reference_diff_max_abs = 2e-5;
    fill_counts(&row, p, impl);
    fill_times(s, &row, time_s);
    CHECK_OK(rp_study_append(&s->study, RP_TABLE_RESULTS, &row), "row");
    s->study.rows_planned = (int64_t)index + 1;
    return index;
}

/* A ceiling of run 0 on device 0 by two threads, known to within `spread`; returns it to be
 * changed. */
static inline struct rp_ceiling *add_ceiling(struct rp_study *study, const char *kind, double value,
                                             double spread)
{
    struct rp_ceiling c;
    rp_row_init(RP_TABLE_CEILINGS, &c);
    c.run = c.device = 0;
    c.threads = 2;
    RP_WORD_SET(c.kind, kind);
    RP_WORD_SET(c.path, strncmp(kind, "compute", 7) == 0 ? "cpu_fp32" : "");
    RP_WORD_SET(c.units, strstr(kind, "bandwidth") || strstr(kind, "read") ? "B/s"
                         : c.path[0]                                       ? "FLOP/s"
                                                                           : "s");
    c.value = value;
    c.ci_low = value * (1 - spread);
    c.ci_high = value * (1 + spread);
    CHECK_OK(rp_study_append(study, RP_TABLE_CEILINGS, &c), kind);
    return rp_study_row(study, RP_TABLE_CEILINGS, rp_study_count(study, RP_TABLE_CEILINGS) - 1);
}

/* A further run; returns its index. */
static inline int64_t add_run(struct rp_study *study, const char *run_id, const char *started_utc)
{
    struct rp_run run;
    rp_row_init(RP_TABLE_RUNS, &run);
    RP_WORD_SET(run.run_id, run_id);
    RP_WORD_SET(run.started_utc, started_utc);
    CHECK_OK(rp_study_append(study, RP_TABLE_RUNS, &run), run_id);
    return (int64_t)rp_study_count(study, RP_TABLE_RUNS) - 1;
}

/* Makes a row one without times. Its samples become nobody's. */
static inline void unmeasure(struct rp_result *row, enum rp_outcome outcome, const char *reason)
{
    rp_result_set_outcome(row, outcome, reason);
    row->time_median_s = row->time_min_s = row->time_ci_low_s = row->time_ci_high_s = NAN;
    row->ci_level = row->error_max_abs = row->error_rel_l2 = NAN;
    row->reference_diff_max_abs = NAN;
    row->samples = 0;
    row->sample_offset = -1;
    row->peak_memory_bytes = -1;
    RP_WORD_SET(row->stop_reason, "");
}

static inline void synthetic_write(struct synthetic *s)
{
    unlink(s->path);
    CHECK_OK(rp_results_write(s->path, &s->study), s->path);
}

static inline void synthetic_end(struct synthetic *s)
{
    unlink(s->path);
    assert_int_equal(rmdir(s->folder), 0);
    rp_study_clear(&s->study);
}

typedef enum rp_status (*subcommand_function)(int argc, char *const *argv, FILE *out,
                                              int *exit_code);

/* Runs a subcommand with up to four more arguments (null: none) before the file; the caller frees
 * the output. Not inlined: gcc 12 takes the stream's buffer for a local. */
static __attribute__((noinline, unused)) char *run_command(subcommand_function run,
                                                           const char *const *more,
                                                           const char *path,
                                                           enum rp_status expected, int *exit_code)
{
    char *argv[8] = {"command"};
    char *output = NULL;
    size_t size = 0;
    int argc = 1;
    for (; more && *more; ++more)
        argv[argc++] = (char *)(uintptr_t)*more;
    argv[argc++] = (char *)(uintptr_t)path;
    FILE *out = open_memstream(&output, &size);
    assert_non_null(out);
    enum rp_status status = run(argc, argv, out, exit_code);
    fclose(out);
    CHECK_STATUS(status, expected, path);
    return output;
}

#endif
