/*
 * rounds.c - turns of a few samples, and what was seen around each.
 */
#include "measure/rounds.h"

#include <math.h>

#include "base/clock.h"
#include "measure/turns.h"

enum { TURN_MAX = 8 };

/* The samples of one turn. Whether they count is known at its end. */
struct turn {
    struct rp_sample samples[TURN_MAX];
    size_t wanted, taken;
};

enum rp_status rp_attempt_warm_up(struct rp_attempt *a)
{
    struct rp_session *s = a->session;
    RP_TRY(rp_attempt_take_scratch(a));
    rp_attempt_tell(a, "warm-up", s->plan->protocol->timeout_s);
    while (!rp_warmup_is_over(&a->warmup)) {
        double start_s = rp_device_now_s(s->device);
        RP_TRY(rp_attempt_launch(a, 1, &a->launch_s, NULL));
        a->sample_cost_s = rp_device_now_s(s->device) - start_s;
        rp_warmup_add(&a->warmup, a->launch_s, a->sample_cost_s);
    }
    a->launches_per_sample =
        rp_sampling_launches(a->launch_s, rp_device_info(s->device)->timer_tick_s);
    rp_attempt_return_scratch(a);
    return RP_OK;
}

static size_t samples_wanted(const struct rp_attempt *a)
{
    size_t room = (size_t)a->session->plan->protocol->max_samples - a->sampling.count;
    size_t block = rp_turns_block(a->sample_cost_s);
    return block < room ? block : room;
}

static enum rp_status take_samples(struct rp_attempt *a, struct turn *turn)
{
    for (; turn->taken < turn->wanted; ++turn->taken) {
        struct rp_sample *sample = &turn->samples[turn->taken];
        struct rp_sample_watch seen;
        sample->launches = a->launches_per_sample;
        RP_TRY(rp_attempt_launch(a, sample->launches, &sample->time_s, &seen));
        sample->used = rp_disturbance_add_sample(
            &a->disturbance, sample->time_s * (double)sample->launches, sample->launches, &seen);
        if (a->sampling.count == 0 && turn->taken == 0)
            RP_TRY(rp_attempt_check(a));
    }
    return RP_OK;
}

static size_t count_used(const struct turn *turn)
{
    size_t n = 0;
    for (size_t i = 0; i < turn->taken; ++i)
        n += turn->samples[i].used != 0;
    return n;
}

static enum rp_status keep_samples(struct rp_attempt *a, const struct turn *turn, bool counts)
{
    for (size_t i = 0; i < turn->taken; ++i) {
        struct rp_sample sample = turn->samples[i];
        sample.used = sample.used && counts;
        RP_TRY(rp_sampling_add(&a->sampling, &sample));
    }
    return RP_OK;
}

/* A turn between two readings of what happens beside it. */
static enum rp_status take_turn(struct rp_attempt *a, int64_t round)
{
    struct rp_device *device = a->session->device;
    struct turn turn = {.wanted = samples_wanted(a)};
    struct rp_watch before, after;
    double ignored_s = 0;
    double start_s = rp_device_now_s(device);
    for (size_t i = 0; i < turn.wanted; ++i)
        turn.samples[i].round = round;
    if (isnan(a->row.sampled_utc_s)) {
        a->row.sampled_utc_s = rp_clock_utc_s();
        a->eviction_s = 0; /* that of the warm-up */
    }
    RP_TRY(rp_attempt_take_scratch(a));
    /* Warm means warm with its own data, not with that of whose turn it was before. */
    if (!a->session->plan->protocol->cold)
        RP_TRY(rp_attempt_launch(a, 1, &ignored_s, NULL));
    rp_device_watch(device, &before);
    double sampling_s = rp_device_now_s(device);
    RP_TRY(take_samples(a, &turn));
    rp_device_watch(device, &after);
    double end_s = rp_device_now_s(device);
    bool counts = rp_disturbance_add_turn(&a->disturbance, &before, &after, end_s - sampling_s,
                                          count_used(&turn));
    RP_TRY(keep_samples(a, &turn, counts));
    a->spent_s += end_s - start_s;
    a->sample_cost_s = (end_s - sampling_s) / (double)turn.taken;
    enum rp_stop stop = rp_sampling_stop(&a->sampling, a->spent_s);
    if (stop != RP_STOP_NONE) {
        RP_TRY(rp_attempt_check(a));
        rp_sampling_summarise(&a->sampling, stop, &a->row);
        a->row.sampling_s = a->spent_s;
        a->row.eviction_s = a->eviction_s;
        a->state = RP_ATTEMPT_SAMPLED;
    }
    rp_attempt_return_scratch(a);
    return RP_OK;
}

enum rp_status rp_rounds_run(struct rp_attempt *const *attempts, size_t n, rp_give_up *give_up)
{
    struct rp_turns turns;
    size_t who = 0;
    int64_t round = 0;
    rp_turns_init(&turns, n);
    for (size_t i = 0; i < n; ++i) {
        if (attempts[i]->state != RP_ATTEMPT_LIVE)
            rp_turns_leave(&turns, i);
    }
    while (rp_turns_next(&turns, &who, &round)) {
        enum rp_status status = take_turn(attempts[who], round);
        if (status != RP_OK)
            RP_TRY(give_up(attempts[who], status));
        if (attempts[who]->state != RP_ATTEMPT_LIVE)
            rp_turns_leave(&turns, who);
    }
    return RP_OK;
}
