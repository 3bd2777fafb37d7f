/* turns.c - rounds that rotate. */
#include "measure/turns.h"

#include <assert.h>

void rp_turns_init(struct rp_turns *turns, size_t n)
{
    assert(n <= RP_TURNS_MAX);
    *turns = (struct rp_turns){.n = n};
}

static bool all_have_left(const struct rp_turns *turns)
{
    for (size_t i = 0; i < turns->n; ++i) {
        if (!turns->left[i])
            return false;
    }
    return true;
}

bool rp_turns_next(struct rp_turns *turns, size_t *who, int64_t *round)
{
    if (all_have_left(turns))
        return false;
    size_t next = 0;
    do {
        if (turns->n_taken == turns->n) {
            turns->n_taken = 0;
            ++turns->round;
        }
        next = ((size_t)turns->round + turns->n_taken++) % turns->n;
    } while (turns->left[next]);
    *who = next;
    *round = turns->round;
    return true;
}

void rp_turns_leave(struct rp_turns *turns, size_t who)
{
    turns->left[who] = true;
}

size_t rp_turns_block(double sample_s)
{
    const double turn_s = 2e-3;
    const size_t most = 5;
    if (!(sample_s > 0))
        return 1;
    double wanted = turn_s / sample_s;
    return wanted >= (double)most ? most : wanted > 1 ? (size_t)wanted : 1;
}
