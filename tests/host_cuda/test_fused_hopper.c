/*
 * test_fused_hopper.c - the prefill for compute capability 9.0, with the copy unit and the matrix
 * unit as the manuals describe them (kernel_hopper.h): equal to the oracle; the same bits in every
 * order of threads, whenever boxes land; wrong or stuck with a kind of wait left out; and not taken
 * where it does not belong.
 */
#include "cuda_call.h"

#include "kernels/cuda/hopper_layout.h"
#include "measure/accuracy.h"

extern int planted_wait; /* planted_hopper.cu */

static const struct shape shapes[] = {
    {1, 2, 1, 130, 261, 64, true, 0},   /* five steps: a stage is used twice; two blocks a head */
    {1, 1, 1, 128, 384, 128, false, 0}, /* six, nothing to mask */
    {2, 4, 2, 65, 65, 128, true, 0},    /* ends everywhere, grouped queries, a batch */
    {1, 1, 1, 200, 333, 128, true, 0},
    {1, 1, 1, 90, 90, 64, false, 16}, /* scores that raise the bound */
};

static void set_device(const char *device, int order, bool copies_early)
{
    host_cuda_reset(&(struct host_cuda_settings){
        .devices = device, .order = (enum host_cuda_order)order, .copies_early = copies_early});
}

static void launch_on(struct call *c, const char *device, int order, bool copies_early)
{
    set_device(device, order, copies_early);
    call_launch(c, &rp_kernel_cuda_fused);
}

static void check_oracle(struct call *c)
{
    struct rp_accuracy accuracy;
    struct rp_oracle oracle;
    CHECK_OK(rp_oracle_create(&c->p, c->stored[RP_TENSOR_Q], c->stored[RP_TENSOR_K],
                              c->stored[RP_TENSOR_V], INT64_MAX, 1, &oracle),
             "oracle");
    rp_accuracy_check(&c->p, &oracle, c->o, rp_dtype_unit_roundoff(c->p.dtype), &accuracy);
    if (!accuracy.passed)
        fail_msg("%s: %s", call_name(c, &rp_kernel_cuda_fused), accuracy.reason);
    rp_oracle_clear(&oracle);
}

static void equals_the_oracle_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(shapes); ++i) {
        const struct rp_point p = point_of(&shapes[i], i % 2 ? RP_DTYPE_bf16 : RP_DTYPE_fp16);
        const size_t bytes = tensor_bytes(&p, RP_TENSOR_Q);
        void *first = malloc(bytes);
        struct call c;
        call_begin(&c, &p);
        launch_on(&c, "h100", HOST_CUDA_UP, false);
        check_oracle(&c);
        memcpy(first, c.o, bytes);
        for (int run = 1; run < 2 * HOST_CUDA_ORDER_COUNT; ++run) {
            launch_on(&c, "h100", run / 2, run % 2);
            if (memcmp(first, c.o, bytes) != 0)
                fail_msg("%s: run %d: other bits", call_name(&c, &rp_kernel_cuda_fused), run);
        }
        CHECK_EQ_I64(host_cuda_bank_conflicts(), 0, call_name(&c, &rp_kernel_cuda_fused));
        call_end(&c);
        free(first);
    }
}

/* Ten steps, so that every stage is used again. */
static void needs_its_waits(void **state)
{
    (void)state;
    const struct shape shape = {1, 1, 1, 70, 640, 64, false, 0};
    const struct rp_point p = point_of(&shape, RP_DTYPE_fp16);
    const size_t bytes = tensor_bytes(&p, RP_TENSOR_Q);
    void *right = malloc(bytes);
    struct call c;
    call_begin(&c, &p);
    launch_on(&c, "h100", HOST_CUDA_UP, false);
    check_oracle(&c);
    memcpy(right, c.o, bytes);
    setenv("HOST_CUDA_QUIET", "1", 1);
    for (int kind = 0; kind < RP_HOPPER_KINDS; ++kind) {
        int n_seen = 0;
        planted_wait = kind;
        for (int run = 0; run < 2 * HOST_CUDA_ORDER_COUNT && n_seen == 0; ++run) {
            set_device("h100", run / 2, run % 2);
            n_seen += call_try(&c, &rp_kernel_cuda_fused) != cudaSuccess ||
                      memcmp(right, c.o, bytes) != 0;
        }
        if (n_seen == 0)
            fail_msg("nobody misses the waits of kind %d", kind);
    }
    planted_wait = -1;
    unsetenv("HOST_CUDA_QUIET");
    call_end(&c);
    free(right);
}

/* Tensor maps are made by this path alone: where they cannot be, other calls go on. */
static void serves_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *name, *device;
        struct shape shape;
        enum rp_dtype dtype;
        bool is_served;
    } cases[] = {
        {"fp16", "h100", {1, 1, 1, 66, 66, 64, true, 0}, RP_DTYPE_fp16, true},
        {"bf16", "h100", {1, 1, 1, 66, 66, 128, true, 0}, RP_DTYPE_bf16, true},
        {"tf32", "h100", {1, 1, 1, 66, 66, 64, true, 0}, RP_DTYPE_tf32, false},
        {"a width between", "h100", {1, 1, 1, 66, 66, 96, true, 0}, RP_DTYPE_fp16, false},
        {"a decode", "h100", {1, 1, 1, 1, 66, 64, true, 0}, RP_DTYPE_fp16, false},
        {"8.0", "a100", {1, 1, 1, 66, 66, 64, true, 0}, RP_DTYPE_fp16, false},
        {"7.5", "t4", {1, 1, 1, 66, 66, 64, true, 0}, RP_DTYPE_fp16, false},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_point p = point_of(&cases[i].shape, cases[i].dtype);
        struct call c;
        call_begin(&c, &p);
        launch_on(&c, cases[i].device, HOST_CUDA_UP, false);
        CHECK_EQ_I64(host_cuda_boxes() > 0, cases[i].is_served, cases[i].name);
        check_oracle(&c);
        call_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_what_it_says),
        cmocka_unit_test(equals_the_oracle_in_every_order),
        cmocka_unit_test(needs_its_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
