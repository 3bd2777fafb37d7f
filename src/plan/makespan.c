/* makespan.c - list scheduling with the ranks' end times in a heap. */
#include "plan/makespan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int longest_first(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a < b) - (a > b);
}

/* The root was made later; the earliest end is to be at the root again. */
static void sink_root(double *end_s, size_t n)
{
    size_t parent = 0;
    for (size_t child = 1; child < n; child = 2 * parent + 1) {
        if (child + 1 < n && end_s[child + 1] < end_s[child])
            ++child;
        if (end_s[parent] <= end_s[child])
            return;
        double later_s = end_s[parent];
        end_s[parent] = end_s[child];
        end_s[child] = later_s;
        parent = child;
    }
}

enum rp_status rp_makespan(double *point_s, size_t n, size_t ranks, double *makespan_s)
{
    double *end_s = calloc(ranks, sizeof *end_s);
    *makespan_s = 0.0;
    if (!end_s)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu ranks", ranks);
    if (n > 0) /* no points: there may be no array */
        qsort(point_s, n, sizeof *point_s, longest_first);
    for (size_t i = 0; i < n; ++i) {
        end_s[0] += point_s[i];
        *makespan_s = fmax(*makespan_s, end_s[0]);
        sink_root(end_s, ranks);
    }
    free(end_s);
    return RP_OK;
}

void rp_slurm_time(double makespan_s, char text[RP_SLURM_TIME_SIZE])
{
    const double longest_minutes = 1e9; /* more than anybody waits, and a whole number */
    long long minutes = (long long)fmin(
        longest_minutes, ceil((RP_SLURM_MARGIN * makespan_s + RP_SLURM_START_S) / 60.0));
    long long days = minutes / (24 * 60);
    long long hours = minutes / 60 % 24;
    if (days > 0)
        snprintf(text, RP_SLURM_TIME_SIZE, "%lld-%02lld:%02lld:00", days, hours, minutes % 60);
    else
        snprintf(text, RP_SLURM_TIME_SIZE, "%02lld:%02lld:00", hours, minutes % 60);
}
