/* dependence.c - the ideal class of every shape, twice, wherever the two may differ. */
#include "analysis/dependence.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/classify.h"
#include "base/list.h"

static const char *const names[] = {"dense", "kv heads", "variant"};

const char *rp_dependence_name(enum rp_dependence_kind kind)
{
    return names[kind];
}

static enum rp_class class_of(const struct rp_gpu_spec *gpu, const struct rp_point *p, bool dense)
{
    return rp_verdict_ideal(gpu, gpu->gpu_type, p, dense).class_name;
}

enum rp_class rp_dependence_on_kv_heads(const struct rp_gpu_spec *gpu, const struct rp_point *p)
{
    struct rp_verdict v = rp_verdict_ideal(gpu, gpu->gpu_type, p, true);
    double compute_s = v.compute_s * (double)p->kv_heads / (double)p->heads;
    if (v.class_name == RP_CLASS_MISSING || p->stage != RP_STAGE_DECODE)
        return v.class_name;
    return compute_s > v.memory_s ? RP_CLASS_COMPUTE : RP_CLASS_MEMORY;
}

/* The class by the usual count, and by the other one or on the variant. */
static void classify(struct rp_dependence *d)
{
    /* The notebook's formula is dense, so only its heads make this difference. */
    d->ideal = class_of(d->gpu, &d->point, d->kind == RP_DEPENDS_ON_KV_HEADS);
    if (d->kind == RP_DEPENDS_ON_KV_HEADS)
        d->otherwise = rp_dependence_on_kv_heads(d->gpu, &d->point);
    else
        d->otherwise =
            class_of(d->variant ? d->variant : d->gpu, &d->point, d->kind == RP_DEPENDS_ON_DENSE);
}

static enum rp_status add(struct rp_dependence_list *list, const struct rp_dependence *d)
{
    struct rp_dependence *items =
        rp_list_grow(list->items, list->count, &list->capacity, sizeof *items);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu classes", list->count + 1);
    list->items = items;
    items[list->count++] = *d;
    return RP_OK;
}

/* All shapes of the groups against one other count or variant. */
static enum rp_status add_shapes(const struct rp_groups *groups, struct rp_dependence d,
                                 struct rp_dependence_list *list)
{
    for (size_t g = 0; g < groups->count; ++g) {
        for (size_t i = 0; i < groups->items[g].count; ++i) {
            d.point = groups->items[g].shapes[i].point;
            classify(&d);
            if (d.ideal != d.otherwise && d.ideal != RP_CLASS_MISSING &&
                d.otherwise != RP_CLASS_MISSING)
                RP_TRY(add(list, &d));
        }
    }
    return RP_OK;
}

/* Of one model: the same up to the first dash. */
static bool is_variant(const struct rp_gpu_spec *a, const struct rp_gpu_spec *b)
{
    size_t n = strcspn(a->gpu_type, "-");
    return a != b && n == strcspn(b->gpu_type, "-") && memcmp(a->gpu_type, b->gpu_type, n) == 0;
}

enum rp_status rp_dependence_create(const struct rp_groups *groups,
                                    const struct rp_gpu_spec *const *gpus, size_t n_gpus,
                                    const struct rp_gpu_list *all, struct rp_dependence_list *list)
{
    enum rp_status status = RP_OK;
    *list = (struct rp_dependence_list){0};
    for (size_t g = 0; g < n_gpus && status == RP_OK; ++g) {
        struct rp_dependence d = {.gpu = gpus[g], .kind = RP_DEPENDS_ON_DENSE};
        status = add_shapes(groups, d, list);
        d.kind = RP_DEPENDS_ON_KV_HEADS;
        if (status == RP_OK)
            status = add_shapes(groups, d, list);
        d.kind = RP_DEPENDS_ON_VARIANT;
        for (size_t i = 0; i < all->count && status == RP_OK; ++i) {
            d.variant = &all->items[i];
            if (is_variant(d.gpu, d.variant))
                status = add_shapes(groups, d, list);
        }
    }
    if (status != RP_OK)
        rp_dependence_clear(list);
    return status;
}

void rp_dependence_clear(struct rp_dependence_list *list)
{
    free(list->items);
    *list = (struct rp_dependence_list){0};
}
