/* distinct.c - a table of keys, at most half full, looked through from where a key belongs. */
#include "analysis/distinct.h"

#include <stdlib.h>

struct rp_distinct_slot {
    uint64_t key;
    size_t place; /* number + 1; 0: free */
};

/* The slot of the key, or the free one where it belongs. */
static struct rp_distinct_slot *find(struct rp_distinct_slot *slots, size_t capacity, uint64_t key)
{
    size_t at = (size_t)key & (capacity - 1);
    while (slots[at].place && slots[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

/* Room for one more, in a power of two of slots. */
static enum rp_status grow(struct rp_distinct *distinct)
{
    const size_t capacity = distinct->capacity ? 2 * distinct->capacity : 64;
    if (2 * distinct->count < distinct->capacity)
        return RP_OK;
    struct rp_distinct_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for %zu keys", capacity);
    for (size_t i = 0; i < distinct->capacity; ++i) {
        if (distinct->slots[i].place)
            *find(slots, capacity, distinct->slots[i].key) = distinct->slots[i];
    }
    free(distinct->slots);
    distinct->slots = slots;
    distinct->capacity = capacity;
    return RP_OK;
}

enum rp_status rp_distinct_number(struct rp_distinct *distinct, uint64_t key, size_t *number)
{
    RP_TRY(grow(distinct));
    struct rp_distinct_slot *slot = find(distinct->slots, distinct->capacity, key);
    if (!slot->place)
        *slot = (struct rp_distinct_slot){key, ++distinct->count};
    *number = slot->place - 1;
    return RP_OK;
}

void rp_distinct_clear(struct rp_distinct *distinct)
{
    free(distinct->slots);
    *distinct = (struct rp_distinct){0};
}
