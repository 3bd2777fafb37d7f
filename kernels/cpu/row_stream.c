/*
 * row_stream.c - the two loops of decode. A line of memory costs few instructions: sums stay in
 * registers, and dtype, slots and the usual widths are constants inside the loops. What several
 * rows have better is in row_blocks.c.
 */
#include "kernels/cpu/row_stream.h"

#include <string.h>

#include "kernels/cpu/row_blocks.h"
#include "kernels/cpu/row_loops.h"

/* Vectors of o that meet a row of V at a time, of all slots and of one. As many as a usual row has,
 * even if a few of the sums find no register: memory is read fastest strictly forward. */
enum { STRIP_SUMS = 16, STRIP = LANES == 16 ? 8 : 16 };

/* Rows that meet one strip after another while they are in the caches of the core. */
enum { STRIP_ROWS = 96 };

/* What is fetched for later lies so far behind what is read now. With AVX-512 beyond the end of a
 * page, where the processor's own prefetching stops; narrower vectors take so many instructions for
 * a line of 16-bit rows that loads wait for those before them, and less suffices. */
enum { AHEAD_BYTES = LANES == 16 ? 8192 : 1024 };

/* Elements d .. of a row up to the end of a width that is no multiple of a vector's lanes, with
 * zeros behind them. */
static __attribute__((noinline)) rp_vec load_rest(const struct rp_stream *x, int64_t row, int64_t d)
{
    float lanes[LANES] = {0};
    for (int64_t i = 0; i < x->width - d; ++i)
        lanes[i] = rp_load_stored(x->dtype, rp_element(x->dtype, x->rows, row * x->width + d + i));
    return rp_vec_load(lanes);
}

/* A whole vector of a row. */
INLINE rp_vec load_whole(const struct rp_stream *x, int64_t row, int64_t d)
{
    return rp_vec_load_stored(x->dtype, rp_element(x->dtype, x->rows, row * x->width + d));
}

/* The same, of V. With one query row the processor's own prefetching is fastest with loads of 32
 * bytes. */
INLINE rp_vec load_value(const struct rp_stream *x, int64_t row, int64_t d)
{
    if (x->dtype == RP_DTYPE_fp32 && x->slots == 1)
        return rp_vec_load_narrow(rp_element(x->dtype, x->rows, row * x->width + d));
    return load_whole(x, row, d);
}

INLINE rp_vec load_row(const struct rp_stream *x, int64_t row, int64_t d)
{
    return d + LANES <= x->width ? load_whole(x, row, d) : load_rest(x, row, d);
}

INLINE void fetch_ahead(const struct rp_stream *x, int64_t row, int64_t d)
{
    if (d % line_of(x) == 0)
        fetch_behind(x, x->rows, row * x->width + d, AHEAD_BYTES);
}

/* The processor's own prefetching is faster with few instructions a line: with AVX-512 for V with
 * one query row, without it for fp32. */
INLINE bool fetches_keys(const struct rp_stream *x)
{
    return LANES == 16 || x->dtype != RP_DTYPE_fp32;
}

INLINE bool fetches_values(const struct rp_stream *x)
{
    return LANES == 16 ? x->slots > 1 : x->dtype != RP_DTYPE_fp32;
}

/* With one query row, a long row of K has two chains of sums, or their latency would count. */
INLINE bool has_two_chains(const struct rp_stream *x)
{
    return x->slots == 1 && x->width >= 8 * LANES;
}

/* products[s] = those of a row with q_s, not yet summed over the lanes. One row after another:
 * memory is read faster so than with several side by side, which would load q less often. */
INLINE void products_of_row(const struct rp_stream *x, int64_t row, const float *q,
                            rp_vec *products)
{
    rp_vec second = {0};
    int64_t d = 0;
#pragma GCC unroll 8
    for (int64_t s = 0; s < x->slots; ++s)
        products[s] = rp_vec_all(0.0f);
    for (; d + LANES <= x->width; d += LANES) {
        rp_vec k = load_whole(x, row, d);
        if (fetches_keys(x))
            fetch_ahead(x, row, d);
        if (has_two_chains(x) && d % (2 * LANES) != 0) {
            second += k * rp_vec_load(q + d);
            continue;
        }
#pragma GCC unroll 8
        for (int64_t s = 0; s < x->slots; ++s)
            products[s] += k * rp_vec_load(q + d * x->slots + s * LANES);
    }
    if (d < x->width) {
        rp_vec k = load_rest(x, row, d);
#pragma GCC unroll 8
        for (int64_t s = 0; s < x->slots; ++s)
            products[s] += k * rp_vec_load(q + d * x->slots + s * LANES);
    }
    if (has_two_chains(x))
        products[0] += second;
}

/* Rows at a time, so that their dots fill whole vectors. */
INLINE int64_t rows_of_step(const struct rp_stream *x)
{
    return x->slots < LANES ? LANES / x->slots : 1;
}

/* As many rows as a step has. */
INLINE void dots_step(const struct rp_stream *x, int64_t row, const float *q, float *dots)
{
    rp_vec products[RP_CPU_LANES]; /* the lanes of a vector, or all slots */
    const int step = (int)rows_of_step(x);
    /* Only 16-bit rows that meet one query row are faster in a loop than all spread out. */
    if (x->slots == 1 && x->dtype != RP_DTYPE_fp32) {
#pragma GCC unroll 2
        for (int i = 0; i < step; ++i)
            products_of_row(x, row + i, q, products + i * x->slots);
    } else {
#pragma GCC unroll 16
        for (int i = 0; i < step; ++i)
            products_of_row(x, row + i, q, products + i * x->slots);
    }
#pragma GCC unroll 2
    for (int64_t i = 0; i < step * x->slots; i += LANES)
        rp_vec_store(dots + row * x->slots + i, rp_vec_sum_each(products + i));
}

