/* comm_self.h - a queue of messages a rank sends to itself; comm_mpi uses it for that, too. */
#ifndef RP_RUNNER_COMM_SELF_H
#define RP_RUNNER_COMM_SELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "runner/comm.h"

struct rp_self_message;

struct rp_self_queue {
    struct rp_self_message *first, *last;
    void *taken; /* data of the message given out last */
};

enum rp_status rp_self_queue_add(struct rp_self_queue *queue, int rank, int tag, const void *data,
                                 size_t bytes) RP_MUST_CHECK;
bool rp_self_queue_take(struct rp_self_queue *queue, struct rp_comm_message *message);
void rp_self_queue_clear(struct rp_self_queue *queue);

#endif
