/* test_roll_call.c - who has which device: each refusal names ranks, devices and the remedy. */
#include "check.h"

#include <string.h>

#include "runner/roll_call.h"

static struct rp_rank_hello hello_of(const char *backend, const char *gpu_type, const char *uuid,
                                     const char *host)
{
    struct rp_rank_hello hello = {.status = RP_OK};
    snprintf(hello.host, sizeof hello.host, "%s", host);
    RP_WORD_SET(hello.info.row.backend, backend);
    RP_WORD_SET(hello.info.row.gpu_type, gpu_type);
    RP_WORD_SET(hello.info.row.uuid, uuid);
    RP_WORD_SET(hello.info.row.host, host);
    return hello;
}

static void test_two_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *backend, *types[2], *uuids[2], *hosts[2];
        const char *gpu_type;
        const char *said[3]; /* no text: accepted */
    } cases[] = {
        {.name = "each its own",
         .backend = "cuda",
         .types = {"t4", "t4"},
         .uuids = {"GPU-1", "GPU-2"},
         .hosts = {"a", "a"},
         .gpu_type = "t4"},
        {.name = "the same number on two nodes",
         .backend = "simulated",
         .types = {"t4", "t4"},
         .uuids = {"0", "0"},
         .hosts = {"a", "b"}},
        {.name = "one GPU twice",
         .backend = "cuda",
         .types = {"t4", "t4"},
         .uuids = {"GPU-1", "GPU-1"},
         .hosts = {"a", "a"},
         .gpu_type = "t4",
         .said = {"ranks 0 and 1 on a", "GPU-1", "--gpu-bind=single:1"}},
        {.name = "CPU ranks may share",
         .backend = "cpu",
         .types = {"cpu-x", "cpu-x"},
         .uuids = {"cpu-a", "cpu-a"},
         .hosts = {"a", "a"}},
        {.name = "another type than asked for",
         .backend = "cuda",
         .types = {"h100-sxm-80gb", "t4"},
         .uuids = {"GPU-1", "GPU-2"},
         .hosts = {"a", "b"},
         .gpu_type = "h100-sxm-80gb",
         .said = {"rank 1 on b", "GPU-2, type t4", "h100-sxm-80gb"}},
        {.name = "two types, and none asked for",
         .backend = "cuda",
         .types = {"h100-sxm-80gb", "t4"},
         .uuids = {"GPU-1", "GPU-2"},
         .hosts = {"a", "a"},
         .gpu_type = ""},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_rank_hello hellos[2];
        const struct rp_rank_hello *const all[2] = {&hellos[0], &hellos[1]};
        for (int r = 0; r < 2; ++r)
            hellos[r] =
                hello_of(cases[i].backend, cases[i].types[r], cases[i].uuids[r], cases[i].hosts[r]);
        enum rp_status wanted = cases[i].said[0] ? RP_ERR_ENVIRONMENT : RP_OK;
        CHECK_EQ_I64(rp_roll_call_check(all, 2, cases[i].gpu_type), wanted, cases[i].name);
        for (size_t s = 0; s < RP_COUNT(cases[i].said) && cases[i].said[s]; ++s)
            CHECK_CONTAINS(rp_status_message(), cases[i].said[s], cases[i].name);
    }
}

static void test_no_device(void **state)
{
    (void)state;
    struct rp_rank_hello hellos[2] = {hello_of("cuda", "t4", "GPU-1", "a"),
                                      hello_of("", "", "", "b")};
    const struct rp_rank_hello *const all[2] = {&hellos[0], &hellos[1]};
    hellos[1].status = RP_ERR_DEVICE;
    snprintf(hellos[1].failure, sizeof hellos[1].failure, "no driver");
    CHECK_EQ_I64(rp_roll_call_check(all, 2, "t4"), RP_ERR_DEVICE, "the rank's own status");
    CHECK_CONTAINS(rp_status_message(), "rank 1 on b has no device: no driver", "who and why");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_no_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
