/* library.h - functions of a shared library that is found at run time. */
#ifndef RP_BASE_LIBRARY_H
#define RP_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Sets the function pointer at `function`, of `size` bytes, to the symbol of an open library; null
 * and false when it lacks it. Through memcpy: ISO C has no cast from an object's address to a
 * function's. */
static inline bool rp_library_find(void *library, const char *symbol, void *function, size_t size)
{
    void *found = dlsym(library, symbol);
    memcpy(function, &found, size);
    return found != NULL;
}

#endif
