/* figure_rows.c - collects, sorts, and finds the longest line. */
#include "analysis/figure_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/device_kind.h"
#include "analysis/distinct.h"
#include "base/list.h"

/* Whether devices of its type and backend are set up in different ways, so that a label must tell.
 */
static bool is_one_of_several(const struct rp_study_list *list, const struct rp_device_row *device)
{
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_DEVICES); ++i) {
            const struct rp_device_row *other = &rp_study_devices(study)[i];
            if (strcmp(other->gpu_type, device->gpu_type) == 0 &&
                strcmp(other->backend, device->backend) == 0 &&
                rp_device_kind_compare(other, device) != 0)
                return true;
        }
    }
    return false;
}

void rp_figure_label(const struct rp_study_list *list, const struct rp_seen_row *seen,
                     char label[RP_LABEL_SIZE])
{
    const struct rp_device_row *device = seen->device;
    const int64_t n = seen->row->threads;
    char setup[RP_DEVICE_SETUP_SIZE];
    char threads[48] = "";
    rp_device_setup_text(device, is_one_of_several(list, device), setup);
    if (n > 0)
        snprintf(threads, sizeof threads, "; %" PRId64 " thread%s", n, n == 1 ? "" : "s");
    snprintf(label, RP_LABEL_SIZE, "%.40s%.40s%s%s", device->gpu_type, setup, threads,
             seen->is_simulated ? " (simulated)" : "");
}

static struct rp_point without_lengths(const struct rp_point *p)
{
    struct rp_point q = *p;
    q.seq_k = 0;
    q.seq_q = rp_crossover_follows(p) ? 0 : p->seq_q;
    return q;
}

static int compare(const void *a, const void *b)
{
    const struct rp_figure_row *x = a;
    const struct rp_figure_row *y = b;
    struct rp_point p = without_lengths(&x->point);
    struct rp_point q = without_lengths(&y->point);
    int order = strcmp(x->label, y->label);
    order = order ? order : rp_point_compare(&p, &q);
    order = order ? order : rp_point_compare(&x->point, &y->point);
    return order ? order : (int)x->impl - (int)y->impl;
}

/* Where rows are collected. */
struct collection {
    const struct rp_study_list *list;
    struct rp_figure_rows *rows;
    struct rp_distinct distinct;
    unsigned char *repeats; /* heap; of each distinct row, as far as they are drawn */
    size_t room;
};

/* Whether the row is drawn: not one of too many repeats. */
static enum rp_status count_repeat(struct collection *c, const struct rp_seen_row *seen,
                                   bool *is_drawn)
{
    const size_t before = c->distinct.count;
    size_t number = 0;
    RP_TRY(rp_distinct_number(&c->distinct, rp_seen_row_key(seen), &number));
    unsigned char *repeats = rp_list_grow(c->repeats, before, &c->room, sizeof *repeats);
    if (!repeats)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu points", before);
    c->repeats = repeats;
    if (number == before)
        repeats[number] = 0;
    *is_drawn = repeats[number] < RP_FIGURE_REPEATS;
    repeats[number] = (unsigned char)(repeats[number] + *is_drawn);
    c->rows->left_out += !*is_drawn;
    return RP_OK;
}

/* The list's copy of a label. */
static enum rp_status intern(struct rp_figure_rows *rows, const char *label, const char **interned)
{
    for (size_t i = 0; i < rows->n_labels; ++i) {
        *interned = rows->labels[i];
        if (strcmp(*interned, label) == 0)
            return RP_OK;
    }
    char **labels = rp_list_grow(rows->labels, rows->n_labels, &rows->labels_room, sizeof *labels);
    char *copy = strdup(label);
    if (labels)
        rows->labels = labels;
    if (!labels || !copy) {
        free(copy);
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu labels", rows->n_labels);
    }
    *interned = labels[rows->n_labels++] = copy;
    return RP_OK;
}

static enum rp_status add_row(void *context, const struct rp_seen_row *seen)
{
    struct collection *c = context;
    struct rp_figure_rows *rows = c->rows;
    char label[RP_LABEL_SIZE];
    bool is_drawn = false;
    RP_TRY(count_repeat(c, seen, &is_drawn));
    if (!is_drawn)
        return RP_OK;
    struct rp_figure_row r = {.study = seen->study,
                              .device = seen->device,
                              .point = seen->point,
                              .impl = seen->impl,
                              .file = (size_t)(seen->file - c->list->files),
                              .is_simulated = seen->is_simulated};
    rp_figure_label(c->list, seen, label);
    RP_TRY(intern(rows, label, &r.label));
    struct rp_figure_row *items =
        rp_list_grow(rows->items, rows->count, &rows->room, sizeof *items);
    struct rp_result *copy = malloc(sizeof *copy);
    if (items)
        rows->items = items;
    if (!items || !copy) {
        free(copy);
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the figures of %zu rows", rows->count);
    }
    *copy = *seen->row;
    r.row = copy;
    items[rows->count++] = r;
    return RP_OK;
}

