/* block.c - reads a sweep block and its exclusions; the keys come from axes.def and kernels.def. */
#include "plan/block.h"

#include <stdlib.h>

#include "plan/value.h"

static const char key_seq[] = "seq";
static const char key_model[] = "model";
static const char key_impl[] = "impl";
static const char key_exclude[] = "exclude";

enum { KEYS_MAX = RP_BLOCK_DIMS + 2 };

static const char *dim_key(int dim)
{
    if (dim == RP_BLOCK_SEQ)
        return key_seq;
    return dim == RP_BLOCK_MODEL ? key_model : rp_axis_info((enum rp_axis)dim)->name;
}

/* Every key of a block, or of an exclusion, which has no exclusions of its own. */
static size_t collect_keys(bool with_exclude, const char *keys[KEYS_MAX])
{
    size_t count = 0;
    for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim)
        keys[count++] = dim_key(dim);
    keys[count++] = key_impl;
    if (with_exclude)
        keys[count++] = key_exclude;
    return count;
}

static enum rp_status read_models(const struct rp_node *node, const struct rp_model_list *models,
                                  struct rp_values *values)
{
    const char **names = calloc(models->count + 1, sizeof names[0]);
    if (!names)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for the names of %zu models", models->count);
    for (size_t i = 0; i < models->count; ++i)
        names[i] = models->items[i].name;
    const struct rp_values_type type = {
        .key = key_model, .kind = RP_AXIS_KIND_WORD, .words = names, .n_words = models->count};
    enum rp_status status = rp_values_read(node, &type, values);
    free(names);
    return status;
}

static enum rp_status read_axis(const struct rp_node *node, int dim, struct rp_values *values)
{
    const char *words[RP_AXIS_WORDS_MAX];
    enum rp_axis axis = dim == RP_BLOCK_SEQ ? RP_AXIS_seq_k : (enum rp_axis)dim;
    const struct rp_axis_info *info = rp_axis_info(axis);
    const struct rp_values_type type = {.key = dim_key(dim),
                                        .kind = info->kind,
                                        .min = info->min,
                                        .max = info->max,
                                        .words = words,
                                        .n_words = rp_axis_words(axis, words)};
    return rp_values_read(node, &type, values);
}

static enum rp_status read_impls(const struct rp_node *node, rp_impl_set *impls)
{
    const char *words[RP_IMPL_COUNT];
    struct rp_values values = {0};
    for (int i = 0; i < RP_IMPL_COUNT; ++i)
        words[i] = rp_impl_name((enum rp_impl)i);
    const struct rp_values_type type = {
        .key = key_impl, .kind = RP_AXIS_KIND_WORD, .words = words, .n_words = RP_IMPL_COUNT};
    enum rp_status status = rp_values_read(node, &type, &values);
    *impls = 0;
    for (size_t i = 0; status == RP_OK && i < values.count; ++i)
        *impls |= (rp_impl_set)1 << values.items[i];
    rp_values_clear(&values);
    return status;
}

/* The keys blocks and exclusions share. `impls` keeps its value when the map has no impl. */
static enum rp_status read_dims(const struct rp_node *map, const struct rp_model_list *models,
                                struct rp_values dims[RP_BLOCK_DIMS], rp_impl_set *impls)
{
    for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim) {
        const struct rp_node *node = rp_node_find(map, dim_key(dim));
        if (!node)
            continue;
        RP_TRY(dim == RP_BLOCK_MODEL ? read_models(node, models, &dims[dim])
                                     : read_axis(node, dim, &dims[dim]));
    }
    const struct rp_node *impl = rp_node_find(map, key_impl);
    return impl ? read_impls(impl, impls) : RP_OK;
}

static enum rp_status read_excludes(const struct rp_node *list, const struct rp_model_list *models,
                                    struct rp_block *block)
{
    const char *keys[KEYS_MAX];
    char quoted[RP_QUOTE_SIZE];
    size_t n_keys = collect_keys(false, keys);
    if (list->kind != RP_NODE_LIST)
        return rp_node_fail(list, key_exclude, "%s must be a list of maps, for instance %s",
                            rp_node_quote(list, quoted), "[{dtype: fp32, seq: 8k}]");
    if (list->count == 0)
        return rp_node_fail(list, key_exclude, "the list is empty: one map at least");
    if (list->count > RP_BLOCK_EXCLUDES_MAX)
        return rp_node_fail(list, key_exclude, "%zu entries: allowed 1..%d", list->count,
                            RP_BLOCK_EXCLUDES_MAX);
    block->excludes = calloc(list->count, sizeof block->excludes[0]);
    if (!block->excludes)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %zu exclusions", list->count);
    for (const struct rp_node *map = list->first; map; map = map->next) {
        struct rp_exclude *exclude = &block->excludes[block->n_excludes++];
        exclude->impls = RP_IMPL_ALL;
        RP_TRY(rp_value_check_map(map, key_exclude, "an exclusion", keys, n_keys));
        if (map->count == 0)
            return rp_node_fail(map, key_exclude, "an empty map would exclude everything");
        RP_TRY(read_dims(map, models, exclude->dims, &exclude->impls));
        for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim)
            block->n_exclude_values += exclude->dims[dim].count;
        if (block->n_exclude_values > RP_VALUES_MAX)
            return rp_node_fail(list, key_exclude, "more than %d values", RP_VALUES_MAX);
    }
    return RP_OK;
}

