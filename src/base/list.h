/*
 * list.h - arrays that grow item by item.
 *
 *   struct item *items = rp_list_grow(list->items, list->count, &list->capacity, sizeof *items);
 *   if (!items)
 *       return RP_FAIL(...);
 *   list->items = items;
 *   items[list->count++] = item;
 */
#ifndef RP_BASE_LIST_H
#define RP_BASE_LIST_H

#include <stddef.h>

/* Room for an item behind `count`: the array, which may have moved, or null when host memory is
 * out; then the old one stays. Doubling keeps appending linear. */
void *rp_list_grow(void *items, size_t count, size_t *capacity, size_t item_bytes);

#endif
