/*
 * compare_rows.c - rows of both studies in one sorted array; equal neighbours are compared.
 *
 * Rows are alike when device type, backend, MIG profile, ECC, power limit, threads and protocol
 * are; a row without a like one, where the other side has an unlike one, is refused by name.
 */
#include "analysis/compare_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/device_kind.h"
#include "analysis/load.h"
#include "analysis/roof.h"
#include "base/stats.h"

static const char *const names[] = {"SAME", "FASTER", "SLOWER", "UNDECIDED"};

const char *rp_change_name(enum rp_change change)
{
    return names[change];
}

struct entry {
    const struct rp_study *study;
    const struct rp_result *row;
    const struct rp_device_row *device;
    bool is_new, unlike; /* `unlike`: the user compares unlike things on purpose */
    struct rp_point point;
};

struct entries {
    struct entry *items;
    size_t count;
};

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The point and implementation, on one type of device. */
static int compare_point(const struct entry *x, const struct entry *y)
{
    int order = x->unlike ? 0 : strcmp(x->device->gpu_type, y->device->gpu_type);
    order = order ? order : rp_point_compare(&x->point, &y->point);
    return order ? order : strcmp(x->row->impl, y->row->impl);
}

/* What else has to be alike. */
static int compare_set_up(const struct entry *x, const struct entry *y)
{
    int order = rp_device_kind_compare(x->device, y->device);
    order = order ? order : strcmp(x->row->protocol, y->row->protocol);
    return order ? order : compare_i64(x->row->threads, y->row->threads);
}

static int compare_conditions(const struct entry *x, const struct entry *y)
{
    return x->unlike ? 0 : compare_set_up(x, y);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    int order = compare_point(x, y);
    order = order ? order : compare_conditions(x, y);
    order = order ? order : x->is_new - y->is_new;
    return order ? order : compare_i64(x->row->sequence, y->row->sequence);
}

/* Adds the rows of one study that can be compared at all. */
static void list_rows(const struct rp_study *study, bool is_new,
                      const struct rp_compare_choice *choice, struct entries *entries,
                      size_t *simulated)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        struct entry entry = {.study = study,
                              .row = row,
                              .device = rp_study_device_of(study, row),
                              .is_new = is_new,
                              .unlike = choice->unlike};
        if (!choice->simulated && rp_study_is_simulated(study, row))
            ++*simulated;
        else if (entry.device && rp_result_point(row, &entry.point) == RP_OK)
            entries->items[entries->count++] = entry;
    }
}

/* In what two rows of one point differ, as a sentence for the user. */
static enum rp_status refuse_unlike(const struct entry *a, const struct entry *b)
{
    static const char told[] = "--unlike compares them all the same";
    const struct rp_device_row *x = a->device;
    const struct rp_device_row *y = b->device;
    const char *type = x->gpu_type;
    if (strcmp(type, y->gpu_type) != 0)
        return RP_FAIL(RP_ERR_USAGE, "OLD was measured on %s, NEW on %s; %s", type, y->gpu_type,
                       told);
    if (rp_device_kind_compare(x, y) != 0) {
        char old_kind[RP_DEVICE_KIND_SIZE];
        char new_kind[RP_DEVICE_KIND_SIZE];
        rp_device_kind_text(x, old_kind);
        rp_device_kind_text(y, new_kind);
        return RP_FAIL(RP_ERR_USAGE,
                       "OLD was measured on %s (%s, ECC %" PRId64 "), NEW on %s (%s, ECC %" PRId64
                       "); %s",
                       old_kind, x->backend, x->ecc, new_kind, y->backend, y->ecc, told);
    }
    if (a->row->threads != b->row->threads)
        return RP_FAIL(RP_ERR_USAGE,
                       "%s used %" PRId64 " threads in OLD and %" PRId64 " in NEW; %s", type,
                       a->row->threads, b->row->threads, told);
    return RP_FAIL(RP_ERR_USAGE,
                   "point %s was measured by protocol %s in OLD and %s in NEW (their measure or "
                   "verify blocks differ); %s",
                   a->row->point, a->row->protocol, b->row->protocol, told);
}

