/* keyed.c - parts of the keys, sorted one after another. */
#include "analysis/keyed.h"

#include <stdlib.h>

#include "base/list.h"

enum { PART_ROWS = 1 << 20 };

struct part {
    struct rp_keyed_row *rows; /* heap */
    size_t count, capacity;
};

static enum rp_status append(struct part *part, const struct rp_keyed_row *row)
{
    struct rp_keyed_row *rows =
        rp_list_grow(part->rows, part->count, &part->capacity, sizeof *rows);
    if (!rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to compare %zu rows", part->count);
    part->rows = rows;
    rows[part->count++] = *row;
    return RP_OK;
}

static int compare(const void *a, const void *b)
{
    const struct rp_keyed_row *x = a;
    const struct rp_keyed_row *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    int order = (x->order > y->order) - (x->order < y->order);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The rows whose key falls to part `index` of `parts`. */
static enum rp_status read_part(struct rp_results_scan *scan, const struct rp_keyed_check *check,
                                size_t index, size_t parts, struct part *part)
{
    size_t n = 0;
    part->count = 0;
    RP_TRY(rp_results_scan_again(scan, check->columns, check->n_columns));
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(scan, &n));
        if (n == 0)
            return RP_OK;
        const struct rp_study *study = rp_results_scan_study(scan);
        for (size_t i = 0; i < n; ++i) {
            const struct rp_result *row = &rp_study_results(study)[i];
            struct rp_keyed_row keyed = {.number = first + i,
                                         .low_s = (float)row->time_ci_low_s,
                                         .high_s = (float)row->time_ci_high_s};
            if (check->key_of(study, row, &keyed) && keyed.key % parts == index)
                RP_TRY(append(part, &keyed));
        }
    }
}

enum rp_status rp_keyed_compare(struct rp_results_scan *scan, const struct rp_keyed_check *check,
                                void *context)
{
    const size_t parts = 1 + rp_results_scan_rows(scan) / PART_ROWS;
    struct part part = {0};
    enum rp_status status = RP_OK;
    for (size_t index = 0; status == RP_OK && index < parts; ++index) {
        status = read_part(scan, check, index, parts, &part);
        if (part.count)
            qsort(part.rows, part.count, sizeof *part.rows, compare);
        for (size_t begin = 0, end = 0; status == RP_OK && begin < part.count; begin = end) {
            while (end < part.count && part.rows[end].key == part.rows[begin].key)
                ++end;
            status = check->inspect(context, scan, &part.rows[begin], &part.rows[end]);
        }
    }
    free(part.rows);
    return status;
}
