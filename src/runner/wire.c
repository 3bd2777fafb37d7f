/* wire.c - one message, one packet (SOCK_SEQPACKET), so that none is ever torn. */
#include "runner/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum rp_status rp_wire_send(int fd, const struct rp_wire_message *message)
{
    ssize_t sent;
    do {
        sent = send(fd, message, sizeof *message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)sizeof *message)
        return RP_FAIL(RP_ERR_DEVICE, "the other process of this rank is gone: %s",
                       strerror(errno));
    return RP_OK;
}

bool rp_wire_receive(int fd, struct rp_wire_message *message)
{
    ssize_t got;
    do {
        got = recv(fd, message, sizeof *message, 0);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *message;
}
