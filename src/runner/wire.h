/*
 * wire.h - what a rank's two processes say to each other: messages of a few kinds over a socket
 * pair.
 *
 *   rank -> worker   OPEN, TASK
 *   worker -> rank   OPENED or FAILED; then for each task BEGIN..., ROW and its SAMPLES..., DONE
 *
 * Both ends are the same program, so the structs travel as they are.
 */
#ifndef RP_RUNNER_WIRE_H
#define RP_RUNNER_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "device/backend.h"
#include "model/column.h"
#include "model/protocol.h"
#include "model/task.h"

enum rp_wire_kind {
    RP_WIRE_OPEN,
    RP_WIRE_TASK,
    RP_WIRE_OPENED,
    RP_WIRE_FAILED,
    RP_WIRE_BEGIN,
    RP_WIRE_ROW,
    RP_WIRE_SAMPLES,
    RP_WIRE_DONE
};

enum { RP_WIRE_SAMPLES_MAX = 64, RP_WIRE_WORD_SIZE = 256, RP_WIRE_PATH_SIZE = 1024 };

struct rp_wire_open {
    char device[RP_WIRE_WORD_SIZE]; /* as typed after --device */
    char data[RP_WIRE_PATH_SIZE];   /* --data, or "" */
    struct rp_device_request request;
    struct rp_protocol protocol;
    int64_t seed;
};

struct rp_wire_begin {
    enum rp_impl impl;
    double limit_s; /* 0: no limit */
    char step[32];
};

struct rp_wire_samples {
    int64_t count;
    struct rp_sample samples[RP_WIRE_SAMPLES_MAX];
};

struct rp_wire_message {
    enum rp_wire_kind kind;
    int64_t number; /* of the task; ROW: samples that follow */
    union {
        struct rp_wire_open open;
        struct rp_device_info opened;
        struct rp_task task;
        struct rp_wire_begin begin;
        struct rp_result row;
        struct rp_wire_samples samples;
        char failure[1024];
    } body;
};

/* Whole messages only. Receive: false at the end of the stream; blocks. */
enum rp_status rp_wire_send(int fd, const struct rp_wire_message *message) RP_MUST_CHECK;
bool rp_wire_receive(int fd, struct rp_wire_message *message);

#endif
