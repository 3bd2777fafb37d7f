/*
 * roll_call.h - what is said when every rank has said which device it has: who has none, who shares
 * one, whose is of another type than was asked for. Messages are for the user: they name ranks,
 * hosts and devices, and the remedy.
 */
#ifndef RP_RUNNER_ROLL_CALL_H
#define RP_RUNNER_ROLL_CALL_H

#include "runner/rank.h"

/* Every rank has a device of its own, and of the type `gpu_type` unless that is null or "".
 * hellos[r] is what rank r said. CPU ranks may share: they say `noisy`. */
enum rp_status rp_roll_call_check(const struct rp_rank_hello *const *hellos, int n,
                                  const char *gpu_type) RP_MUST_CHECK;

/* One line a rank at level info: rank, host, the device's name, UUID and type. */
void rp_roll_call_log(const struct rp_rank_hello *const *hellos, int n);

#endif
