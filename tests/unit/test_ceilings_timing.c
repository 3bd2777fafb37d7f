/*
 * test_ceilings_timing.c - ceilings of this machine: every kind once, and in an order that holds on
 * any of them. Whatever else runs here disturbs them, so an order may take three attempts.
 */
#include "check.h"

#include "ceiling_rows.h"

static void measure(struct ceiling_rows *kept)
{
    struct rp_device *device = NULL;
    const struct rp_device_request request = {.local_size = 1, .threads = 1};
    struct rp_ceilings_listener listener = ceiling_listener(kept);
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    CHECK_OK(rp_measure_ceilings(device, &listener), "measure");
    CHECK_EQ_I64(rp_device_held_bytes(device), 0, "memory is back to where it was");
    rp_device_close(device);
}

static bool is_ordered(const struct ceiling_rows *kept)
{
    const struct rp_ceiling *memory = ceiling_of(kept, "read_bandwidth", "");
    const struct rp_ceiling *cache = ceiling_of(kept, "cache_bandwidth", "");
    const struct rp_ceiling *burst = ceiling_of(kept, "compute", "cpu_fp32");
    const struct rp_ceiling *long_run = ceiling_of(kept, "compute_sustained", "cpu_fp32");
    return memory->ci_low <= 1.5 * cache->ci_high && long_run->ci_low <= 1.5 * burst->ci_high;
}

static void test_every_kind_once(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *path, *units;
    } expected[] = {
        {"compute", "cpu_fp32", "FLOP/s"},
        {"compute_sustained", "cpu_fp32", "FLOP/s"},
        {"bandwidth", "", "B/s"},
        {"read_bandwidth", "", "B/s"},
        {"cache_bandwidth", "", "B/s"},
        {"latency", "", "s"},
        {"anchor", "", "s"},
        {"anchor_read", "", "B/s"},
    };
    struct ceiling_rows kept;
    measure(&kept);
    CHECK_EQ_I64(kept.n, (int64_t)RP_COUNT(expected), "rows");
    for (size_t i = 0; i < RP_COUNT(expected); ++i) {
        const struct rp_ceiling *row = ceiling_of(&kept, expected[i].kind, expected[i].path);
        check_row(row, expected[i].units);
        CHECK_EQ_I64(row->threads, 1, row->kind);
        CHECK_TRUE(isnan(row->datasheet), "no datasheet of a CPU");
    }
    CHECK_TRUE(ceiling_of(&kept, "bandwidth", "")->value >=
                   ceiling_of(&kept, "read_bandwidth", "")->value,
               "the best of several, reading among them");
    for (int attempt = 1; attempt < 3 && !is_ordered(&kept); ++attempt)
        measure(&kept);
    CHECK_TRUE(is_ordered(&kept), "memory is not above its cache, nor sustained above burst");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
