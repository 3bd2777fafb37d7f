/*
 * attn_reference.c - the three steps of attention on a CBLAS, the score matrix in memory.
 *
 *   S = Q K^T    P = softmax(scale * S)    O = P V
 *
 * The query rows that share a kv head are adjacent in memory: (group * seq_q, head_dim) is one
 * matrix. The library runs with one thread inside this file's own loop, because a library's team
 * knows nothing of the cores a rank was given. fp16 and bf16 are converted block by block.
 */
#include <cblas.h>

#include "kernels/cpu/blas_threads.h"
#include "kernels/cpu/panels.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/storage.h"

/* A block of the stacked query rows of one kv head. */
struct block {
    int64_t kv_head;   /* batch * kv_heads + kv_head */
    int64_t first_row; /* of the matrix of all query rows */
    int64_t rows;
    float *row_floats; /* scratch: RP_CPU_BLAS_ROWS rows; not used for fp32 */
    float *key_floats; /* scratch: RP_CPU_BLAS_KEYS rows; not used for fp32 */
};

static int64_t blocks_per_kv_head(const struct rp_point *p)
{
    return (rp_cpu_group_rows(p) + RP_CPU_BLAS_ROWS - 1) / RP_CPU_BLAS_ROWS;
}

static struct block block_at(const struct rp_attention *a, const struct rp_cpu_layout *layout,
                             int64_t index)
{
    const struct rp_point *p = a->point;
    int64_t group_rows = rp_cpu_group_rows(p);
    int64_t kv_head = index / blocks_per_kv_head(p);
    int64_t row = index % blocks_per_kv_head(p) * RP_CPU_BLAS_ROWS;
    int64_t left = group_rows - row;
    float *scratch = layout->thread_floats > 0 ? rp_thread_scratch(a, layout) : NULL;
    return (struct block){
        .kv_head = kv_head,
        .first_row = kv_head * group_rows + row,
        .rows = left < RP_CPU_BLAS_ROWS ? left : RP_CPU_BLAS_ROWS,
        .row_floats = scratch,
        .key_floats = scratch ? scratch + RP_CPU_BLAS_ROWS * p->head_dim : NULL,
    };
}

/* n rows of a tensor in fp32: where they are, or converted into `scratch`. */
static const float *rows_at(const struct rp_point *p, const void *tensor, int64_t first, int64_t n,
                            float *scratch)
{
    const void *from = rp_element(p->dtype, tensor, first * p->head_dim);
    if (p->dtype == RP_DTYPE_fp32)
        return from;
    rp_row_load(p->dtype, from, scratch, n * p->head_dim);
    return scratch;
}

static int64_t keys_at_once(const struct rp_point *p)
{
    return p->dtype == RP_DTYPE_fp32 || p->seq_k < RP_CPU_BLAS_KEYS ? p->seq_k : RP_CPU_BLAS_KEYS;
}

/* Of so few rows each is a product with a vector: one of matrices spends its time on packing. */
enum { VECTOR_ROWS_MAX = 3 };

/* n keys of a block: where they begin in a row of scores, and how long a row is. */
struct keys {
    const float *floats;
    int n, width;
    int64_t first, seq_k;
};

static void multiply_keys(const struct block *b, const struct keys *k, const float *q,
                          float *scores)
{
    if (b->rows > VECTOR_ROWS_MAX) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->rows, k->n, k->width, 1.0f, q,
                    k->width, k->floats, k->width, 0.0f, scores + k->first, (int)k->seq_k);
        return;
    }
    for (int64_t row = 0; row < b->rows; ++row)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, k->n, k->width, 1.0f, k->floats, k->width,
                    q + row * k->width, 1, 0.0f, scores + row * k->seq_k + k->first, 1);
}

static void multiply_values(const struct block *b, const struct keys *v, const float *scores,
                            float *o)
{
    float kept = v->first > 0 ? 1.0f : 0.0f;
    if (b->rows > VECTOR_ROWS_MAX) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)b->rows, v->width, v->n, 1.0f,
                    scores + v->first, (int)v->seq_k, v->floats, v->width, kept, o, v->width);
        return;
    }
    for (int64_t row = 0; row < b->rows; ++row)
        cblas_sgemv(CblasRowMajor, CblasTrans, v->n, v->width, 1.0f, v->floats, v->width,
                    scores + row * v->seq_k + v->first, 1, kept, o + row * v->width, 1);
}

/* Keys (or values) from `first` on, at most `step` of them. */
static struct keys keys_from(const struct rp_point *p, const struct block *b, const void *tensor,
                             int64_t first, int64_t step)
{
    int64_t n = p->seq_k - first < step ? p->seq_k - first : step;
    return (struct keys){
        .floats = rows_at(p, tensor, b->kv_head * p->seq_k + first, n, b->key_floats),
        .n = (int)n,
        .width = (int)p->head_dim,
        .first = first,
        .seq_k = p->seq_k,
    };
}

static void score_block(const struct rp_attention *a, const struct block *b)
{
    const struct rp_point *p = a->point;
    int64_t step = keys_at_once(p);
    float *scores = (float *)a->scores + b->first_row * p->seq_k;
    const float *q = rows_at(p, a->q, b->first_row, b->rows, b->row_floats);
    for (int64_t key = 0; key < p->seq_k; key += step) {
        struct keys k = keys_from(p, b, a->k, key, step);
        multiply_keys(b, &k, q, scores);
    }
}

static void output_block(const struct rp_attention *a, const struct block *b)
{
    const struct rp_point *p = a->point;
    int64_t step = keys_at_once(p);
    void *out = rp_element_out(p->dtype, a->o, b->first_row * p->head_dim);
    const float *scores = (const float *)a->scores + b->first_row * p->seq_k;
    float *o = p->dtype == RP_DTYPE_fp32 ? out : b->row_floats;
    for (int64_t key = 0; key < p->seq_k; key += step) {
        struct keys v = keys_from(p, b, a->v, key, step);
        multiply_values(b, &v, scores, o);
    }
    if (p->dtype != RP_DTYPE_fp32)
        rp_row_store(p->dtype, o, out, b->rows * p->head_dim);
}

enum rp_status RP_ISA_NAME(rp_cpu_reference)(const struct rp_attention *a)
{
    const struct rp_point *p = a->point;
    int64_t n_blocks = p->batch * p->kv_heads * blocks_per_kv_head(p);
    struct rp_cpu_layout layout;
    RP_TRY(rp_cpu_layout_reference(p, a->threads, &layout));

    RP_TRY(rp_blas_prepare(a->threads));
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < n_blocks; ++i) {
        struct block b = block_at(a, &layout, i);
        score_block(a, &b);
    }
    rp_softmax_rows(a);
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < n_blocks; ++i) {
        struct block b = block_at(a, &layout, i);
        output_block(a, &b);
    }
    return RP_OK;
}
