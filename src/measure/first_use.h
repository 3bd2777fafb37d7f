/*
 * first_use.h - what libraries and the runtime take for themselves when they are first used: memory
 * that belongs to no point, told apart from the rows (devices/library_bytes).
 */
#ifndef RP_MEASURE_FIRST_USE_H
#define RP_MEASURE_FIRST_USE_H

#include <stdint.h>

#include "device/device.h"

/* Launches every kernel of the device once on a tiny point. Returns the bytes that stayed taken, as
 * seen from outside the allocator; -1 where nobody tells, or the device computes nothing. A kernel
 * that fails is left for its rows to report. */
int64_t rp_measure_first_use(struct rp_device *device);

#endif
