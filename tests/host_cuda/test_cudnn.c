/*
 * test_cudnn.c - `cudnn` on the stand-in of fake_cudnn.cpp: its graph computes attention, masked,
 * grouped, of unequal lengths, in memory of the size that was asked for; what cuDNN refuses, lacks
 * or breaks is told in its words.
 */
#include "cuda_call.h"

#include "measure/accuracy.h"

static const struct rp_kernel *const cudnn = &rp_kernel_cuda_cudnn;

static const struct shape shapes[] = {
    {1, 2, 2, 1, 33, 16, false, 0},  {1, 1, 1, 17, 17, 64, false, 0},
    {2, 2, 1, 17, 17, 32, true, 0},  {1, 6, 2, 9, 40, 24, true, 0},
    {2, 8, 2, 1, 50, 40, false, 0},  {3, 4, 4, 5, 7, 8, false, 0},
    {1, 4, 1, 33, 64, 128, true, 0},
};

static void equals_the_oracle(void **state)
{
    (void)state;
    static const enum rp_dtype dtypes[] = {RP_DTYPE_fp16, RP_DTYPE_bf16};
    host_cuda_reset(&(struct host_cuda_settings){.devices = "a100"});
    for (size_t i = 0; i < RP_COUNT(shapes) * RP_COUNT(dtypes); ++i) {
        struct rp_point p = point_of(&shapes[i / RP_COUNT(dtypes)], dtypes[i % RP_COUNT(dtypes)]);
        struct rp_accuracy accuracy;
        struct rp_oracle oracle;
        struct call c;
        call_begin(&c, &p);
        CHECK_OK(cudnn->supports(&p, &a100), call_name(&c, cudnn));
        CHECK_OK(rp_oracle_create(&p, c.stored[RP_TENSOR_Q], c.stored[RP_TENSOR_K],
                                  c.stored[RP_TENSOR_V], INT64_MAX, 1, &oracle),
                 "oracle");
        call_launch(&c, cudnn);
        rp_accuracy_check(&p, &oracle, c.o, rp_dtype_unit_roundoff(p.dtype), &accuracy);
        if (!accuracy.passed)
            fail_msg("%s: %s", call_name(&c, cudnn), accuracy.reason);
        rp_oracle_clear(&oracle);
        call_end(&c);
    }
}

static void what_cannot_be_is_a_sentence(void **state)
{
    (void)state;
    struct rp_point p = point_of(&shapes[2], RP_DTYPE_fp32);
    host_cuda_reset(&(struct host_cuda_settings){.devices = "a100"});
    CHECK_STATUS(cudnn->supports(&p, &a100), RP_ERR_UNSUPPORTED, "fp32");
    CHECK_CONTAINS(rp_status_message(), "fp16 and bf16, not fp32", "fp32");
    p.dtype = RP_DTYPE_fp16;
    CHECK_STATUS(cudnn->supports(&p, &t4), RP_ERR_UNSUPPORTED, "a T4");
    CHECK_CONTAINS(rp_status_message(), "needs compute capability 8.0", "a T4");
    host_cuda_reset(
        &(struct host_cuda_settings){.devices = "a100", .fail = "cudnnGetVersion:1:90100"});
    CHECK_STATUS(cudnn->supports(&p, &a100), RP_ERR_UNSUPPORTED, "an old version");
    CHECK_CONTAINS(rp_status_message(), "cuDNN 9.1.0 is too old: 9.6.0 is needed", "old");
}

static void refusals_are_cudnns_own_words(void **state)
{
    (void)state;
    struct rp_point p = point_of(&shapes[2], RP_DTYPE_fp16);
    struct rp_cuda_queue queue = {0};
    int64_t bytes = 0;
    host_cuda_reset(&(struct host_cuda_settings){.devices = "a100"});
    p.head_dim = 12;
    CHECK_STATUS(cudnn->prepare(&p, &queue, &bytes), RP_ERR_UNSUPPORTED, "12");
    CHECK_CONTAINS(rp_status_message(),
                   "no engine for this point; it said last: hidden_dim is no "
                   "multiple of 8",
                   "12");
    CHECK_TRUE(!strchr(rp_status_message(), '\n'), "in one line");
    p.head_dim = 16;
    CHECK_OK(cudnn->prepare(&p, &queue, &bytes), "and the next one is made ready");
    CHECK_EQ_I64(bytes, 4096, "workspace");
    queue.cudnn_close(queue.cudnn);
    CHECK_EQ_I64(host_cuda_leaks(), 0, "every descriptor is given back");
}

/* A finalization that is refused, one that breaks, a call that breaks. */
static void failures_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *fail;
        enum rp_status prepared, launched;
    } cases[] = {{"cudnnBackendFinalize:1:3002", RP_ERR_UNSUPPORTED, RP_ERR_INTERNAL},
                 {"cudnnBackendFinalize:1:4001", RP_ERR_DEVICE, RP_ERR_INTERNAL},
                 {"cudnnBackendExecute:1:5001", RP_OK, RP_ERR_DEVICE}};
    const struct rp_point p = point_of(&shapes[2], RP_DTYPE_fp16);
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_cuda_queue queue = {0};
        int64_t bytes = 0;
        host_cuda_reset(&(struct host_cuda_settings){.devices = "a100", .fail = cases[i].fail});
        void *data = device_copy(NULL, 1 << 16);
        const struct rp_attention a = {.point = &p,
                                       .q = data,
                                       .k = data,
                                       .v = data,
                                       .o = data,
                                       .workspace = data,
                                       .queue = &queue};
        CHECK_STATUS(cudnn->prepare(&p, &queue, &bytes), cases[i].prepared, cases[i].fail);
        CHECK_STATUS(cudnn->launch(&a), cases[i].launched, cases[i].fail);
        if (cases[i].launched == RP_ERR_DEVICE)
            CHECK_CONTAINS(rp_status_message(), "attention: failed: as the test asked", "words");
        CHECK_OK(cudnn->prepare(&p, &queue, &bytes), "once more");
        CHECK_OK(cudnn->launch(&a), "and it works");
        cudaFree(data);
        queue.cudnn_close(queue.cudnn);
        CHECK_EQ_I64(host_cuda_leaks(), 0, cases[i].fail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_oracle),
        cmocka_unit_test(what_cannot_be_is_a_sentence),
        cmocka_unit_test(refusals_are_cudnns_own_words),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
