/*
 * turns.h - whose turn it is: the implementations of a point take turns in blocks of samples, so
 * that a drifting clock hits all alike and ratios can be formed round by round.
 *
 * A pure state machine. Every round begins with the next one, so that none always follows the same
 * other; who has enough samples leaves, and the rest go on.
 */
#ifndef RP_MEASURE_TURNS_H
#define RP_MEASURE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_TURNS_MAX = 8 };

struct rp_turns {
    size_t n;
    bool left[RP_TURNS_MAX];
    int64_t round;  /* of the next turn */
    size_t n_taken; /* turns offered of this round, to those who left, too */
};

/* `n` at most RP_TURNS_MAX. */
void rp_turns_init(struct rp_turns *turns, size_t n);

/* Whose turn is next and of which round; false once all have left. */
bool rp_turns_next(struct rp_turns *turns, size_t *who, int64_t *round);
void rp_turns_leave(struct rp_turns *turns, size_t who);

/* Samples of a turn: short ones several at once, so that what surrounds a turn does not outweigh
 * it. `sample_s`: one sample with all that belongs to it. */
size_t rp_turns_block(double sample_s);

#endif
