/*
 * method_cost_cuda.c - what the methods of a CUDA GPU execute, move and allocate.
 *
 * Scores are fp32; probabilities are stored in the row's dtype beside them, so that a matrix unit
 * can take them: scores_bytes = (4 + e) * B * H * Tq * Tk, e bytes an element.
 */
#include <inttypes.h>
#include <stdio.h>

#include "model/method_cost_rows.h"
#include "model/method_cuda.h"

enum {
    DECODE_ROWS_MAX = 64,     /* up to so many rows on one kv head are split over the keys */
    PART_KEYS_UNIT = 64,      /* a part is a multiple of every step */
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

static int64_t group_rows(const struct rp_point *p)
{
    return p->seq_q * (p->heads / p->kv_heads);
}

bool rp_cuda_fused_is_decode(const struct rp_point *p)
{
    return group_rows(p) <= DECODE_ROWS_MAX;
}

/* How a fused kernel cuts the point: rows and keys of a step of one thread block, head_dim rounded
 * up, and how often a decode computes the same scores. */
struct tile {
    int64_t rows, keys, width, column_groups;
};

static struct tile tile_of(const struct rp_point *p)
{
    int64_t width = RP_CUDA_FUSED_WIDTH(p->head_dim);
    int64_t stride = width * rp_dtype_info(p->dtype)->storage_bytes;
    bool is_decode = rp_cuda_fused_is_decode(p);
    if (is_plain(p))
        return (struct tile){is_decode ? RP_CUDA_PLAIN_ROWS : RP_CUDA_PLAIN_QUERIES,
                             RP_CUDA_PLAIN_KEYS, width, 1};
    if (!is_decode)
        return (struct tile){RP_CUDA_FUSED_QUERIES(stride), RP_CUDA_FUSED_KEYS(stride), width, 1};
    return (struct tile){RP_CUDA_DECODE_ROWS, RP_CUDA_FUSED_KEYS(stride), width,
                         RP_CUDA_DECODE_COLUMN_GROUPS(width, stride)};
}

/*
 * fused, prefill: one launch; a thread block holds a tile of query rows of one head (128, fp32 64)
 * and steps over the keys, up to the last key its last query sees.
 *   FLOP    4 * rows * keys * width over the blocks, keys rounded up to a step, head_dim to the
 *           width.
 *   bytes   bytes_min: the blocks of a head run side by side and share K and V in the L2 cache.
 */
static enum rp_status count_prefill(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    const struct tile tile = tile_of(p);
    int64_t keys = 0;
    for (int64_t first = 0; first < p->seq_q; first += tile.rows) {
        int64_t last = smaller(first + tile.rows, p->seq_q) - 1;
        keys += round_up(p->causal ? p->seq_k - p->seq_q + last + 1 : p->seq_k, tile.keys);
    }
    return rp_cost_product("flops_impl",
                           (int64_t[]){4, p->batch, p->heads, tile.rows, tile.width, keys}, 6,
                           &call->cost->flops_impl);
}

/* Enough thread blocks for every multiprocessor twice, as long as a part keeps 256 keys; one part
 * where the number of multiprocessors is not known. */
int64_t rp_cuda_part_keys(const struct rp_point *p, int64_t multiprocessors)
{
    int64_t rows = tile_of(p).rows;
    int64_t blocks = p->batch * p->kv_heads * ((group_rows(p) + rows - 1) / rows);
    int64_t wanted = (BLOCKS_PER_PROCESSOR * multiprocessors + blocks - 1) / blocks;
    int64_t most = (p->seq_k + SPLIT_KEYS_MIN - 1) / SPLIT_KEYS_MIN;
    int64_t parts = smaller(wanted, most) > 1 ? smaller(wanted, most) : 1;
    return round_up((p->seq_k + parts - 1) / parts, PART_KEYS_UNIT);
}

int64_t rp_cuda_parts(const struct rp_point *p, int64_t multiprocessors)
{
    int64_t part_keys = rp_cuda_part_keys(p, multiprocessors);
    return (p->seq_k + part_keys - 1) / part_keys;
}

/*
 * fused, few rows on a kv head: a thread block holds a tile of the group's rows (16, fp32 8) and
 * one part of the keys; a second launch combines the parts, if there are several.
 *   FLOP    4 * rows * keys * width, rows rounded up to the tile, keys to a step; QK^T once for
 * each group of columns. bytes   bytes_min, and the parts' outputs, bound and sum in fp32 written
 * and read.
 */
static enum rp_status count_decode(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    const struct tile tile = tile_of(p);
    int64_t parts = rp_cuda_parts(p, call->device->multiprocessors);
    struct rp_tally bytes = {.total = call->paper->bytes_min};
    if (parts > 1) {
        call->cost->launches = 2;
        RP_TRY(rp_cost_product(
            "workspace",
            (int64_t[]){4, p->batch, p->kv_heads, parts, group_rows(p), p->head_dim + 2}, 6,
            &call->cost->workspace_bytes));
    }
    rp_tally_add(&bytes, (int64_t[]){2, call->cost->workspace_bytes}, 2);
    RP_TRY(rp_tally_end(&bytes, "bytes_impl", &call->cost->bytes_impl));
    return rp_cost_product("flops_impl",
                           (int64_t[]){2 * (1 + tile.column_groups), p->batch, p->kv_heads,
                                       round_up(group_rows(p), tile.rows),
                                       round_up(p->seq_k, tile.keys), tile.width},
                           6, &call->cost->flops_impl);
}

enum rp_status rp_method_cost_cuda_fused(struct rp_method_call *call)
{
    const struct rp_point *p = call->point;
    if (p->head_dim > RP_CUDA_FUSED_WIDTH_MOST)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "fused: head_dim=%" PRId64 " is beyond %d", p->head_dim,
                       RP_CUDA_FUSED_WIDTH_MOST);
    set_path(call);
    return rp_cuda_fused_is_decode(p) ? count_decode(call) : count_prefill(call);
}

/*
 * cudnn: whatever kernels cuDNN chooses. What they execute and move is not told, so it is counted
 * as the least that the point needs, in one launch: visible pairs, each of Q, K, V and O once.
 */
enum rp_status rp_method_cost_cuda_cudnn(struct rp_method_call *call)
{
    const struct rp_dtype_info *dtype = rp_dtype_info(call->point->dtype);
    if (dtype->storage_bytes != 2)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "cuDNN's fused attention is for fp16 and bf16, not %s",
                       dtype->name);
    set_path(call);
    call->cost->flops_impl = call->paper->flops;
    call->cost->asks_workspace = true;
    return RP_OK;
}
