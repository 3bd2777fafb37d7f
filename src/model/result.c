/* result.c - between points and rows. */
#include "model/result.h"

#include <string.h>

#include "model/cost.h"

static const char *const outcome_names[RP_OUTCOME_COUNT] = {
    "ok", "mismatch", "oom", "unsupported", "timeout", "error", "skipped"};

const char *rp_outcome_name(enum rp_outcome outcome)
{
    return outcome_names[outcome];
}

bool rp_outcome_find(const char *name, enum rp_outcome *outcome)
{
    for (int i = 0; i < RP_OUTCOME_COUNT; ++i) {
        if (strcmp(outcome_names[i], name) == 0) {
            *outcome = (enum rp_outcome)i;
            return true;
        }
    }
    return false;
}

enum rp_outcome rp_outcome_from(enum rp_status status)
{
    switch (status) {
    case RP_OK:
        return RP_OUTCOME_OK;
    case RP_ERR_OUT_OF_MEMORY:
        return RP_OUTCOME_OOM;
    case RP_ERR_UNSUPPORTED:
        return RP_OUTCOME_UNSUPPORTED;
    case RP_ERR_TIMEOUT:
        return RP_OUTCOME_TIMEOUT;
    default:
        return RP_OUTCOME_ERROR;
    }
}

bool rp_outcome_is_good(enum rp_outcome outcome)
{
    return outcome == RP_OUTCOME_OK || outcome == RP_OUTCOME_OOM ||
           outcome == RP_OUTCOME_UNSUPPORTED || outcome == RP_OUTCOME_SKIPPED;
}

enum rp_status rp_result_begin(struct rp_result *row, const struct rp_point *p, enum rp_impl impl)
{
    rp_row_init(RP_TABLE_RESULTS, row);
    RP_TRY(rp_point_id(p, row->point));
    RP_WORD_SET(row->stage, rp_stage_name(p->stage));
    RP_WORD_SET(row->impl, rp_impl_name(impl));
    RP_WORD_SET(row->dtype, rp_dtype_info(p->dtype)->name);
#define RP_AXIS_INT(name, min, max, meaning) row->name = p->name;
#include "registry/axes.def"
    row->causal = p->causal ? 1 : 0;
    struct rp_cost cost;
    if (rp_cost_of(p, &cost) == RP_OK) {
        row->flops = cost.flops;
        row->flops_dense = cost.flops_dense;
        row->bytes_min = cost.bytes_min;
    }
    return RP_OK;
}

void rp_result_set_outcome(struct rp_result *row, enum rp_outcome outcome, const char *reason)
{
    RP_WORD_SET(row->status, outcome_names[outcome]);
    RP_WORD_SET(row->reason, reason ? reason : "");
}

enum rp_status rp_result_set_protocol(struct rp_result *row, const struct rp_protocol *protocol)
{
    RP_WORD_SET(row->cache, protocol->cold ? "cold" : "warm");
    return rp_protocol_id(protocol, row->protocol);
}

int64_t rp_samples_least_used(const struct rp_sample *samples, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (samples[i].used == 1)
            return 1;
    }
    return 0;
}

enum rp_status rp_result_point(const struct rp_result *row, struct rp_point *p)
{
    memset(p, 0, sizeof *p);
    if (!rp_stage_find(row->stage, &p->stage))
        return RP_FAIL(RP_ERR_DAMAGED, "row of point %s: stage '%s' is unknown", row->point,
                       row->stage);
    if (!rp_dtype_find(row->dtype, &p->dtype))
        return RP_FAIL(RP_ERR_DAMAGED, "row of point %s: dtype '%s' is unknown", row->point,
                       row->dtype);
#define RP_AXIS_INT(name, min, max, meaning) p->name = row->name;
#include "registry/axes.def"
    p->causal = row->causal == 1;
    if (rp_point_validate(p) != RP_OK)
        return RP_FAIL(RP_ERR_DAMAGED, "row of point %s: %s", row->point, rp_status_message());
    return RP_OK;
}
