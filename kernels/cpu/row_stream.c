/*
 * row_stream.c - the two loops of decode. A line of memory costs few instructions: sums stay in
 * registers, and dtype, slots and the usual widths are constants inside the loops.
 */
#include "kernels/cpu/row_stream.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"
#include "model/method_cpu.h"

#define LANES RP_VEC_LANES

/* Sums that stay in registers at a time: chains enough to hide the latency of a multiply-add, and
 * the dots of every slot. */
#if LANES == 16
#define SUMS 16
#else
#define SUMS RP_CPU_DECODE_ROWS
#endif

/* Of them at most so many for one slot. */
#define STRIP 8

/* Rows that meet one strip after another while they are in the caches of the core. */
enum { STRIP_ROWS = 96 };

/* What is fetched for later lies so far behind what is read now: beyond the end of a page, where
 * the processor's own prefetching stops. */
enum { AHEAD_BYTES = 8192 };

/* A sanitizer makes minutes of compiling of the copies below; one of each loop shows it as much. */
#ifdef RP_SANITIZED
#define INLINE static
#else
#define INLINE static inline __attribute__((always_inline))
#endif

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
 * bytes, and slower with any fetching ahead. */
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

/* Elements of a line of memory. */
INLINE int64_t line_of(const struct rp_stream *x)
{
    return x->dtype == RP_DTYPE_fp32 ? 16 : 32;
}

INLINE void fetch_behind(const struct rp_stream *x, const void *rows, int64_t i)
{
    __builtin_prefetch((const char *)rp_element(x->dtype, rows, i) + AHEAD_BYTES);
}

INLINE void fetch_ahead(const struct rp_stream *x, int64_t row, int64_t d)
{
    if (d % line_of(x) == 0)
        fetch_behind(x, x->rows, row * x->width + d);
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
    rp_vec products[SUMS];
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

/* With all slots the arithmetic decides: a vector of q then holds a piece of each of several slots,
 * and meets a piece of a row repeated in all of a vector, which leaves fewer lanes to sum. */
enum {
    PIECE = RP_VEC_PIECE,
    VECTORS = RP_CPU_DECODE_ROWS * PIECE / LANES, /* of q that a piece of a row meets */
    BLOCK = SUMS / VECTORS                        /* rows of which all sums stay in registers */
};

INLINE bool by_pieces(const struct rp_stream *x)
{
    return PIECE < LANES && x->slots == RP_CPU_DECODE_ROWS && x->width % PIECE == 0;
}

/* A piece a row of the next block, from element i of it as it is stored: converted where there is a
 * place for it; what lies AHEAD_BYTES behind it is fetched. */
INLINE void prepare_next(const struct rp_stream *x, const void *next, int64_t i, float *converted)
{
    if (BLOCK * PIECE >= line_of(x) || i % line_of(x) == 0) {
#pragma GCC unroll 2
        for (int64_t at = i; at < i + BLOCK * PIECE; at += line_of(x))
            fetch_behind(x, next, at);
    }
    if (!converted)
        return;
#pragma GCC unroll 2
    for (int64_t at = i; at < i + BLOCK * PIECE; at += LANES)
        rp_vec_store(converted + at, rp_vec_load_stored(x->dtype, rp_element(x->dtype, next, at)));
}

/* Dots of a block of rows in fp32 with all slots; beside it the next one is prepared. */
INLINE void dots_of_block(const struct rp_stream *x, const float *rows, const void *next,
                          float *converted, const float *q, float *dots)
{
    rp_vec sums[SUMS];
#pragma GCC unroll 16
    for (int i = 0; i < SUMS; ++i)
        sums[i] = rp_vec_all(0.0f);
    for (int64_t d = 0; d < x->width; d += PIECE) {
        prepare_next(x, next, BLOCK * d, converted);
#pragma GCC unroll 4
        for (int row = 0; row < BLOCK; ++row) {
            rp_vec k = rp_vec_load_piece(rows + row * x->width + d);
#pragma GCC unroll 8
            for (int i = 0; i < VECTORS; ++i)
                sums[row * VECTORS + i] += k * rp_vec_load(q + d * RP_CPU_DECODE_ROWS + i * LANES);
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < SUMS / PIECE; ++i)
        rp_vec_store(dots + i * LANES, rp_vec_sum_pieces(sums + i * PIECE));
}

INLINE void dots_by_pieces(const struct rp_stream *x, const float *q, float *dots)
{
    _Alignas(64) float blocks[2][BLOCK * RP_CPU_HEAD_DIM_MAX];
    const int64_t elements = BLOCK * x->width;
    const int64_t whole = x->n / BLOCK;
    if (x->dtype != RP_DTYPE_fp32 && whole > 0)
        rp_row_load(x->dtype, x->rows, blocks[0], elements);
    for (int64_t i = 0; i < whole; ++i) {
        const void *rows = rp_element(x->dtype, x->rows, i * elements);
        const void *next = rp_element(x->dtype, rows, i + 1 < whole ? elements : 0);
        if (x->dtype == RP_DTYPE_fp32)
            dots_of_block(x, rows, next, NULL, q, dots);
        else
            dots_of_block(x, blocks[i % 2], next, blocks[1 - i % 2], q, dots);
        dots += BLOCK * RP_CPU_DECODE_ROWS;
    }
    if (whole * BLOCK == x->n)
        return;
    const void *rest = rp_element(x->dtype, x->rows, whole * elements);
    memset(blocks[0], 0, (size_t)elements * sizeof *blocks[0]);
    rp_row_load(x->dtype, rest, blocks[0], (x->n - whole * BLOCK) * x->width);
    dots_of_block(x, blocks[0], rest, NULL, q, dots);
}

INLINE void dots_of(const struct rp_stream *x, const float *q, float *dots)
{
    if (by_pieces(x)) {
        dots_by_pieces(x, q, dots);
        return;
    }
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
#pragma GCC unroll 8
    for (int64_t s = 0; s < x->slots; ++s) {
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i)
            sums[s][i] = rp_vec_load(o + s * x->stride + d + i * LANES);
    }
    for (int64_t row = 0; row < x->n; ++row) {
        rp_vec v[STRIP];
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) {
            v[i] = vectors > 1 ? load_value(x, row, d + i * LANES) : load_row(x, row, d);
            if (x->slots > 1)
                fetch_ahead(x, row, d + i * LANES);
        }
#pragma GCC unroll 8
        for (int64_t s = 0; s < x->slots; ++s) {
            rp_vec weight = rp_vec_all(weights[row * x->slots + s]);
#pragma GCC unroll 8
            for (int i = 0; i < vectors; ++i)
                sums[s][i] += weight * v[i];
        }
    }
#pragma GCC unroll 8
    for (int64_t s = 0; s < x->slots; ++s) {
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i)
            rp_vec_store(o + s * x->stride + d + i * LANES, sums[s][i]);
    }
}

