/*
 * large_file.c - what tests/bench/analyze.sh needs beside the programs themselves.
 *
 *   write FILE ROWS      a result file of so many rows, by the store's own writer: rows of one GPU
 *                        that repeat a sweep, with times that no compression shortens
 *   study FILE ROWS      likewise, but every row another one, with samples, in which `verify` finds
 *                        no fault; rows of a point lie together but for every thousandth
 *   read FILE            the six columns a class is made of, block by block; prints the rows
 *   inflate VALUES       what the library under HDF5 does alone: so many numbers of a constant
 *                        column
 *   measure COMMAND...   runs it; prints its CPU seconds and the peak memory, MB, of it and of what
 *                        it started
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/stats.h"
#include "base/status.h"
#include "model/method_cost.h"
#include "model/result.h"
#include "store/results_hdf5.h"
#include "store/results_scan.h"

/* Uniform in 0 .. 1, by Steele's splitmix64. */
static double next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

enum { SHAPES = 64 };

/* Row i of the sweep, without times; of the n-th time around, with its own batch sizes. */
static enum rp_status begin_row(struct rp_result *row, int i, int64_t n)
{
    const struct rp_method_device on = {"cuda", 0, 40};
    enum rp_impl impl = (enum rp_impl)(i % RP_IMPL_DEFAULT_COUNT);
    int shape = i / RP_IMPL_DEFAULT_COUNT;
    bool is_decode = shape % 2 == 1;
    int64_t seq = INT64_C(64) << (shape / 2 % 8);
    struct rp_point p = {.stage = is_decode ? RP_STAGE_DECODE : RP_STAGE_PREFILL,
                         .batch = 1 + shape / 16 + n * (SHAPES / 16),
                         .heads = 32,
                         .kv_heads = is_decode ? 8 : 32,
                         .seq_q = is_decode ? 1 : seq,
                         .seq_k = seq,
                         .head_dim = 128,
                         .dtype = RP_DTYPE_fp16};
    struct rp_method_cost cost;
    RP_TRY(rp_result_begin(row, &p, impl));
    RP_TRY(rp_method_cost_of(&on, impl, &p, &cost));
    rp_result_set_outcome(row, RP_OUTCOME_OK, "");
    RP_WORD_SET(row->path, cost.path);
    RP_WORD_SET(row->cache, "cold");
    row->run = row->device = 0;
    row->launches = cost.launches;
    row->flops_impl = cost.flops_impl;
    row->bytes_impl = cost.bytes_impl;
    return RP_OK;
}

/* One row of each implementation and shape, without times. */
static enum rp_status make_sweep(struct rp_result rows[SHAPES * RP_IMPL_DEFAULT_COUNT])
{
    for (int i = 0; i < SHAPES * RP_IMPL_DEFAULT_COUNT; ++i)
        RP_TRY(begin_row(&rows[i], i, 0));
    return RP_OK;
}

static void fill_rows(struct rp_result *rows, size_t n, const struct rp_result *sweep)
{
    uint64_t state = 0;
    for (size_t i = 0; i < n; ++i) {
        struct rp_result *row = &rows[i];
        *row = sweep[i % (SHAPES * RP_IMPL_DEFAULT_COUNT)];
        row->time_median_s = (double)row->bytes_impl / 250e9 * (1 + next_random(&state));
        row->time_min_s = 0.99 * row->time_median_s;
        row->time_ci_low_s = 0.995 * row->time_median_s;
        row->time_ci_high_s = 1.005 * row->time_median_s;
        row->ci_level = 0.95;
        row->sequence = (int64_t)i;
    }
}

static enum rp_status add_ceilings(struct rp_study *study)
{
    static const struct {
        const char *kind, *path, *units;
        double value;
    } ceilings[] = {{"compute", "tensor_fp16", "FLOP/s", 45e12},
                    {"compute", "simt_fp32", "FLOP/s", 6e12},
                    {"compute", "simt_fp16", "FLOP/s", 12e12},
                    {"bandwidth", "", "B/s", 260e9},
                    {"read_bandwidth", "", "B/s", 270e9},
                    {"cache_bandwidth", "", "B/s", 900e9},
                    {"latency", "", "s", 3e-6}};
    for (size_t i = 0; i < RP_COUNT(ceilings); ++i) {
        struct rp_ceiling c;
        rp_row_init(RP_TABLE_CEILINGS, &c);
        c.run = c.device = 0;
        RP_WORD_SET(c.kind, ceilings[i].kind);
        RP_WORD_SET(c.path, ceilings[i].path);
        RP_WORD_SET(c.units, ceilings[i].units);
        c.value = ceilings[i].value;
        c.ci_low = 0.99 * c.value;
        c.ci_high = 1.01 * c.value;
        RP_TRY(rp_study_append(study, RP_TABLE_CEILINGS, &c));
    }
    return RP_OK;
}

/* The device and the run of all rows. */
static enum rp_status add_tables(struct rp_study *study)
{
    struct rp_device_row device;
    struct rp_run run;
    rp_row_init(RP_TABLE_DEVICES, &device);
    rp_row_init(RP_TABLE_RUNS, &run);
    RP_WORD_SET(device.gpu_type, "t4");
    RP_WORD_SET(device.backend, "cuda");
    device.l2_bytes = INT64_C(4) << 20;
    device.multiprocessors = 40;
    RP_TRY(rp_study_append(study, RP_TABLE_DEVICES, &device));
    RP_TRY(rp_study_append(study, RP_TABLE_RUNS, &run));
    return add_ceilings(study);
}