/* Repeats of one point together. */
static enum rp_status join_repeats(const struct entry *entries, size_t n,
                                   struct rp_compared_side *side)
{
    double *medians = calloc(n, sizeof *medians);
    size_t timed = 0;
    if (!medians)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu repeats", n);
    *side = (struct rp_compared_side){
        entries[0].row, entries[0].device, n, NAN, NAN, NAN, NAN, NAN, RP_OUTCOME_OK, ""};
    for (size_t i = 0; i < n; ++i) {
        const struct rp_result *row = entries[i].row;
        enum rp_outcome outcome = RP_OUTCOME_ERROR;
        if (!rp_outcome_find(row->status, &outcome) || outcome > side->outcome) {
            side->outcome = outcome;
            side->why = row->reason;
        }
        if (!(row->time_median_s > 0))
            continue;
        medians[timed++] = row->time_median_s;
        side->low_s = fmin(side->low_s, row->time_ci_low_s); /* NaN is left out */
        side->high_s = fmax(side->high_s, row->time_ci_high_s);
        side->level = fmin(side->level, row->ci_level);
        side->drift_frac =
            fmax(side->drift_frac, rp_anchor_spread(entries[i].study, row->run, row->device));
    }
    if (timed) {
        rp_stats_sort(medians, timed);
        side->median_s = rp_stats_median(medians, timed);
    }
    free(medians);
    return RP_OK;
}

/* Of two sides that are not both right. */
static void say_statuses(struct rp_comparison *c)
{
    const struct rp_compared_side *a = &c->old_side;
    const struct rp_compared_side *b = &c->new_side;
    const char *why = b->outcome == RP_OUTCOME_OK ? a->why : b->why;
    snprintf(c->reason, sizeof c->reason, "%s%s in OLD, %s in NEW%s%s",
             a->outcome == b->outcome ? "" : "the status changed: ", rp_outcome_name(a->outcome),
             rp_outcome_name(b->outcome), why[0] ? ": " : "", why);
}

static void judge(struct rp_comparison *c)
{
    const double least_frac = 0.03;
    const double wanted_level = 0.95;
    const struct rp_compared_side *a = &c->old_side;
    const struct rp_compared_side *b = &c->new_side;
    c->ratio = b->median_s / a->median_s;
    c->low = b->low_s / a->high_s;
    c->high = b->high_s / a->low_s;
    c->allowance_frac = fmax(least_frac, fmax(a->drift_frac, b->drift_frac)); /* not NaN */
    double most = 1 + c->allowance_frac;
    c->change = RP_CHANGE_UNDECIDED;
    if (a->outcome != RP_OUTCOME_OK || b->outcome != RP_OUTCOME_OK)
        say_statuses(c);
    else if (!(c->low > 0 && c->high >= c->low && !isinf(c->high)))
        snprintf(c->reason, sizeof c->reason, "no time, or none with an interval, on one side");
    else if (!(a->level >= wanted_level && b->level >= wanted_level))
        snprintf(c->reason, sizeof c->reason, "too few samples for a 95 %% interval");
    else if (c->low > most)
        c->change = RP_CHANGE_SLOWER;
    else if (c->high < 1 / most)
        c->change = RP_CHANGE_FASTER;
    else if (c->low >= 1 / most && c->high <= most)
        c->change = RP_CHANGE_SAME;
    else
        snprintf(c->reason, sizeof c->reason, "the interval reaches over an end of the allowance");
}

/* Alike rows from `first` on, up to `end`: old ones, then new ones. */
static enum rp_status add_alike(const struct entry *items, size_t n, struct rp_comparisons *list)
{
    size_t n_old = 0;
    while (n_old < n && !items[n_old].is_new)
        ++n_old;
    list->old_only += n_old == n;
    list->new_only += n_old == 0;
    if (n_old == 0 || n_old == n)
        return RP_OK;
    struct rp_comparison *c = &list->items[list->count];
    RP_TRY(join_repeats(items, n_old, &c->old_side));
    RP_TRY(join_repeats(items + n_old, n - n_old, &c->new_side));
    judge(c);
    list->status_changed += c->old_side.outcome != c->new_side.outcome;
    ++list->count;
    return RP_OK;
}

