/*
 * method_cost_cuda.c - what the methods of a CUDA GPU execute, move and allocate.
 *
 * Scores are fp32; probabilities are stored in the row's dtype beside them, so that a matrix unit
 * can take them: scores_bytes = (4 + e) * B * H * Tq * Tk, e bytes an element.
 */
#include <stdio.h>

#include "model/method_cost_rows.h"

enum {
    TILE_QUERIES = 128,       /* prefill: query rows of one thread block */
    TILE_KEYS = 64,           /* prefill and decode: keys of one step */
    MATRIX_WIDTH = 16,        /* head_dim and decode rows are rounded up to a matrix instruction */
    DECODE_ROWS_MAX = 64,     /* up to so many rows on one kv head are split over the keys */
    BLOCKS_PER_PROCESSOR = 2, /* decode: thread blocks wanted on each multiprocessor */
    SPLIT_KEYS_MIN = 256      /* decode: no part is shorter than this */
};

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_plain(const struct rp_point *p)
{
    return p->dtype == RP_DTYPE_fp32;
}

/* The matrix unit of the dtype; fp32 has none and runs on the plain cores. */
static void set_path(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    if (is_plain(p))
        snprintf(call->cost->path, sizeof call->cost->path, "simt_fp32");
    else
        snprintf(call->cost->path, sizeof call->cost->path, "tensor_%s",
                 rp_dtype_info(p->dtype)->name);
}

/*
 * Three launches: QK^T, softmax, PV.
 *   FLOP    flops_dense: hidden pairs are computed and then masked.
 *   bytes   bytes_min, the fp32 scores written and read, the probabilities written and read.
 */
static enum rp_status count_three_steps(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    int64_t pair_bytes = 4 + rp_dtype_info(p->dtype)->storage_bytes;
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    call->cost->launches = 3;
    RP_TRY(rp_cost_product("scores_bytes",
                           (int64_t[]){pair_bytes, p->batch, p->heads, p->seq_q, p->seq_k}, 5,
                           &call->cost->scores_bytes));
    rp_tally_add(&bytes, (int64_t[]){2, call->cost->scores_bytes}, 2);
    return rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl);
}

/* naive: the three steps on plain cores, fp32 arithmetic whatever the storage type. */
enum rp_status rp_method_cost_cuda_naive(struct rp_method_call *call)
{
    if (call->point->dtype == RP_DTYPE_tf32)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "tf32 is the arithmetic of the matrix unit; naive runs "
                                           "on plain cores: ask for fp32");
    snprintf(call->cost->path, sizeof call->cost->path, "simt_fp32");
    return count_three_steps(call);
}

/* reference: the same three steps, the products by cuBLAS. */
enum rp_status rp_method_cost_cuda_reference(struct rp_method_call *call)
{
    set_path(call);
    return count_three_steps(call);
}

/*
 * fused, prefill: one launch; a thread block holds 128 query rows of one head and steps over the
 * keys by 64, up to the last key its last query sees.
 *   FLOP    4 * 128 * keys * D over the blocks, keys rounded up to 64, D to 16.
 *   bytes   bytes_min: the blocks of a head run side by side and share K and V in the L2 cache.
 */
static enum rp_status count_prefill(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    int64_t keys = 0;
    for (int64_t first = 0; first < p->seq_q; first += TILE_QUERIES) {
        int64_t last = smaller(first + TILE_QUERIES, p->seq_q) - 1;
        keys += round_up(p->causal ? p->seq_k - p->seq_q + last + 1 : p->seq_k, TILE_KEYS);
    }
    return rp_cost_product(
        "flops_impl",
        (int64_t[]){4, p->batch, p->heads, TILE_QUERIES, round_up(p->head_dim, MATRIX_WIDTH), keys},
        6, &call->cost->flops_impl);
}

/* Parts the keys are split into: enough thread blocks for every multiprocessor twice, as long as a
 * part keeps 256 keys; one where the number of multiprocessors is not known. */
static int64_t count_splits(const struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    int64_t blocks = p->batch * p->kv_heads;
    int64_t wanted = BLOCKS_PER_PROCESSOR * call->device->multiprocessors;
    int64_t most = (p->seq_k + SPLIT_KEYS_MIN - 1) / SPLIT_KEYS_MIN;
    int64_t splits = smaller((wanted + blocks - 1) / blocks, most);
    return splits > 1 ? splits : 1;
}

/*
 * fused, few rows on a kv head: a thread block holds all rows of the group and one part of the
 * keys; a second launch combines the parts, if there are several.
 *   FLOP    4 * rows * keys * D, keys rounded up to 64, rows and D to 16 on a matrix unit.
 *   bytes   bytes_min, and the parts' outputs, maximum and sum in fp32 written and read.
 */
static enum rp_status count_decode(struct rp_method_call *call, int64_t rows)
{
    const struct rp_point *p = call->point;
    int64_t splits = count_splits(call);
    int64_t unit = is_plain(p) ? 1 : MATRIX_WIDTH;
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    if (splits > 1) {
        call->cost->launches = 2;
        RP_TRY(rp_cost_product("workspace",
                               (int64_t[]){4, p->batch, p->kv_heads, splits, rows, p->head_dim + 2},
                               6, &call->cost->workspace_bytes));
    }
    rp_tally_add(&bytes, (int64_t[]){2, call->cost->workspace_bytes}, 2);
    RP_TRY(rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl));
    return rp_cost_product("flops_impl",
                           (int64_t[]){4, p->batch, p->kv_heads, round_up(rows, unit),
                                       round_up(p->seq_k, TILE_KEYS), round_up(p->head_dim, unit)},
                           6, &call->cost->flops_impl);
}

enum rp_status rp_method_cost_cuda_fused(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    int64_t rows = p->seq_q * (p->heads / p->kv_heads);
    set_path(call);
    return rows <= DECODE_ROWS_MAX ? count_decode(call, rows) : count_prefill(call);
}
