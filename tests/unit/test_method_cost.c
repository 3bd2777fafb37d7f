/* test_method_cost.c - counts of every method against numbers that can be worked out by hand. */
#include "check.h"

#include "model/cost.h"
#include "model/method_cost.h"

static const struct rp_method_device one_thread = {.backend = "cpu", .threads = 1};
static const struct rp_method_device gpu = {
    .backend = "cuda", .threads = -1, .multiprocessors = 132};

static struct rp_point prefill(int64_t heads, int64_t seq, int64_t head_dim, enum rp_dtype dtype)
{
    return (struct rp_point){.batch = 1,
                             .heads = heads,
                             .kv_heads = heads,
                             .seq_q = seq,
                             .seq_k = seq,
                             .head_dim = head_dim,
                             .dtype = dtype};
}

static struct rp_method_cost cost_of(const struct rp_method_device *device, enum rp_impl impl,
                                     const struct rp_point *p)
{
    struct rp_method_cost cost;
    CHECK_OK(rp_method_cost_of(device, impl, p, &cost), rp_impl_name(impl));
    return cost;
}

static void cpu_naive(void **state)
{
    (void)state;
    struct rp_point p = prefill(2, 100, 20, RP_DTYPE_fp16);
    p.causal = true;
    struct rp_method_cost c = cost_of(&one_thread, RP_IMPL_naive, &p);
    int64_t scores = 4 * 2 * 100 * 100;
    int64_t panels = 112 * 20 + 100 * 32; /* one head: keys rounded up to 16, then width */
    CHECK_EQ_TEXT(c.path, "cpu_fp32", "path");
    CHECK_EQ_I64(c.launches, 1, "launches");
    CHECK_EQ_I64(c.flops_impl, 4 * 2 * 100 * 100 * 20, "hidden pairs too");
    CHECK_EQ_I64(c.tensor_bytes, 2 * 4 * 2 * 100 * 20, "tensors");
    CHECK_EQ_I64(c.scores_bytes, scores, "scores");
    /* The larger set of panels, and 96 rows of 32 for the thread. */
    CHECK_EQ_I64(c.workspace_bytes, 4 * (2 * 3200 + 96 * 32), "workspace");
    /* Written once, read by each of two blocks of 96 rows. */
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 4 * scores + 3 * 4 * 2 * panels, "bytes");
    CHECK_EQ_I64(rp_method_cost_memory(&c), c.tensor_bytes + scores + c.workspace_bytes, "memory");
}

static void cpu_reference(void **state)
{
    (void)state;
    struct rp_point p = prefill(4, 128, 64, RP_DTYPE_fp32);
    p.kv_heads = 1; /* 512 stacked rows: two blocks of 256 */
    struct rp_method_cost c = cost_of(&one_thread, RP_IMPL_reference, &p);
    int64_t scores = 4 * 4 * 128 * 128;
    CHECK_EQ_I64(c.workspace_bytes, 0, "fp32 needs nothing");
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 4 * scores + 4 * 2 * 128 * 64, "K, V once more");
    p.dtype = RP_DTYPE_bf16;
    struct rp_method_device three = {.backend = "cpu", .threads = 3};
    c = cost_of(&three, RP_IMPL_reference, &p);
    CHECK_EQ_I64(c.workspace_bytes, 3 * 4 * (256 + 512) * 64, "conversions of each thread");
    CHECK_EQ_I64(c.scores_bytes, scores, "fp32 scores");
}

/* Scores are quadratic in T, exactly: the notebook's memory check. */
static void scores_grow_sixteen_times(void **state)
{
    (void)state;
    for (int impl = RP_IMPL_naive; impl <= RP_IMPL_reference; ++impl) {
        struct rp_point shorter = prefill(8, 256, 64, RP_DTYPE_fp16);
        struct rp_point longer = prefill(8, 1024, 64, RP_DTYPE_fp16);
        CHECK_EQ_I64(cost_of(&one_thread, (enum rp_impl)impl, &longer).scores_bytes,
                     16 * cost_of(&one_thread, (enum rp_impl)impl, &shorter).scores_bytes, "cpu");
        CHECK_EQ_I64(cost_of(&gpu, (enum rp_impl)impl, &longer).scores_bytes,
                     16 * cost_of(&gpu, (enum rp_impl)impl, &shorter).scores_bytes, "cuda");
    }
    struct rp_point shorter = prefill(8, 4096, 64, RP_DTYPE_fp32);
    struct rp_point longer = prefill(8, 8192, 64, RP_DTYPE_fp32);
    struct rp_method_cost a = cost_of(&one_thread, RP_IMPL_fused, &shorter);
    struct rp_method_cost b = cost_of(&one_thread, RP_IMPL_fused, &longer);
    CHECK_EQ_I64(b.scores_bytes, 0, "fused stores none");
    CHECK_EQ_I64(b.workspace_bytes - a.workspace_bytes, 4 * 2 * 8 * 4096 * 64, "fused is linear");
}

