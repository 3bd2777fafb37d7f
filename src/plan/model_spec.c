/* model_spec.c - reads data/models.yaml with the same refusals as a job. */
#include "plan/model_spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/axis.h"
#include "model/data_folder.h"
#include "plan/document.h"
#include "plan/value.h"

static enum rp_status read_axis(const struct rp_node *model, enum rp_axis axis, int64_t *value)
{
    const struct rp_axis_info *info = rp_axis_info(axis);
    const struct rp_value_range range = {info->min, info->max, false};
    const struct rp_node *node = rp_node_find(model, info->name);
    if (!node && axis == RP_AXIS_kv_heads)
        return RP_OK;
    if (!node)
        return rp_node_fail(model, model->key, "%s is missing", info->name);
    return rp_value_i64(node, info->name, &range, value);
}

static enum rp_status read_model(const struct rp_node *node, struct rp_model_spec *spec)
{
    const char *const keys[] = {rp_axis_info(RP_AXIS_heads)->name,
                                rp_axis_info(RP_AXIS_kv_heads)->name,
                                rp_axis_info(RP_AXIS_head_dim)->name};
    size_t length = strlen(node->key);
    if (length == 0 || length >= sizeof spec->name)
        return rp_node_fail_at_key(node, "a model's name has 1..%zu characters",
                                   sizeof spec->name - 1);
    memcpy(spec->name, node->key, length + 1);
    RP_TRY(rp_value_check_map(node, node->key, "a model", keys, RP_COUNT(keys)));
    RP_TRY(read_axis(node, RP_AXIS_heads, &spec->heads));
    spec->kv_heads = spec->heads;
    RP_TRY(read_axis(node, RP_AXIS_kv_heads, &spec->kv_heads));
    RP_TRY(read_axis(node, RP_AXIS_head_dim, &spec->head_dim));
    if (spec->heads % spec->kv_heads != 0)
        return rp_node_fail(node, node->key,
                            "heads=%" PRId64 " is no multiple of kv_heads=%" PRId64, spec->heads,
                            spec->kv_heads);
    return RP_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct rp_model_spec *)a)->name, ((const struct rp_model_spec *)b)->name);
}

static enum rp_status read_models(const char *path, const struct rp_node *root,
                                  struct rp_model_list *list)
{
    if (root->kind != RP_NODE_MAP)
        return rp_node_fail(root, NULL, "must be a map from model names to their shapes");
    list->items = calloc(root->count + 1, sizeof list->items[0]);
    if (!list->items)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for the %zu models of %s", root->count, path);
    for (const struct rp_node *node = root->first; node; node = node->next)
        RP_TRY(read_model(node, &list->items[list->count++]));
    qsort(list->items, list->count, sizeof list->items[0], compare_names);
    return RP_OK;
}

enum rp_status rp_model_list_read(const char *folder, struct rp_model_list *list)
{
    char path[RP_DATA_PATH_SIZE];
    struct rp_node *root = NULL;
    char *text = NULL;
    size_t length = 0;
    *list = (struct rp_model_list){0};
    RP_TRY(rp_data_file_find(folder, "models.yaml", path, sizeof path));
    enum rp_status status = rp_document_load(path, &text, &length);
    if (status != RP_OK)
        goto cleanup;
    status = rp_document_parse(path, text, length, true, &root);
    if (status != RP_OK)
        goto cleanup;
    status = read_models(path, root, list);

cleanup:
    if (status != RP_OK)
        rp_model_list_clear(list);
    rp_node_destroy(root);
    free(text);
    return status;
}

void rp_model_list_clear(struct rp_model_list *list)
{
    free(list->items);
    *list = (struct rp_model_list){0};
}
