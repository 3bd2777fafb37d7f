/*
 * backend.h - what a kind of device must be able to do: a const table of functions over opaque
 * state. Zero devices is an answer, not an error. Optional members are null where a backend has
 * nothing to do; exactly one wrapper in device.c handles that.
 */
#ifndef RP_DEVICE_BACKEND_H
#define RP_DEVICE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/column.h"

/* Where among the ranks of its node a device is opened. */
struct rp_device_request {
    int index;      /* GPU: which visible device */
    int local_rank; /* of this rank among those of the node that share its cores */
    int local_size;
    int threads;             /* CPU: threads asked for; 0: as many as cores were given */
    const char *model;       /* simulated: what follows "simulated:" */
    const char *data_folder; /* --data, or null */
    int64_t seed;            /* simulated: of the spread of its times */
    bool counts_traffic;     /* the device shall count what launches move to and from its memory */
};

struct rp_device_info {
    struct rp_device_row row; /* goes to /devices as it is */
    int threads;              /* CPU threads that compute; -1 on a GPU */
    double timer_tick_s;      /* resolution of the timer */
    int shares_cores;         /* 1: more threads than cores, times will be noisy */
};

/* What is seen of the device beside its times, at the start and at the end of a few samples. Sums
 * only grow: the difference of two readings is what happened between them. NaN: not known. */
struct rp_watch {
    double stolen_s;    /* sum: the hypervisor ran something else on the device's cores */
    double throttled_s; /* sum: held back by a quota, power or heat */
    double power_w;     /* momentary, as are the rest */
    double temperature_c;
    double clock_hz;
};

/* What is seen of one sample. NaN: not known. */
struct rp_sample_watch {
    double lost_s;   /* the worst of the computing threads: time it wanted its core in vain */
    double energy_j; /* of the device, idle share and all */
};

/* What a launch moved between a device and its memory, counted by the device itself. */
struct rp_traffic {
    int64_t read_bytes, write_bytes;
};

/* Longest wait for one holder of a memory domain, s: longer than a point of any usual max_time_s.
 */
#define RP_DOMAIN_PATIENCE_S 900.0

struct rp_backend {
    const char *name;         /* as typed after --device */
    const char *cost_backend; /* whose method costs its kernels have; null: its own name's */
    bool host_accessible;     /* buffers can be read and written by the host as they are */
    bool computes_nothing;    /* times come from a model, buffers have no contents */
    bool lazy_pages;          /* an allocation takes memory only where it is touched */

    /* Usable devices; when none, `reason` (of `reason_size` bytes) says why in a sentence. */
    int (*count)(char *reason, size_t reason_size);

    enum rp_status (*open)(const struct rp_device_request *request, void **state);
    void (*close)(void *state);
    void (*info)(void *state, struct rp_device_info *info);

    /* RP_ERR_OUT_OF_MEMORY with bytes needed and available. Aligned to 64 bytes at least. */
    enum rp_status (*buffer_alloc)(void *state, size_t bytes, void **data);
    void (*buffer_free)(void *state, void *data, size_t bytes);
    enum rp_status (*buffer_write)(void *state, void *to, const void *host, size_t bytes);
    enum rp_status (*buffer_read)(void *state, void *host, const void *from, size_t bytes);
    enum rp_status (*buffer_fill)(void *state, void *to, unsigned char byte, size_t bytes);

    /* Handle a launch is queued on; null on a CPU, where a launch is a call. */
    void *(*queue)(void *state);
    enum rp_status (*timer_begin)(void *state);
    enum rp_status (*timer_end)(void *state, double *elapsed_s); /* waits for what was queued */

    bool (*is_lost)(void *state);                     /* optional: no call can succeed any more */
    enum rp_status (*cache_evict)(void *state);       /* optional */
    int64_t (*memory_available_bytes)(void *state);   /* optional; -1 unknown */
    int64_t (*memory_used_bytes)(void *state);        /* optional: from outside, now; -1 unknown */
    enum rp_status (*memory_peak_reset)(void *state); /* optional: that figure's peak starts over */
    int64_t (*memory_peak_bytes)(void *state);        /* optional: from outside; -1 unknown */
    double (*now_s)(void *state);                     /* optional: modelled time, not the wall's */
    void (*watch)(void *state, struct rp_watch *now); /* optional; fills what it knows */
    void (*sample_begin)(void *state);                /* optional, as sample_end is */
    void (*sample_end)(void *state, struct rp_sample_watch *seen);

    /* Optional: from begin to end the device counts its memory's traffic. RP_ERR_UNSUPPORTED with
     * what stands in the way. Nothing of it is left after end, whether that fails or not. */
    enum rp_status (*traffic_begin)(void *state);
    enum rp_status (*traffic_end)(void *state, struct rp_traffic *traffic);

    /* Optional: from begin to end no other rank measures on what their devices share (a memory
     * domain). Begin waits its turn; false when it gave up, after one turn of RP_DOMAIN_PATIENCE_S.
     */
    bool (*exclusive_begin)(void *state);
    void (*exclusive_end)(void *state);
};

/* Null when there is no such backend. */
const struct rp_backend *rp_backend_find(const char *name);

/* All of them, in the order of backends.def; null-terminated. */
const struct rp_backend *const *rp_backends(void);

#endif
