/*
 * test_kernels_cuda.c - the implementations of CUDA equal the double-precision oracle on all rows,
 * in every dtype, in three orders of threads, on a T4 and an A100; hidden keys do not leak; a query
 * head reads its own kv head; what cannot be is refused. With the argument "small" only small
 * shapes: under a sanitizer everything takes ten times as long.
 */
#include "cuda_call.h"

#include "measure/accuracy.h"

static const struct rp_kernel *const kernels[] = {&rp_kernel_cuda_naive, &rp_kernel_cuda_reference,
                                                  &rp_kernel_cuda_fused};

static int64_t scores_most = INT64_MAX; /* of a head */

static const enum rp_dtype dtypes[] = {RP_DTYPE_fp32, RP_DTYPE_tf32, RP_DTYPE_fp16, RP_DTYPE_bf16};

/* Whether the point can be measured at all on the device, and by the kernel. */
static bool is_supported(const struct rp_kernel *kernel, const struct rp_point *p,
                         const struct rp_device_info *device)
{
    return kernel->supports(p, device) == RP_OK;
}

static const struct shape shapes[] = {
    /* lengths around the tiles, with and without a mask */
    {1, 2, 2, 1, 1, 16, true, 0},
    {1, 2, 2, 15, 15, 16, true, 0},
    {2, 2, 1, 17, 17, 32, true, 0},
    {1, 1, 1, 127, 127, 40, true, 0},
    {1, 1, 1, 128, 128, 64, false, 0},
    {1, 1, 1, 129, 129, 64, true, 0},
    {1, 2, 1, 192, 192, 32, true, 0},
    {2, 2, 2, 63, 64, 24, false, 0},
    {1, 2, 2, 64, 50, 24, false, 0},
    {1, 3, 3, 77, 100, 20, true, 0},
    /* widths */
    {1, 2, 2, 33, 33, 1, true, 0},
    {1, 2, 1, 33, 33, 7, true, 0},
    {1, 1, 1, 33, 33, 80, false, 0},
    {1, 1, 1, 33, 33, 224, true, 0},
    {1, 1, 1, 33, 33, 257, false, 0},
    /* groups */
    {1, 12, 12, 9, 9, 16, true, 0},
    {1, 32, 8, 10, 13, 16, true, 0},
    {1, 28, 4, 7, 7, 16, false, 0},
    {1, 8, 1, 21, 33, 16, true, 0},
    /* decode: one row and several */
    {3, 4, 4, 1, 33, 64, false, 0},
    {1, 8, 1, 1, 1000, 40, false, 0},
    {1, 4, 2, 4, 300, 128, true, 0},
    /* large scores: 151, 1e4 and beyond, of both signs */
    {1, 2, 2, 60, 60, 64, true, 32.0f},
    {1, 2, 1, 60, 60, 64, true, 2048.0f},
};

static void check_shape(const struct shape *s, enum rp_dtype dtype,
                        const struct rp_device_info *device)
{
    struct rp_point p = point_of(s, dtype);
    struct rp_oracle oracle;
    struct call c;
    call_begin(&c, &p);
    for (int64_t i = 0; s->q_scale != 0.0f && i < rp_inputs_count(&p, RP_TENSOR_Q); ++i)
        c.values[RP_TENSOR_Q][i] *= s->q_scale;
    call_pack(&c);
    CHECK_OK(rp_oracle_create(&p, c.stored[RP_TENSOR_Q], c.stored[RP_TENSOR_K],
                              c.stored[RP_TENSOR_V], INT64_MAX, 1, &oracle),
             "oracle");
    for (size_t i = 0; i < RP_COUNT(kernels); ++i) {
        struct rp_accuracy accuracy;
        if (!is_supported(kernels[i], &p, device))
            continue;
        call_launch(&c, kernels[i]);
        rp_accuracy_check(&p, &oracle, c.o, rp_dtype_unit_roundoff(dtype), &accuracy);
        if (!accuracy.passed)
            fail_msg("%s: %s", call_name(&c, kernels[i]), accuracy.reason);
    }
    rp_oracle_clear(&oracle);
    call_end(&c);
}

