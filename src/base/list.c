/* list.c - doubles an array when it is full. */
#include "base/list.h"

#include <stdlib.h>

void *rp_list_grow(void *items, size_t count, size_t *capacity, size_t item_bytes)
{
    const size_t first = 4;
    size_t wanted = *capacity ? 2 * *capacity : first;
    size_t bytes = 0;
    if (items && count < *capacity)
        return items;
    void *grown = __builtin_mul_overflow(wanted, item_bytes, &bytes) ? NULL : realloc(items, bytes);
    if (grown)
        *capacity = wanted;
    return grown;
}
