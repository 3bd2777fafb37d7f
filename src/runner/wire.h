/*
 * wire.h - what a rank's two processes say to each other: messages over a socket pair, and a page
 * of memory that says what the worker is at.
 *
 *   rank -> worker   OPEN, TASKS...
 *   worker -> rank   OPENED or FAILED; then REPORT... (runner/report.h), or FAILED: device lost
 *
 * A wake-up costs more than all that is done with a message: so a worker says nothing when it
 * begins a step, it only writes to the page, which the rank reads when the step is overdue or the
 * worker is dead. Both ends are the same program, so the structs travel as they are.
 */
#ifndef RP_RUNNER_WIRE_H
#define RP_RUNNER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "device/backend.h"
#include "model/protocol.h"
#include "model/task.h"

/* Descriptors of the worker. */
enum { RP_WORKER_FD = 3, RP_WORKER_PAGE_FD = 4 };

enum rp_wire_kind {
    RP_WIRE_OPEN,   /* struct rp_wire_open */
    RP_WIRE_TASKS,  /* some struct rp_task */
    RP_WIRE_OPENED, /* struct rp_device_info */
    RP_WIRE_FAILED, /* struct rp_wire_failure */
    RP_WIRE_REPORT
};

enum { RP_WIRE_WORD_SIZE = 256, RP_WIRE_PATH_SIZE = 1024 };

struct rp_wire_open {
    char device[RP_WIRE_WORD_SIZE]; /* as typed after --device */
    char data[RP_WIRE_PATH_SIZE];   /* --data, or "" */
    struct rp_device_request request;
    struct rp_protocol protocol;
    int64_t seed;
};

struct rp_wire_failure {
    enum rp_status status;
    char text[1020]; /* the whole a multiple of 8 bytes, as every body is */
};

enum { RP_WORKER_KEPT_BYTES = 64 * 1024 };

/* The page. The worker sets deadline_s last, and to 0 before it changes anything else. */
struct rp_worker_step {
    _Atomic double deadline_s; /* on the monotonic clock; 0: no limit */
    double limit_s;            /* of this step */
    int64_t task;              /* its number; -1: at none */
    int64_t kept_bytes;        /* of a report that is not told yet; a crash does not take it */
    char kept[RP_WORKER_KEPT_BYTES];
    int impl; /* enum rp_impl; -1: at none */
    char name[32];
};

/* `impl` may be -1, `limit_s` 0. */
void rp_worker_step_begin(struct rp_worker_step *step, int impl, const char *name, double limit_s);

struct rp_wire { /* one end */
    int fd;      /* -1: none */
    char *data;  /* heap; begin .. end was read and not taken yet */
    size_t begin, end, capacity;
};

struct rp_wire_message {
    enum rp_wire_kind kind;
    size_t bytes;
    void *body; /* in the wire; valid until the next read */
};

void rp_wire_init(struct rp_wire *wire, int fd);
void rp_wire_close(struct rp_wire *wire); /* takes one that is closed */

/* Waits until all of it is on its way. */
enum rp_status rp_wire_send(struct rp_wire *wire, enum rp_wire_kind kind, const void *body,
                            size_t bytes) RP_MUST_CHECK;

/* Reads what is there, or waits for something. Bytes read; 0 when there are none now; -1 when the
 * other end is gone. */
ssize_t rp_wire_read(struct rp_wire *wire, bool wait);

/* The next whole message of what was read; false when there is none. */
bool rp_wire_take(struct rp_wire *wire, struct rp_wire_message *message);

#endif