/* Upwards in every dtype; in the other orders, which are about threads, each shape in one of them.
 */
static void equals_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < RP_COUNT(shapes) * HOST_CUDA_ORDER_COUNT; ++i) {
        const struct shape *s = &shapes[i % RP_COUNT(shapes)];
        size_t order = i / RP_COUNT(shapes);
        bool is_t4 = (i + order) % 2 == 0;
        const struct rp_device_info *device = is_t4 ? &t4 : &a100;
        host_cuda_reset(&(struct host_cuda_settings){.devices = is_t4 ? "t4" : "a100",
                                                     .order = (enum host_cuda_order)order});
        for (size_t t = 0; t < RP_COUNT(dtypes); ++t) {
            if (s->seq_q * s->seq_k > scores_most)
                continue;
            if (order == HOST_CUDA_UP || t == (i + order) % RP_COUNT(dtypes))
                check_shape(s, dtypes[t], device);
        }
    }
}

/* Keys from `first` on become NaN and their values huge. Rows that do not see them stay the same,
 * bit for bit; the others do not. */
static void check_hidden(const struct rp_kernel *kernel, const struct rp_point *p, int64_t first)
{
    struct call c;
    size_t bytes = tensor_bytes(p, RP_TENSOR_Q);
    size_t row_bytes = (size_t)p->head_dim * (size_t)rp_dtype_info(p->dtype)->storage_bytes;
    char *clean = malloc(bytes);
    call_begin(&c, p);
    call_launch(&c, kernel);
    memcpy(clean, c.o, bytes);
    for (int64_t i = 0; i < rp_inputs_count(p, RP_TENSOR_K); ++i) {
        if (i / p->head_dim % p->seq_k < first)
            continue;
        c.values[RP_TENSOR_K][i] = NAN;
        c.values[RP_TENSOR_V][i] = p->dtype == RP_DTYPE_fp16 ? 65504.0f : 1e30f;
    }
    call_pack(&c);
    call_launch(&c, kernel);
    for (int64_t row = 0; row < p->batch * p->heads * p->seq_q; ++row) {
        size_t at = (size_t)row * row_bytes;
        bool sees = p->seq_k - p->seq_q + row % p->seq_q >= first;
        bool same = memcmp(clean + at, (char *)c.o + at, row_bytes) == 0;
        if (same == sees)
            fail_msg("%s: query %d, keys from %d spoiled", call_name(&c, kernel),
                     (int)(row % p->seq_q), (int)first);
    }
    free(clean);
    call_end(&c);
}

static void hidden_keys_do_not_leak(void **state)
{
    (void)state;
    const struct shape shape = {1, 4, 2, 50, 70, 24, true, 0};
    host_cuda_reset(&(struct host_cuda_settings){.devices = "a100"});
    for (size_t i = 0; i < RP_COUNT(kernels) * RP_COUNT(dtypes); ++i) {
        const struct rp_kernel *kernel = kernels[i % RP_COUNT(kernels)];
        const struct rp_point p = point_of(&shape, dtypes[i / RP_COUNT(kernels)]);
        for (int64_t first = 21; is_supported(kernel, &p, &a100) && first < 70; first += 48)
            check_hidden(kernel, &p, first);
    }
}

