/* disturbance.c - thresholds, sums, and the words of a row. */
#include "measure/disturbance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double lost_frac = 0.01;      /* of a sample or turn that may be lost without harm */
static const double lost_least_s = 2e-5;   /* below this the readings themselves cannot tell */
static const double energy_least_s = 0.02; /* counters of energy move every millisecond or so */
static const size_t samples_least = 6;     /* for a 95 % interval of the median */

static void add_reading(struct rp_reading_mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    ++mean->n;
}

static double mean_of(const struct rp_reading_mean *mean)
{
    return mean->n > 0 ? mean->sum / (double)mean->n : (double)NAN;
}

/* NaN compares false: what is not known disturbs nothing. */
static bool is_too_much(double lost_s, double of_s)
{
    return lost_s > lost_least_s && lost_s > lost_frac * of_s;
}

bool rp_disturbance_add_sample(struct rp_disturbance *d, double sample_s, int64_t launches,
                               const struct rp_sample_watch *seen)
{
    if (sample_s >= energy_least_s && seen->energy_j > 0) {
        d->energy_j += seen->energy_j;
        d->energy_launches += launches;
    }
    bool disturbed = is_too_much(seen->lost_s, sample_s);
    d->n_disturbed += disturbed;
    return !disturbed;
}

bool rp_disturbance_add_turn(struct rp_disturbance *d, const struct rp_watch *before,
                             const struct rp_watch *after, double turn_s, size_t n_samples)
{
    add_reading(&d->clock_hz, after->clock_hz);
    add_reading(&d->temperature_c, after->temperature_c);
    add_reading(&d->power_w, after->power_w);
    bool throttled = after->throttled_s > before->throttled_s;
    bool stolen = is_too_much(after->stolen_s - before->stolen_s, turn_s);
    d->was_throttled |= throttled;
    if (throttled)
        d->n_throttled += n_samples;
    else if (stolen)
        d->n_disturbed += n_samples;
    return !throttled && !stolen;
}

void rp_flag_add(struct rp_result *row, const char *flag)
{
    size_t used = strlen(row->flags);
    if (strstr(row->flags, flag)) /* no flag is part of another */
        return;
    snprintf(row->flags + used, sizeof row->flags - used, "%s%s", used > 0 ? "," : "", flag);
}

void rp_disturbance_conclude(const struct rp_disturbance *d, size_t count, size_t used,
                             struct rp_result *row)
{
    char reason[sizeof row->reason];
    row->clock_hz = mean_of(&d->clock_hz);
    row->temperature_c = mean_of(&d->temperature_c);
    row->power_w = mean_of(&d->power_w);
    if (d->energy_launches > 0)
        row->energy_j = d->energy_j / (double)d->energy_launches;
    if (d->was_throttled)
        rp_flag_add(row, "throttled");
    if (used >= samples_least || used == count)
        return;
    if (d->n_disturbed > 0)
        rp_flag_add(row, "noisy");
    if (row->reason[0] != '\0') /* of a mismatch */
        return;
    if (used == 0)
        snprintf(
            reason, sizeof reason,
            "every sample was disturbed (%zu) or throttled (%zu): for want of others all count",
            d->n_disturbed, d->n_throttled);
    else
        snprintf(reason, sizeof reason,
                 "%zu of %zu samples count; left out: %zu disturbed and %zu throttled", used, count,
                 d->n_disturbed, d->n_throttled);
    RP_WORD_SET(row->reason, reason);
}
