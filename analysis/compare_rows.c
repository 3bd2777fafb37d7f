/*
 * compare_rows.c - the points of both files in one sorted array; equal neighbours are compared.
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

static const char *const names[] = {"SAME", "FASTER", "SLOWER", "UNDECIDED"};

const char *rp_change_name(enum rp_change change)
{
    return names[change];
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The point and implementation, on one type of device. */
static int compare_point(const struct rp_compared_side *x, const struct rp_compared_side *y)
{
    int order = x->unlike ? 0 : strcmp(x->device->gpu_type, y->device->gpu_type);
    order = order ? order : rp_point_compare(&x->point, &y->point);
    return order ? order : strcmp(rp_impl_name(x->impl), rp_impl_name(y->impl));
}

/* What else has to be alike. */
static int compare_set_up(const struct rp_compared_side *x, const struct rp_compared_side *y)
{
    int order = rp_device_kind_compare(x->device, y->device);
    order = order ? order : strcmp(x->protocol, y->protocol);
    return order ? order : compare_i64(x->threads, y->threads);
}

static int compare_conditions(const struct rp_compared_side *x, const struct rp_compared_side *y)
{
    return x->unlike ? 0 : compare_set_up(x, y);
}

static int compare_sides(const void *a, const void *b)
{
    const struct rp_compared_side *x = a;
    const struct rp_compared_side *y = b;
    int order = compare_point(x, y);
    order = order ? order : compare_conditions(x, y);
    return order ? order : x->is_new - y->is_new;
}

/* In what two rows of one point differ, as a sentence for the user. */
static enum rp_status refuse_unlike(const struct rp_compared_side *a,
                                    const struct rp_compared_side *b)
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
    if (a->threads != b->threads)
        return RP_FAIL(RP_ERR_USAGE,
                       "%s used %" PRId64 " threads in OLD and %" PRId64 " in NEW; %s", type,
                       a->threads, b->threads, told);
    return RP_FAIL(RP_ERR_USAGE,
                   "point %s was measured by protocol %s in OLD and %s in NEW (their measure or "
                   "verify blocks differ); %s",
                   a->id, a->protocol, b->protocol, told);
}

/* Of two sides that are not both right. */
static void say_statuses(struct rp_comparison *c)
{
    const struct rp_compared_side *a = c->old_side;
    const struct rp_compared_side *b = c->new_side;
    const char *why = b->outcome == RP_OUTCOME_OK ? a->why : b->why;
    snprintf(c->reason, sizeof c->reason, "%s%s in OLD, %s in NEW%s%s",
             a->outcome == b->outcome ? "" : "the status changed: ", rp_outcome_name(a->outcome),
             rp_outcome_name(b->outcome), why ? ": " : "", why ? why : "");
}

static void judge(struct rp_comparison *c)
{
    const double least_frac = 0.03;
    const double wanted_level = 0.95;
    const struct rp_compared_side *a = c->old_side;
    const struct rp_compared_side *b = c->new_side;
    c->ratio = b->median_s / a->median_s;
    c->low = b->low_s / a->high_s;
    c->high = b->high_s / a->low_s;
    /* Reading may drift while a row that hardly reads does not: between the two nothing is said. */
    double same_frac = fmax(least_frac, fmax(a->drift_frac, b->drift_frac)); /* not NaN */
    c->allowance_frac = fmax(same_frac, fmax(a->read_drift_frac, b->read_drift_frac));
    double most = 1 + c->allowance_frac;
    double same = 1 + same_frac;
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
    else if (c->low >= 1 / same && c->high <= same)
        c->change = RP_CHANGE_SAME;
    else if (c->low >= 1 / most && c->high <= most)
        snprintf(c->reason, sizeof c->reason, "reading from memory drifted by %.3g %% within a run",
                 100 * c->allowance_frac);
    else
        snprintf(c->reason, sizeof c->reason, "the interval reaches over an end of the allowance");
}

/* One or two alike sides: the old one, then the new one. */
static void add_alike(struct rp_comparisons *list, size_t first, size_t n)
{
    const struct rp_compared_side *a = &list->sides[first];
    list->old_only += n == 1 && !a->is_new;
    list->new_only += n == 1 && a->is_new;
    if (n == 1)
        return;
    list->status_changed += a[0].outcome != a[1].outcome;
    list->pairs[list->count++] = first;
}