static enum rp_status fail_conflict(const struct rp_block *block, int dim, const char *with)
{
    return rp_node_fail_at_key(rp_node_find(block->node, dim_key(dim)),
                               "already given by %s: say one of the two", with);
}

static bool said(const struct rp_block *block, int dim)
{
    return block->dims[dim].count > 0;
}

static enum rp_status check_heads(const struct rp_block *block)
{
    static const int shapes[] = {RP_AXIS_heads, RP_AXIS_kv_heads, RP_AXIS_head_dim};
    for (size_t i = 0; said(block, RP_BLOCK_MODEL) && i < RP_COUNT(shapes); ++i) {
        if (said(block, shapes[i]))
            return fail_conflict(block, shapes[i], key_model);
    }
    if (!said(block, RP_BLOCK_MODEL) && !said(block, RP_AXIS_heads))
        return rp_node_fail(block->node, dim_key(RP_AXIS_heads),
                            "missing: a block says heads with head_dim, or model");
    if (!said(block, RP_BLOCK_MODEL) && !said(block, RP_AXIS_head_dim))
        return rp_node_fail(block->node, dim_key(RP_AXIS_head_dim),
                            "missing: a block says heads with head_dim, or model");
    return RP_OK;
}

static enum rp_status check_lengths(const struct rp_block *block)
{
    bool prefill = rp_values_have(&block->dims[RP_AXIS_stage], RP_STAGE_PREFILL);
    if (said(block, RP_BLOCK_SEQ) && said(block, RP_AXIS_seq_k))
        return fail_conflict(block, RP_AXIS_seq_k, key_seq);
    if (said(block, RP_BLOCK_SEQ) && said(block, RP_AXIS_seq_q) && prefill)
        return fail_conflict(block, RP_AXIS_seq_q, key_seq);
    if (said(block, RP_BLOCK_SEQ))
        return RP_OK;
    if (!said(block, RP_AXIS_seq_k))
        return rp_node_fail(block->node, said(block, RP_AXIS_seq_q) ? "seq_k" : key_seq,
                            "missing: a block says its lengths, %s",
                            prefill ? "seq, or seq_q and seq_k" : "seq_k");
    if (prefill && !said(block, RP_AXIS_seq_q))
        return rp_node_fail(block->node, dim_key(RP_AXIS_seq_q),
                            "missing: prefill says seq, or seq_q and seq_k");
    return RP_OK;
}

enum rp_status rp_block_read(const struct rp_node *node, const struct rp_model_list *models,
                             struct rp_block *block)
{
    const char *keys[KEYS_MAX];
    size_t n_keys = collect_keys(true, keys);
    *block = (struct rp_block){.node = node, .impls = RP_IMPL_DEFAULT};
    RP_TRY(rp_value_check_map(node, "sweep", "a sweep block", keys, n_keys));
    RP_TRY(read_dims(node, models, block->dims, &block->impls));
    if (!said(block, RP_AXIS_stage))
        return rp_node_fail(node, dim_key(RP_AXIS_stage), "missing: a block says its stage");
    RP_TRY(check_lengths(block));
    RP_TRY(check_heads(block));
    const struct rp_node *exclude = rp_node_find(node, key_exclude);
    return exclude ? read_excludes(exclude, models, block) : RP_OK;
}

void rp_block_clear(struct rp_block *block)
{
    for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim)
        rp_values_clear(&block->dims[dim]);
    for (size_t i = 0; i < block->n_excludes; ++i) {
        for (int dim = 0; dim < RP_BLOCK_DIMS; ++dim)
            rp_values_clear(&block->excludes[i].dims[dim]);
    }
    free(block->excludes);
    *block = (struct rp_block){0};
}

bool rp_block_names_model(const struct rp_node *node)
{
    if (rp_node_find(node, key_model))
        return true;
    const struct rp_node *excludes = rp_node_find(node, key_exclude);
    for (const struct rp_node *map = excludes ? excludes->first : NULL; map; map = map->next) {
        if (rp_node_find(map, key_model))
            return true;
    }
    return false;
}
