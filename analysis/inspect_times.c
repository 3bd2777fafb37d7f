/*
 * inspect_times.c - do a row's median, minimum and interval follow from its samples?
 *
 * They are recomputed from the samples that count by the same order statistics (base/stats) and may
 * differ by rounding only.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inspect.h"
#include "analysis/load.h"
#include "base/stats.h"
#include "model/result.h"

struct times_context {
    const struct rp_result *row;
    struct rp_fault_place place;
    struct rp_faults *faults;
};

static void expect_f64(const struct times_context *c, const char *column, double got,
                       double expected)
{
    const double rounding = 1e-9;
    char text[RP_FAULT_VALUE_SIZE];
    char wanted[RP_FAULT_VALUE_SIZE];
    if (!(fabs(got - expected) <= rounding * fabs(expected)))
        rp_faults_error(c->faults, c->place, column, rp_fault_f64(text, got),
                        "%s, from the row's samples that count", rp_fault_f64(wanted, expected));
}

static void expect_no_time(const struct times_context *c, const char *column, double got,
                           const char *why)
{
    char text[RP_FAULT_VALUE_SIZE];
    if (!isnan(got))
        rp_faults_error(c->faults, c->place, column, rp_fault_f64(text, got), "none: %s", why);
}

static void expect_no_times(const struct times_context *c, const char *why)
{
    expect_no_time(c, "time_median_s", c->row->time_median_s, why);
    expect_no_time(c, "time_min_s", c->row->time_min_s, why);
    expect_no_time(c, "time_ci_low_s", c->row->time_ci_low_s, why);
    expect_no_time(c, "time_ci_high_s", c->row->time_ci_high_s, why);
}

/* Without samples to look at, the order of the four is all there is to say. */
static void inspect_order(const struct times_context *c)
{
    char text[RP_FAULT_VALUE_SIZE];
    const struct rp_result *row = c->row;
    if (!(row->time_median_s > 0) || isinf(row->time_median_s))
        rp_faults_error(c->faults, c->place, "time_median_s",
                        rp_fault_f64(text, row->time_median_s),
                        "a time above 0 for a row that is %s", row->status);
    else if (!(row->time_min_s > 0) || row->time_min_s > row->time_median_s)
        rp_faults_error(c->faults, c->place, "time_min_s", rp_fault_f64(text, row->time_min_s),
                        "above 0 and at most the median, %.9g", row->time_median_s);
    else if (!(row->time_ci_low_s <= row->time_median_s) ||
             !(row->time_ci_high_s >= row->time_median_s))
        rp_faults_error(c->faults, c->place, "time_ci_low_s",
                        rp_fault_f64(text, row->time_ci_low_s),
                        "an interval around the median, %.9g; its upper end is %.9g",
                        row->time_median_s, row->time_ci_high_s);
}

/* Of disturbed samples the interval is worth nothing. */
static void inspect_summary(const struct times_context *c, double *times, size_t n,
                            bool all_disturbed)
{
    const double level = 0.95;
    rp_stats_sort(times, n);
    struct rp_stats_interval interval = rp_stats_median_interval(times, n, level);
    expect_f64(c, "time_median_s", c->row->time_median_s, rp_stats_median(times, n));
    expect_f64(c, "time_min_s", c->row->time_min_s, times[0]);
    expect_f64(c, "time_ci_low_s", c->row->time_ci_low_s, interval.low);
    expect_f64(c, "time_ci_high_s", c->row->time_ci_high_s, interval.high);
    expect_f64(c, "ci_level", c->row->ci_level, all_disturbed ? 0 : interval.level);
}

/* Each sample by itself; copies the times that count and returns how many. */
static size_t collect_times(const struct times_context *c, const struct rp_sample *samples,
                            size_t n_samples, double *times)
{
    char text[RP_FAULT_VALUE_SIZE];
    int64_t least_used = rp_samples_least_used(samples, n_samples);
    size_t n = 0;
    for (size_t i = 0; i < n_samples; ++i) {
        const struct rp_sample *s = &samples[i];
        struct rp_fault_place place = {"samples", c->row->sample_offset + (int64_t)i};
        if (!(s->time_s > 0) || isinf(s->time_s))
            rp_faults_error(c->faults, place, "time_s", rp_fault_f64(text, s->time_s),
                            "a time above 0");
        if (s->launches < 1)
            rp_faults_error(c->faults, place, "launches", rp_fault_i64(text, s->launches),
                            "at least 1");
        if (s->used != 0 && s->used != 1)
            rp_faults_error(c->faults, place, "used", rp_fault_i64(text, s->used), "0 or 1");
        if (s->used >= least_used && s->time_s > 0)
            times[n++] = s->time_s;
    }
    return n;
}

static void inspect_stop_reason(const struct times_context *c)
{
    static const char *const words[] = {"target_ci", "max_samples", "max_time"};
    for (size_t i = 0; i < RP_COUNT(words); ++i) {
        if (strcmp(c->row->stop_reason, words[i]) == 0)
            return;
    }
    rp_faults_error(c->faults, c->place, "stop_reason", c->row->stop_reason,
                    "target_ci, max_samples or max_time for a row with samples");
}

/* A row whose samples are there. */
static enum rp_status inspect_samples(const struct times_context *c,
                                      const struct rp_sample *samples, size_t n_samples)
{
    double *times = malloc(n_samples * sizeof *times);
    if (!times)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu samples", n_samples);
    size_t n = collect_times(c, samples, n_samples, times);
    bool all_disturbed = rp_samples_least_used(samples, n_samples) == 0;
    /* A file may also leave out times that were disturbed. */
    if (all_disturbed && isnan(c->row->time_median_s))
        expect_no_times(c, "every sample was disturbed");
    else if (n > 0)
        inspect_summary(c, times, n, all_disturbed);
    free(times);
    return RP_OK;
}

enum rp_status rp_inspect_times(const struct rp_study *study, const struct rp_result *row,
                                size_t number, struct rp_faults *faults)
{
    const struct rp_sample *samples = NULL;
    struct times_context c = {row, {"results", (int64_t)number}, faults};
    char text[RP_FAULT_VALUE_SIZE];
    bool timed = strcmp(row->status, "ok") == 0 || strcmp(row->status, "mismatch") == 0;
    size_t n_samples = 0;
    RP_TRY(rp_study_samples_of(study, row, &samples, &n_samples));
    if (row->samples > 0 && n_samples == 0)
        rp_faults_error(faults, c.place, "sample_offset", rp_fault_i64(text, row->sample_offset),
                        "%" PRId64 " samples within the %zu rows of /samples", row->samples,
                        rp_study_sample_rows(study));
    if (!timed) {
        expect_no_times(&c, "only a row that is ok or mismatch has times");
        return RP_OK;
    }
    if (row->samples <= 0) {
        rp_faults_error(faults, c.place, "samples", rp_fault_i64(text, row->samples),
                        "at least 1: every sample of a measured row is kept");
        inspect_order(&c);
        return RP_OK;
    }
    inspect_stop_reason(&c);
    return n_samples == 0 ? RP_OK : inspect_samples(&c, samples, n_samples);
}