enum rp_status rp_figure_rows_create(const struct rp_study_list *list, bool simulated,
                                     struct rp_figure_rows *rows)
{
    static const char *const columns[] = {
        "point",          "status",      "time_median_s", "time_ci_low_s",
        "time_ci_high_s", "ci_level",    "path",          "cache",
        "flops",          "flops_dense", "flops_impl",    "bytes_min",
        "bytes_impl",     "clock_hz",    "scores_bytes",  "peak_memory_bytes",
        "rank",           "sequence",    "sampled_utc_s", "predicted_memory_bytes",
        "sampling_s",     "eviction_s"};
    struct collection c = {.list = list, .rows = rows};
    const struct rp_rows_visitor visitor = {.context = &c,
                                            .visit = add_row,
                                            .columns = columns,
                                            .n_columns = RP_COUNT(columns),
                                            .simulated = simulated};
    *rows = (struct rp_figure_rows){0};
    enum rp_status status = rp_rows_visit(list, &visitor);
    rp_distinct_clear(&c.distinct);
    free(c.repeats);
    if (status != RP_OK)
        rp_figure_rows_clear(rows);
    else if (rows->count)
        qsort(rows->items, rows->count, sizeof *rows->items, compare);
    return status;
}

void rp_figure_rows_clear(struct rp_figure_rows *rows)
{
    for (size_t i = 0; i < rows->count; ++i)
        free((void *)(uintptr_t)rows->items[i].row);
    for (size_t i = 0; i < rows->n_labels; ++i)
        free(rows->labels[i]);
    free(rows->items);
    free(rows->labels);
    *rows = (struct rp_figure_rows){0};
}

size_t rp_figure_rows_end_of_label(const struct rp_figure_rows *rows, size_t begin)
{
    size_t end = begin;
    while (end < rows->count && strcmp(rows->items[end].label, rows->items[begin].label) == 0)
        ++end;
    return end;
}

const struct rp_figure_row *rp_figure_rows_find(const struct rp_figure_rows *rows,
                                                const struct rp_figure_row *like,
                                                const struct rp_point *p, enum rp_impl impl)
{
    struct rp_figure_row key = *like;
    key.point = *p;
    key.impl = impl;
    if (rows->count == 0)
        return NULL;
    return bsearch(&key, rows->items, rows->count, sizeof *rows->items, compare);
}

bool rp_series_longest(const struct rp_groups *groups, enum rp_stage stage,
                       struct rp_series *series)
{
    int bytes = 0;
    *series = (struct rp_series){0};
    for (size_t g = 0; g < groups->count; ++g) {
        const struct rp_group *group = &groups->items[g];
        const struct rp_point *p = &group->shapes[0].point;
        int storage = rp_dtype_info(p->dtype)->storage_bytes;
        if (p->stage != stage || (stage == RP_STAGE_PREFILL && !rp_crossover_follows(p)))
            continue;
        for (size_t begin = 0, end = 0; begin < group->count; begin = end) {
            while (end < group->count &&
                   rp_series_compare(&group->shapes[begin].point, &group->shapes[end].point) == 0)
                ++end;
            size_t n = end - begin;
            if (n > series->count || (n == series->count && storage < bytes)) {
                *series = (struct rp_series){&group->shapes[begin], n};
                bytes = storage;
            }
        }
    }
    return series->count > 0;
}

bool rp_series_has(const struct rp_series *series, const struct rp_point *p)
{
    struct rp_point mine = without_lengths(&series->shapes[0].point);
    struct rp_point other = without_lengths(p);
    return rp_point_compare(&mine, &other) == 0;
}

void rp_series_text(const struct rp_point *p, char *text, size_t size)
{
    const char *mask = p->causal ? ", causal mask" : ", no mask";
    snprintf(text, size, "%s, B=%" PRId64 " H=%" PRId64 " G=%" PRId64 " D=%" PRId64 " %s%s",
             rp_stage_name(p->stage), p->batch, p->heads, p->kv_heads, p->head_dim,
             rp_dtype_info(p->dtype)->name, p->stage == RP_STAGE_DECODE ? "" : mask);
}
