/*
 * crossings.h - the length at which a series of shapes crossings from memory to compute
 * for good, interpolated between its shapes on log axes.
 */
#ifndef RP_ANALYSIS_CROSSINGS_H
#define RP_ANALYSIS_CROSSINGS_H

#include <stdbool.h>

struct rp_crossings {
    double seq_min, seq_max; /* over the series that turn; NaN when none does */
    /* Of the series being walked: */
    bool any, was_memory;
    double seq, ratio; /* of the shape before; ratio is t_compute over t_memory */
    double turn;       /* last turn from memory to compute; NaN when it ends in memory */
};

void rp_crossings_init(struct rp_crossings *crossings);

/* The next longer shape of the series. */
void rp_crossings_add(struct rp_crossings *crossings, double seq, double compute_s,
                      double memory_s);

/* No shape of this series follows. */
void rp_crossings_end_series(struct rp_crossings *crossings);

#endif
