/*
 * implied.h - what need not be tried: an implementation that ran out of memory on this device type,
 * tried and not merely predicted, would do so again on anything that needs at least as much.
 */
#ifndef RP_RUNNER_IMPLIED_H
#define RP_RUNNER_IMPLIED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "device/backend.h"
#include "model/column.h"
#include "model/impl.h"
#include "model/point.h"

struct rp_implied;

enum rp_status rp_implied_create(struct rp_implied **implied) RP_MUST_CHECK;
void rp_implied_destroy(struct rp_implied *implied);

/* Looks at a finished row of a device. */
void rp_implied_learn(struct rp_implied *implied, const struct rp_device_info *device,
                      const struct rp_result *row);

/* True when the row is implied; `reason` then says by which point. */
bool rp_implied_find(const struct rp_implied *implied, const struct rp_device_info *device,
                     const struct rp_point *p, enum rp_impl impl, char *reason, size_t size);

#endif
