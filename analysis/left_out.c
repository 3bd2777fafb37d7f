/* left_out.c - what is wrong with each row, counted in one pass. */
#include "analysis/left_out.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/plausible.h"
#include "base/list.h"
#include "model/result.h"

enum { NO_TIME = RP_OUTCOME_COUNT, IMPLAUSIBLE };

static const char *name_of(int fault)
{
    if (fault < NO_TIME)
        return rp_outcome_name((enum rp_outcome)fault);
    return fault == NO_TIME ? "no time" : "implausible";
}

/* Why a row has no place among the times: what became of it, or one of the two above.
 * RP_OUTCOME_OK: it has. */
static int fault_of(const struct rp_seen_row *seen, const char **reason)
{
    const struct rp_result *row = seen->row;
    enum rp_outcome outcome = RP_OUTCOME_ERROR;
    *reason = row->reason;
    if (!rp_outcome_find(row->status, &outcome) || outcome != RP_OUTCOME_OK)
        return (int)outcome;
    if (!(row->time_median_s > 0))
        return NO_TIME;
    *reason = "faster than its compulsory work allows at the measured ceilings";
    return rp_row_plausibility(seen->study, row).is_implausible ? IMPLAUSIBLE : RP_OUTCOME_OK;
}

/* Where rows are counted. */
struct collection {
    const struct rp_study_list *list;
    struct rp_left_out_list *left_out;
};

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct collection *c = context;
    struct rp_left_out_list *list = c->left_out;
    struct rp_left_out item = {.rows = 1};
    const char *reason = NULL;
    item.fault = fault_of(seen, &reason);
    if (item.fault == RP_OUTCOME_OK)
        return RP_OK;
    rp_figure_label(c->list, seen, item.label);
    for (size_t i = 0; i < list->count; ++i) {
        if (list->items[i].fault == item.fault && strcmp(list->items[i].label, item.label) == 0) {
            ++list->items[i].rows;
            return RP_OK;
        }
    }
    item.what = name_of(item.fault);
    RP_WORD_SET(item.reason, reason);
    struct rp_left_out *items = rp_list_grow(list->items, list->count, &list->room, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for what was left out");
    list->items = items;
    items[list->count++] = item;
    return RP_OK;
}

static int compare(const void *a, const void *b)
{
    const struct rp_left_out *x = a;
    const struct rp_left_out *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : x->fault - y->fault;
}

enum rp_status rp_left_out_create(const struct rp_study_list *list, bool simulated,
                                  struct rp_left_out_list *left_out)
{
    static const char *const columns[] = {"status",   "reason",        "path",
                                          "cache",    "flops",         "bytes_min",
                                          "clock_hz", "time_median_s", "time_ci_high_s"};
    struct collection c = {list, left_out};
    const struct rp_rows_visitor visitor = {.context = &c,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = simulated};
    *left_out = (struct rp_left_out_list){0};
    enum rp_status status = rp_rows_visit(list, &visitor);
    if (status != RP_OK)
        rp_left_out_clear(left_out);
    else if (left_out->count)
        qsort(left_out->items, left_out->count, sizeof *left_out->items, compare);
    return status;
}

void rp_left_out_clear(struct rp_left_out_list *left_out)
{
    free(left_out->items);
    *left_out = (struct rp_left_out_list){0};
}
