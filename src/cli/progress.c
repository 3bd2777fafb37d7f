/* progress.c - one line that rewrites itself, or one line every few seconds. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/result.h"

static const double line_interval_s = 5;

void rp_progress_view_init(struct rp_progress_view *view, const char *choice)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    bool is_auto = strcmp(choice, "auto") == 0;
    *view = (struct rp_progress_view){
        .bar = strcmp(choice, "bar") == 0 || (is_auto && terminal),
        .line = strcmp(choice, "line") == 0 || (is_auto && !terminal),
        .colour = terminal,
        .last_line_s = -line_interval_s,
    };
}

/* "45 s", "3 min 05 s", "2 h 10 min" */
static void format_duration(double s, char *text, size_t size)
{
    long long whole = (long long)(s + 0.5);
    if (whole < 60)
        snprintf(text, size, "%lld s", whole);
    else if (whole < 3600)
        snprintf(text, size, "%lld min %02lld s", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
}

static void format_state(const struct rp_progress *progress, char *text, size_t size)
{
    char elapsed[32];
    char remaining[32];
    format_duration(progress->elapsed_s, elapsed, sizeof elapsed);
    int used = snprintf(text, size, "%" PRId64 "/%" PRId64 " rows, %s elapsed", progress->rows_done,
                        progress->rows_planned, elapsed);
    if (progress->remaining_s < 0 || used < 0 || (size_t)used >= size)
        return;
    format_duration(progress->remaining_s, remaining, sizeof remaining);
    snprintf(text + used, size - (size_t)used, ", about %s left", remaining);
}

/* A row that went wrong is told at once; the bar's line is cleared first. */
static void tell_failure(const struct rp_progress_view *view, const struct rp_result *row)
{
    enum rp_outcome outcome;
    if (!rp_outcome_find(row->status, &outcome) || rp_outcome_is_good(outcome))
        return;
    fprintf(stderr, "%s%s%s%s %s %s point=%s impl=%s: %s\n", view->bar_shown ? "\r\033[K" : "",
            view->colour ? "\033[31m" : "", row->status, view->colour ? "\033[0m" : "", row->stage,
            row->dtype, row->point, row->impl, row->reason);
}

static void draw_bar(struct rp_progress_view *view, const struct rp_progress *progress)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    char state[128];
    int64_t planned = progress->rows_planned > 0 ? progress->rows_planned : 1;
    int64_t full = WIDTH * progress->rows_done / planned;
    for (int i = 0; i < WIDTH; ++i)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    format_state(progress, state, sizeof state);
    fprintf(stderr, "\r[%s] %s\033[K", bar, state);
    view->bar_shown = true;
}

void rp_progress_view_update(void *opaque, const struct rp_progress *progress)
{
    struct rp_progress_view *view = opaque;
    if (!view->bar && !view->line)
        return;
    if (progress->row)
        tell_failure(view, progress->row);
    if (view->bar) {
        draw_bar(view, progress);
        return;
    }
    bool is_last = progress->rows_done == progress->rows_planned && !view->told_last;
    if (!is_last && progress->elapsed_s - view->last_line_s < line_interval_s)
        return;
    char state[128];
    view->last_line_s = progress->elapsed_s;
    view->told_last = is_last;
    format_state(progress, state, sizeof state);
    fprintf(stderr, "ridgepoint: %s\n", state);
}

void rp_progress_view_end(struct rp_progress_view *view)
{
    if (view->bar_shown)
        fputc('\n', stderr);
    view->bar_shown = false;
}
