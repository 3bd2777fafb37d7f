/*
 * dependence.h - shapes whose ideal class is not the shape's alone: it turns with what is counted,
 * or between variants of one GPU model.
 *
 *   dense      flops_dense, the notebook's count, instead of the visible pairs
 *   kv heads   FLOP of a decode counted on kv heads, the notebook's formula: too low by H / G
 *   variant    the datasheet of another form or memory of the same model (a100-sxm-40gb for
 *              a100-sxm-80gb)
 */
#ifndef RP_ANALYSIS_DEPENDENCE_H
#define RP_ANALYSIS_DEPENDENCE_H

#include <stddef.h>

#include "analysis/groups.h"
#include "base/status.h"
#include "model/bound.h"
#include "model/gpu_spec.h"

enum rp_dependence_kind { RP_DEPENDS_ON_DENSE, RP_DEPENDS_ON_KV_HEADS, RP_DEPENDS_ON_VARIANT };

const char *rp_dependence_name(enum rp_dependence_kind kind); /* "dense", "kv heads", "variant" */

/* The ideal class by the dense count, of a decode on kv heads: H / G less work over the same bytes.
 */
enum rp_class rp_dependence_on_kv_heads(const struct rp_gpu_spec *gpu, const struct rp_point *p);

struct rp_dependence {
    const struct rp_gpu_spec *gpu;
    enum rp_dependence_kind kind;
    const struct rp_gpu_spec *variant; /* null unless the kind is variant */
    struct rp_point point;
    enum rp_class ideal, otherwise; /* on `gpu`; and by the other count or variant */
};

struct rp_dependence_list {
    struct rp_dependence *items; /* heap; by GPU, kind, variant, then in the order of the groups */
    size_t count, capacity;
};

/* For each of `gpus`; variants are looked for in `all`. RP_ERR_INTERNAL when host memory is out. */
enum rp_status rp_dependence_create(const struct rp_groups *groups,
                                    const struct rp_gpu_spec *const *gpus, size_t n_gpus,
                                    const struct rp_gpu_list *all,
                                    struct rp_dependence_list *list) RP_MUST_CHECK;
void rp_dependence_clear(struct rp_dependence_list *list);

#endif
