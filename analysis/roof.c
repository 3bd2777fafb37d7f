/* roof.c - chooses the run whose ceilings count, then the best ceiling of each kind. */
#include "analysis/roof.h"

#include <math.h>
#include <string.h>

#include "analysis/load.h"
#include "base/stats.h"

enum { RP_ANCHORS_MAX = 64 }; /* looked at of one run and device; three are measured */

double rp_ceiling_low(const struct rp_ceiling *ceiling)
{
    return ceiling->ci_low > 0 ? ceiling->ci_low : ceiling->value;
}

double rp_ceiling_high(const struct rp_ceiling *ceiling)
{
    return ceiling->ci_high > 0 ? ceiling->ci_high : ceiling->value;
}

bool rp_ceiling_is_disturbed(const struct rp_ceiling *ceiling)
{
    return strstr(ceiling->method, "disturbed") != NULL;
}

bool rp_ceiling_is_anchor(const struct rp_ceiling *ceiling)
{
    return strcmp(ceiling->kind, "anchor") == 0 || strcmp(ceiling->kind, "anchor_read") == 0;
}

/* Whether it was measured where the row was: device and threads. */
static bool serves(const struct rp_ceiling *c, const struct rp_result *row)
{
    return c->device == row->device && c->threads == row->threads && c->value > 0 &&
           strcmp(c->kind, "anchor") != 0;
}

static const char *begun(const struct rp_study *study, int64_t run)
{
    bool is_there = run >= 0 && (size_t)run < rp_study_count(study, RP_TABLE_RUNS);
    return is_there ? rp_study_runs(study)[run].started_utc : "";
}

/* Index of the run to take ceilings from; -1: there is none. */
static int64_t choose_run(const struct rp_study *study, const struct rp_result *row)
{
    int64_t chosen = -1;
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
        if (!serves(c, row) || rp_ceiling_is_anchor(c)) /* a run of anchors alone has no ceilings */
            continue;
        if (c->run == row->run)
            return c->run;
        if (chosen < 0 || strcmp(begun(study, c->run), begun(study, chosen)) >= 0)
            chosen = c->run;
    }
    return chosen;
}

/* Keeps the better of two: the higher rate, the shorter latency. */
static void keep_best(const struct rp_ceiling **best, const struct rp_ceiling *c, bool shorter)
{
    if (!*best || (shorter ? c->value < (*best)->value : c->value > (*best)->value))
        *best = c;
}

static void add_to_roof(struct rp_roof *roof, const struct rp_ceiling *c,
                        const struct rp_result *row)
{
    bool is_decode = strcmp(row->stage, "decode") == 0;
    bool is_anchor = rp_ceiling_is_anchor(c); /* a read, at another moment than the ceilings */
    bool is_read = strcmp(c->kind, "read_bandwidth") == 0;
    bool is_bandwidth = is_anchor || is_read || strcmp(c->kind, "bandwidth") == 0;
    bool is_compute = strncmp(c->kind, "compute", strlen("compute")) == 0;
    bool is_proof = !rp_ceiling_is_disturbed(c);
    if (is_compute && strcmp(c->path, row->path) != 0)
        return;
    if (strcmp(c->kind, "compute") == 0)
        keep_best(&roof->compute, c, false);
    if (is_bandwidth && (is_anchor || is_read == is_decode))
        keep_best(&roof->memory, c, false);
    if (strcmp(c->kind, "cache_bandwidth") == 0)
        keep_best(&roof->cache, c, false);
    if (strcmp(c->kind, "latency") == 0)
        keep_best(&roof->latency, c, true);
    if (is_compute && is_proof)
        keep_best(&roof->most_compute, c, false);
    if (is_bandwidth && is_proof)
        keep_best(&roof->most_memory, c, false);
}

struct rp_roof rp_roof_of(const struct rp_study *study, const struct rp_result *row)
{
    struct rp_roof roof = {0};
    int64_t run = choose_run(study, row);
    if (run < 0 || (size_t)run >= rp_study_count(study, RP_TABLE_RUNS))
        return roof;
    roof.run = &rp_study_runs(study)[run];
    roof.is_borrowed = run != row->run;
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
        if (c->run == run && serves(c, row))
            add_to_roof(&roof, c, row);
    }
    return roof;
}

double rp_anchor_spread_of(const struct rp_study *study, int64_t run, int64_t device,
                           const char *kind)
{
    double values[RP_ANCHORS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *c = &rp_study_ceilings(study)[i];
        if (c->run == run && c->device == device && strcmp(c->kind, kind) == 0 && c->value > 0 &&
            !rp_ceiling_is_disturbed(c) && n < RP_ANCHORS_MAX)
            values[n++] = c->value;
    }
    if (n < 2)
        return NAN;
    rp_stats_sort(values, n);
    return (values[n - 1] - values[0]) / rp_stats_median(values, n);
}

double rp_anchor_spread(const struct rp_study *study, int64_t run, int64_t device)
{
    return fmax(rp_anchor_spread_of(study, run, device, "anchor"),
                rp_anchor_spread_of(study, run, device, "anchor_read"));
}
