/* pairs_scan.c - an index of where rows begin, by a hash of what they must share. */
#include "analysis/pairs_scan.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/key.h"
#include "analysis/load.h"

/* Rows from `first` on that lie together. */
struct entry {
    uint64_t key;
    size_t first;
};

struct rp_pairs_scan {
    struct rp_results_scan *scan;
    struct entry *entries; /* heap, sorted */
    size_t count, capacity;
    struct rp_study found; /* copies of the rows found last, and their samples */
    struct rp_pairs pairs; /* of them */
};

/* What pairs.h looks at, and the memory that is compared besides. */
static const char *const columns[] = {"run",
                                      "device",
                                      "point",
                                      "impl",
                                      "time_median_s",
                                      "time_ci_low_s",
                                      "time_ci_high_s",
                                      "flags",
                                      "samples",
                                      "sample_offset",
                                      "peak_memory_bytes"};

static bool is_together(const struct rp_result *a, const struct rp_result *b)
{
    return a->run == b->run && a->device == b->device && strcmp(a->point, b->point) == 0;
}

static uint64_t key_of(const struct rp_result *row)
{
    return rp_key_add_text(rp_key_add_i64(rp_key_add_i64(0, row->run), row->device), row->point);
}

static enum rp_status add_entry(struct rp_pairs_scan *s, const struct rp_result *row, size_t first)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 1024;
        struct entry *entries = realloc(s->entries, capacity * sizeof *entries);
        if (!entries)
            return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the places of %zu points",
                           capacity);
        s->entries = entries;
        s->capacity = capacity;
    }
    s->entries[s->count++] = (struct entry){key_of(row), first};
    return RP_OK;
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static enum rp_status index_rows(struct rp_pairs_scan *s)
{
    struct rp_result before;
    size_t n = 0;
    for (size_t first = 0;; first += n) {
        RP_TRY(rp_results_scan_next(s->scan, &n));
        if (n == 0)
            break;
        const struct rp_result *rows = rp_study_results(rp_results_scan_study(s->scan));
        for (size_t i = 0; i < n; ++i) {
            const struct rp_result *last = i > 0 ? &rows[i - 1] : first > 0 ? &before : NULL;
            if (!last || !is_together(last, &rows[i]))
                RP_TRY(add_entry(s, &rows[i], first + i));
        }
        before = rows[n - 1];
    }
    if (s->count)
        qsort(s->entries, s->count, sizeof *s->entries, compare);
    return RP_OK;
}

enum rp_status rp_pairs_scan_open(const char *path, struct rp_pairs_scan **opened)
{
    struct rp_pairs_scan *s = calloc(1, sizeof *s);
    *opened = NULL;
    if (!s)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair the rows of %s", path);
    enum rp_status status = rp_study_scan(path, columns, RP_COUNT(columns), &s->scan);
    if (status == RP_OK)
        status = index_rows(s);
    if (status == RP_OK)
        *opened = s;
    else
        rp_pairs_scan_close(s);
    return status;
}

void rp_pairs_scan_close(struct rp_pairs_scan *s)
{
    if (!s)
        return;
    rp_pairs_clear(&s->pairs);
    rp_study_clear(&s->found);
    free(s->entries);
    rp_study_scan_close(s->scan);
    free(s);
}

/* Copies the rows of one place that lie together. */
static enum rp_status copy_rows(struct rp_pairs_scan *s, const struct rp_result *row, size_t first)
{
    for (size_t i = first; i < rp_results_scan_rows(s->scan); ++i) {
        const struct rp_result *found = NULL;
        const struct rp_sample *samples = NULL;
        size_t n = 0;
        RP_TRY(rp_results_scan_row(s->scan, i, &found));
        if (!is_together(found, row))
            break;
        RP_TRY(rp_results_scan_samples(s->scan, found, &samples, &n));
        RP_TRY(rp_study_append_result(&s->found, found, samples, n));
    }
    return RP_OK;
}

enum rp_status rp_pairs_scan_find(struct rp_pairs_scan *s, const struct rp_result *row,
                                  const struct rp_pairs **pairs)
{
    const uint64_t key = key_of(row);
    size_t low = 0;
    size_t high = s->count;
    *pairs = &s->pairs;
    if (s->found.tables[RP_TABLE_RESULTS].count && is_together(rp_study_results(&s->found), row))
        return RP_OK; /* as for the row before */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    rp_pairs_clear(&s->pairs);
    s->found.tables[RP_TABLE_RESULTS].count = 0; /* its rows own nothing, nor do samples */
    s->found.tables[RP_TABLE_SAMPLES].count = 0;
    for (; low < s->count && s->entries[low].key == key; ++low)
        RP_TRY(copy_rows(s, row, s->entries[low].first));
    return rp_pairs_index(&s->found, &s->pairs);
}
