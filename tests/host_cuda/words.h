/* words.h - kernels that use the words of CUDA C++ and of kernels/cuda/ptx.h, with known results.
 */
#ifndef RP_TESTS_WORDS_H
#define RP_TESTS_WORDS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct word {
    const char *name;
    bool (*is_right)(void);
    bool needs_ampere;
};

extern const struct word words[]; /* the last one's name is null */

#ifdef __cplusplus
}
#endif

#endif
