/*
 * gnuplot.h - the only place that starts gnuplot, which draws the figures. Needed when figures are
 * asked for, never to build.
 */
#ifndef RP_ANALYSIS_GNUPLOT_H
#define RP_ANALYSIS_GNUPLOT_H

#include <stddef.h>

#include "base/status.h"

/* RP_ERR_ENVIRONMENT with what to install when there is no gnuplot. */
enum rp_status rp_gnuplot_find(void) RP_MUST_CHECK;

/* Runs n scripts in `folder`, one after the other, in one process; their names are relative to it.
 * RP_ERR_ENVIRONMENT when one of them fails, naming the file in the folder with what gnuplot says.
 */
enum rp_status rp_gnuplot_run(const char *folder, const char *const *scripts,
                              size_t n) RP_MUST_CHECK;

#endif