static enum rp_status add_rows(struct rp_study *study, size_t n)
{
    struct rp_result sweep[SHAPES * RP_IMPL_DEFAULT_COUNT];
    struct rp_table *results = &study->tables[RP_TABLE_RESULTS];
    RP_TRY(make_sweep(sweep));
    results->rows = malloc(n * sizeof(struct rp_result)); /* appending would double, and copy */
    if (!results->rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu rows", n);
    results->count = results->capacity = n;
    fill_rows(results->rows, n, sweep);
    return RP_OK;
}

enum { SAMPLES = 7 };

/* Times of a row whose counts are set, and the samples they follow from. */
static void time_row(struct rp_result *row, struct rp_sample samples[SAMPLES])
{
    double times[SAMPLES];
    double least_s = fmax((double)row->bytes_impl / 250e9, (double)row->flops_impl / 5e12);
    for (int i = 0; i < SAMPLES; ++i) {
        times[i] = 2 * least_s * (1 + 0.001 * i);
        samples[i] = (struct rp_sample){times[i], 1, i, 1};
    }
    struct rp_stats_interval interval = rp_stats_median_interval(times, SAMPLES, 0.95);
    row->time_median_s = rp_stats_median(times, SAMPLES);
    row->time_min_s = times[0];
    row->time_ci_low_s = interval.low;
    row->time_ci_high_s = interval.high;
    row->ci_level = interval.level;
    row->error_max_abs = row->error_rel_l2 = row->reference_diff_max_abs = 1e-5;
    row->error_tolerance = 1e-3;
    RP_WORD_SET(row->stop_reason, "target_ci");
}

/* Every thousandth row changes its place with one far away, as rows measured once more do. */
static size_t place_of(size_t i, size_t n)
{
    size_t last = (n - 1) / 1000 * 1000;
    return i % 1000 == 0 ? last - i : i;
}

static enum rp_status add_study(struct rp_study *study, size_t n)
{
    const size_t sweep = SHAPES * (size_t)RP_IMPL_DEFAULT_COUNT;
    for (size_t i = 0; i < n; ++i) {
        struct rp_result row;
        struct rp_sample samples[SAMPLES];
        size_t at = place_of(i, n);
        RP_TRY(begin_row(&row, (int)(at % sweep), (int64_t)(at / sweep)));
        time_row(&row, samples);
        if (strcmp(row.impl, "reference") == 0)
            row.reference_diff_max_abs = NAN;
        row.sequence = (int64_t)i;
        RP_TRY(rp_study_append_result(study, &row, samples, SAMPLES));
    }
    return RP_OK;
}

static enum rp_status write_file(const char *path, size_t rows,
                                 enum rp_status (*add)(struct rp_study *study, size_t n))
{
    struct rp_study study;
    rp_study_init(&study);
    study.rows_planned = (int64_t)rows;
    study.complete = true;
    enum rp_status status = add_tables(&study);
    if (status == RP_OK)
        status = add(&study, rows);
    if (status == RP_OK)
        status = rp_results_write(path, &study);
    rp_study_clear(&study);
    return status;
}

static enum rp_status read_file(const char *path)
{
    static const char *const columns[] = {"device",     "path",     "flops_impl",
                                          "bytes_impl", "launches", "time_median_s"};
    struct rp_results_scan *scan = NULL;
    size_t rows = 0;
    size_t n = 0;
    double sum = 0;
    enum rp_status status = rp_results_scan_open(path, columns, RP_COUNT(columns), &scan);
    while (status == RP_OK) {
        status = rp_results_scan_next(scan, &n);
        if (status != RP_OK || n == 0)
            break;
        const struct rp_result *block = rp_study_results(rp_results_scan_study(scan));
        for (size_t i = 0; i < n; ++i)
            sum += block[i].time_median_s * (double)(block[i].flops_impl + block[i].bytes_impl);
        rows += n;
    }
    rp_results_scan_close(scan);
    if (status == RP_OK && !isfinite(sum))
        status = RP_FAIL(RP_ERR_DAMAGED, "%s: a row lacks a time", path);
    printf("%zu\n", rows);
    return status;
}

static enum rp_status inflate_values(size_t values)
{
    enum { CHUNK_VALUES = 32768 };
    static Bytef plain[CHUNK_VALUES * 8];
    static Bytef packed[sizeof plain];
    uLongf n_packed = sizeof packed;
    if (compress2(packed, &n_packed, plain, sizeof plain, 4) != Z_OK)
        return RP_FAIL(RP_ERR_INTERNAL, "zlib cannot deflate a column");
    for (size_t done = 0; done < values; done += CHUNK_VALUES) {
        uLongf n = sizeof plain;
        if (uncompress(plain, &n, packed, n_packed) != Z_OK)
            return RP_FAIL(RP_ERR_INTERNAL, "zlib cannot inflate a column");
    }
    return RP_OK;
}

static int measure(char *const *command)
{
    struct rusage used;
    int state = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execv(command[0], command);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &state, 0) < 0 || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return 1;
    getrusage(RUSAGE_CHILDREN, &used);
    fprintf(stderr, "%.3f %.1f\n",
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
            (double)used.ru_maxrss * 1024e-6);
    return 0;
}

int main(int argc, char **argv)
{
    enum rp_status status = RP_ERR_USAGE;
    if (argc == 4 && strcmp(argv[1], "write") == 0)
        status = write_file(argv[2], (size_t)strtoull(argv[3], NULL, 10), add_rows);
    else if (argc == 4 && strcmp(argv[1], "study") == 0)
        status = write_file(argv[2], (size_t)strtoull(argv[3], NULL, 10), add_study);
    else if (argc == 3 && strcmp(argv[1], "read") == 0)
        status = read_file(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "inflate") == 0)
        status = inflate_values((size_t)strtoull(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "measure") == 0)
        return measure(argv + 2);
    if (status != RP_OK)
        fprintf(stderr, "large_file: %s\n", rp_status_message());
    return status == RP_OK ? 0 : 1;
}
