/*
 * figure_timeline.c - which rank measured what when: a lane a rank, a bar a row. What is white was
 * preparing, checking, waiting for the other ranks of its memory domain, or idle.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/figure.h"

enum { LANES_MAX = 64, ROWS_MAX = 10000 };

static const struct rp_table_column columns[] = {
    {"lane", NULL, NULL},       {"device", NULL, NULL},  {"point", NULL, NULL},
    {"impl", NULL, NULL},       {"begin_s", NULL, NULL}, {"sampling_s", NULL, NULL},
    {"eviction_s", NULL, NULL},
};
static const struct rp_figure_layout layout = {"timeline", columns, RP_COUNT(columns)};

struct lanes {
    char names[LANES_MAX][48];
    double ends_s[LANES_MAX]; /* of the last bar */
    size_t count;
    size_t left_out; /* rows beyond the last lane or bar, and repeats */
    double sampling_s;
    bool has_clock; /* real devices are among them */
};

static bool has_time(const struct rp_figure_row *r)
{
    return r->row->rank >= 0 && r->row->sampled_utc_s > 0 && r->row->sampling_s > 0;
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_run(const struct rp_figure_row *x, const struct rp_figure_row *y)
{
    int order = compare_i64((int64_t)x->file, (int64_t)y->file);
    return order ? order : compare_i64(x->row->run, y->row->run);
}

/* A lane: a rank of a run. */
static int compare_lane(const struct rp_figure_row *x, const struct rp_figure_row *y)
{
    int order = compare_run(x, y);
    return order ? order : compare_i64(x->row->rank, y->row->rank);
}

static int compare(const void *a, const void *b)
{
    const struct rp_figure_row *x = *(const struct rp_figure_row *const *)a;
    const struct rp_figure_row *y = *(const struct rp_figure_row *const *)b;
    int order = compare_lane(x, y);
    if (order == 0)
        order = (x->row->sampled_utc_s > y->row->sampled_utc_s) -
                (x->row->sampled_utc_s < y->row->sampled_utc_s);
    return order ? order : compare_i64(x->row->sequence, y->row->sequence);
}

static void add_lane(struct lanes *lanes, const struct rp_figure_row *r)
{
    snprintf(lanes->names[lanes->count], sizeof lanes->names[0], "rank %" PRId64 "%s: %.20s",
             r->row->rank, r->is_simulated ? " (sim.)" : "", r->device->gpu_type);
    lanes->ends_s[lanes->count++] = 0;
}

/* When the bar begins: by the clock since `start_s`; of a simulated device, whose time is not the
 * clock's, where the lane's last bar ended. */
static void put_row(struct rp_figure_file *file, struct lanes *lanes, const struct rp_figure_row *r,
                    double start_s)
{
    double *end_s = &lanes->ends_s[lanes->count - 1];
    double begin_s = r->is_simulated ? *end_s : r->row->sampled_utc_s - start_s;
    lanes->has_clock |= !r->is_simulated;
    lanes->sampling_s += r->row->sampling_s;
    *end_s = fmax(*end_s, begin_s + r->row->sampling_s);
    rp_figure_row(file, r->is_simulated);
    rp_table_i64(file->table, (int64_t)lanes->count);
    rp_table_word(file->table, r->label);
    rp_table_word(file->table, r->row->point);
    rp_table_word(file->table, r->row->impl);
    rp_table_f64(file->table, begin_s, NULL);
    rp_table_f64(file->table, r->row->sampling_s, NULL);
    rp_table_f64(file->table, r->row->eviction_s, NULL);
}

/* bars: sorted by lane and time. A run begins at 0, its first sample. */
static void put_bars(struct rp_figure_file *file, struct lanes *lanes,
                     const struct rp_figure_row *const *bars, size_t n)
{
    double start_s = 0;
    for (size_t i = 0; i < n; ++i) {
        bool is_new_run = i == 0 || compare_run(bars[i - 1], bars[i]) != 0;
        bool is_new_lane = is_new_run || compare_lane(bars[i - 1], bars[i]) != 0;
        if (is_new_run)
            start_s = INFINITY;
        for (size_t k = i; is_new_run && k < n && compare_run(bars[i], bars[k]) == 0; ++k)
            start_s = fmin(start_s, bars[k]->row->sampled_utc_s);
        if ((is_new_lane && lanes->count == LANES_MAX) || file->rows == ROWS_MAX) {
            lanes->left_out += n - i;
            return;
        }
        if (is_new_lane)
            add_lane(lanes, bars[i]);
        put_row(file, lanes, bars[i], start_s);
    }
}

static enum rp_status end(struct rp_figure_file *file, const struct lanes *lanes)
{
    const char *names[LANES_MAX];
    double end_s = 0;
    for (size_t i = 0; i < lanes->count; ++i) {
        names[i] = lanes->names[i];
        end_s = fmax(end_s, lanes->ends_s[i]);
    }
    if (lanes->count)
        rp_figure_set_texts(file, "lane", names, lanes->count);
    snprintf(file->figure.title, sizeof file->figure.title, "Who measured what when");
    rp_figure_say(file,
                  "A lane for each rank of a run, a bar for each row, from its first sample for "
                  "as long as all its turns took; the implementations of a shape take turns, "
                  "so their bars overlap in time.");
    if (lanes->has_clock)
        rp_figure_say(file,
                      " Sampling fills %.0f %% of the time the lanes have; the rest is preparing, "
                      "checking, waiting and idling.",
                      100 * lanes->sampling_s / fmax(end_s * (double)lanes->count, 1e-9));
    if (file->figure.is_simulated)
        rp_figure_say(file, " The rows of a simulated device stand one behind the other, each as "
                            "long as the model says; nothing else it would do is drawn.");
    if (lanes->left_out)
        rp_figure_say(file, " %zu rows are not drawn: too many ranks, bars or repeats.",
                      lanes->left_out);
    return rp_figure_end(file);
}

enum rp_status rp_figure_timeline(struct rp_figures *figures)
{
    const struct rp_figure_rows *rows = &figures->rows;
    struct lanes lanes = {.left_out = rows->left_out};
    struct rp_figure_file file;
    size_t n = 0;
    const struct rp_figure_row **bars = calloc(rows->count + 1, sizeof *bars);
    if (!bars)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu bars", rows->count);
    for (size_t i = 0; i < rows->count; ++i) {
        if (has_time(&rows->items[i]))
            bars[n++] = &rows->items[i];
    }
    qsort(bars, n, sizeof *bars, compare);
    enum rp_status status = rp_figure_begin(figures, &layout, "timeline", &file);
    if (status == RP_OK) {
        put_bars(&file, &lanes, bars, n);
        status = end(&file, &lanes);
    }
    free(bars);
    return status;
}
