/*
 * key.h - 64 bits that stand for several values, to find equal ones by: unlike values share a key
 * once in 1e19 pairs. Keys begin as 0 and take in one value after another.
 */
#ifndef RP_ANALYSIS_KEY_H
#define RP_ANALYSIS_KEY_H

#include <stdint.h>

#include "model/column.h"
#include "model/point.h"

uint64_t rp_key_add_text(uint64_t key, const char *text);
uint64_t rp_key_add_i64(uint64_t key, int64_t value);
uint64_t rp_key_add_point(uint64_t key, const struct rp_point *p);

/* Equal for devices that are alike (device_kind.h). */
uint64_t rp_key_add_device_kind(uint64_t key, const struct rp_device_row *device);

#endif
