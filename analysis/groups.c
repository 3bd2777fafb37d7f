/* groups.c - sorts the shapes of all rows, then cuts where a key changes. */
#include "analysis/groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/classify.h"
#include "analysis/crossings.h"
#include "analysis/distinct.h"
#include "analysis/key.h"
#include "analysis/rows.h"
#include "base/list.h"

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* What a group shares; 0: the same group. */
static int compare_key(const struct rp_point *a, const struct rp_point *b)
{
    bool a_follows = rp_crossover_follows(a);
    bool b_follows = rp_crossover_follows(b);
    int order = compare_i64(a->stage, b->stage);
    order = order ? order : compare_i64(a->dtype, b->dtype);
    order = order ? order : compare_i64(a->causal, b->causal);
    order = order ? order : compare_i64(a->heads / a->kv_heads, b->heads / b->kv_heads);
    order = order ? order : compare_i64(b_follows, a_follows);
    return order || a_follows ? order : compare_i64(a->seq_q, b->seq_q);
}

int rp_series_compare(const struct rp_point *a, const struct rp_point *b)
{
    int order = compare_i64(a->batch, b->batch);
    order = order ? order : compare_i64(a->heads, b->heads);
    return order ? order : compare_i64(a->head_dim, b->head_dim);
}

static int compare_shapes(const void *a, const void *b)
{
    const struct rp_point *x = &((const struct rp_shape *)a)->point;
    const struct rp_point *y = &((const struct rp_shape *)b)->point;
    int order = compare_key(x, y);
    order = order ? order : rp_series_compare(x, y);
    return order ? order : compare_i64(x->seq_k, y->seq_k);
}

/* Where shapes are collected, each once, with the implementations of all its rows. */
struct collection {
    struct rp_shape *shapes; /* heap */
    size_t count, room;
    struct rp_distinct points;
};

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct collection *c = context;
    size_t number = 0;
    RP_TRY(rp_distinct_number(&c->points, rp_key_add_point(0, &seen->point), &number));
    struct rp_shape *shapes = rp_list_grow(c->shapes, c->count, &c->room, sizeof *shapes);
    if (!shapes)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu shapes", c->count);
    c->shapes = shapes;
    if (number == c->count)
        shapes[c->count++] = (struct rp_shape){seen->point, 0};
    shapes[number].impls |= 1u << seen->impl;
    return RP_OK;
}

static void cut(struct rp_groups *groups, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const struct rp_shape *shape = &groups->shapes[i];
        int64_t seq = shape->point.seq_k;
        if (i == 0 || compare_key(&shape->point, &groups->shapes[i - 1].point) != 0)
            groups->items[groups->count++] = (struct rp_group){shape, 0, 0, seq, seq};
        struct rp_group *group = &groups->items[groups->count - 1];
        ++group->count;
        group->impls |= shape->impls;
        group->seq_min = seq < group->seq_min ? seq : group->seq_min;
        group->seq_max = seq > group->seq_max ? seq : group->seq_max;
    }
}

enum rp_status rp_groups_create(const struct rp_study_list *list, bool simulated,
                                struct rp_groups *groups)
{
    struct collection c = {0};
    const struct rp_rows_visitor visitor = {
        .context = &c, .visit = add_row, .simulated = simulated};
    *groups = (struct rp_groups){0};
    enum rp_status status = rp_rows_visit(list, &visitor);
    rp_distinct_clear(&c.points);
    groups->shapes = c.shapes;
    if (status == RP_OK) {
        groups->items = calloc(c.count + 1, sizeof *groups->items);
        if (!groups->items)
            status = RP_FAIL(RP_ERR_INTERNAL, "no host memory to group %zu shapes", c.count);
    }
    if (status != RP_OK) {
        rp_groups_clear(groups);
        return status;
    }
    if (c.count)
        qsort(c.shapes, c.count, sizeof *c.shapes, compare_shapes);
    cut(groups, c.count);
    return RP_OK;
}

void rp_groups_clear(struct rp_groups *groups)
{
    free(groups->shapes);
    free(groups->items);
    *groups = (struct rp_groups){0};
}

size_t rp_groups_find(const struct rp_groups *groups, const struct rp_point *p)
{
    for (size_t i = 0; i < groups->count; ++i) {
        if (compare_key(&groups->items[i].shapes[0].point, p) == 0)
            return i;
    }
    return groups->count;
}

bool rp_groups_have_dtype(const struct rp_groups *groups, enum rp_dtype dtype)
{
    for (size_t i = 0; i < groups->count; ++i) {
        if (groups->items[i].shapes[0].point.dtype == dtype)
            return true;
    }
    return false;
}

const char *rp_class_count_word(const struct rp_class_count *count)
{
    if (count->compute && count->memory)
        return "both";
    if (count->compute || count->memory)
        return count->compute ? "compute" : "memory";
    return "missing";
}

static void count_class(struct rp_class_count *count, const struct rp_verdict *verdict)
{
    count->compute += verdict->class_name == RP_CLASS_COMPUTE;
    count->memory += verdict->class_name == RP_CLASS_MEMORY;
    if (verdict->class_name != RP_CLASS_MISSING)
        return;
    ++count->missing;
    snprintf(count->reason, sizeof count->reason, "%s", verdict->reason);
}

struct rp_class_count rp_group_ideal(const struct rp_group *group, const struct rp_gpu_spec *gpu,
                                     bool dense)
{
    struct rp_class_count count = {0};
    for (size_t i = 0; i < group->count; ++i) {
        struct rp_verdict v = rp_verdict_ideal(gpu, gpu->gpu_type, &group->shapes[i].point, dense);
        count_class(&count, &v);
    }
    return count;
}

struct rp_predicted rp_group_predicted(const struct rp_group *group, const struct rp_gpu_spec *gpu,
                                       enum rp_impl impl)
{
    struct rp_predicted p = {{0}, NAN, NAN};
    struct rp_crossings crossings;
    rp_crossings_init(&crossings);
    for (size_t i = 0; i < group->count; ++i) {
        const struct rp_point *point = &group->shapes[i].point;
        if (!rp_impl_in(group->shapes[i].impls, impl))
            continue;
        if (i > 0 && rp_series_compare(point, &group->shapes[i - 1].point) != 0)
            rp_crossings_end_series(&crossings);
        struct rp_verdict v = rp_verdict_predicted(gpu, gpu->gpu_type, point, impl);
        count_class(&p.classes, &v);
        if (v.class_name != RP_CLASS_MISSING)
            rp_crossings_add(&crossings, (double)point->seq_k, v.compute_s, v.memory_s);
    }
    rp_crossings_end_series(&crossings);
    p.seq_min = crossings.seq_min;
    p.seq_max = crossings.seq_max;
    return p;
}
