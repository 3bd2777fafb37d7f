/* wire.c - a stream of messages, each behind its kind and size. */
#include "runner/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"

/* Bodies are multiples of 8 bytes, so that all of them lie aligned in what was read. */
struct head {
    uint64_t kind;
    uint64_t bytes;
};

enum { LEAST_ROOM = 128 * 1024 };

void rp_worker_step_begin(struct rp_worker_step *step, int impl, const char *name, double limit_s)
{
    step->deadline_s = 0;
    step->impl = impl;
    step->limit_s = limit_s;
    snprintf(step->name, sizeof step->name, "%s", name);
    if (limit_s > 0)
        step->deadline_s = rp_clock_now_s() + limit_s;
}

void rp_wire_init(struct rp_wire *wire, int fd)
{
    *wire = (struct rp_wire){.fd = fd};
}

void rp_wire_close(struct rp_wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    free(wire->data);
    rp_wire_init(wire, -1);
}

enum rp_status rp_wire_send(struct rp_wire *wire, enum rp_wire_kind kind, const void *body,
                            size_t bytes)
{
    struct head head = {kind, bytes};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)(uintptr_t)body, bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = RP_COUNT(parts)};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        ssize_t sent = sendmsg(wire->fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return RP_FAIL(RP_ERR_DEVICE, "the other process of this rank is gone: %s",
                           strerror(errno));
        size_t gone = sent > 0 ? (size_t)sent : 0;
        for (size_t i = 0; i < RP_COUNT(parts); ++i) {
            size_t n = gone < parts[i].iov_len ? gone : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + n;
            parts[i].iov_len -= n;
            gone -= n;
        }
    }
    return RP_OK;
}

/* Room for a whole first message, and for more than most messages are long. */
static bool make_room(struct rp_wire *wire)
{
    struct head head = {0};
    if (wire->begin > 0) /* what is left is the beginning of one message */
        memmove(wire->data, wire->data + wire->begin, wire->end - wire->begin);
    wire->end -= wire->begin;
    wire->begin = 0;
    if (wire->end >= sizeof head)
        memcpy(&head, wire->data, sizeof head);
    size_t wanted = sizeof head + (size_t)head.bytes;
    if (wanted < wire->end + LEAST_ROOM)
        wanted = wire->end + LEAST_ROOM;
    if (wanted <= wire->capacity)
        return true;
    char *data = realloc(wire->data, wanted);
    if (!data)
        return false;
    wire->data = data;
    wire->capacity = wanted;
    return true;
}

ssize_t rp_wire_read(struct rp_wire *wire, bool wait)
{
    ssize_t got;
    if (!make_room(wire))
        return -1;
    do {
        got = recv(wire->fd, wire->data + wire->end, wire->capacity - wire->end,
                   wait ? 0 : MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
        wire->end += (size_t)got;
        return got;
    }
    return got < 0 && errno == EAGAIN ? 0 : -1;
}

bool rp_wire_take(struct rp_wire *wire, struct rp_wire_message *message)
{
    struct head head;
    if (wire->end - wire->begin < sizeof head)
        return false;
    memcpy(&head, wire->data + wire->begin, sizeof head);
    if (wire->end - wire->begin - sizeof head < head.bytes)
        return false;
    *message = (struct rp_wire_message){(enum rp_wire_kind)head.kind, (size_t)head.bytes,
                                        wire->data + wire->begin + sizeof head};
    wire->begin += sizeof head + (size_t)head.bytes;
    return true;
}
