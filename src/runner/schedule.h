/*
 * schedule.h - which task next: one queue per device type, longest predicted first.
 *
 * A pure state machine: no MPI, no clock. A rank holds one task and, while tasks are short, one
 * queued behind it, so that it does not wait for messages; of very short ones many, so that a
 * message serves many; near the end none, so that the last go to whoever is free first.
 */
#ifndef RP_RUNNER_SCHEDULE_H
#define RP_RUNNER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/task.h"

enum { RP_TASKS_PER_RANK = 128 }; /* that a rank holds at most */

struct rp_schedule;

/* `n_groups` queues and `n_ranks` ranks; `group_of_rank[r]` is the queue rank r takes from. */
enum rp_status rp_schedule_create(size_t n_groups, size_t n_ranks, const size_t *group_of_rank,
                                  struct rp_schedule **schedule) RP_MUST_CHECK;
void rp_schedule_destroy(struct rp_schedule *schedule);

/* Adds a task to a queue. All are added before the first is taken. */
enum rp_status rp_schedule_add(struct rp_schedule *schedule, size_t group,
                               const struct rp_task *task) RP_MUST_CHECK;

/* The next task for this rank; false when there is none for it now. */
bool rp_schedule_take(struct rp_schedule *schedule, size_t rank, struct rp_task *task);

/* A rank holds at most half of what it may: worth a message. */
bool rp_schedule_is_low(const struct rp_schedule *schedule, size_t rank);

/* A rank has finished a task, copied to *task. False when it did not hold it. */
bool rp_schedule_finish(struct rp_schedule *schedule, size_t rank, int64_t number,
                        struct rp_task *task);

/* There is a row of a task this rank holds: it has one less to measure. */
void rp_schedule_note_row(struct rp_schedule *schedule, size_t rank, int64_t number,
                          enum rp_impl impl);

/* A rank takes no more; what is left of the tasks it held goes back to its queue. */
void rp_schedule_retire(struct rp_schedule *schedule, size_t rank);

/* Predicted seconds of what waits in this rank's queue. */
double rp_schedule_waiting_s(const struct rp_schedule *schedule, size_t rank);

/* Nothing waits for this rank and it holds nothing. */
bool rp_schedule_is_idle(const struct rp_schedule *schedule, size_t rank);

/* Tasks neither finished nor lost with the last rank of their queue. */
bool rp_schedule_is_done(const struct rp_schedule *schedule);

/* Tasks whose queue has no rank left. */
size_t rp_schedule_stranded(const struct rp_schedule *schedule);

/* Predicted seconds until the last queue is empty, were every prediction right. */
double rp_schedule_remaining_s(const struct rp_schedule *schedule);

#endif
