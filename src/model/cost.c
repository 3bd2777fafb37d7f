/*
 * cost.c - work and traffic of one attention call, counted on paper.
 *
 *   O           = softmax(scale * Q K^T + mask) V
 *   pairs       = Tq * Tk, less Tq * (Tq - 1) / 2 with a bottom-right causal mask
 *   flops       = 4 * B * H * D * pairs            (two matmuls; one FMA = 2 FLOP)
 *   flops_dense = 4 * B * H * D * Tq * Tk
 *   bytes_min   = e * D * B * (2 * H * Tq + 2 * G * Tk)
 *
 * Softmax work is left out on purpose; docs/MODEL.md says why, and how far that moves a point.
 */
#include "model/cost.h"

enum rp_status rp_cost_product(const char *what, const int64_t *factors, size_t n, int64_t *product)
{
    int64_t total = 1;
    for (size_t i = 0; i < n; ++i) {
        if (__builtin_mul_overflow(total, factors[i], &total))
            return RP_FAIL(RP_ERR_CONFIG, "%s of this point does not fit 64 bits", what);
    }
    *product = total;
    return RP_OK;
}

enum rp_status rp_cost_of(const struct rp_point *p, struct rp_cost *cost)
{
    /* Query i sees seq_k - seq_q + i + 1 keys, so the rectangle loses a triangle. The limits of
     * axes.def keep both products below 2^49. */
    int64_t rectangle = p->seq_q * p->seq_k;
    cost->pairs = rectangle - (p->causal ? p->seq_q * (p->seq_q - 1) / 2 : 0);
    RP_TRY(rp_cost_product("flops", (int64_t[]){4, p->batch, p->heads, p->head_dim, cost->pairs}, 5,
                           &cost->flops));
    RP_TRY(rp_cost_product("flops_dense",
                           (int64_t[]){4, p->batch, p->heads, p->head_dim, rectangle}, 5,
                           &cost->flops_dense));
    int64_t rows = 2 * (p->heads * p->seq_q + p->kv_heads * p->seq_k);
    return rp_cost_product(
        "bytes_min",
        (int64_t[]){rp_dtype_info(p->dtype)->storage_bytes, p->head_dim, p->batch, rows}, 4,
        &cost->bytes_min);
}

double rp_cost_intensity(int64_t flops, int64_t bytes)
{
    return (double)flops / (double)bytes;
}
