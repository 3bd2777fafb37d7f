/*
 * device.h - an open device: wrappers over its backend, and the one place where bytes are counted.
 *
 * Every allocation goes through rp_device_alloc and carries a tag. Peak memory is the most that was
 * held at once since the last reset; rotation and eviction buffers do not count.
 */
#ifndef RP_DEVICE_DEVICE_H
#define RP_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/backend.h"

enum rp_memory_tag {
    RP_MEMORY_TENSORS,   /* Q, K, V and O */
    RP_MEMORY_SCORES,    /* scores and probabilities */
    RP_MEMORY_WORKSPACE, /* everything else an implementation needs */
    RP_MEMORY_TAG_COUNT
};

struct rp_device;

struct rp_buffer {
    void *data; /* device address; on a CPU a host address */
    size_t bytes;
    enum rp_memory_tag tag;
};

enum rp_status rp_device_open(const struct rp_backend *backend,
                              const struct rp_device_request *request,
                              struct rp_device **device) RP_MUST_CHECK;
void rp_device_close(struct rp_device *device);
const struct rp_device_info *rp_device_info(const struct rp_device *device);
const struct rp_backend *rp_device_backend(const struct rp_device *device);
const char *rp_device_data_folder(const struct rp_device *device); /* as requested, or null */

/* bytes 0 gives an empty buffer. */
enum rp_status rp_device_alloc(struct rp_device *device, enum rp_memory_tag tag, size_t bytes,
                               struct rp_buffer *buffer) RP_MUST_CHECK;
void rp_device_free(struct rp_device *device, struct rp_buffer *buffer); /* takes an empty one */

/* One region that several owners take their memory from in turn, so that its pages are touched
 * once. The region itself does not count; what is taken from it counts like an allocation of its
 * own. */
struct rp_arena {
    void *data;
    size_t bytes;
    size_t used_bytes;
    int n_taken; /* buffers that are out */
};

/* Of so many bytes, of which at most RP_ARENA_BUFFERS buffers can be taken at a time. */
enum { RP_ARENA_BUFFERS = 2 };
enum rp_status rp_device_arena_open(struct rp_device *device, size_t bytes,
                                    struct rp_arena *arena) RP_MUST_CHECK;
void rp_device_arena_close(struct rp_device *device,
                           struct rp_arena *arena); /* takes a closed one */

/* The next bytes of the arena; RP_ERR_OUT_OF_MEMORY when it is too small. */
enum rp_status rp_device_arena_take(struct rp_device *device, struct rp_arena *arena,
                                    enum rp_memory_tag tag, size_t bytes,
                                    struct rp_buffer *buffer) RP_MUST_CHECK;
/* Gives one buffer back; once all are back the arena is whole again. Takes an empty one. */
void rp_device_arena_return(struct rp_device *device, struct rp_arena *arena,
                            struct rp_buffer *buffer);

/* Peak starts over from what is held now. */
void rp_device_peak_reset(struct rp_device *device);
int64_t rp_device_peak_bytes(const struct rp_device *device);
int64_t rp_device_peak_scores_bytes(const struct rp_device *device);
int64_t rp_device_held_bytes(const struct rp_device *device);

enum rp_status rp_device_write(struct rp_device *device, struct rp_buffer *to, const void *host,
                               size_t bytes) RP_MUST_CHECK;
enum rp_status rp_device_read(struct rp_device *device, void *host, const struct rp_buffer *from,
                              size_t bytes) RP_MUST_CHECK;
/* Every byte 0xFF: NaN in every dtype. */
enum rp_status rp_device_poison(struct rp_device *device, struct rp_buffer *buffer) RP_MUST_CHECK;

void *rp_device_queue(struct rp_device *device);
enum rp_status rp_device_timer_begin(struct rp_device *device) RP_MUST_CHECK;
enum rp_status rp_device_timer_end(struct rp_device *device, double *elapsed_s) RP_MUST_CHECK;
enum rp_status rp_device_cache_evict(struct rp_device *device) RP_MUST_CHECK;

/* After a failure: no call on it can succeed any more, only a fresh process may help. */
bool rp_device_is_lost(struct rp_device *device);

int64_t rp_device_memory_available_bytes(struct rp_device *device); /* -1 unknown */

/* The independent figure: what the kernel or the driver says this process holds, now and at its
 * highest since the reset. -1 unknown. It counts whatever else the process has, so callers take
 * the difference from a baseline. */
int64_t rp_device_outside_used_bytes(struct rp_device *device);
enum rp_status rp_device_outside_peak_reset(struct rp_device *device) RP_MUST_CHECK;
int64_t rp_device_outside_peak_bytes(struct rp_device *device);

/* The clock that budgets are held against: the monotonic one, or a simulated device's own. */
double rp_device_now_s(struct rp_device *device);

/* What happens beside the times (backend.h); what the backend does not know is NaN. */
void rp_device_watch(struct rp_device *device, struct rp_watch *now);
void rp_device_sample_begin(struct rp_device *device);
void rp_device_sample_end(struct rp_device *device, struct rp_sample_watch *seen);

/* From begin to end the device counts what moves between it and its memory, where that was asked
 * for. False when it cannot: that is told once, and not tried again. End only after a begin that
 * was true. Times taken in between mean nothing. */
bool rp_device_counts_traffic(const struct rp_device *device); /* asked for, and not given up */
bool rp_device_traffic_begin(struct rp_device *device);
bool rp_device_traffic_end(struct rp_device *device, struct rp_traffic *traffic);

/* In between no other rank of this machine measures in the same memory domain. Begin waits its
 * turn; false when it gave up and goes on without. */
bool rp_device_exclusive_begin(struct rp_device *device);
void rp_device_exclusive_end(struct rp_device *device);

#endif
