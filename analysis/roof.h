/*
 * roof.h - the ceilings measured on a row's own device that the row is held against.
 *
 * They are those of the row's own run and number of threads; where others share the memory, the
 * best that reading reached at the start, in the middle or at the end. A run that measured none
 * borrows them from the latest other run on the same device with the same threads, and says so;
 * nothing is ever taken from another device.
 */
#ifndef RP_ANALYSIS_ROOF_H
#define RP_ANALYSIS_ROOF_H

#include <stdbool.h>

#include "store/study.h"

struct rp_roof {                      /* null: not measured; rows are owned by the study */
    const struct rp_run *run;         /* that measured them; null: no run did */
    bool is_borrowed;                 /* from another run than the row's */
    const struct rp_ceiling *compute; /* of the row's path */
    const struct rp_ceiling *memory;  /* bandwidth, for decode read_bandwidth; or anchor_read */
    const struct rp_ceiling *cache;
    const struct rp_ceiling *latency;
    /* The most that was reached at all on the row's path (burst or sustained) and of DRAM (any
     * bandwidth): what no cold row can beat. Disturbed ceilings prove nothing and are left out. */
    const struct rp_ceiling *most_compute, *most_memory;
};

struct rp_roof rp_roof_of(const struct rp_study *study, const struct rp_result *row);

/* Ends of a ceiling's interval; the value itself where it has none. */
double rp_ceiling_low(const struct rp_ceiling *ceiling);
double rp_ceiling_high(const struct rp_ceiling *ceiling);

/* Most of its samples were disturbed: the device can do better. */
bool rp_ceiling_is_disturbed(const struct rp_ceiling *ceiling);

bool rp_ceiling_is_anchor(const struct rp_ceiling *ceiling);

/* (max - min) / median over the undisturbed anchors of a kind (anchor, anchor_read) of one run on
 * one device: how far the same work drifted. NaN with fewer than two. */
double rp_anchor_spread_of(const struct rp_study *study, int64_t run, int64_t device,
                           const char *kind);

/* The larger of both kinds. */
double rp_anchor_spread(const struct rp_study *study, int64_t run, int64_t device);

#endif
