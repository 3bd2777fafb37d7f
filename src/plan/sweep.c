/*
 * sweep.c - walks the products, takes away the exclusions, merges what was asked for twice.
 *
 * The size of every product is known, and checked, before the first point is made.
 */
#include "plan/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/axis.h"
#include "model/cost.h"
#include "plan/block.h"

enum { NO_MODEL = -1 };

struct wish { /* a point as one block asks for it */
    struct rp_point point;
    rp_impl_set impls;
    int model; /* index into the model list, or NO_MODEL */
};

struct sweep {
    const struct rp_model_list *models;
    struct rp_block *blocks; /* heap */
    size_t n_blocks;
    struct wish *wishes; /* heap */
    size_t n_wishes;
};

/* One element of the product: the value of each dimension the block says. */
struct choice {
    size_t index[RP_BLOCK_DIMS];
};

static bool said(const struct rp_block *block, int dim)
{
    return block->dims[dim].count > 0;
}

static int64_t chosen(const struct rp_block *block, const struct choice *choice, int dim)
{
    return block->dims[dim].items[choice->index[dim]];
}

/* The next element, like an odometer; false after the last. */
static bool advance(const struct rp_block *block, struct choice *choice)
{
    for (int dim = RP_BLOCK_DIMS - 1; dim >= 0; --dim) {
        if (!said(block, dim))
            continue;
        if (++choice->index[dim] < block->dims[dim].count)
            return true;
        choice->index[dim] = 0;
    }
    return false;
}

/* The point of a choice, with the defaults of what the block does not say; not yet normalised. */
static struct rp_point make_point(const struct rp_block *block, const struct choice *choice,
                                  const struct rp_model_list *models)
{
    struct rp_point p = {.batch = 1, .seq_q = 1, .dtype = RP_DTYPE_fp16, .causal = true};
    for (int axis = 0; axis < RP_AXIS_COUNT; ++axis) {
        if (said(block, axis))
            rp_axis_set(&p, (enum rp_axis)axis, chosen(block, choice, axis));
    }
    if (said(block, RP_BLOCK_SEQ)) {
        p.seq_k = chosen(block, choice, RP_BLOCK_SEQ);
        if (p.stage == RP_STAGE_PREFILL)
            p.seq_q = p.seq_k;
    }
    if (said(block, RP_BLOCK_MODEL)) {
        const struct rp_model_spec *model = &models->items[chosen(block, choice, RP_BLOCK_MODEL)];
        p.heads = model->heads;
        p.kv_heads = model->kv_heads;
        p.head_dim = model->head_dim;
    } else if (!said(block, RP_AXIS_kv_heads)) {
        p.kv_heads = p.heads;
    }
    return p;
}

/* seq: 8k excludes what seq: 8k would have asked for. */
static bool seq_matches(const struct rp_values *seq, const struct rp_point *p)
{
    return rp_values_have(seq, p->seq_k) && (p->stage == RP_STAGE_DECODE || p->seq_q == p->seq_k);
}

static bool excludes(const struct rp_exclude *exclude, const struct wish *wish)
{
    const struct rp_values *dims = exclude->dims;
    for (int axis = 0; axis < RP_AXIS_COUNT; ++axis) {
        if (dims[axis].count > 0 &&
            !rp_values_have(&dims[axis], rp_axis_get(&wish->point, (enum rp_axis)axis)))
            return false;
    }
    if (dims[RP_BLOCK_SEQ].count > 0 && !seq_matches(&dims[RP_BLOCK_SEQ], &wish->point))
        return false;
    return dims[RP_BLOCK_MODEL].count == 0 || rp_values_have(&dims[RP_BLOCK_MODEL], wish->model);
}

/* Each axis is in range by itself; what is left is how two of them fit. The place is the key that
 * does not fit, or the block when it comes from a default or a model. */
static enum rp_status check_point(const struct rp_block *block, const struct rp_point *p)
{
    struct rp_cost cost;
    if (rp_point_validate(p) == RP_OK)
        return rp_cost_of(p, &cost) == RP_OK
                   ? RP_OK
                   : rp_node_fail(block->node, "sweep", "%s", rp_status_message());
    const char *key = p->heads % p->kv_heads != 0 ? rp_axis_info(RP_AXIS_kv_heads)->name
                                                  : rp_axis_info(RP_AXIS_seq_q)->name;
    const struct rp_node *node = rp_node_find(block->node, key);
    return rp_node_fail(node ? node : block->node, key, "%s", rp_status_message());
}

static enum rp_status expand_block(struct sweep *sweep, const struct rp_block *block)
{
    struct choice choice = {{0}};
    size_t before = sweep->n_wishes;
    do {
        struct wish wish = {.point = make_point(block, &choice, sweep->models),
                            .impls = block->impls,
                            .model = NO_MODEL};
        if (said(block, RP_BLOCK_MODEL))
            wish.model = (int)chosen(block, &choice, RP_BLOCK_MODEL);
        for (size_t i = 0; wish.impls && i < block->n_excludes; ++i) {
            if (excludes(&block->excludes[i], &wish))
                wish.impls &= ~block->excludes[i].impls;
        }
        if (!wish.impls)
            continue;
        RP_TRY(check_point(block, &wish.point));
        rp_point_normalise(&wish.point);
        sweep->wishes[sweep->n_wishes++] = wish;
    } while (advance(block, &choice));
    if (sweep->n_wishes == before)
        return rp_node_fail(rp_node_find(block->node, "exclude"), "exclude",
                            "takes away every point of its block");
    return RP_OK;
}

