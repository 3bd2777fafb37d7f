/*
 * comm.h - messages between ranks. Without a launcher there is one rank and no MPI at all.
 *
 * Nothing blocks: a send is queued, a receive takes what is there. A rank may send to itself.
 */
#ifndef RP_RUNNER_COMM_H
#define RP_RUNNER_COMM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct rp_comm;

struct rp_comm_message {
    int source;
    int tag;
    size_t bytes;
    void *data; /* owned by the comm; valid until the next receive */
};

struct rp_comm_place {
    int rank, size;
    int node_rank;              /* among the ranks of this node */
    int share_rank, share_size; /* among those of the node that were given the same cores */
    char library[64];           /* "Open MPI 4.1.4", or "none" */
};

struct rp_comm_table { /* comm_mpi and comm_self */
    void (*place)(struct rp_comm *comm, struct rp_comm_place *place);
    enum rp_status (*send)(struct rp_comm *comm, int to, int tag, const void *data, size_t bytes);
    enum rp_status (*receive)(struct rp_comm *comm, struct rp_comm_message *message, bool *got);
    bool (*is_busy)(struct rp_comm *comm); /* may be null: never */
    void (*close)(struct rp_comm *comm);
    void (*abort)(struct rp_comm *comm, int exit_code);
};

/* Every implementation's state begins with this. */
struct rp_comm {
    const struct rp_comm_table *table;
};

/* With MPI: initialises it. Ranks of a node with equal `share_key` share their cores. */
enum rp_status rp_comm_open_mpi(unsigned long share_key, struct rp_comm **comm) RP_MUST_CHECK;
enum rp_status rp_comm_open_self(struct rp_comm **comm) RP_MUST_CHECK;

/* Waits until everything queued was taken by the transport, then leaves. Takes null. */
void rp_comm_close(struct rp_comm *comm);

/* Ends the whole job at once. */
void rp_comm_abort(struct rp_comm *comm, int exit_code);

void rp_comm_place(struct rp_comm *comm, struct rp_comm_place *place);
enum rp_status rp_comm_send(struct rp_comm *comm, int to, int tag, const void *data,
                            size_t bytes) RP_MUST_CHECK;
enum rp_status rp_comm_receive(struct rp_comm *comm, struct rp_comm_message *message,
                               bool *got) RP_MUST_CHECK;

/* A message is on its way and needs more looks (rp_comm_receive) to get there. */
bool rp_comm_is_busy(struct rp_comm *comm);

#endif
