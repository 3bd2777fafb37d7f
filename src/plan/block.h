/*
 * block.h - one block of a sweep: the values of its keys, checked for what a block must say.
 *
 * Keys are the axes of axes.def, and seq (seq_q and seq_k together), impl, model, exclude. A block
 * stands for the product of its values; sweep.h makes points of it.
 */
#ifndef RP_PLAN_BLOCK_H
#define RP_PLAN_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "model/axis.h"
#include "model/impl.h"
#include "plan/model_spec.h"
#include "plan/node.h"
#include "plan/values.h"

/* The dimensions of a block's product: the axes, and two that stand for several axes at once. */
enum rp_block_dim {
    RP_BLOCK_SEQ = RP_AXIS_COUNT, /* prefill: seq_q and seq_k; decode: seq_k */
    RP_BLOCK_MODEL,               /* heads, kv_heads and head_dim; values index the model list */
    RP_BLOCK_DIMS
};

enum { RP_BLOCK_EXCLUDES_MAX = 1024 };

struct rp_exclude {
    struct rp_values dims[RP_BLOCK_DIMS]; /* empty: any value */
    rp_impl_set impls;                    /* what it takes away; all: the whole point */
};

struct rp_block {
    const struct rp_node *node;           /* borrowed */
    struct rp_values dims[RP_BLOCK_DIMS]; /* empty: not said */
    rp_impl_set impls;
    struct rp_exclude *excludes; /* heap */
    size_t n_excludes;
    size_t n_exclude_values; /* of all of them; at most RP_VALUES_MAX */
};

/* The caller clears the block, also on failure. */
enum rp_status rp_block_read(const struct rp_node *node, const struct rp_model_list *models,
                             struct rp_block *block) RP_MUST_CHECK;
void rp_block_clear(struct rp_block *block);

/* True when a block or one of its exclusions names a model. */
bool rp_block_names_model(const struct rp_node *node);

#endif
