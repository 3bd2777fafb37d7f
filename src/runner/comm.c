/* comm.c - calls through the table of whichever transport is open. */
#include "runner/comm.h"

void rp_comm_close(struct rp_comm *comm)
{
    if (comm)
        comm->table->close(comm);
}

void rp_comm_abort(struct rp_comm *comm, int exit_code)
{
    if (comm && comm->table->abort)
        comm->table->abort(comm, exit_code);
}

void rp_comm_place(struct rp_comm *comm, struct rp_comm_place *place)
{
    comm->table->place(comm, place);
}

enum rp_status rp_comm_send(struct rp_comm *comm, int to, int tag, const void *data, size_t bytes)
{
    return comm->table->send(comm, to, tag, data, bytes);
}

enum rp_status rp_comm_receive(struct rp_comm *comm, struct rp_comm_message *message, bool *got)
{
    return comm->table->receive(comm, message, got);
}

bool rp_comm_is_busy(struct rp_comm *comm)
{
    return comm->table->is_busy && comm->table->is_busy(comm);
}