static int compare_wishes(const void *a, const void *b)
{
    const struct wish *x = a;
    const struct wish *y = b;
    int order = rp_point_compare(&x->point, &y->point);
    return order ? order : (x->model > y->model) - (x->model < y->model);
}

/* Sorted wishes: equal points are neighbours, and so are equal models within them. */
static void merge_wishes(const struct sweep *sweep, struct rp_job *job)
{
    for (size_t i = 0; i < sweep->n_wishes; ++i) {
        const struct wish *wish = &sweep->wishes[i];
        const struct wish *previous = i > 0 ? wish - 1 : NULL;
        bool same = previous && rp_point_compare(&previous->point, &wish->point) == 0;
        if (!same)
            job->points[job->n_points++] = (struct rp_job_point){wish->point, 0};
        job->points[job->n_points - 1].impls |= wish->impls;
        if (wish->model == NO_MODEL || (same && previous->model == wish->model))
            continue;
        struct rp_job_label *label = &job->labels[job->n_labels++];
        label->point = job->n_points - 1;
        memcpy(label->model, sweep->models->items[wish->model].name, sizeof label->model);
    }
}

/* How many points a block's product has; refused, by position, when the sweep grows too large. */
static enum rp_status count_points(const struct rp_block *block, int64_t *total)
{
    int64_t points = 1;
    for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim) {
        if (said(block, dim) &&
            __builtin_mul_overflow(points, (int64_t)block->dims[dim].count, &points))
            return rp_node_fail(block->node, "sweep",
                                "this block asks for more than 2^63 points: allowed 1..%d",
                                RP_SWEEP_POINTS_MAX);
    }
    if (points > RP_SWEEP_POINTS_MAX)
        return rp_node_fail(block->node, "sweep",
                            "this block asks for %" PRId64 " points: allowed 1..%d", points,
                            RP_SWEEP_POINTS_MAX);
    *total += points;
    if (*total > RP_SWEEP_POINTS_MAX)
        return rp_node_fail(block->node, "sweep",
                            "with this block the sweep asks for %" PRId64 " points: allowed 1..%d",
                            *total, RP_SWEEP_POINTS_MAX);
    return RP_OK;
}

static enum rp_status read_blocks(const struct rp_node *node, struct sweep *sweep)
{
    sweep->blocks = calloc(node->count, sizeof sweep->blocks[0]);
    if (!sweep->blocks)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for the %zu blocks of a sweep", node->count);
    int64_t total = 0;
    size_t n_exclude_values = 0;
    for (const struct rp_node *child = node->first; child; child = child->next) {
        struct rp_block *block = &sweep->blocks[sweep->n_blocks++];
        RP_TRY(rp_block_read(child, sweep->models, block));
        RP_TRY(count_points(block, &total));
        n_exclude_values += block->n_exclude_values;
        if (n_exclude_values > RP_VALUES_MAX)
            return rp_node_fail(child, "exclude", "more than %d values in all blocks together",
                                RP_VALUES_MAX);
    }
    sweep->wishes = calloc((size_t)total, sizeof sweep->wishes[0]);
    if (!sweep->wishes)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %" PRId64 " points", total);
    return RP_OK;
}

static enum rp_status expand(const struct rp_node *node, struct sweep *sweep, struct rp_job *job)
{
    RP_TRY(read_blocks(node, sweep));
    for (size_t i = 0; i < sweep->n_blocks; ++i)
        RP_TRY(expand_block(sweep, &sweep->blocks[i]));
    qsort(sweep->wishes, sweep->n_wishes, sizeof sweep->wishes[0], compare_wishes);
    size_t n_labels = 0;
    for (size_t i = 0; i < sweep->n_wishes; ++i)
        n_labels += sweep->wishes[i].model != NO_MODEL;
    job->points = calloc(sweep->n_wishes, sizeof job->points[0]);
    job->labels = calloc(n_labels + 1, sizeof job->labels[0]);
    if (!job->points || !job->labels)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %zu points", sweep->n_wishes);
    merge_wishes(sweep, job);
    return RP_OK;
}

enum rp_status rp_sweep_read(const struct rp_node *node, const char *data_folder,
                             struct rp_job *job)
{
    char quoted[RP_QUOTE_SIZE];
    struct rp_model_list models = {0};
    struct sweep sweep = {.models = &models};
    if (node->kind != RP_NODE_LIST)
        return rp_node_fail(node, "sweep", "%s must be a list of blocks",
                            rp_node_quote(node, quoted));
    if (node->count == 0)
        return rp_node_fail(node, "sweep", "the list is empty: one block at least");
    bool named = false;
    for (const struct rp_node *child = node->first; child; child = child->next)
        named = named || rp_block_names_model(child);
    if (named)
        RP_TRY(rp_model_list_read(data_folder, &models));
    enum rp_status status = expand(node, &sweep, job);
    for (size_t i = 0; i < sweep.n_blocks; ++i)
        rp_block_clear(&sweep.blocks[i]);
    free(sweep.blocks);
    free(sweep.wishes);
    rp_model_list_clear(&models);
    return status;
}
