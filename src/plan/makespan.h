/* makespan.h - when the last of several ranks is done, and the time limit to ask Slurm for. */
#ifndef RP_PLAN_MAKESPAN_H
#define RP_PLAN_MAKESPAN_H

#include <stddef.h>

#include "base/status.h"

/* Points handed out the longest first, each to the rank that is free first, as a run does. Sorts
 * `point_s` (n of them) from the longest down. `ranks` at least 1. */
enum rp_status rp_makespan(double *point_s, size_t n, size_t ranks,
                           double *makespan_s) RP_MUST_CHECK;

/* The limit is this many times the makespan - forecasts are right within a factor of two - and what
 * a job needs to begin: drivers, ceilings, the first anchor. */
#define RP_SLURM_MARGIN  2.0
#define RP_SLURM_START_S 120.0

#define RP_SLURM_TIME_SIZE 32
/* That limit, rounded up to whole minutes: HH:MM:SS, or D-HH:MM:SS from a day on. */
void rp_slurm_time(double makespan_s, char text[RP_SLURM_TIME_SIZE]);

#endif
