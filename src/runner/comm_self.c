/* comm_self.c - one rank, no launcher, no MPI: every message is to oneself. */
#include "runner/comm_self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rp_self_message {
    struct rp_self_message *next;
    int rank, tag;
    size_t bytes;
    void *data;
};

enum rp_status rp_self_queue_add(struct rp_self_queue *queue, int rank, int tag, const void *data,
                                 size_t bytes)
{
    struct rp_self_message *message = calloc(1, sizeof *message);
    void *copy = malloc(bytes ? bytes : 1);
    if (!message || !copy) {
        free(message);
        free(copy);
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a message of %zu bytes", bytes);
    }
    if (bytes > 0)
        memcpy(copy, data, bytes);
    *message = (struct rp_self_message){NULL, rank, tag, bytes, copy};
    if (queue->last)
        queue->last->next = message;
    else
        queue->first = message;
    queue->last = message;
    return RP_OK;
}

bool rp_self_queue_take(struct rp_self_queue *queue, struct rp_comm_message *message)
{
    struct rp_self_message *first = queue->first;
    free(queue->taken);
    queue->taken = NULL;
    if (!first)
        return false;
    queue->first = first->next;
    if (!queue->first)
        queue->last = NULL;
    queue->taken = first->data;
    *message = (struct rp_comm_message){first->rank, first->tag, first->bytes, first->data};
    free(first);
    return true;
}

void rp_self_queue_clear(struct rp_self_queue *queue)
{
    struct rp_comm_message message;
    while (rp_self_queue_take(queue, &message))
        ;
}

struct self {
    struct rp_comm base;
    struct rp_self_queue queue;
};

static void self_place(struct rp_comm *comm, struct rp_comm_place *place)
{
    (void)comm;
    *place = (struct rp_comm_place){.size = 1, .share_size = 1};
    snprintf(place->library, sizeof place->library, "none");
}

static enum rp_status self_send(struct rp_comm *comm, int to, int tag, const void *data,
                                size_t bytes)
{
    (void)to;
    return rp_self_queue_add(&((struct self *)comm)->queue, 0, tag, data, bytes);
}

static enum rp_status self_receive(struct rp_comm *comm, struct rp_comm_message *message, bool *got)
{
    *got = rp_self_queue_take(&((struct self *)comm)->queue, message);
    return RP_OK;
}

static void self_close(struct rp_comm *comm)
{
    rp_self_queue_clear(&((struct self *)comm)->queue);
    free(comm);
}

static const struct rp_comm_table self_table = {
    .place = self_place, .send = self_send, .receive = self_receive, .close = self_close};

enum rp_status rp_comm_open_self(struct rp_comm **comm)
{
    struct self *self = calloc(1, sizeof *self);
    *comm = NULL;
    if (!self)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory");
    self->base.table = &self_table;
    *comm = &self->base;
    return RP_OK;
}