static void cpu_fused_prefill(void **state)
{
    (void)state;
    struct rp_point p = prefill(1, 192, 64, RP_DTYPE_fp32);
    struct rp_method_cost c = cost_of(&one_thread, RP_IMPL_fused, &p);
    CHECK_EQ_I64(c.flops_impl, 4 * 192 * 192 * 64, "no mask, nothing to round");
    /* Panels written once and read by two blocks of 96 rows. */
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 3 * 4 * 2 * 192 * 64, "bytes");
    CHECK_EQ_I64(c.workspace_bytes, 4 * (2 * 192 * 64 + 2 * 96 * 64 + 12 * 512 + 2 * 96), "linear");

    /* Tiles of 12 rows see 12, 24, ... 192 keys; QK^T rounds 12 up to 16 and so on. */
    p.causal = true;
    c = cost_of(&one_thread, RP_IMPL_fused, &p);
    int64_t qk_keys =
        16 + 32 + 48 + 48 + 64 + 80 + 96 + 96 + 112 + 128 + 144 + 144 + 160 + 176 + 192 + 192;
    int64_t pv_keys = 12 * (1 + 16) * 16 / 2;
    CHECK_EQ_I64(c.flops_impl, 2 * 12 * 64 * (qk_keys + pv_keys), "causal");
    struct rp_cost paper;
    CHECK_OK(rp_cost_of(&p, &paper), "paper");
    CHECK_TRUE(c.flops_impl >= paper.flops && c.flops_impl < paper.flops_dense, "in between");
    /* The block of rows 0..95 reads 96 keys, the other 192. */
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 4 * 2 * 64 * (192 + 96 + 192), "causal bytes");

    /* Chunked: 96 new tokens behind 104 cached ones see 116, 128, ... 200 keys. */
    p.seq_q = 96;
    p.seq_k = 200;
    c = cost_of(&one_thread, RP_IMPL_fused, &p);
    qk_keys = 128 + 128 + 144 + 160 + 176 + 176 + 192 + 208;
    pv_keys = (116 + 200) * 8 / 2;
    CHECK_EQ_I64(c.flops_impl, 2 * 12 * 64 * (qk_keys + pv_keys), "bottom-right");

    /* Odd width: 40 is 40 for QK^T and 48 for PV. */
    p = prefill(2, 16, 40, RP_DTYPE_fp32);
    CHECK_EQ_I64(cost_of(&one_thread, RP_IMPL_fused, &p).flops_impl, 2 * 2 * 16 * 16 * (40 + 48),
                 "width rounded up");
}

static void cpu_fused_decode(void **state)
{
    (void)state;
    struct rp_point p = {.stage = RP_STAGE_DECODE,
                         .batch = 3,
                         .heads = 32,
                         .kv_heads = 8,
                         .seq_q = 1,
                         .seq_k = 5000,
                         .head_dim = 128,
                         .dtype = RP_DTYPE_fp16};
    struct rp_method_device two = {.backend = "cpu", .threads = 2};
    struct rp_method_cost c = cost_of(&two, RP_IMPL_fused, &p);
    int64_t partials = 3 * 8 * 3 * (4 * 128 + 32); /* 5000 keys: three parts of at most 2048 */
    CHECK_EQ_I64(c.flops_impl, 4LL * 3 * 32 * 5000 * 128, "every row meets every key");
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 2 * 4 * partials, "partials written and read");
    CHECK_EQ_I64(c.workspace_bytes, 4 * (partials + 2 * (4 * 128 + 4 * 2048)), "workspace");
    CHECK_EQ_I64(c.scores_bytes, 0, "no scores");
}

