/*
 * row_stream.c - the two loops of decode with one query row. A line of memory costs few
 * instructions: sums stay in registers, and a dtype is a constant inside the loops.
 */
#include "kernels/cpu/row_stream.h"

#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

#define LANES RP_VEC_LANES

/* Sums that o is made of at a time; so many chains of multiply-adds hide their latency. */
#define STRIP 8

/* Rows that meet one strip after another: they stay in the first-level cache. */
enum { STRIP_ROWS = 16 };

#define INLINE static inline __attribute__((always_inline))

/* Whole vectors of the products; what is left of the elements is added to the first lane. */
INLINE rp_vec products_of_row(const void *row, enum rp_dtype dtype, int64_t width, const float *q)
{
    int64_t d = 0;
    rp_vec sum = rp_vec_all(0.0f);
#pragma GCC unroll 16
    for (; d + LANES <= width; d += LANES)
        sum += rp_vec_load(q + d) * rp_vec_load_stored(dtype, rp_element(dtype, row, d));
    for (; d < width; ++d)
        sum[0] += q[d] * rp_load_stored(dtype, rp_element(dtype, row, d));
    return sum;
}

INLINE void dots(const struct rp_stream *x, enum rp_dtype dtype, int64_t width, const float *q,
                 float *to)
{
    int64_t row = 0;
    for (; row + LANES <= x->n; row += LANES) {
        rp_vec products[LANES];
        for (int64_t i = 0; i < LANES; ++i)
            products[i] =
                products_of_row(rp_element(dtype, x->rows, (row + i) * width), dtype, width, q);
        rp_vec_store(to + row, rp_vec_sum_each(products));
    }
    for (; row < x->n; ++row)
        to[row] = rp_vec_sum_lanes(
            products_of_row(rp_element(dtype, x->rows, row * width), dtype, width, q));
}

/* The usual widths are constants too: no loop is left over a row. */
INLINE void dots_of_dtype(const struct rp_stream *x, enum rp_dtype dtype, const float *q, float *to)
{
    if (x->width == 64)
        dots(x, dtype, 64, q, to);
    else if (x->width == 128)
        dots(x, dtype, 128, q, to);
    else
        dots(x, dtype, x->width, q, to);
}

void rp_stream_dots(const struct rp_stream *x, const float *q, float *to)
{
    if (x->dtype == RP_DTYPE_fp16)
        dots_of_dtype(x, RP_DTYPE_fp16, q, to);
    else if (x->dtype == RP_DTYPE_bf16)
        dots_of_dtype(x, RP_DTYPE_bf16, q, to);
    else
        dots_of_dtype(x, RP_DTYPE_fp32, q, to);
}

/* Of every row its first `vectors` vectors; a constant. */
INLINE void sum_strip(const struct rp_stream *x, enum rp_dtype dtype, const float *weights,
                      float *o, const int vectors)
{
    rp_vec sums[STRIP];
#pragma GCC unroll 8
    for (int i = 0; i < vectors; ++i)
        sums[i] = rp_vec_load(o + i * LANES);
    for (int64_t row = 0; row < x->n; ++row) {
        rp_vec weight = rp_vec_all(weights[row]);
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i)
            sums[i] += weight * rp_vec_load_stored(
                                    dtype, rp_element(dtype, x->rows, row * x->width + i * LANES));
    }
#pragma GCC unroll 8
    for (int i = 0; i < vectors; ++i)
        rp_vec_store(o + i * LANES, sums[i]);
}

INLINE void sum_rows(const struct rp_stream *all, enum rp_dtype dtype, const float *weights,
                     float *o)
{
    struct rp_stream x = *all;
    int64_t d = 0;
    for (; d + STRIP * LANES <= all->width; d += STRIP * LANES) {
        x.rows = rp_element(dtype, all->rows, d);
        sum_strip(&x, dtype, weights, o + d, STRIP);
    }
    for (; d + 4 * LANES <= all->width; d += 4 * LANES) {
        x.rows = rp_element(dtype, all->rows, d);
        sum_strip(&x, dtype, weights, o + d, 4);
    }
    for (; d + LANES <= all->width; d += LANES) {
        x.rows = rp_element(dtype, all->rows, d);
        sum_strip(&x, dtype, weights, o + d, 1);
    }
    for (; d < all->width; ++d) {
        for (int64_t row = 0; row < all->n; ++row)
            o[d] += weights[row] *
                    rp_load_stored(dtype, rp_element(dtype, all->rows, row * all->width + d));
    }
}

void rp_stream_sum(const struct rp_stream *x, const float *weights, float *o)
{
    for (int64_t row = 0; row < x->n; row += STRIP_ROWS) {
        const struct rp_stream rows = {
            .dtype = x->dtype,
            .rows = rp_element(x->dtype, x->rows, row * x->width),
            .n = x->n - row < STRIP_ROWS ? x->n - row : STRIP_ROWS,
            .width = x->width,
        };
        if (x->dtype == RP_DTYPE_fp16)
            sum_rows(&rows, RP_DTYPE_fp16, weights + row, o);
        else if (x->dtype == RP_DTYPE_bf16)
            sum_rows(&rows, RP_DTYPE_bf16, weights + row, o);
        else
            sum_rows(&rows, RP_DTYPE_fp32, weights + row, o);
    }
}
