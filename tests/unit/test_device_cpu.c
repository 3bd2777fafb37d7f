/*
 * test_device_cpu.c - the CPU device's arena, its memory domain's token and what it watches.
 */
#include "check.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/domain_token.h"

static struct rp_device *open_device(void)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    return device;
}

static void test_arena(void **state)
{
    (void)state;
    struct rp_device *device = open_device();
    struct rp_arena arena;
    struct rp_buffer first, second, third;
    CHECK_OK(rp_device_arena_open(device, 10000, &arena), "open");
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "the region itself does not count");
    for (int turn = 0; turn < 2; ++turn) {
        rp_device_peak_reset(device);
        CHECK_OK(rp_device_arena_take(device, &arena, RP_MEMORY_SCORES, 9000, &first), "take");
        CHECK_OK(rp_device_arena_take(device, &arena, RP_MEMORY_WORKSPACE, 1000, &second), "take");
        CHECK_EQ_I64(rp_device_peak_bytes(device), 10000, "what is taken counts exactly");
        CHECK_EQ_I64(rp_device_peak_scores_bytes(device), 9000, "by its tag");
        CHECK_TRUE((char *)second.data >= (char *)first.data + 9000, "they do not overlap");
        CHECK_STATUS(rp_device_arena_take(device, &arena, RP_MEMORY_SCORES, 9000, &third),
                     RP_ERR_OUT_OF_MEMORY, "it is full");
        rp_device_arena_return(device, &arena, &first);
        rp_device_arena_return(device, &arena, &second);
        CHECK_EQ_I64(rp_device_held_bytes(device), 0, "given back");
    }
    rp_device_arena_close(device, &arena);
    rp_device_arena_close(device, &arena);
    rp_device_close(device);
}

/* Only what is touched takes memory: the outside figure of a smaller user of the same region is
 * its own. */
static void test_arena_is_lazy(void **state)
{
    (void)state;
    const size_t small = 16 << 20;
    const size_t large = 64 << 20;
    struct rp_device *device = open_device();
    struct rp_arena arena;
    struct rp_buffer buffer;
    int64_t before = rp_device_outside_used_bytes(device);
    CHECK_OK(rp_device_arena_open(device, large, &arena), "open");
    const size_t sizes[] = {small, large};
    for (size_t i = 0; i < RP_COUNT(sizes); ++i) {
        CHECK_OK(rp_device_outside_peak_reset(device), "reset");
        CHECK_OK(rp_device_arena_take(device, &arena, RP_MEMORY_SCORES, sizes[i], &buffer), "take");
        memset(buffer.data, 1, buffer.bytes);
        int64_t seen = rp_device_outside_peak_bytes(device) - before;
        CHECK_NEAR((double)seen, (double)sizes[i], 2 << 20, "as seen by the kernel");
        rp_device_arena_return(device, &arena, &buffer);
    }
    rp_device_arena_close(device, &arena);
    rp_device_close(device);
}

static void test_token(void **state)
{
    (void)state;
    enum { DOMAIN = 9999 }; /* of no machine */
    int mine = rp_domain_token_open(DOMAIN);
    int other = rp_domain_token_open(DOMAIN); /* a file of its own, as another process has */
    CHECK_TRUE(mine >= 0 && other >= 0, "open");
    CHECK_TRUE(rp_domain_token_take(mine, 0), "free");
    double start_s = rp_clock_now_s();
    CHECK_TRUE(!rp_domain_token_take(other, 0.05), "taken");
    CHECK_TRUE(rp_clock_now_s() - start_s >= 0.05, "it waited");
    rp_domain_token_return(mine);
    CHECK_TRUE(rp_domain_token_take(other, 0), "free again");
    rp_domain_token_close(other);
    CHECK_TRUE(rp_domain_token_take(mine, 0), "closing gives it back");
    rp_domain_token_close(mine);
    CHECK_TRUE(!rp_domain_token_take(-1, 0), "none");
}

/* Many before us that each hold it for less than our patience, then one that never ends. */
static void test_token_with_a_long_queue(void **state)
{
    (void)state;
    struct rp_token_wait wait = {.turns = 7, .since_s = 1000, .patience_s = 900};
    for (int64_t turn = 8; turn < 200; ++turn) {
        double now_s = 1000 + 800 * (double)(turn - 7);
        CHECK_TRUE(rp_token_wait_goes_on(&wait, turn, now_s), "turns are taken");
    }
    double last_s = wait.since_s;
    CHECK_TRUE(rp_token_wait_goes_on(&wait, 199, last_s + 900), "the last holder may be slow");
    CHECK_TRUE(!rp_token_wait_goes_on(&wait, 199, last_s + 900.1), "or hang");
}

static int64_t turns_in(int token)
{
    int64_t turns = -1;
    return pread(token, &turns, sizeof turns, 0) == sizeof turns ? turns : -1;
}

static void test_token_counts_turns(void **state)
{
    (void)state;
    int token = rp_domain_token_open(9998);
    CHECK_TRUE(rp_domain_token_take(token, 0), "free");
    int64_t before = turns_in(token);
    rp_domain_token_return(token);
    CHECK_TRUE(rp_domain_token_take(token, 0), "free again");
    CHECK_TRUE(before > 0, "the first turn counted");
    CHECK_EQ_I64(turns_in(token), before + 1, "the second turn");
    rp_domain_token_close(token);
}

static void test_token_of_the_dead(void **state)
{
    (void)state;
    enum { DOMAIN = 9998 };
    pid_t pid = fork();
    if (pid == 0) {
        bool taken = rp_domain_token_take(rp_domain_token_open(DOMAIN), 0);
        _exit(taken ? 0 : 1); /* without giving it back */
    }
    int status = 0;
    CHECK_TRUE(waitpid(pid, &status, 0) == pid && status == 0, "the other had it");
    int token = rp_domain_token_open(DOMAIN);
    CHECK_TRUE(rp_domain_token_take(token, 0), "the kernel gave it back");
    rp_domain_token_close(token);
}

/* A thread that others crowd out waits for its core, and that is seen. */
static void test_lost_core(void **state)
{
    (void)state;
    enum { CROWD = 3 };
    pid_t crowd[CROWD];
    struct rp_sample_watch seen;
    struct rp_device *device = open_device(); /* binds this thread; children inherit it */
    for (int i = 0; i < CROWD; ++i) {
        crowd[i] = fork();
        if (crowd[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                (void)rp_clock_now_s();
        }
    }
    rp_device_sample_begin(device);
    double start_s = rp_clock_now_s();
    while (rp_clock_now_s() - start_s < 0.2)
        ;
    rp_device_sample_end(device, &seen);
    for (int i = 0; i < CROWD; ++i) {
        kill(crowd[i], SIGKILL);
        waitpid(crowd[i], NULL, 0);
    }
    if (!isnan(seen.lost_s)) /* some kernels do not tell */
        CHECK_TRUE(seen.lost_s > 0.02, "a share of the core was lost");
    rp_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_is_lazy),
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_token_of_the_dead),
        cmocka_unit_test(test_token_with_a_long_queue),
        cmocka_unit_test(test_token_counts_turns),
        cmocka_unit_test(test_lost_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