INLINE void sum_of(const struct rp_stream *all, const float *weights, float *o)
{
    const int64_t most = SUMS / all->slots;
    for (int64_t row = 0; row < all->n; row += STRIP_ROWS) {
        struct rp_stream x = *all;
        const float *of_rows = weights + row * x.slots;
        int64_t d = 0;
        x.rows = rp_element(x.dtype, all->rows, row * x.width);
        x.n = all->n - row < STRIP_ROWS ? all->n - row : STRIP_ROWS;
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

/* A loop, inlined with each combination of constants. */
typedef void stream_loop(const struct rp_stream *x, const float *from, float *to);

/* The usual widths are constants, too: a row takes few instructions. */
INLINE void dots_of_width(const struct rp_stream *x, const float *q, float *dots)
{
    struct rp_stream y = *x;
    if (x->width == 64) {
        y.width = 64;
        dots_of(&y, q, dots);
    } else if (x->width == 128) {
        y.width = 128;
        dots_of(&y, q, dots);
    } else
        dots_of(&y, q, dots);
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

INLINE void with_dtype(stream_loop *loop, const struct rp_stream *x, const float *from, float *to)
{
    struct rp_stream y = *x;
    if (x->dtype == RP_DTYPE_fp16) {
        y.dtype = RP_DTYPE_fp16;
        with_slots(loop, &y, from, to);
    } else if (x->dtype == RP_DTYPE_bf16) {
        y.dtype = RP_DTYPE_bf16;
        with_slots(loop, &y, from, to);
    } else {
        y.dtype = RP_DTYPE_fp32;
        with_slots(loop, &y, from, to);
    }
}

void rp_stream_place(const struct rp_stream *x, int64_t slot, const float *row, float *q)
{
    const int64_t piece = by_pieces(x) ? PIECE : LANES;
    /* Slots i and i + VECTORS share a vector: so the sums come out in the order of slots. */
    const int64_t place = by_pieces(x) ? slot % VECTORS * (LANES / PIECE) + slot / VECTORS : slot;
    for (int64_t d = 0; d < x->width; d += piece)
        memcpy(q + d * x->slots + place * piece, row + d, (size_t)piece * sizeof *row);
}

void rp_stream_dots(const struct rp_stream *x, const float *q, float *dots)
{
    with_dtype(dots_of_width, x, q, dots);
}

void rp_stream_sum(const struct rp_stream *x, const float *weights, float *o)
{
    with_dtype(sum_of, x, weights, o);
}
