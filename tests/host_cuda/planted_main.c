/*
 * planted_main.c - runs what is planted, for builds under a sanitizer, which end the program:
 *
 *   planted NAME      with the fault of that name
 *   planted           everything without faults, and the words; exit code 0 when all is right
 *   planted --races   the same without the misuse
 */
#include <stdio.h>
#include <string.h>

#include "host_cuda.h"
#include "planted.h"
#include "words.h"

static int run_faulty(const char *name)
{
    const struct planted *const lists[] = {planted_races, planted_misuse};
    for (size_t i = 0; i < 2; ++i) {
        for (const struct planted *planted = lists[i]; planted->name; ++planted) {
            if (strcmp(planted->name, name) == 0)
                return planted->run(true) && host_cuda_fault()[0] == '\0' ? 0 : 1;
        }
    }
    fprintf(stderr, "nothing planted of the name \"%s\"\n", name);
    return 2;
}

static bool says(const char *name, bool is_right)
{
    if (!is_right)
        printf("%s: wrong\n", name);
    return is_right;
}

static int run_clean(bool with_misuse)
{
    bool is_right = true;
    for (const struct planted *planted = planted_races; planted->name; ++planted)
        is_right &= says(planted->name, planted->run(false));
    for (const struct planted *planted = planted_misuse; with_misuse && planted->name; ++planted)
        is_right &= says(planted->name, planted->run(false));
    for (const struct word *word = words; word->name; ++word)
        is_right &= says(word->name, word->is_right());
    return is_right && host_cuda_fault()[0] == '\0' ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 1 || strcmp(argv[1], "--races") == 0)
        return run_clean(argc == 1);
    return run_faulty(argv[1]);
}
