/*
 * groups.h - the shapes of the files, grouped as the summary speaks of them.
 *
 * A group shares stage, dtype, mask, query heads per kv head and, unless the queries grow with the
 * keys, seq_q: everything the ideal intensity depends on but the length. Inside a group the shapes
 * are sorted by series (equal batch, heads, head_dim), then by length.
 */
#ifndef RP_ANALYSIS_GROUPS_H
#define RP_ANALYSIS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/crossover.h"
#include "analysis/load.h"
#include "base/status.h"
#include "model/bound.h"
#include "model/gpu_spec.h"
#include "model/impl.h"
#include "model/point.h"

struct rp_shape {
    struct rp_point point;
    rp_impl_set impls; /* that have a row of it */
};

struct rp_group {
    const struct rp_shape *shapes; /* at least one */
    size_t count;
    rp_impl_set impls;
    int64_t seq_min, seq_max; /* of seq_k */
};

struct rp_groups {
    struct rp_shape *shapes; /* heap; of all groups, one behind the other */
    struct rp_group *items;  /* heap */
    size_t count;
};

/* Of every row that rows.h speaks of; of simulated devices only when asked. */
enum rp_status rp_groups_create(const struct rp_study_list *list, bool simulated,
                                struct rp_groups *groups) RP_MUST_CHECK;
void rp_groups_clear(struct rp_groups *groups);

/* Order of series inside a group; 0: the same one. */
int rp_series_compare(const struct rp_point *a, const struct rp_point *b);

/* Index of the group a point belongs to; groups->count when it is in none. */
size_t rp_groups_find(const struct rp_groups *groups, const struct rp_point *p);

bool rp_groups_have_dtype(const struct rp_groups *groups, enum rp_dtype dtype);

/* The classes of a group's shapes, counted. */
struct rp_class_count {
    size_t compute, memory, missing;
    char reason[200]; /* of a missing one; "" without */
};

/* "compute", "memory", "both" or "missing". */
const char *rp_class_count_word(const struct rp_class_count *count);

struct rp_class_count rp_group_ideal(const struct rp_group *group, const struct rp_gpu_spec *gpu,
                                     bool dense);

/* Where the predicted class of one implementation turns from memory to compute for good, per
 * series, interpolated between the shapes of the files on log axes. */
struct rp_predicted {
    struct rp_class_count classes;
    double seq_min, seq_max; /* over the series that turn; NaN when none does */
};

struct rp_predicted rp_group_predicted(const struct rp_group *group, const struct rp_gpu_spec *gpu,
                                       enum rp_impl impl);

#endif
