/*
 * test_eviction_timing.c - the flush empties the core's own caches: a walk of dependent loads takes
 * at least 1.5 times as long after it as right after another walk; and a planted flush that leaves
 * the cache as it is would be noticed. Dependent loads, for a kernel that reads as fast as memory
 * can give hides what its caches are worth; through what fits the core's own caches, for on a
 * shared machine the last one's share is no faster than DRAM, or changes from walk to walk.
 *
 * Minima of interleaved walks, so that a busy machine does not matter. Runs alone.
 */
#include "check.h"

#include "device/device.h"

enum { TURNS = 15, LINE_BYTES = 64 };

static const double least_ratio = 1.5;

/* Each line holds the number of the line to read next: all of them once in an order that no
 * prefetcher guesses (a full-period congruential generator; lines are a power of two). */
static void chain_lines(char *memory, uint32_t lines)
{
    for (uint32_t line = 0; line < lines; ++line) {
        uint32_t next = (line * 1664525u + 1013904223u) % lines;
        memcpy(memory + (size_t)line * LINE_BYTES, &next, sizeof next);
    }
}

static double walk_s(struct rp_device *device, const char *memory, uint32_t lines)
{
    double elapsed_s = 0;
    uint32_t line = 0;
    CHECK_OK(rp_device_timer_begin(device), "timer");
    for (uint32_t i = 0; i < lines; ++i)
        memcpy(&line, memory + (size_t)line * LINE_BYTES, sizeof line);
    CHECK_OK(rp_device_timer_end(device, &elapsed_s), "timer");
    CHECK_EQ_I64(line, 0, "all lines once, back at the first");
    return elapsed_s;
}

/* Fastest walk after an eviction over fastest walk right after another one. */
static double cold_over_warm(const struct rp_backend *backend, int kib)
{
    const uint32_t lines = (uint32_t)kib * 1024 / LINE_BYTES;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    struct rp_device *device = NULL;
    struct rp_buffer buffer;
    double warm_s = INFINITY;
    double cold_s = INFINITY;
    CHECK_OK(rp_device_open(backend, &request, &device), "open");
    CHECK_OK(rp_device_alloc(device, RP_MEMORY_WORKSPACE, (size_t)kib * 1024, &buffer), "buffer");
    chain_lines(buffer.data, lines);
    for (int turn = 0; turn < TURNS; ++turn) {
        CHECK_OK(rp_device_cache_evict(device), "evict");
        cold_s = fmin(cold_s, walk_s(device, buffer.data, lines));
        warm_s = fmin(warm_s, walk_s(device, buffer.data, lines));
    }
    rp_device_free(device, &buffer);
    rp_device_close(device);
    return cold_s / warm_s;
}

/* The largest ratio over 1 MiB, 512 KiB, ... 128 KiB. */
static double largest_ratio(const struct rp_backend *backend)
{
    double largest = 0;
    for (int kib = 1024; kib >= 128; kib /= 2) {
        double ratio = cold_over_warm(backend, kib);
        print_message("cold walk over %d KiB takes %.2f times a warm one\n", kib, ratio);
        largest = fmax(largest, ratio);
    }
    return largest;
}

static void test_flush_works(void **state)
{
    (void)state;
    CHECK_TRUE(largest_ratio(rp_backend_find("cpu")) >= least_ratio, "the caches were evicted");
}

static enum rp_status evict_nothing(void *state)
{
    (void)state;
    return RP_OK;
}

static void test_leak_is_noticed(void **state)
{
    (void)state;
    struct rp_backend leaky = *rp_backend_find("cpu");
    leaky.cache_evict = evict_nothing;
    CHECK_TRUE(largest_ratio(&leaky) < least_ratio, "the test above can fail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush_works),
        cmocka_unit_test(test_leak_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
