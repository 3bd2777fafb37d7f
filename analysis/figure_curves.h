/*
 * figure_curves.h - a figure of one value over the length T, several curves, each with an optional
 * level that it is held against (script curves.gp).
 */
#ifndef RP_ANALYSIS_FIGURE_CURVES_H
#define RP_ANALYSIS_FIGURE_CURVES_H

#include "analysis/figure.h"

enum { RP_CURVES_MAX = 8, RP_CURVE_NAME_SIZE = RP_LABEL_SIZE + 32 };

struct rp_curves {
    struct rp_figure_file file;
    char names[RP_CURVES_MAX][RP_CURVE_NAME_SIZE];
    double levels[RP_CURVES_MAX]; /* NaN: none */
    size_t count, current;
    bool is_linear;  /* of the value's axis; else logarithmic */
    size_t left_out; /* rows of curves beyond the last */
};

struct rp_curve_value {
    double value, low, high; /* NaN: not known */
};

enum rp_status rp_curves_begin(struct rp_figures *figures, const char *name,
                               struct rp_curves *curves) RP_MUST_CHECK;

/* The curve that the next values belong to, made when it is new; false when there are too many. */
bool rp_curves_select(struct rp_curves *curves, const char *name, double level);
void rp_curves_add(struct rp_curves *curves, const struct rp_figure_row *row,
                   const struct rp_curve_value *value);

/* `units` names the axis; `level` is drawn across, NaN: none. Like rp_figure_end; the setting
 * `shape` has been made. */
enum rp_status rp_curves_end(struct rp_curves *curves, const char *units,
                             double level) RP_MUST_CHECK;

#endif
