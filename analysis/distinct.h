/*
 * distinct.h - numbers for what repeats: equal keys (key.h) have one number, 0 for the first that
 * came, so that an array holds each thing once. 16 to 64 bytes for each.
 */
#ifndef RP_ANALYSIS_DISTINCT_H
#define RP_ANALYSIS_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct rp_distinct {                /* begins as {0} */
    struct rp_distinct_slot *slots; /* heap */
    size_t count, capacity;
};

/* The number of a key; when it is new, that is the count before. RP_ERR_INTERNAL when host memory
 * is out. */
enum rp_status rp_distinct_number(struct rp_distinct *distinct, uint64_t key,
                                  size_t *number) RP_MUST_CHECK;
void rp_distinct_clear(struct rp_distinct *distinct);

#endif
