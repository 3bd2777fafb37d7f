/*
 * progress.h - how far a run is: a bar on a terminal, a line now and then elsewhere, on standard
 * error.
 */
#ifndef RP_CLI_PROGRESS_H
#define RP_CLI_PROGRESS_H

#include <stdbool.h>

#include "runner/server.h"

#define RP_PROGRESS_CHOICES "auto|bar|line|none"

struct rp_progress_view {
    bool bar, line;
    bool colour;
    double last_line_s;
    bool bar_shown;
    bool told_last; /* that every row is there */
};

/* `choice` is one of RP_PROGRESS_CHOICES; auto: a bar on a terminal, else lines. */
void rp_progress_view_init(struct rp_progress_view *view, const char *choice);

/* A rp_progress_listener's update. */
void rp_progress_view_update(void *view, const struct rp_progress *progress);

/* Ends the bar's line. */
void rp_progress_view_end(struct rp_progress_view *view);

#endif
