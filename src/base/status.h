/*
 * status.h - what a function that can fail returns, and the one sentence that goes with it.
 *
 * Codes say who must act. The sentence is composed once, by RP_FAIL, where most is known: which
 * object, what was asked, what was there; callers only pass the code up. The sentence is kept per
 * thread until the next RP_FAIL. Nothing below a main prints, exits or aborts.
 */
#ifndef RP_BASE_STATUS_H
#define RP_BASE_STATUS_H

#include <stddef.h>

enum rp_status {
    RP_OK = 0,
    RP_ERR_USAGE,         /* the user: the command line */
    RP_ERR_CONFIG,        /* the user: a job or data file */
    RP_ERR_ENVIRONMENT,   /* the machine: no such device, not writable, held by another run */
    RP_ERR_DAMAGED,       /* a file that is not what it claims to be */
    RP_ERR_OUT_OF_MEMORY, /* the point: it does not fit */
    RP_ERR_UNSUPPORTED,   /* the point: this kernel or device cannot */
    RP_ERR_DEVICE,        /* the device or a library on it: a call failed */
    RP_ERR_TIMEOUT,       /* the point: longer than its limit */
    RP_ERR_STOPPED,       /* asked to stop: what was finished is kept */
    RP_ERR_INTERNAL       /* us */
};

#define RP_MUST_CHECK       __attribute__((warn_unused_result))
#define RP_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#define RP_COUNT(array)     (sizeof(array) / sizeof((array)[0]))

/* Sets this thread's sentence and yields the code: return RP_FAIL(RP_ERR_CONFIG, "...", ...). */
#define RP_FAIL(code, ...) rp_status_set((code), __VA_ARGS__)

/* Passes a failure up. Only where nothing is owned. */
#define RP_TRY(call)                                                                               \
    do {                                                                                           \
        enum rp_status rp_try_status = (call);                                                     \
        if (rp_try_status != RP_OK)                                                                \
            return rp_try_status;                                                                  \
    } while (0)

enum rp_status rp_status_set(enum rp_status code, const char *format, ...) RP_PRINTF(2, 3);

/* The sentence of this thread's last failure; "" before the first. Valid until the next failure. */
const char *rp_status_message(void);

/* Exit code of a program that ends with this status: 0, 2, 3 or 75 (docs/man/). */
int rp_status_exit_code(enum rp_status status);

#endif
