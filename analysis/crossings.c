/* crossings.c - walks series of shapes from short to long. */
#include "analysis/crossings.h"

#include <math.h>

/* Length where t_compute / t_memory passes 1 between two shapes, on log axes.
 */
static double interpolate(double low_seq, double low_ratio, double high_seq, double high_ratio)
{
    double share = -log(low_ratio) / (log(high_ratio) - log(low_ratio));
    return exp(log(low_seq) + share * (log(high_seq) - log(low_seq)));
}

static void begin_series(struct rp_crossings *crossings)
{
    crossings->any = false;
    crossings->turn = NAN;
}

void rp_crossings_init(struct rp_crossings *crossings)
{
    *crossings = (struct rp_crossings){.seq_min = NAN, .seq_max = NAN};
    begin_series(crossings);
}

void rp_crossings_add(struct rp_crossings *crossings, double seq, double compute_s, double memory_s)
{
    double ratio = compute_s / memory_s;
    bool is_memory = ratio < 1;
    if (is_memory)
        crossings->turn = NAN;
    else if (crossings->any && crossings->was_memory)
        crossings->turn = interpolate(crossings->seq, crossings->ratio, seq, ratio);
    crossings->any = true;
    crossings->was_memory = is_memory;
    crossings->seq = seq;
    crossings->ratio = ratio;
}

void rp_crossings_end_series(struct rp_crossings *crossings)
{
    crossings->seq_min = fmin(crossings->seq_min, crossings->turn); /* NaN is left out */
    crossings->seq_max = fmax(crossings->seq_max, crossings->turn);
    begin_series(crossings);
}
