/*
 * method_cost_cpu.c - what the kernels of kernels/cpu execute, move and allocate.
 *
 * Arithmetic is fp32 whatever the storage type, so the path is cpu_fp32. Scores are fp32 and become
 * probabilities in place: scores_bytes = 4 * B * H * Tq * Tk.
 */
#include <inttypes.h>
#include <stdio.h>

#include "model/method_cost_rows.h"
#include "model/method_cpu.h"

static enum rp_status begin(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    if (p->dtype == RP_DTYPE_tf32)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "tf32 is the arithmetic of a GPU's matrix unit; a CPU has none of it");
    if (p->head_dim > RP_CPU_HEAD_DIM_MAX)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "head_dim=%" PRId64 ": the CPU kernels take 1..%d",
                       p->head_dim, RP_CPU_HEAD_DIM_MAX);
    if (call->device->threads < 1)
        return RP_FAIL(RP_ERR_INTERNAL, "a CPU method with %d threads", call->device->threads);
    snprintf(call->cost->path, sizeof call->cost->path, "cpu_fp32");
    return RP_OK;
}

static enum rp_status count_scores(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    return rp_cost_product("scores_bytes", (int64_t[]){4, p->batch, p->heads, p->seq_q, p->seq_k},
                           5, &call->cost->scores_bytes);
}

/*
 * naive: three steps over all heads.
 *   FLOP    flops_dense: hidden pairs are computed and then masked. The zeros that fill the last
 *           vector of 16 are not counted.
 *   bytes   bytes_min, and the scores four times: written by QK^T, read and written by the softmax,
 *           read by PV. K and V are packed once each into fp32 panels (written once), and read
 *           from there by every block of 96 query rows of every head.
 */
enum rp_status rp_method_cost_cpu_naive(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    struct rp_cpu_layout layout;
    RP_TRY(begin(call));
    RP_TRY(count_scores(call));
    RP_TRY(rp_cpu_layout_naive(p, call->device->threads, &layout));
    call->cost->workspace_bytes = 4 * layout.total_floats;

    int64_t panels = rp_cpu_lanes_up(p->seq_k) * p->head_dim +
                     p->seq_k * rp_cpu_lanes_up(p->head_dim); /* K and V of one kv head */
    int64_t blocks = (p->seq_q + RP_CPU_BLOCK_ROWS - 1) / RP_CPU_BLOCK_ROWS;
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    rp_tally_add(&bytes, (int64_t[]){4, call->cost->scores_bytes}, 2);
    rp_tally_add(&bytes, (int64_t[]){4, p->batch, p->kv_heads, panels}, 4);
    rp_tally_add(&bytes, (int64_t[]){4, p->batch, p->heads, blocks, panels}, 5);
    return rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl);
}

/*
 * reference: the same three steps, the products by the matrix library.
 *   FLOP    flops_dense.
 *   bytes   bytes_min, the scores four times as above, and K and V once more for every further
 *           block of 256 of the group's stacked query rows. What fp16 and bf16 are converted into
 *           is written and read inside a thread's own cache and not counted, nor is what the
 *           library packs.
 */
enum rp_status rp_method_cost_cpu_reference(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    struct rp_cpu_layout layout;
    RP_TRY(begin(call));
    RP_TRY(count_scores(call));
    RP_TRY(rp_cpu_layout_reference(p, call->device->threads, &layout));
    call->cost->workspace_bytes = 4 * layout.total_floats;

    int64_t blocks = (rp_cpu_group_rows(p) + RP_CPU_BLAS_ROWS - 1) / RP_CPU_BLAS_ROWS;
    int64_t kv_bytes = 2 * rp_dtype_info(p->dtype)->storage_bytes * p->seq_k * p->head_dim;
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    rp_tally_add(&bytes, (int64_t[]){4, call->cost->scores_bytes}, 2);
    rp_tally_add(&bytes, (int64_t[]){p->batch, p->kv_heads, blocks - 1, kv_bytes}, 4);
    return rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl);
}

/*
 * fused, few rows on a kv head: K and V are streamed once, in parts of 2048 keys.
 *   FLOP    flops_dense: every row meets every key; a hidden one (there is hardly any) is masked.
 *   bytes   bytes_min; each part's result - outputs, maxima and sums in fp32 - is written and read.
 */
static enum rp_status count_decode(struct rp_method_call *call, struct rp_tally *bytes)
{
    const struct rp_point *p = call->point;
    rp_tally_add(
        bytes,
        (int64_t[]){2, 4, p->batch, p->kv_heads, rp_cpu_fused_splits(p), rp_cpu_partial_floats(p)},
        6);
    return RP_OK;
}

/*
 * fused, prefill: K and V are packed into fp32 panels, then every block of 96 query rows walks over
 * them, in tiles of 12 rows that stop at the last key one of their rows sees.
 *   FLOP    2 * rows * (keys * D) for QK^T, keys rounded up to 16, and 2 * rows * (keys * D) for
 *           PV, D rounded up to 16, over the tiles.
 *   bytes   bytes_min, the panels written once, and read by every block up to the last key it sees:
 *           a block's panels are counted as traffic again although a cache may still hold them.
 */
static enum rp_status count_prefill(struct rp_method_call *call, struct rp_tally *bytes)
{
    const struct rp_point *p = call->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t span = rp_cpu_fused_span_rows(p);
    int64_t spans = p->heads / p->kv_heads * p->seq_q / span; /* on one kv head */
    int64_t width = 0; /* products of one span's rows with K's and V's elements, FMA */
    int64_t read = 0;  /* floats of the panels that the span's blocks read */
    for (int64_t block = 0; block < span; block += RP_CPU_BLOCK_ROWS) {
        int64_t end = block + RP_CPU_BLOCK_ROWS < span ? block + RP_CPU_BLOCK_ROWS : span;
        int64_t keys = 0;
        for (int64_t first = block; first < end; first += RP_CPU_TILE_ROWS) {
            int64_t rows = end - first < RP_CPU_TILE_ROWS ? end - first : RP_CPU_TILE_ROWS;
            keys = rp_cpu_fused_tile_keys(p, first, rows);
            width += rows * (rp_cpu_lanes_up(keys) * p->head_dim + keys * wide);
        }
        read += rp_cpu_lanes_up(keys) * p->head_dim + keys * wide;
    }
    struct rp_tally flops = {0};
    rp_tally_add(&flops, (int64_t[]){2, p->batch, p->kv_heads, spans, width}, 5);
    rp_tally_add(bytes,
                 (int64_t[]){4, p->batch, p->kv_heads, rp_cpu_lanes_up(p->seq_k), p->head_dim}, 5);
    rp_tally_add(bytes, (int64_t[]){4, p->batch, p->kv_heads, p->seq_k, wide}, 5);
    rp_tally_add(bytes, (int64_t[]){4, p->batch, p->kv_heads, spans, read}, 5);
    return rp_tally_end(&flops, "flops_impl", &call->cost->flops_impl);
}

enum rp_status rp_method_cost_cpu_fused(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    struct rp_cpu_layout layout;
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    RP_TRY(begin(call));
    RP_TRY(rp_cpu_layout_fused(p, call->device->threads, &layout));
    call->cost->workspace_bytes = 4 * layout.total_floats;
    RP_TRY(rp_cpu_fused_is_decode(p) ? count_decode(call, &bytes) : count_prefill(call, &bytes));
    return rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl);
}
