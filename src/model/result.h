/* result.h - a row of /results and the point it belongs to. */
#ifndef RP_MODEL_RESULT_H
#define RP_MODEL_RESULT_H

#include <stdbool.h>

#include "base/status.h"
#include "model/column.h"
#include "model/impl.h"
#include "model/point.h"
#include "model/protocol.h"

/* What became of a row. The names are the words of the column `status`. */
enum rp_outcome {
    RP_OUTCOME_OK,
    RP_OUTCOME_MISMATCH,
    RP_OUTCOME_OOM,
    RP_OUTCOME_UNSUPPORTED,
    RP_OUTCOME_TIMEOUT,
    RP_OUTCOME_ERROR,
    RP_OUTCOME_SKIPPED,
    RP_OUTCOME_COUNT
};

const char *rp_outcome_name(enum rp_outcome outcome);
bool rp_outcome_find(const char *name, enum rp_outcome *outcome);

/* What a failed step makes of the row: out of memory is a result, not a crash. */
enum rp_outcome rp_outcome_from(enum rp_status status);

/* True for ok, oom, unsupported and skipped: a run of only these exits with 0. */
bool rp_outcome_is_good(enum rp_outcome outcome);

/* How the reason of an oom row begins that was predicted and not tried. */
#define RP_REASON_PREDICTED "predicted, not tried"

/* Sets every column to "not applicable", then axes, identity, counts (flops, flops_dense,
 * bytes_min) and the implementation's name. Counts that overflow 64 bits stay -1. */
enum rp_status rp_result_begin(struct rp_result *row, const struct rp_point *p,
                               enum rp_impl impl) RP_MUST_CHECK;

void rp_result_set_outcome(struct rp_result *row, enum rp_outcome outcome, const char *reason);

/* Sets the columns `cache` and `protocol`. */
enum rp_status rp_result_set_protocol(struct rp_result *row,
                                      const struct rp_protocol *protocol) RP_MUST_CHECK;

/* The least `used` of the samples that a row's times are of: 1, or 0 where every sample was
 * disturbed or throttled and all count for want of others. */
int64_t rp_samples_least_used(const struct rp_sample *samples, size_t n);

/* The point of a row read from a file; RP_ERR_DAMAGED when its words or numbers make none. */
enum rp_status rp_result_point(const struct rp_result *row, struct rp_point *p) RP_MUST_CHECK;

#endif
