/* figure_rows.c - collects, sorts, and finds the longest line. */
#include "analysis/figure_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/device_kind.h"
#include "model/result.h"

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

static void set_label(const struct rp_study_list *list, struct rp_figure_row *r)
{
    char setup[RP_DEVICE_SETUP_SIZE];
    char threads[48] = "";
    rp_device_setup_text(r->device, is_one_of_several(list, r->device), setup);
    if (r->row->threads > 0)
        snprintf(threads, sizeof threads, "; %" PRId64 " thread%s", r->row->threads,
                 r->row->threads == 1 ? "" : "s");
    snprintf(r->label, sizeof r->label, "%.40s%.40s%s%s", r->device->gpu_type, setup, threads,
             r->is_simulated ? " (simulated)" : "");
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

enum rp_status rp_figure_rows_create(const struct rp_study_list *list, bool simulated,
                                     struct rp_figure_rows *rows)
{
    size_t there = rp_study_list_rows(list);
    *rows = (struct rp_figure_rows){calloc(there + 1, sizeof *rows->items), 0};
    if (!rows->items)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the figures of %zu rows", there);
    for (size_t f = 0; f < list->count; ++f) {
        const struct rp_study *study = &list->files[f].study;
        for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
            struct rp_figure_row *r = &rows->items[rows->count];
            r->study = study;
            r->file = f;
            r->row = &rp_study_results(study)[i];
            r->device = rp_study_device_of(study, r->row);
            r->is_simulated = rp_study_is_simulated(study, r->row);
            if (!r->device || (r->is_simulated && !simulated) ||
                !rp_impl_find(r->row->impl, &r->impl) ||
                rp_result_point(r->row, &r->point) != RP_OK)
                continue;
            set_label(list, r);
            ++rows->count;
        }
    }
    qsort(rows->items, rows->count, sizeof *rows->items, compare);
    return RP_OK;
}

void rp_figure_rows_clear(struct rp_figure_rows *rows)
{
    free(rows->items);
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
