/* pairs.c - one sorted array per implementation, searched by run, device and point. */
#include "analysis/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_rows(const struct rp_result *a, const struct rp_result *b)
{
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return strcmp(a->point, b->point);
}

static int compare(const void *a, const void *b)
{
    const struct rp_result *x = *(const struct rp_result *const *)a;
    const struct rp_result *y = *(const struct rp_result *const *)b;
    int order = compare_rows(x, y);
    return order ? order : (x > y) - (x < y); /* rows are in one array: a stable order */
}

enum rp_status rp_pairs_index(const struct rp_study *study, const char *impl,
                              struct rp_pairs *pairs)
{
    size_t n = rp_study_count(study, RP_TABLE_RESULTS);
    *pairs = (struct rp_pairs){0};
    pairs->rows = calloc(n ? n : 1, sizeof(*pairs->rows));
    if (!pairs->rows)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair %zu rows", n);
    for (size_t i = 0; i < n; ++i) {
        const struct rp_result *row = &rp_study_results(study)[i];
        if (strcmp(row->impl, impl) == 0 && row->time_median_s > 0)
            pairs->rows[pairs->count++] = row;
    }
    qsort(pairs->rows, pairs->count, sizeof(*pairs->rows), compare);
    return RP_OK;
}

void rp_pairs_clear(struct rp_pairs *pairs)
{
    free(pairs->rows);
    *pairs = (struct rp_pairs){0};
}

/* The indexed row of the same run, device and point; null when there is none. */
static const struct rp_result *find(const struct rp_pairs *pairs, const struct rp_result *row)
{
    size_t low = 0;
    size_t high = pairs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_rows(pairs->rows[middle], row);
        if (order == 0)
            return pairs->rows[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

double rp_pairs_time_ratio(const struct rp_pairs *pairs, const struct rp_result *row)
{
    const struct rp_result *other = find(pairs, row);
    return other && row->time_median_s > 0 ? other->time_median_s / row->time_median_s : NAN;
}
