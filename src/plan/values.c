/* values.c - scalars, lists and ranges of one key, flattened. */
#include "plan/values.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "plan/value.h"

struct growing {
    struct rp_values *values;
    size_t capacity;
};

static enum rp_status add(struct growing *to, const struct rp_node *node, const char *key,
                          int64_t value)
{
    struct rp_values *v = to->values;
    if (v->count == RP_VALUES_MAX)
        return rp_node_fail(node, key, "more than %d values", RP_VALUES_MAX);
    int64_t *items = rp_list_grow(v->items, v->count, &to->capacity, sizeof items[0]);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %zu values of %s", v->count + 1, key);
    v->items = items;
    items[v->count++] = value;
    return RP_OK;
}

static enum rp_status read_scalar(const struct rp_node *node, const struct rp_values_type *type,
                                  int64_t *value)
{
    const struct rp_value_range range = {type->min, type->max, true};
    size_t index = 0;
    bool flag = false;
    switch (type->kind) {
    case RP_AXIS_KIND_INT:
        return rp_value_i64(node, type->key, &range, value);
    case RP_AXIS_KIND_BOOL:
        RP_TRY(rp_value_bool(node, type->key, &flag));
        *value = flag ? 1 : 0;
        return RP_OK;
    case RP_AXIS_KIND_WORD:
        RP_TRY(rp_value_word(node, type->key, type->words, type->n_words, &index));
        *value = (int64_t)index;
        return RP_OK;
    }
    return RP_FAIL(RP_ERR_INTERNAL, "%s: unknown kind of axis", type->key);
}

struct range {
    int64_t from, to;
    int64_t factor;    /* times; 0: none */
    int64_t increment; /* plus; 0: none */
};

static enum rp_status require_bound(const struct rp_node *map, const struct rp_values_type *type,
                                    const char *key, int64_t *value)
{
    const struct rp_value_range range = {type->min, type->max, true};
    const struct rp_node *node = rp_node_find(map, key);
    if (!node)
        return rp_node_fail(map, type->key,
                            "a range needs %s: {from:, to:, times:} or {from:, to:, plus:}", key);
    return rp_value_i64(node, key, &range, value);
}

static enum rp_status read_range(const struct rp_node *map, const struct rp_values_type *type,
                                 struct range *range)
{
    static const char *const keys[] = {"from", "to", "times", "plus"};
    const struct rp_value_range factors = {2, type->max, true};
    const struct rp_value_range increments = {1, type->max, true};
    RP_TRY(rp_value_check_map(map, type->key, "a range", keys, RP_COUNT(keys)));
    RP_TRY(require_bound(map, type, "from", &range->from));
    RP_TRY(require_bound(map, type, "to", &range->to));
    if (range->from > range->to)
        return rp_node_fail(rp_node_find(map, "from"), "from",
                            "%" PRId64 " is above to=%" PRId64 ": allowed %" PRId64 "..%" PRId64,
                            range->from, range->to, type->min, range->to);
    const struct rp_node *times = rp_node_find(map, "times");
    const struct rp_node *plus = rp_node_find(map, "plus");
    if (!times == !plus)
        return rp_node_fail(map, type->key, "a range needs either times or plus%s",
                            times ? ", not both" : "");
    return times ? rp_value_i64(times, "times", &factors, &range->factor)
                 : rp_value_i64(plus, "plus", &increments, &range->increment);
}

/* Limits of an axis keep value * factor far from 2^63: both are at most type->max. */
static enum rp_status add_range(const struct rp_node *map, const struct rp_values_type *type,
                                struct growing *to)
{
    struct range range = {0};
    char quoted[RP_QUOTE_SIZE];
    if (type->kind != RP_AXIS_KIND_INT)
        return rp_node_fail(map, type->key, "%s is not allowed: this axis has no ranges",
                            rp_node_quote(map, quoted));
    RP_TRY(read_range(map, type, &range));
    if (range.increment > 0 && (range.to - range.from) / range.increment >= RP_VALUES_MAX)
        return rp_node_fail(map, type->key, "this range has %" PRId64 " values: allowed 1..%d",
                            (range.to - range.from) / range.increment + 1, RP_VALUES_MAX);
    for (int64_t value = range.from; value <= range.to;) {
        RP_TRY(add(to, map, type->key, value));
        value = range.factor > 0 ? value * range.factor : value + range.increment;
    }
    return RP_OK;
}

static enum rp_status add_one(const struct rp_node *node, const struct rp_values_type *type,
                              struct growing *to)
{
    int64_t value = 0;
    if (node->kind == RP_NODE_MAP)
        return add_range(node, type, to);
    RP_TRY(read_scalar(node, type, &value));
    return add(to, node, type->key, value);
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_unique(struct rp_values *values)
{
    size_t kept = 0;
    qsort(values->items, values->count, sizeof values->items[0], compare_i64);
    for (size_t i = 0; i < values->count; ++i) {
        if (kept == 0 || values->items[i] != values->items[kept - 1])
            values->items[kept++] = values->items[i];
    }
    values->count = kept;
}

enum rp_status rp_values_read(const struct rp_node *node, const struct rp_values_type *type,
                              struct rp_values *values)
{
    struct growing to = {values, 0};
    if (node->kind != RP_NODE_LIST) {
        RP_TRY(add_one(node, type, &to));
    } else if (node->count == 0) {
        return rp_node_fail(node, type->key, "the list is empty: one value at least");
    } else {
        for (const struct rp_node *child = node->first; child; child = child->next)
            RP_TRY(add_one(child, type, &to));
    }
    sort_unique(values);
    return RP_OK;
}

void rp_values_clear(struct rp_values *values)
{
    free(values->items);
    *values = (struct rp_values){0};
}

bool rp_values_have(const struct rp_values *values, int64_t value)
{
    return values->count > 0 && bsearch(&value, values->items, values->count,
                                        sizeof values->items[0], compare_i64) != NULL;
}
