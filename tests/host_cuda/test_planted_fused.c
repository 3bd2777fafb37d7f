/*
 * test_planted_fused.c - the tests would see a barrier too few in the fused kernels, whichever it
 * is, and waits for cp.async that are one group short: some order of threads gives other bits. The
 * same source with nothing left out gives the same bits in all.
 */
#include "cuda_call.h"

#include "planted_fused.h"

static const char *const devices[] = {"t4", "a100"};

/* Five steps in each. */
static const struct shape prefill = {1, 1, 1, 70, 300, 64, false, 0};
static const struct shape decode = {1, 16, 1, 1, 300, 64, false, 0};

static size_t output_bytes(const struct call *c)
{
    return tensor_bytes(&c->p, RP_TENSOR_Q);
}

static void launch_in(struct call *c, const char *device, int order, bool copies_early)
{
    host_cuda_reset(&(struct host_cuda_settings){
        .devices = device, .order = (enum host_cuda_order)order, .copies_early = copies_early});
    call_launch(c, &rp_kernel_cuda_fused);
}

/* In how many of the orders, on which copies land early or late, the output is another one. */
static int count_seen(struct call *c, int fault)
{
    void *right = malloc(output_bytes(c));
    int n = 0;
    for (size_t i = 0; i < RP_COUNT(devices); ++i) {
        planted_fault = PLANTED_NOTHING;
        launch_in(c, devices[i], HOST_CUDA_UP, false);
        memcpy(right, c->o, output_bytes(c));
        planted_fault = fault;
        for (int run = 0; run < 2 * HOST_CUDA_ORDER_COUNT; ++run) {
            launch_in(c, devices[i], run / 2, run % 2);
            n += memcmp(right, c->o, output_bytes(c)) != 0;
        }
    }
    planted_fault = PLANTED_NOTHING;
    free(right);
    return n;
}

static void check_kernel(const struct shape *shape, int n_barriers)
{
    const struct rp_point p = point_of(shape, RP_DTYPE_fp16);
    struct call c;
    call_begin(&c, &p);
    CHECK_TRUE(n_barriers >= 4, "barriers are counted");
    CHECK_EQ_I64(count_seen(&c, PLANTED_NOTHING), 0, "nothing left out");
    CHECK_TRUE(count_seen(&c, PLANTED_SHORT_WAITS) > 0, "short waits");
    for (int barrier = 0; barrier < n_barriers; ++barrier) {
        if (count_seen(&c, barrier) == 0)
            fail_msg("%s: barrier %d of %d is not missed", call_name(&c, &rp_kernel_cuda_fused),
                     barrier, n_barriers);
    }
    call_end(&c);
}

static void prefill_needs_its_barriers(void **state)
{
    (void)state;
    check_kernel(&prefill, planted_prefill_barriers);
}

static void decode_needs_its_barriers(void **state)
{
    (void)state;
    check_kernel(&decode, planted_decode_barriers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefill_needs_its_barriers),
        cmocka_unit_test(decode_needs_its_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
