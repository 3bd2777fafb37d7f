/* compare_sides.c - rows of two files, joined where they repeat a point under the same conditions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare_rows.h"
#include "analysis/distinct.h"
#include "analysis/key.h"
#include "analysis/roof.h"
#include "analysis/rows.h"
#include "base/list.h"
#include "base/stats.h"

/* Where rows are collected. */
struct collection {
    const struct rp_study_list *files;
    const struct rp_compare_choice *choice;
    struct rp_comparisons *list;
    struct rp_distinct distinct;
};

/* The side that repeats of the row share. */
static enum rp_status find_side(struct collection *c, const struct rp_seen_row *seen,
                                struct rp_compared_side **side)
{
    struct rp_comparisons *list = c->list;
    const struct rp_result *row = seen->row;
    const bool is_new = seen->file == &c->files->files[1];
    size_t number = 0;
    uint64_t key = rp_key_add_text(rp_seen_row_key(seen), row->protocol);
    RP_TRY(rp_distinct_number(&c->distinct, rp_key_add_i64(key, is_new), &number));
    struct rp_compared_side *sides =
        rp_list_grow(list->sides, list->n_sides, &list->room, sizeof *sides);
    if (!sides)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare %zu points", list->n_sides);
    list->sides = sides;
    *side = &sides[number];
    if (number < list->n_sides)
        return RP_OK;
    ++list->n_sides;
    **side = (struct rp_compared_side){.point = seen->point,
                                       .impl = seen->impl,
                                       .device = seen->device,
                                       .threads = row->threads,
                                       .is_new = is_new,
                                       .unlike = c->choice->unlike,
                                       .median_s = NAN,
                                       .low_s = NAN,
                                       .high_s = NAN,
                                       .level = NAN,
                                       .drift_frac = NAN,
                                       .read_drift_frac = NAN};
    RP_WORD_SET((*side)->id, row->point);
    RP_WORD_SET((*side)->protocol, row->protocol);
    return RP_OK;
}

static enum rp_status add_outcome(struct rp_compared_side *side, const struct rp_result *row)
{
    enum rp_outcome outcome = RP_OUTCOME_ERROR;
    if (rp_outcome_find(row->status, &outcome) && outcome <= side->outcome)
        return RP_OK;
    free(side->why);
    side->outcome = outcome;
    side->why = row->reason[0] ? strdup(row->reason) : NULL;
    if (row->reason[0] && !side->why)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a reason");
    return RP_OK;
}

static enum rp_status add_time(struct rp_compared_side *side, const struct rp_seen_row *seen)
{
    const struct rp_result *row = seen->row;
    if (!(row->time_median_s > 0))
        return RP_OK;
    side->low_s = fmin(side->low_s, row->time_ci_low_s); /* NaN is left out */
    side->high_s = fmax(side->high_s, row->time_ci_high_s);
    side->level = fmin(side->level, row->ci_level);
    side->drift_frac =
        fmax(side->drift_frac, rp_anchor_spread_of(seen->study, row->run, row->device, "anchor"));
    side->read_drift_frac =
        fmax(side->read_drift_frac,
             rp_anchor_spread_of(seen->study, row->run, row->device, "anchor_read"));
    if (side->timed == RP_COMPARED_MEDIANS)
        return RP_OK;
    double *medians = rp_list_grow(side->medians, side->timed, &side->room, sizeof *medians);
    if (!medians)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu repeats", side->timed);
    side->medians = medians;
    medians[side->timed++] = row->time_median_s;
    return RP_OK;
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct rp_compared_side *side = NULL;
    RP_TRY(find_side(context, seen, &side));
    ++side->repeats;
    RP_TRY(add_outcome(side, seen->row));
    return add_time(side, seen);
}

enum rp_status rp_compared_sides_collect(const struct rp_study_list *files,
                                         const struct rp_compare_choice *choice,
                                         struct rp_comparisons *list)
{
    static const char *const columns[] = {"point",          "protocol",      "status",
                                          "reason",         "time_median_s", "time_ci_low_s",
                                          "time_ci_high_s", "ci_level"};
    struct collection c = {files, choice, list, {0}};
    const struct rp_rows_visitor visitor = {.context = &c,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = choice->simulated,
                                            .left_out = &list->simulated};
    enum rp_status status = rp_rows_visit(files, &visitor);
    for (size_t i = 0; i < list->n_sides; ++i) {
        struct rp_compared_side *side = &list->sides[i];
        if (side->timed == 0)
            continue;
        rp_stats_sort(side->medians, side->timed);
        side->median_s = rp_stats_median(side->medians, side->timed);
    }
    rp_distinct_clear(&c.distinct);
    return status;
}
