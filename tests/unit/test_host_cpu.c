/* test_host_cpu.c - the cores a rank was given: shares without overlap, binding, names, threads. */
#include "check.h"

#include <sched.h>
#include <stdlib.h>

#include "device/device.h"
#include "device/host_cpu.h"

static void test_slug(void **state)
{
    (void)state;
    static const struct {
        const char *model, *slug;
    } cases[] = {
        {"AMD EPYC 9654 96-Core Processor", "cpu-amd-epyc-9654-96"},
        {"Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "cpu-intel-xeon-gold-6338"},
        {"", "cpu-unknown"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        char slug[64];
        rp_host_cpu_slug(cases[i].model, slug, sizeof slug);
        CHECK_EQ_TEXT(slug, cases[i].slug, cases[i].model);
    }
}

static void test_shares(void **state)
{
    (void)state;
    struct rp_host_cpu *whole = NULL;
    char lists[2][64];
    int shared_cores = 0;
    CHECK_OK(rp_host_cpu_create(0, 1, &whole), "alone");
    int cores = rp_host_cpu_cores(whole);
    for (int rank = 0; rank < 2; ++rank) {
        struct rp_host_cpu *share = NULL;
        CHECK_OK(rp_host_cpu_create(rank, 2, &share), "one of two");
        rp_host_cpu_list(share, lists[rank], sizeof lists[rank]);
        shared_cores += rp_host_cpu_cores(share);
        CHECK_TRUE(rp_host_cpu_shared(share) == (cores < 2), "shared only when there are too few");
        rp_host_cpu_destroy(share);
    }
    if (cores >= 2) {
        CHECK_EQ_I64(shared_cores, cores, "together they have every core once");
        CHECK_TRUE(strcmp(lists[0], lists[1]) != 0, "and not the same ones");
    }
    struct rp_host_cpu *crowded = NULL;
    CHECK_OK(rp_host_cpu_create(cores, cores + 1, &crowded), "more ranks than cores");
    CHECK_TRUE(rp_host_cpu_shared(crowded), "says so");
    CHECK_EQ_I64(rp_host_cpu_cores(crowded), 1, "and has one core");
    cpu_set_t before;
    cpu_set_t bound;
    sched_getaffinity(0, sizeof before, &before);
    CHECK_OK(rp_host_cpu_bind(crowded, 0), "bind");
    sched_getaffinity(0, sizeof bound, &bound);
    sched_setaffinity(0, sizeof before, &before);
    CHECK_EQ_I64(CPU_COUNT(&bound), 1, "bound to one processing unit");
    rp_host_cpu_destroy(crowded);
    rp_host_cpu_destroy(whole);
}

static void test_threads(void **state)
{
    (void)state;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    setenv("OMP_NUM_THREADS", "1", 1);
    struct rp_device *device = NULL;
    struct rp_device_request request = {.local_size = 1};
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    CHECK_EQ_I64(rp_device_info(device)->threads, 1, "OMP_NUM_THREADS is respected");
    rp_device_close(device);
    sched_setaffinity(0, sizeof before, &before);
    request.threads = 2;
    CHECK_OK(rp_device_open(rp_backend_find("cpu"), &request, &device), "open");
    CHECK_EQ_I64(rp_device_info(device)->threads, 2, "what was asked for comes first");
    rp_device_close(device);
    sched_setaffinity(0, sizeof before, &before);
    unsetenv("OMP_NUM_THREADS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slug),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
