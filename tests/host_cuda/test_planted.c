/*
 * test_planted.c - every planted fault is found, in the orders in which it can be; the same code
 * without it is never blamed.
 */
#include "check.h"

#include <stdlib.h>

#include "host_cuda.h"
#include "planted.h"

static const char *const order_names[] = {"up", "down", "random"};
static const char *const devices[] = {"t4:2", "a100:2"};

struct expected {
    const char *name;
    const char *message; /* part of what is said; null: the result is wrong, or a call fails */
    unsigned orders;     /* bits of the orders in which it shows */
    bool late_copies;    /* shows only with those */
};

enum { UP = 1 << HOST_CUDA_UP, DOWN = 1 << HOST_CUDA_DOWN, RANDOM = 1 << HOST_CUDA_RANDOM };
enum { EVERY = UP | DOWN | RANDOM };

/* In the same order as planted_races and planted_misuse. */
static const struct expected races[] = {
    {"no __syncthreads after a write", NULL, EVERY, false},
    {"no __syncthreads before an overwrite", NULL, EVERY, false},
    {"no __syncwarp", NULL, EVERY, false},
    {"cp.async waited for one group short", NULL, EVERY, true},
    {"no trailing barrier with two stages", NULL, EVERY, false},
};

static const struct expected misuse[] = {
    {"global read past the end", "illegal address", EVERY, false},
    {"global write past the end", "wrote beyond the end of a buffer of 244 bytes", EVERY, false},
    {"static shared overrun", "index out of bounds", EVERY, false},
    {"divergent barriers", "divergent barrier", EVERY, false},
    {"different masks", "with different masks", EVERY, false},
    {"not in its own mask", "not in its own mask", EVERY, false},
    {"shuffle from outside the mask", "not in its mask", EVERY, false},
    {"a lane that has returned", "names a lane that has returned", EVERY, false},
    {"deadlock", "deadlock", EVERY, false},
    {"misaligned float4", "misaligned address", EVERY, false},
    {"misaligned ldmatrix", "not aligned to 16 bytes", EVERY, false},
    {"32-bit index wraps", "signed overflow", EVERY, false},
    {"1025 threads", NULL, EVERY, false},
    {"grid.y of 65536", NULL, EVERY, false},
    {"empty grid", NULL, EVERY, false},
    {"shared memory not asked for", NULL, EVERY, false},
    {"shared memory beyond the device", NULL, EVERY, false},
    {"host pointer in a kernel", "not memory of this device", EVERY, false},
    {"memory of another device", "not memory of this device", EVERY, false},
};

static const struct planted *find(const struct planted *list, const char *name)
{
    for (; list->name; ++list) {
        if (strcmp(list->name, name) == 0)
            return list;
    }
    fail_msg("nothing planted of the name \"%s\"", name);
    return NULL;
}

static void check_clean(const struct planted *planted, const struct host_cuda_settings *settings)
{
    host_cuda_reset(settings);
    bool is_right = planted->run(false);
    if (!is_right || host_cuda_fault()[0] != '\0' || host_cuda_leaks() != 0)
        fail_msg("%s, without it, order %s, %s: %s: %s; %d leaks", planted->name,
                 order_names[settings->order], settings->devices, is_right ? "right" : "wrong",
                 host_cuda_fault(), host_cuda_leaks());
}

static void check_faulty(const struct planted *planted, const struct expected *expected,
                         const struct host_cuda_settings *settings)
{
    host_cuda_reset(settings);
    bool is_right = planted->run(true);
    bool can_show = !(expected->late_copies && settings->copies_early);
    if (!(expected->orders >> settings->order & 1) || !can_show)
        return;
    if (is_right && host_cuda_fault()[0] == '\0')
        fail_msg("%s: not found in order %s", planted->name, order_names[settings->order]);
    if (expected->message)
        CHECK_CONTAINS(host_cuda_fault(), expected->message, planted->name);
}

static void check_list(const struct planted *list, const struct expected *expected, size_t n)
{
    for (size_t i = 0; i < n * HOST_CUDA_ORDER_COUNT * RP_COUNT(devices); ++i) {
        const struct expected *e = &expected[i % n];
        struct host_cuda_settings settings = {
            .devices = devices[i / n % RP_COUNT(devices)],
            .order = (enum host_cuda_order)(i / n / RP_COUNT(devices)),
        };
        for (int early = 0; early < 2; ++early) {
            settings.copies_early = early;
            check_clean(find(list, e->name), &settings);
            check_faulty(find(list, e->name), e, &settings);
        }
    }
}

static void races_are_found(void **state)
{
    (void)state;
    check_list(planted_races, races, RP_COUNT(races));
}

static void misuse_is_found(void **state)
{
    (void)state;
    check_list(planted_misuse, misuse, RP_COUNT(misuse));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_are_found),
        cmocka_unit_test(misuse_is_found),
    };
    setenv("HOST_CUDA_QUIET", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
