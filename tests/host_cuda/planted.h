/*
 * planted.h - small kernels, each with one fault that can be switched on: what the host's CUDA is
 * there to find, and the same code without the fault, which it must not blame.
 */
#ifndef RP_TESTS_PLANTED_H
#define RP_TESTS_PLANTED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct planted {
    const char *name;
    bool (*run)(bool with_fault); /* true: no call failed and the result is right */
};

extern const struct planted planted_races[];  /* wrong by order; the last one's name is null */
extern const struct planted planted_misuse[]; /* wrong in every order */

#ifdef __cplusplus
}
#endif

#endif