/* One row, of those that are no whole step. */
static __attribute__((noinline)) void dots_of_row(const struct rp_stream *x, int64_t row,
                                                  const float *q, float *dots)
{
    for (int64_t s = 0; s < x->slots; ++s) {
        rp_vec sum = {0};
        for (int64_t d = 0; d < x->width; d += LANES)
            sum += load_row(x, row, d) * rp_vec_load(q + d * x->slots + s * LANES);
        dots[row * x->slots + s] = rp_vec_sum_lanes(sum);
    }
}

INLINE void dots_of(const struct rp_stream *x, const float *q, float *dots)
{
    int64_t step = rows_of_step(x);
    int64_t row = 0;
    for (; row + step <= x->n; row += step)
        dots_step(x, row, q, dots);
    for (; row < x->n; ++row)
        dots_of_row(x, row, q, dots);
}

/* `vectors`, a constant, of o of every slot, from element d; whole ones if they are several. */
INLINE void sum_strip(const struct rp_stream *x, int64_t d, const int vectors, const float *weights,
                      float *o)
{
    rp_vec sums[RP_CPU_DECODE_ROWS][STRIP];
#pragma GCC unroll 16
    for (int64_t s = 0; s < x->slots; ++s) {
#pragma GCC unroll 16
        for (int i = 0; i < vectors; ++i)
            sums[s][i] = rp_vec_load(o + s * x->stride + d + i * LANES);
    }
    for (int64_t row = 0; row < x->n; ++row) {
        rp_vec v[STRIP];
#pragma GCC unroll 16
        for (int i = 0; i < vectors; ++i) {
            v[i] = vectors > 1 ? load_value(x, row, d + i * LANES) : load_row(x, row, d);
            if (fetches_values(x))
                fetch_ahead(x, row, d + i * LANES);
        }
#pragma GCC unroll 16
        for (int64_t s = 0; s < x->slots; ++s) {
            rp_vec weight = rp_vec_all(weights[row * x->slots + s]);
#pragma GCC unroll 16
            for (int i = 0; i < vectors; ++i)
                sums[s][i] += weight * v[i];
        }
    }
#pragma GCC unroll 16
    for (int64_t s = 0; s < x->slots; ++s) {
#pragma GCC unroll 16
        for (int i = 0; i < vectors; ++i)
            rp_vec_store(o + s * x->stride + d + i * LANES, sums[s][i]);
    }
}

INLINE void sum_of(const struct rp_stream *all, const float *weights, float *o)
{
    const int64_t sums = STRIP_SUMS / all->slots;
    const int64_t most = sums < STRIP ? sums : STRIP;
    for (int64_t row = 0; row < all->n; row += STRIP_ROWS) {
        struct rp_stream x = *all;
        const float *of_rows = weights + row * x.slots;
        int64_t d = 0;
        x.rows = rp_element(x.dtype, all->rows, row * x.width);
        x.n = all->n - row < STRIP_ROWS ? all->n - row : STRIP_ROWS;
        for (; most >= 16 && d + 16 * LANES <= x.width; d += 16 * LANES)
            sum_strip(&x, d, 16, of_rows, o);
        for (; most >= 8 && d + 8 * LANES <= x.width; d += 8 * LANES)
            sum_strip(&x, d, 8, of_rows, o);
        for (; most >= 4 && d + 4 * LANES <= x.width; d += 4 * LANES)
            sum_strip(&x, d, 4, of_rows, o);
        for (; most >= 2 && d + 2 * LANES <= x.width; d += 2 * LANES)
            sum_strip(&x, d, 2, of_rows, o);
        for (; d < x.width; d += LANES)
            sum_strip(&x, d, 1, of_rows, o);
    }
}

INLINE void with_slots(stream_loop *loop, const struct rp_stream *x, const float *from, float *to)
{
    struct rp_stream y = *x;
    if (x->slots == 1) {
        y.slots = 1;
        loop(&y, from, to);
    } else if (x->slots == 2) {
        y.slots = 2;
        loop(&y, from, to);
    } else if (x->slots == 4) {
        y.slots = 4;
        loop(&y, from, to);
    } else {
        y.slots = 8;
        loop(&y, from, to);
    }
}

INLINE void dots_of_width(const struct rp_stream *x, const float *q, float *dots)
{
    with_width(dots_of, x, q, dots);
}

INLINE void dots_of_slots(const struct rp_stream *x, const float *q, float *dots)
{
    with_slots(dots_of_width, x, q, dots);
}

INLINE void sum_of_slots(const struct rp_stream *x, const float *weights, float *o)
{
    with_slots(sum_of, x, weights, o);
}

void rp_stream_place(const struct rp_stream *x, int64_t slot, const float *row, float *q)
{
    if (rp_blocks_take_dots(x)) {
        rp_blocks_place(x, slot, row, q);
        return;
    }
    for (int64_t d = 0; d < x->width; d += LANES)
        memcpy(q + d * x->slots + slot * LANES, row + d, LANES * sizeof *row);
}

void rp_stream_dots(const struct rp_stream *x, const float *q, float *dots)
{
    if (rp_blocks_take_dots(x))
        rp_blocks_dots(x, q, dots);
    else
        with_dtype(dots_of_slots, x, q, dots);
}

void rp_stream_sum(const struct rp_stream *x, const float *weights, float *o)
{
    if (rp_blocks_take_sum(x))
        rp_blocks_sum(x, weights, o);
    else
        with_dtype(sum_of_slots, x, weights, o);
}
