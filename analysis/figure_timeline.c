/*
 * figure_timeline.c - which rank measured what when: a lane a rank, a bar a row. What is white was
 * preparing, checking, waiting for the other ranks of its memory domain, or idle.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figure.h"

enum { LANES_MAX = 64, ROWS_MAX = 10000 };

static const struct rp_table_column columns[] = {
    {"lane", NULL, NULL},       {"device", NULL, NULL},  {"point", NULL, NULL},
    {"impl", NULL, NULL},       {"begin_s", NULL, NULL}, {"sampling_s", NULL, NULL},
    {"eviction_s", NULL, NULL},
};
static const struct rp_figure_layout layout = {"timeline", columns, RP_COUNT(columns)};

struct lane {
    size_t file;
    int64_t rank;
    char name[48];
};

struct lanes {
    struct lane items[LANES_MAX];
    size_t count;
    size_t left_out; /* rows beyond the last lane or bar */
    double sampling_s, end_s;
};

/* The times of a simulated device are not the clock's. */
static bool has_time(const struct rp_figure_row *r)
{
    return !r->is_simulated && r->row->rank >= 0 && r->row->sampled_utc_s > 0 &&
           r->row->sampling_s > 0;
}

/* Index of the row's lane; LANES_MAX when there is no room. */
static size_t lane_of(struct lanes *lanes, const struct rp_figure_row *r)
{
    size_t i = 0;
    while (i < lanes->count &&
           (lanes->items[i].file != r->file || lanes->items[i].rank != r->row->rank))
        ++i;
    if (i < lanes->count || i == LANES_MAX)
        return i;
    struct lane *lane = &lanes->items[lanes->count++];
    lane->file = r->file;
    lane->rank = r->row->rank;
    snprintf(lane->name, sizeof lane->name, "rank %" PRId64 ": %.20s", r->row->rank,
             r->device->gpu_type);
    return i;
}

/* Each file begins at 0: its first sample. */
static void find_starts(const struct rp_figure_rows *rows, double *starts_s)
{
    for (size_t i = 0; i < rows->count; ++i) {
        const struct rp_figure_row *r = &rows->items[i];
        if (has_time(r))
            starts_s[r->file] = fmin(starts_s[r->file], r->row->sampled_utc_s);
    }
}

static void put_row(struct rp_figure_file *file, struct lanes *lanes, const struct rp_figure_row *r,
                    double start_s)
{
    size_t lane = lane_of(lanes, r);
    double begin_s = r->row->sampled_utc_s - start_s;
    if (lane == LANES_MAX || file->rows == ROWS_MAX) {
        ++lanes->left_out;
        return;
    }
    lanes->sampling_s += r->row->sampling_s;
    lanes->end_s = fmax(lanes->end_s, begin_s + r->row->sampling_s);
    rp_figure_row(file, r->is_simulated);
    rp_table_i64(file->table, (int64_t)lane + 1);
    rp_table_word(file->table, r->label);
    rp_table_word(file->table, r->row->point);
    rp_table_word(file->table, r->row->impl);
    rp_table_f64(file->table, begin_s, NULL);
    rp_table_f64(file->table, r->row->sampling_s, NULL);
    rp_table_f64(file->table, r->row->eviction_s, NULL);
}

static enum rp_status end(struct rp_figure_file *file, const struct lanes *lanes)
{
    const char *names[LANES_MAX];
    for (size_t i = 0; i < lanes->count; ++i)
        names[i] = lanes->items[i].name;
    if (lanes->count)
        rp_figure_set_texts(file, "lane", names, lanes->count);
    snprintf(file->figure.title, sizeof file->figure.title, "Who measured what when");
    rp_figure_say(file,
                  "A lane a rank, a bar a row, from its first sample for as long as all its turns "
                  "took; the implementations of a point take turns, so their bars overlap in time. "
                  "Sampling fills %.0f %% of the time the lanes have; the rest is preparing, "
                  "checking, waiting and idling.",
                  100 * lanes->sampling_s / fmax(lanes->end_s * (double)lanes->count, 1e-9));
    if (lanes->left_out)
        rp_figure_say(file, " %zu rows are not drawn: too many ranks or bars.", lanes->left_out);
    return rp_figure_end(file);
}

enum rp_status rp_figure_timeline(struct rp_figures *figures)
{
    const struct rp_figure_rows *rows = &figures->rows;
    size_t n_files = figures->summary->list->count;
    struct lanes lanes = {.count = 0};
    struct rp_figure_file file;
    double *starts_s = calloc(n_files + 1, sizeof *starts_s);
    if (!starts_s)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu files", n_files);
    for (size_t f = 0; f < n_files; ++f)
        starts_s[f] = INFINITY;
    find_starts(rows, starts_s);
    enum rp_status status = rp_figure_begin(figures, &layout, "timeline", &file);
    for (size_t i = 0; status == RP_OK && i < rows->count; ++i) {
        if (has_time(&rows->items[i]))
            put_row(&file, &lanes, &rows->items[i], starts_s[rows->items[i].file]);
    }
    if (status == RP_OK)
        status = end(&file, &lanes);
    free(starts_s);
    return status;
}