/* Sides begin .. end - 1 are of one point on one device type. */
static enum rp_status add_point(struct rp_comparisons *list, size_t begin, size_t end)
{
    const struct rp_compared_side *sides = list->sides;
    const size_t before = list->count;
    for (size_t first = begin, next = begin; first < end; first = next) {
        while (next < end && compare_conditions(&sides[first], &sides[next]) == 0)
            ++next;
        add_alike(list, first, next - first);
    }
    for (size_t i = begin + 1; i < end && list->count == before; ++i) {
        if (sides[i].is_new != sides[begin].is_new)
            return sides[begin].is_new ? refuse_unlike(&sides[i], &sides[begin])
                                       : refuse_unlike(&sides[begin], &sides[i]);
    }
    return RP_OK;
}

/* Where unlike things are compared, each file has one kind, or they would be mixed in silence. */
static enum rp_status refuse_mixed_side(const struct rp_comparisons *list)
{
    const struct rp_compared_side *seen[2] = {NULL, NULL};
    for (size_t i = 0; list->sides[0].unlike && i < list->n_sides; ++i) {
        const struct rp_compared_side *x = &list->sides[i];
        const struct rp_compared_side **first = &seen[x->is_new];
        char kinds[2][RP_DEVICE_KIND_SIZE];
        *first = *first ? *first : x;
        if (compare_set_up(*first, x) == 0)
            continue;
        rp_device_kind_text((*first)->device, kinds[0]);
        rp_device_kind_text(x->device, kinds[1]);
        return RP_FAIL(RP_ERR_USAGE,
                       "%s holds %s (%" PRId64 " threads, protocol %s) and %s (%" PRId64
                       " threads, protocol %s); --unlike compares one kind with one",
                       x->is_new ? "NEW" : "OLD", kinds[0], (*first)->threads, (*first)->protocol,
                       kinds[1], x->threads, x->protocol);
    }
    return RP_OK;
}

/* Why no pair was found: the same points on other device types, or other points. */
static enum rp_status refuse_nothing(const struct rp_comparisons *list)
{
    const struct rp_compared_side *first[2] = {NULL, NULL};
    for (size_t i = 0; i < list->n_sides; ++i) {
        const struct rp_compared_side **of_file = &first[list->sides[i].is_new];
        *of_file = *of_file ? *of_file : &list->sides[i];
    }
    if (first[0] && first[1] && strcmp(first[0]->device->gpu_type, first[1]->device->gpu_type) != 0)
        return refuse_unlike(first[0], first[1]);
    return RP_FAIL(RP_ERR_USAGE, "OLD and NEW have no point in common%s",
                   list->simulated ? " beside rows of simulated devices, which --simulated takes in"
                                   : "");
}

static enum rp_status compare_all(struct rp_comparisons *list)
{
    list->pairs = calloc(list->n_sides + 1, sizeof *list->pairs);
    if (!list->pairs)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare %zu points", list->n_sides);
    if (list->n_sides) {
        qsort(list->sides, list->n_sides, sizeof *list->sides, compare_sides);
        RP_TRY(refuse_mixed_side(list));
    }
    for (size_t first = 0, end = 0; first < list->n_sides; first = end) {
        while (end < list->n_sides && compare_point(&list->sides[first], &list->sides[end]) == 0)
            ++end;
        RP_TRY(add_point(list, first, end));
    }
    return list->count ? RP_OK : refuse_nothing(list);
}

enum rp_status rp_compare_files(const struct rp_study_list *files,
                                const struct rp_compare_choice *choice,
                                struct rp_comparisons *comparisons)
{
    *comparisons = (struct rp_comparisons){0};
    enum rp_status status = rp_compared_sides_collect(files, choice, comparisons);
    if (status == RP_OK)
        status = compare_all(comparisons);
    if (status != RP_OK)
        rp_comparisons_clear(comparisons);
    return status;
}

struct rp_comparison rp_comparison_of(const struct rp_comparisons *list, size_t index)
{
    const struct rp_compared_side *old_side = &list->sides[list->pairs[index]];
    struct rp_comparison comparison = {.old_side = old_side, .new_side = old_side + 1};
    judge(&comparison);
    return comparison;
}

void rp_comparisons_clear(struct rp_comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->n_sides; ++i) {
        free(comparisons->sides[i].medians);
        free(comparisons->sides[i].why);
    }
    free(comparisons->sides);
    free(comparisons->pairs);
    *comparisons = (struct rp_comparisons){0};
}
