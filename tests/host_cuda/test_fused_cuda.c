/*
 * test_fused_cuda.c - what the fused kernels of CUDA promise beside the right result: the same bits
 * in every order of threads and whenever copies land, over four steps and more; shared memory
 * without bank conflicts; parts of a decode that do not change what comes out.
 */
#include "cuda_call.h"

#include "measure/accuracy.h"
#include "model/method_cuda.h"

static const char *const devices[] = {"t4", "a100", "h100"};

static const struct shape shapes[] = {
    {1, 2, 1, 130, 261, 64, true, 0},  /* prefill, five steps, whole chunks */
    {1, 1, 1, 70, 290, 100, false, 0}, /* no whole chunks */
    {1, 1, 1, 66, 258, 256, true, 0},
    {1, 8, 2, 1, 1500, 128, false, 0}, /* decode in parts of four steps */
    {1, 6, 2, 6, 530, 60, true, 0},    /* two tiles of rows, some keys hidden */
    {1, 1, 1, 2, 515, 256, true, 0},
};

/* The output in one order of threads is the output in all. */
static void check_orders(const struct shape *shape, enum rp_dtype dtype, const char *device)
{
    const struct rp_point p = point_of(shape, dtype);
    const size_t bytes = tensor_bytes(&p, RP_TENSOR_Q);
    void *first = malloc(bytes);
    struct call c;
    call_begin(&c, &p);
    for (int i = 0; i < HOST_CUDA_ORDER_COUNT; ++i) {
        host_cuda_reset(&(struct host_cuda_settings){.devices = device,
                                                     .order = (enum host_cuda_order)i,
                                                     .copies_early = i == HOST_CUDA_DOWN});
        call_launch(&c, &rp_kernel_cuda_fused);
        CHECK_EQ_I64(host_cuda_bank_conflicts(), 0, call_name(&c, &rp_kernel_cuda_fused));
        if (i == 0)
            memcpy(first, c.o, bytes);
        if (memcmp(first, c.o, bytes) != 0)
            fail_msg("%s: %s, order %d: other bits", call_name(&c, &rp_kernel_cuda_fused), device,
                     i);
    }
    call_end(&c);
    free(first);
}

static void bits_are_the_same_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(shapes); ++i) {
        const char *device = devices[i % RP_COUNT(devices)];
        check_orders(&shapes[i], RP_DTYPE_fp16, "t4");
        check_orders(&shapes[i], RP_DTYPE_fp32, "t4");
        check_orders(&shapes[i], i % 2 ? RP_DTYPE_bf16 : RP_DTYPE_fp16,
                     i % RP_COUNT(devices) ? device : "h100");
    }
}

/* As equals_the_oracle of test_kernels_cuda.c, for more steps and each profile of a GPU. */
static void equals_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(shapes) * RP_COUNT(devices); ++i) {
        static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_bf16, RP_DTYPE_fp16};
        const enum rp_dtype dtype = dtypes[i % RP_COUNT(devices)];
        const struct rp_point p = point_of(&shapes[i / RP_COUNT(devices)], dtype);
        struct rp_accuracy accuracy;
        struct rp_oracle oracle;
        struct call c;
        host_cuda_reset(&(struct host_cuda_settings){.devices = devices[i % RP_COUNT(devices)]});
        call_begin(&c, &p);
        CHECK_OK(rp_oracle_create(&p, c.stored[RP_TENSOR_Q], c.stored[RP_TENSOR_K],
                                  c.stored[RP_TENSOR_V], INT64_MAX, 1, &oracle),
                 "oracle");
        call_launch(&c, &rp_kernel_cuda_fused);
        rp_accuracy_check(&p, &oracle, c.o, rp_dtype_unit_roundoff(dtype), &accuracy);
        if (!accuracy.passed)
            fail_msg("%s: %s", call_name(&c, &rp_kernel_cuda_fused), accuracy.reason);
        rp_oracle_clear(&oracle);
        call_end(&c);
    }
}

/* Scores that grow from key to key: every step raises the bound, and O comes along. */
static void rising_scores_are_brought_along(void **state)
{
    (void)state;
    const struct shape shape = {1, 1, 1, 65, 270, 64, false, 0};
    const struct rp_point p = point_of(&shape, RP_DTYPE_fp16);
    struct rp_accuracy accuracy;
    struct rp_oracle oracle;
    struct call c;
    host_cuda_reset(&(struct host_cuda_settings){.devices = "a100"});
    call_begin(&c, &p);
    for (int64_t i = 0; i < rp_inputs_count(&p, RP_TENSOR_K); ++i)
        c.values[RP_TENSOR_K][i] = (float)(i / p.head_dim) / 4.0f;
    for (int64_t i = 0; i < rp_inputs_count(&p, RP_TENSOR_Q); ++i)
        c.values[RP_TENSOR_Q][i] = i / p.head_dim % 2 ? 0.25f : -0.25f; /* and ones that fall */
    call_pack(&c);
    CHECK_OK(rp_oracle_create(&p, c.stored[RP_TENSOR_Q], c.stored[RP_TENSOR_K],
                              c.stored[RP_TENSOR_V], INT64_MAX, 1, &oracle),
             "oracle");
    call_launch(&c, &rp_kernel_cuda_fused);
    rp_accuracy_check(&p, &oracle, c.o, rp_dtype_unit_roundoff(p.dtype), &accuracy);
    CHECK_TRUE(accuracy.passed, accuracy.reason);
    rp_oracle_clear(&oracle);
    call_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_oracle),
        cmocka_unit_test(bits_are_the_same_in_every_order),
        cmocka_unit_test(rising_scores_are_brought_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
