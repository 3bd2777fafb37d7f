/*
 * model_spec.h - data/models.yaml: the attention shape of a model, by name.
 *
 * The file is one map: name -> {heads, kv_heads, head_dim}; kv_heads defaults to heads.
 */
#ifndef RP_PLAN_MODEL_SPEC_H
#define RP_PLAN_MODEL_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define RP_MODEL_NAME_SIZE 65

struct rp_model_spec {
    char name[RP_MODEL_NAME_SIZE];
    int64_t heads, kv_heads, head_dim;
};

struct rp_model_list {
    struct rp_model_spec *items; /* heap, owned by the list; sorted by name */
    size_t count;                /* at most 1024 */
};

/* Reads models.yaml of `folder`, or the installed one when the folder is null or has none.
 * RP_ERR_ENVIRONMENT when there is none at all, RP_ERR_CONFIG with position on anything out of
 * order. */
enum rp_status rp_model_list_read(const char *folder, struct rp_model_list *list) RP_MUST_CHECK;
void rp_model_list_clear(struct rp_model_list *list);

#endif
