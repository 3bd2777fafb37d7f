/*
 * cupti.h - bytes that a launch moves between an NVIDIA GPU and its memory, counted by the GPU:
 * NVIDIA's CUPTI and its range profiler, found at run time.
 *
 * Counting is what nothing else may see: between begin and end the driver works differently, so
 * what is timed stays outside, and end leaves nothing behind.
 */
#ifndef RP_DEVICE_CUPTI_H
#define RP_DEVICE_CUPTI_H

#include <stdint.h>

#include "base/status.h"

struct rp_cupti;

/* From here on the current context counts, on the GPU of this index. RP_ERR_UNSUPPORTED with what
 * stands in the way: no library, no permission, a GPU that cannot. */
enum rp_status rp_cupti_begin(int device, struct rp_cupti **cupti) RP_MUST_CHECK;

/* Ends it, whatever happens. Everything queued since must be done. */
enum rp_status rp_cupti_end(struct rp_cupti *cupti, int64_t *read_bytes,
                            int64_t *write_bytes) RP_MUST_CHECK;

#endif