static void cuda_three_steps(void **state)
{
    (void)state;
    struct rp_point p = prefill(32, 1024, 128, RP_DTYPE_fp16);
    struct rp_method_cost naive = cost_of(&gpu, RP_IMPL_naive, &p);
    struct rp_method_cost reference = cost_of(&gpu, RP_IMPL_reference, &p);
    int64_t pairs = 32LL * 1024 * 1024;
    CHECK_EQ_TEXT(naive.path, "simt_fp32", "naive");
    CHECK_EQ_TEXT(reference.path, "tensor_fp16", "reference");
    CHECK_EQ_I64(naive.launches, 3, "launches");
    CHECK_EQ_I64(naive.scores_bytes, 6 * pairs, "fp32 scores, fp16 probabilities");
    CHECK_EQ_I64(naive.bytes_impl, naive.tensor_bytes + 12 * pairs, "each written and read");
    CHECK_EQ_I64(reference.bytes_impl, naive.bytes_impl, "the same memory");
    CHECK_EQ_I64(naive.workspace_bytes, 0, "nothing else");

    /* The formula of docs/MODEL.md: fp16 scores and probabilities each written and read once, 8
     * bytes a pair, give 56.9 FLOP/B; the method's own count keeps scores in fp32 and stays below.
     */
    struct rp_cost paper;
    CHECK_OK(rp_cost_of(&p, &paper), "paper");
    CHECK_NEAR(rp_cost_intensity(paper.flops_dense, paper.bytes_min + 8 * pairs), 56.9, 0.05,
               "formula");
    CHECK_NEAR(rp_cost_intensity(naive.flops_impl, naive.bytes_impl), 39.38, 0.01, "method");

    p.dtype = RP_DTYPE_fp32;
    CHECK_EQ_TEXT(cost_of(&gpu, RP_IMPL_reference, &p).path, "simt_fp32", "fp32");
    p.dtype = RP_DTYPE_tf32;
    CHECK_EQ_TEXT(cost_of(&gpu, RP_IMPL_reference, &p).path, "tensor_tf32", "tf32");
    CHECK_STATUS(rp_method_cost_of(&gpu, RP_IMPL_naive, &p, &naive), RP_ERR_UNSUPPORTED, "tf32");
}

static void cuda_fused(void **state)
{
    (void)state;
    struct rp_point p = prefill(4, 200, 100, RP_DTYPE_bf16);
    p.causal = true;
    struct rp_method_cost c = cost_of(&gpu, RP_IMPL_fused, &p);
    /* Two blocks of 128 queries see 128 and 200 keys, rounded up to 128 and 256; 100 to 128. */
    CHECK_EQ_TEXT(c.path, "tensor_bf16", "path");
    CHECK_EQ_I64(c.launches, 1, "launches");
    CHECK_EQ_I64(c.flops_impl, 4LL * 4 * 128 * 128 * (128 + 256), "tiles");
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes, "K and V are shared in the cache");
    CHECK_EQ_I64(c.scores_bytes + c.workspace_bytes, 0, "nothing is stored");

    p = (struct rp_point){.stage = RP_STAGE_DECODE,
                          .batch = 1,
                          .heads = 32,
                          .kv_heads = 8,
                          .seq_q = 1,
                          .seq_k = 65536,
                          .head_dim = 128,
                          .dtype = RP_DTYPE_fp16};
    c = cost_of(&gpu, RP_IMPL_fused, &p);
    /* 2 * 132 blocks wanted from 8: 33 parts of 1986 keys, rounded up to 2048, so 32. */
    int64_t partials = 4LL * 8 * 32 * 4 * 130;
    CHECK_EQ_I64(c.launches, 2, "split");
    CHECK_EQ_I64(c.workspace_bytes, partials, "partials");
    CHECK_EQ_I64(c.bytes_impl, c.tensor_bytes + 2 * partials, "written and read");
    CHECK_EQ_I64(c.flops_impl, 4LL * 8 * 16 * 65536 * 128, "4 rows fill a tile of 16");
    p.batch = 64;
    c = cost_of(&gpu, RP_IMPL_fused, &p);
    CHECK_EQ_I64(c.launches, 1, "512 blocks need no split");
    CHECK_EQ_I64(c.workspace_bytes, 0, "nor partials");
    p.head_dim = 256;
    c = cost_of(&gpu, RP_IMPL_fused, &p);
    CHECK_EQ_I64(c.flops_impl, 6LL * 64 * 8 * 16 * 65536 * 256,
                 "scores once a half of the columns");
    p.head_dim = 257;
    CHECK_STATUS(rp_method_cost_of(&gpu, RP_IMPL_fused, &p, &c), RP_ERR_UNSUPPORTED, "257");
    CHECK_CONTAINS(rp_status_message(), "head_dim=257", "sentence");
}