/* Rows of one point on one device type. */
static enum rp_status add_point(const struct entry *items, size_t n, struct rp_comparisons *list)
{
    size_t before = list->count;
    for (size_t first = 0, end = 0; first < n; first = end) {
        while (end < n && compare_conditions(&items[first], &items[end]) == 0)
            ++end;
        RP_TRY(add_alike(items + first, end - first, list));
    }
    if (list->count > before)
        return RP_OK;
    for (size_t i = 1; i < n; ++i) {
        if (items[i].is_new != items[0].is_new)
            return items[0].is_new ? refuse_unlike(&items[i], &items[0])
                                   : refuse_unlike(&items[0], &items[i]);
    }
    return RP_OK;
}

/* Where unlike things are compared, each side is one thing, or they would be mixed in silence. */
static enum rp_status refuse_mixed_side(const struct entries *e)
{
    const struct entry *seen[2] = {NULL, NULL};
    for (size_t i = 0; e->items[0].unlike && i < e->count; ++i) {
        const struct entry *x = &e->items[i];
        const struct entry **first = &seen[x->is_new];
        char kinds[2][RP_DEVICE_KIND_SIZE];
        *first = *first ? *first : x;
        if (compare_set_up(*first, x) == 0)
            continue;
        rp_device_kind_text((*first)->device, kinds[0]);
        rp_device_kind_text(x->device, kinds[1]);
        return RP_FAIL(RP_ERR_USAGE,
                       "%s holds %s (%" PRId64 " threads, protocol %s) and %s (%" PRId64
                       " threads, protocol %s); --unlike compares one kind with one",
                       x->is_new ? "NEW" : "OLD", kinds[0], (*first)->row->threads,
                       (*first)->row->protocol, kinds[1], x->row->threads, x->row->protocol);
    }
    return RP_OK;
}

/* Why no pair was found: the same points on other device types, or other points. */
static enum rp_status refuse_nothing(const struct entries *e, size_t simulated)
{
    const struct entry *a = NULL;
    const struct entry *b = NULL;
    for (size_t i = 0; i < e->count; ++i) {
        if (e->items[i].is_new)
            b = b ? b : &e->items[i];
        else
            a = a ? a : &e->items[i];
    }
    if (a && b && strcmp(a->device->gpu_type, b->device->gpu_type) != 0)
        return refuse_unlike(a, b);
    return RP_FAIL(RP_ERR_USAGE, "OLD and NEW have no point in common%s",
                   simulated ? " beside rows of simulated devices, which --simulated takes in"
                             : "");
}

static enum rp_status compare_all(struct entries *e, struct rp_comparisons *list)
{
    if (e->count) {
        qsort(e->items, e->count, sizeof *e->items, compare_entries);
        RP_TRY(refuse_mixed_side(e));
    }
    for (size_t first = 0, end = 0; first < e->count; first = end) {
        while (end < e->count && compare_point(&e->items[first], &e->items[end]) == 0)
            ++end;
        RP_TRY(add_point(e->items + first, end - first, list));
    }
    return list->count ? RP_OK : refuse_nothing(e, list->simulated);
}

enum rp_status rp_compare_studies(const struct rp_study *old_study,
                                  const struct rp_study *new_study,
                                  const struct rp_compare_choice *choice,
                                  struct rp_comparisons *comparisons)
{
    size_t rows =
        rp_study_count(old_study, RP_TABLE_RESULTS) + rp_study_count(new_study, RP_TABLE_RESULTS);
    struct entries entries = {calloc(rows + 1, sizeof *entries.items), 0};
    *comparisons = (struct rp_comparisons){.items = calloc(rows + 1, sizeof *comparisons->items)};
    enum rp_status status = RP_OK;
    if (!entries.items || !comparisons->items) {
        status = RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare %zu rows", rows);
    } else {
        list_rows(old_study, false, choice, &entries, &comparisons->simulated);
        list_rows(new_study, true, choice, &entries, &comparisons->simulated);
        status = compare_all(&entries, comparisons);
    }
    free(entries.items);
    if (status != RP_OK)
        rp_comparisons_clear(comparisons);
    return status;
}

void rp_comparisons_clear(struct rp_comparisons *comparisons)
{
    free(comparisons->items);
    *comparisons = (struct rp_comparisons){0};
}
