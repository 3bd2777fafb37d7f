/* inspect_references.c - what points into another table does, and ceilings are possible ones. */
#include <math.h>
#include <string.h>

#include "analysis/inspect.h"
#include "model/column.h"

/* `index` is that of a row of `owner`, held by `column`. */
static void expect_row(const struct rp_study *study, struct rp_faults *faults,
                       struct rp_fault_place place, enum rp_table_id owner, int64_t index)
{
    char text[RP_FAULT_VALUE_SIZE];
    size_t rows = rp_study_count(study, owner);
    if (index < 0 || (size_t)index >= rows)
        rp_faults_error(faults, place, owner == RP_TABLE_RUNS ? "run" : "device",
                        rp_fault_i64(text, index), "a row of /%s, which has %zu",
                        rp_table_schema(owner)->name, rows);
}

/* The kinds of ceilings and their units. */
static const struct {
    const char *kind, *units;
} kinds[] = {
    {"compute", "FLOP/s"},      {"compute_sustained", "FLOP/s"},
    {"bandwidth", "B/s"},       {"read_bandwidth", "B/s"},
    {"cache_bandwidth", "B/s"}, {"latency", "s"},
    {"graph_latency", "s"},     {"anchor", "s"},
    {"anchor_read", "B/s"},
};

static const char *units_of(const char *kind)
{
    for (size_t i = 0; i < RP_COUNT(kinds); ++i) {
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].units;
    }
    return NULL;
}

static void inspect_ceiling(const struct rp_ceiling *c, struct rp_fault_place place,
                            struct rp_faults *faults)
{
    char text[RP_FAULT_VALUE_SIZE];
    const char *units = units_of(c->kind);
    if (!units)
        rp_faults_error(faults, place, "kind", c->kind,
                        "compute, compute_sustained, bandwidth, read_bandwidth, cache_bandwidth, "
                        "latency, graph_latency, anchor or anchor_read");
    else if (strcmp(c->units, units) != 0)
        rp_faults_error(faults, place, "units", c->units, "%s for %s", units, c->kind);
    if (!(c->value > 0) || isinf(c->value))
        rp_faults_error(faults, place, "value", rp_fault_f64(text, c->value), "a number above 0");
    else if (c->ci_low > c->value || c->ci_high < c->value)
        rp_faults_error(faults, place, "value", rp_fault_f64(text, c->value),
                        "within its interval, %.9g to %.9g", c->ci_low, c->ci_high);
}

void rp_inspect_row_references(const struct rp_study *study, const struct rp_result *row,
                               size_t number, struct rp_faults *faults)
{
    struct rp_fault_place place = {"results", (int64_t)number};
    expect_row(study, faults, place, RP_TABLE_RUNS, row->run);
    expect_row(study, faults, place, RP_TABLE_DEVICES, row->device);
}

void rp_inspect_references(const struct rp_study *study, struct rp_faults *faults)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_CEILINGS); ++i) {
        const struct rp_ceiling *ceiling = &rp_study_ceilings(study)[i];
        struct rp_fault_place place = {"ceilings", (int64_t)i};
        expect_row(study, faults, place, RP_TABLE_RUNS, ceiling->run);
        expect_row(study, faults, place, RP_TABLE_DEVICES, ceiling->device);
        inspect_ceiling(ceiling, place, faults);
    }
    const struct rp_label *labels = study->tables[RP_TABLE_LABELS].rows;
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_LABELS); ++i)
        expect_row(study, faults, (struct rp_fault_place){"labels", (int64_t)i}, RP_TABLE_RUNS,
                   labels[i].run);
}