/* What cuDNN does inside is not known: the least there is, and a workspace to be asked for. */
static void cudnn_is_counted_as_the_least(void **state)
{
    (void)state;
    struct rp_point p = prefill(8, 1024, 128, RP_DTYPE_fp16);
    struct rp_method_cost c = cost_of(&gpu, RP_IMPL_cudnn, &p);
    CHECK_EQ_TEXT(c.path, "tensor_fp16", "path");
    CHECK_EQ_I64(c.flops_impl, 4LL * 8 * 128 * (p.causal ? 1024 * 1025 / 2 : 1024 * 1024), "pairs");
    CHECK_EQ_I64(c.bytes_impl, 4LL * 8 * 1024 * 128 * 2, "Q, K, V and O once");
    CHECK_EQ_I64(rp_method_cost_memory(&c), c.bytes_impl, "the tensors");
    CHECK_TRUE(c.asks_workspace, "and more, unknown");
    CHECK_TRUE(!cost_of(&gpu, RP_IMPL_fused, &p).asks_workspace, "others know theirs");
    p.dtype = RP_DTYPE_fp32;
    CHECK_STATUS(rp_method_cost_of(&gpu, RP_IMPL_cudnn, &p, &c), RP_ERR_UNSUPPORTED, "fp32");
    p.dtype = RP_DTYPE_fp16;
    CHECK_STATUS(rp_method_cost_of(&one_thread, RP_IMPL_cudnn, &p, &c), RP_ERR_UNSUPPORTED, "CPU");
    CHECK_CONTAINS(rp_status_message(), "backend \"cpu\" has no implementation cudnn", "CPU");
}

static void what_cannot_be_done_is_said(void **state)
{
    (void)state;
    struct rp_method_cost c;
    struct rp_point p = prefill(1, 64, 64, RP_DTYPE_tf32);
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        CHECK_STATUS(rp_method_cost_of(&one_thread, (enum rp_impl)impl, &p, &c), RP_ERR_UNSUPPORTED,
                     "tf32 on a CPU");
        CHECK_CONTAINS(rp_status_message(), "tf32", "sentence");
    }
    p.dtype = RP_DTYPE_fp32;
    p.head_dim = 513;
    CHECK_STATUS(rp_method_cost_of(&one_thread, RP_IMPL_naive, &p, &c), RP_ERR_UNSUPPORTED, "513");
    CHECK_CONTAINS(rp_status_message(), "head_dim=513", "sentence");
    p.head_dim = 512;
    CHECK_OK(rp_method_cost_of(&one_thread, RP_IMPL_naive, &p, &c), "512");
    struct rp_method_device strange = {.backend = "abacus"};
    CHECK_STATUS(rp_method_cost_of(&strange, RP_IMPL_naive, &p, &c), RP_ERR_UNSUPPORTED, "backend");
}

/* Edge case 13, and the largest shape the axes allow. */
static void large_counts_are_right_or_refused(void **state)
{
    (void)state;
    struct rp_point p = prefill(32, 8192, 128, RP_DTYPE_fp16);
    CHECK_EQ_I64(cost_of(&one_thread, RP_IMPL_naive, &p).scores_bytes, 4LL << 31, "2^31 scores");
    p.batch = 64;
    p.heads = p.kv_heads = 16;
    p.seq_q = p.seq_k = 2048;
    CHECK_EQ_I64(cost_of(&one_thread, RP_IMPL_naive, &p).scores_bytes, 4LL << 32, "2^32 scores");

    struct rp_method_cost c;
    struct rp_point huge = prefill(65536, 16777216, 512, RP_DTYPE_fp32);
    huge.batch = 1048576;
    for (int impl = 0; impl < RP_IMPL_DEFAULT_COUNT; ++impl) {
        CHECK_STATUS(rp_method_cost_of(&one_thread, (enum rp_impl)impl, &huge, &c), RP_ERR_CONFIG,
                     "cpu");
        CHECK_STATUS(rp_method_cost_of(&gpu, (enum rp_impl)impl, &huge, &c), RP_ERR_CONFIG, "cuda");
    }
    /* flops still fit, the scores' traffic does not. */
    struct rp_point wide = prefill(16384, 8388608, 1, RP_DTYPE_fp32);
    CHECK_OK(rp_cost_of(&wide, &(struct rp_cost){0}), "paper");
    CHECK_STATUS(rp_method_cost_of(&one_thread, RP_IMPL_naive, &wide, &c), RP_ERR_CONFIG, "bytes");
    CHECK_STATUS(rp_method_cost_of(&gpu, RP_IMPL_naive, &wide, &c), RP_ERR_CONFIG, "bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_naive),
        cmocka_unit_test(cpu_reference),
        cmocka_unit_test(scores_grow_sixteen_times),
        cmocka_unit_test(cpu_fused_prefill),
        cmocka_unit_test(cpu_fused_decode),
        cmocka_unit_test(cuda_three_steps),
        cmocka_unit_test(cuda_fused),
        cmocka_unit_test(cudnn_is_counted_as_the_least),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(large_counts_are_right_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
