/* pairs_scan.c - an index of where rows begin, by a hash of what they must share. */
#include "analysis/pairs_scan.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/key.h"
#include "base/list.h"
#include "model/impl.h"
#include "store/results_scan.h"

/* Rows from `first` on that lie together. */
struct entry {
    uint64_t key;
    size_t first;
};

struct rp_pairs_scan {
    struct rp_results_scan *scan; /* not owned */
    struct entry *entries;        /* heap, sorted */
    size_t count, capacity;
    struct rp_study found; /* copies of the rows found last, and their samples */
    struct rp_pairs pairs; /* of them */
};

/* What pairs.h looks at, the memory that is compared besides, and the shape. */
static const char *const columns[] = {"run",
                                      "device",
                                      "point",
                                      "impl",
                                      "time_median_s",
                                      "time_ci_low_s",
                                      "flags",
                                      "time_ci_high_s",
                                      "samples",
                                      "sample_offset",
                                      "peak_memory_bytes",
                                      "stage",
                                      "dtype",
                                      "batch",
                                      "heads",
                                      "kv_heads",
                                      "seq_q",
                                      "seq_k",
                                      "head_dim",
                                      "causal",
                                      "threads"};

static bool is_together(const struct rp_result *a, const struct rp_result *b)
{
    return a->run == b->run && a->device == b->device && strcmp(a->point, b->point) == 0;
}

static uint64_t key_of(const struct rp_result *row)
{
    return rp_key_add_text(rp_key_add_i64(rp_key_add_i64(0, row->run), row->device), row->point);
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the entries. A place has a row of each implementation at most, each may lie alone; what a
 * file repeats beyond that is left out. */
static void arrange(struct rp_pairs_scan *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->entries, s->count, sizeof *s->entries, compare);
    for (size_t i = 0; i < s->count; ++i) {
        if (kept < RP_IMPL_COUNT || s->entries[kept - RP_IMPL_COUNT].key != s->entries[i].key)
            s->entries[kept++] = s->entries[i];
    }
    s->count = kept;
}

static enum rp_status add_entry(struct rp_pairs_scan *s, const struct rp_result *row, size_t first)
{
    const bool full = s->count == s->capacity;
    if (full)
        arrange(s);
    if (full && 2 * s->count >= s->capacity) {
        struct entry *entries =
            rp_list_grow(s->entries, s->capacity, &s->capacity, sizeof *entries);
        if (!entries)
            return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the places of %zu points",
                           s->count);
        s->entries = entries;
    }
    s->entries[s->count++] = (struct entry){key_of(row), first};
    return RP_OK;
}

/* Reads the file once, then is ready to read rows of it. */
static enum rp_status index_rows(struct rp_pairs_scan *s)
{
    static const char *const place[] = {"run", "device", "point"};
    struct rp_result before;
    size_t n = 0;
    RP_TRY(rp_results_scan_again(s->scan, place, RP_COUNT(place)));
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
    arrange(s);
    return rp_results_scan_again(s->scan, columns, RP_COUNT(columns));
}

enum rp_status rp_pairs_scan_open(struct rp_results_scan *scan, struct rp_pairs_scan **opened)
{
    struct rp_pairs_scan *s = calloc(1, sizeof *s);
    *opened = NULL;
    if (!s)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to pair rows");
    s->scan = scan;
    enum rp_status status = index_rows(s);
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
    free(s);
}

static bool has_impl(const struct rp_study *study, const char *impl)
{
    for (size_t i = 0; i < rp_study_count(study, RP_TABLE_RESULTS); ++i) {
        if (strcmp(rp_study_results(study)[i].impl, impl) == 0)
            return true;
    }
    return false;
}

/* Copies the rows of one place that lie together, of each implementation the first. */
static enum rp_status copy_rows(struct rp_pairs_scan *s, const struct rp_result *row, size_t first)
{
    for (size_t i = first; i < rp_results_scan_rows(s->scan); ++i) {
        const struct rp_result *found = NULL;
        const struct rp_sample *samples = NULL;
        size_t n = 0;
        RP_TRY(rp_results_scan_row(s->scan, i, &found));
        if (!is_together(found, row))
            break;
        if (has_impl(&s->found, found->impl))
            continue;
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

static int compare_numbers(const void *a, const void *b)
{
    const size_t *x = a;
    const size_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* Where places begin, in the order of the file: `numbers` has room for the entries. */
static size_t list_places(const struct rp_pairs_scan *s, size_t *numbers)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; ++i) {
        if (i == 0 || s->entries[i].key != s->entries[i - 1].key)
            numbers[n++] = s->entries[i].first;
    }
    if (n)
        qsort(numbers, n, sizeof *numbers, compare_numbers);
    return n;
}

static enum rp_status visit_places(struct rp_pairs_scan *s, rp_pairs_function *visit, void *context)
{
    size_t *numbers = calloc(s->count + 1, sizeof *numbers);
    enum rp_status status = RP_OK;
    if (!numbers)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the places of %zu points", s->count);
    size_t n = list_places(s, numbers);
    for (size_t i = 0; i < n && status == RP_OK; ++i) {
        const struct rp_result *row = NULL;
        const struct rp_pairs *pairs = NULL;
        status = rp_results_scan_row(s->scan, numbers[i], &row);
        if (status != RP_OK)
            break;
        const struct rp_result first = *row;
        status = rp_pairs_scan_find(s, &first, &pairs);
        if (status == RP_OK)
            status = visit(context, pairs);
    }
    free(numbers);
    return status;
}

enum rp_status rp_pairs_visit(const struct rp_study *study, rp_pairs_function *visit, void *context)
{
    struct rp_pairs all;
    struct rp_pairs_scan *s = NULL;
    enum rp_status status = RP_OK;
    if (study->scan) {
        status = rp_pairs_scan_open(study->scan, &s);
        if (status == RP_OK)
            status = visit_places(s, visit, context);
        rp_pairs_scan_close(s);
        return status;
    }
    RP_TRY(rp_pairs_index(study, &all));
    status = visit(context, &all);
    rp_pairs_clear(&all);
    return status;
}
