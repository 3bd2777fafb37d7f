/* wire.c - one message, one packet (SOCK_SEQPACKET), so that none is ever torn. */
#include "runner/wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* Bytes of the message that mean something. */
static size_t used_bytes(const struct rp_wire_message *m)
{
    size_t body = 0;
    switch (m->kind) {
    case RP_WIRE_OPEN:
        body = sizeof m->body.open;
        break;
    case RP_WIRE_OPENED:
        body = sizeof m->body.opened;
        break;
    case RP_WIRE_TASK:
        body = sizeof m->body.task;
        break;
    case RP_WIRE_BEGIN:
        body = sizeof m->body.begin;
        break;
    case RP_WIRE_ROW:
        body = sizeof m->body.row;
        break;
    case RP_WIRE_SAMPLES:
        body = offsetof(struct rp_wire_samples, samples) +
               (size_t)m->body.samples.count * sizeof m->body.samples.samples[0];
        break;
    case RP_WIRE_FAILED:
        body = sizeof m->body.failure;
        break;
    case RP_WIRE_DONE:
        break;
    }
    return offsetof(struct rp_wire_message, body) + body;
}

enum rp_status rp_wire_send(int fd, const struct rp_wire_message *message)
{
    ssize_t sent;
    do {
        sent = send(fd, message, used_bytes(message), MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)used_bytes(message))
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
    return got >= (ssize_t)offsetof(struct rp_wire_message, body) &&
           got == (ssize_t)used_bytes(message);
}
