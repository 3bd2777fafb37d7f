/*
 * probe.h - one way to reach a ceiling of a device, as a table: a launch of known work.
 *
 * measure/ceilings.c times all probes of a backend and keeps the best of each kind and path. Tables
 * are C11, their list is registry/probes.def.
 */
#ifndef RP_KERNELS_PROBE_H
#define RP_KERNELS_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/backend.h"

enum rp_probe_kind {                           /* the work of a launch is */
                     RP_PROBE_COMPUTE,         /* FLOP on the probe's path */
                     RP_PROBE_BANDWIDTH,       /* B read from memory and written to it */
                     RP_PROBE_READ_BANDWIDTH,  /* B read from memory */
                     RP_PROBE_CACHE_BANDWIDTH, /* B read from the last-level cache */
                     RP_PROBE_LATENCY,         /* launches that do nothing */
                     RP_PROBE_GRAPH_LATENCY,   /* the same, queued as one graph */
                     RP_PROBE_ANCHOR           /* calls of the anchor point */
};

struct rp_probe;

/* One launch on one device. */
struct rp_probe_call {
    const struct rp_probe *probe;
    const struct rp_device_info *device;
    double work;          /* of one launch, in the unit of the probe's kind */
    size_t scratch_bytes; /* device memory it needs */
    void *scratch;        /* aligned to 64 bytes; null when scratch_bytes is 0 */
    void *queue;          /* of the device; null on a CPU */
    int64_t turn;         /* launches before this one, so that one can go on where that ended */
};

struct rp_probe {
    const char *backend;
    enum rp_probe_kind kind;
    const char *path;   /* COMPUTE: arithmetic path; else "" */
    const char *method; /* for /ceilings: what is launched, at most 40 characters */
    int64_t extent;     /* for the probe's own functions: the order of its matrices, say */

    /* Sets work and scratch_bytes of a call whose probe and device are set. RP_ERR_UNSUPPORTED
     * with a sentence when this device cannot. */
    enum rp_status (*plan)(struct rp_probe_call *call);

    /* Optional: contents for the scratch memory, before the first launch. */
    enum rp_status (*fill)(const struct rp_probe_call *call);

    /* Queues one launch (on a CPU: makes it). Never syncs, allocates or prints. */
    enum rp_status (*launch)(const struct rp_probe_call *call);
};

enum {
#define RP_PROBE(backend, name) RP_PROBE_NUMBER_##backend##_##name,
#include "registry/probes.def"
#undef RP_PROBE
    RP_PROBE_COUNT
};

/* All RP_PROBE_COUNT of them, of every backend, in the order of probes.def. */
const struct rp_probe *const *rp_probes(void);

/* plan and launch of an anchor: naive attention of a small fixed point by the kernel of the probe's
 * backend, tensors and all in the scratch memory. */
enum rp_status rp_probe_anchor_plan(struct rp_probe_call *call) RP_MUST_CHECK;
enum rp_status rp_probe_anchor_launch(const struct rp_probe_call *call) RP_MUST_CHECK;

#endif