/* V is constant on each kv head, so the output says which one a query head read. */
static void query_heads_read_their_own_kv_head(void **state)
{
    (void)state;
    static const struct shape groups[] = {
        {2, 4, 2, 5, 64, 8, true, 0}, {1, 32, 8, 1, 64, 8, false, 0}, {1, 71, 1, 3, 9, 8, true, 0}};
    host_cuda_reset(&(struct host_cuda_settings){.devices = "t4"});
    for (size_t i = 0; i < RP_COUNT(groups) * RP_COUNT(kernels); ++i) {
        const struct rp_point p = point_of(&groups[i % RP_COUNT(groups)], RP_DTYPE_fp32);
        const struct rp_kernel *kernel = kernels[i / RP_COUNT(groups)];
        struct call c;
        if (!is_supported(kernel, &p, &t4))
            continue;
        call_begin(&c, &p);
        for (int64_t e = 0; e < rp_inputs_count(&p, RP_TENSOR_V); ++e)
            c.values[RP_TENSOR_V][e] = (float)(e / (p.seq_k * p.head_dim));
        call_pack(&c);
        call_launch(&c, kernel);
        for (int64_t e = 0; e < rp_inputs_count(&p, RP_TENSOR_Q); ++e) {
            int64_t head = e / (p.seq_q * p.head_dim); /* over batch and heads */
            double expected = (double)(head / (p.heads / p.kv_heads));
            CHECK_NEAR((double)((const float *)c.o)[e], expected, 1e-5 * expected,
                       call_name(&c, kernel));
        }
        call_end(&c);
    }
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    struct shape shape = {1, 1, 1, 4, 4, 16, false, 0};
    struct rp_point p = point_of(&shape, RP_DTYPE_bf16);
    for (size_t i = 0; i < RP_COUNT(kernels); ++i) {
        CHECK_STATUS(kernels[i]->supports(&p, &t4), RP_ERR_UNSUPPORTED, "bf16");
        CHECK_CONTAINS(rp_status_message(), "compute capability 8.0", "bf16");
        CHECK_OK(kernels[i]->supports(&p, &a100), "bf16");
    }
    p.dtype = RP_DTYPE_tf32;
    CHECK_STATUS(kernels[0]->supports(&p, &a100), RP_ERR_UNSUPPORTED, "tf32 on plain cores");
    CHECK_OK(kernels[1]->supports(&p, &a100), "tf32");
    CHECK_STATUS(kernels[1]->supports(&p, &t4), RP_ERR_UNSUPPORTED, "tf32");
    p.head_dim = 257;
    CHECK_STATUS(kernels[2]->supports(&p, &a100), RP_ERR_UNSUPPORTED, "head_dim");
    CHECK_CONTAINS(rp_status_message(), "head_dim=257 is beyond 256", "head_dim");
    p = point_of(&(struct shape){1 << 12, 1 << 10, 1, 1 << 10, 1, 1, false, 0}, RP_DTYPE_fp16);
    for (size_t i = 0; i < 2; ++i) {
        CHECK_STATUS(kernels[i]->supports(&p, &a100), RP_ERR_UNSUPPORTED, "blocks");
        CHECK_CONTAINS(rp_status_message(), "4294967296 is beyond 2147483647", "blocks");
    }
}

/* A call that fails says which, and the next one works. */
static void failures_are_told(void **state)
{
    (void)state;
    static const char *const fails[] = {"LAUNCH:2:9", "cublasGemmStridedBatchedEx:2:13",
                                        "LAUNCH:1:9"};
    static const char *const words[] = {"softmax", "cublasGemmStridedBatchedEx: cuBLAS", "decode"};
    const struct shape shape = {1, 2, 1, 9, 9, 16, true, 0};
    const struct rp_point p = point_of(&shape, RP_DTYPE_fp16);
    for (size_t i = 0; i < RP_COUNT(kernels); ++i) {
        struct rp_cuda_queue queue = {0};
        host_cuda_reset(&(struct host_cuda_settings){.devices = "t4", .fail = fails[i]});
        void *data = device_copy(NULL, 1 << 16);
        const struct rp_attention a = {.point = &p,
                                       .q = data,
                                       .k = data,
                                       .v = data,
                                       .o = (char *)data + (1 << 14),
                                       .scores = (char *)data + (1 << 15),
                                       .queue = &queue};
        CHECK_STATUS(kernels[i]->launch(&a), RP_ERR_DEVICE, fails[i]);
        CHECK_CONTAINS(rp_status_message(), words[i], fails[i]);
        CHECK_OK(kernels[i]->launch(&a), fails[i]);
        cudaFree(data);
        if (queue.library)
            queue.library_close(queue.library);
        CHECK_EQ_I64(host_cuda_leaks(), 0, fails[i]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_oracle),
        cmocka_unit_test(hidden_keys_do_not_leak),
        cmocka_unit_test(query_heads_read_their_own_kv_head),
        cmocka_unit_test(refusals_are_sentences),
        cmocka_unit_test(failures_are_told),
    };
    if (argc > 1 && strcmp(argv[1], "small") == 0)
        scores_most = 400;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
