/*
 * row_blocks.c - several query rows against blocks of rows of K or V. Operands are loaded once for
 * several multiply-adds, so that these, not the loads, are what a core has most to do.
 */
#include "kernels/cpu/row_blocks.h"

#include <string.h>

#include "kernels/cpu/row_loops.h"

/* Sums that stay in registers beside what they are made of: chains enough to hide the latency of a
 * multiply-add. */
#define SUMS (LANES == 16 ? 16 : 12)

/* A vector of q holds a piece of each of several slots, and meets a piece of a row repeated in all
 * of a vector, which leaves fewer lanes to sum. */
enum {
    PIECE = RP_VEC_PIECE,
    STEP = 8,                                     /* elements of a row: whole pieces */
    VECTORS = RP_CPU_DECODE_ROWS * PIECE / LANES, /* of q that a piece of a row meets */
    KEYS = SUMS / VECTORS                         /* of a block: all their sums are in registers */
};

/* A block of V, and the part of o that stays in registers: 7 loads for 12 multiply-adds. */
enum { VALUES_FLOATS = 2048, TILE_SLOTS = 4, TILE_VECTORS = 3 };

/* What is fetched for later lies so far behind what is converted for the next block. */
enum { AHEAD_BYTES = LANES == 16 ? 8192 : 2048 };

bool rp_blocks_take_dots(const struct rp_stream *x)
{
    return PIECE < LANES && x->slots == RP_CPU_DECODE_ROWS && x->width % STEP == 0;
}

/* With AVX-512 the strips of row_stream.c do as well: a row of o has half as many vectors. */
bool rp_blocks_take_sum(const struct rp_stream *x)
{
    return LANES == 8 && x->slots >= TILE_SLOTS && x->width % LANES == 0;
}

/* What is read next. */
struct ahead {
    const void *from; /* as it is stored */
    float *to;        /* null: it is only fetched */
    int64_t done;     /* elements */
};

/* The next n vectors; and what lies AHEAD_BYTES behind them is fetched, which takes at least one
 * fetch a line of memory. */
INLINE void prepare(const struct rp_stream *x, struct ahead *next, const int n)
{
#pragma GCC unroll 4
    for (int64_t i = 0; i < n * LANES; i += line_of(x))
        fetch_behind(x, next->from, next->done + i, AHEAD_BYTES);
    if (next->to) {
#pragma GCC unroll 4
        for (int64_t i = next->done; i < next->done + n * LANES; i += LANES)
            rp_vec_store(next->to + i,
                         rp_vec_load_stored(x->dtype, rp_element(x->dtype, next->from, i)));
    }
    next->done += n * LANES;
}

/* Dots of a block of rows in fp32; beside it the next one is prepared. */
INLINE void dots_of_block(const struct rp_stream *x, const float *rows, struct ahead next,
                          const float *q, float *dots)
{
    rp_vec sums[SUMS];
#pragma GCC unroll 16
    for (int i = 0; i < SUMS; ++i)
        sums[i] = rp_vec_all(0.0f);
    for (int64_t step = 0; step < x->width; step += STEP) {
        prepare(x, &next, KEYS * STEP / LANES);
#pragma GCC unroll 2
        for (int64_t d = step; d < step + STEP; d += PIECE) {
            rp_vec k[KEYS];
#pragma GCC unroll 4
            for (int row = 0; row < KEYS; ++row)
                k[row] = rp_vec_load_piece(rows + row * x->width + d);
#pragma GCC unroll 4
            for (int i = 0; i < VECTORS; ++i) {
                rp_vec of_q = rp_vec_load(q + d * RP_CPU_DECODE_ROWS + i * LANES);
#pragma GCC unroll 4
                for (int row = 0; row < KEYS; ++row)
                    sums[row * VECTORS + i] += k[row] * of_q;
            }
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < SUMS / PIECE; ++i)
        rp_vec_store(dots + i * LANES, rp_vec_sum_pieces(sums + i * PIECE));
}

/* fp32 is met where it lies. */
INLINE void dots_of(const struct rp_stream *x, const float *q, float *dots)
{
    _Alignas(64) float blocks[2][KEYS * RP_CPU_HEAD_DIM_MAX];
    const int64_t elements = KEYS * x->width;
    const int64_t whole = x->n / KEYS;
    const bool converts = x->dtype != RP_DTYPE_fp32;
    if (converts && whole > 0)
        rp_row_load(x->dtype, x->rows, blocks[0], elements);
    for (int64_t i = 0; i < whole; ++i) {
        const void *rows = rp_element(x->dtype, x->rows, i * elements);
        struct ahead next = {rp_element(x->dtype, rows, i + 1 < whole ? elements : 0),
                             converts ? blocks[1 - i % 2] : NULL, 0};
        dots_of_block(x, converts ? blocks[i % 2] : rows, next, q, dots);
        dots += KEYS * RP_CPU_DECODE_ROWS;
    }
    if (whole * KEYS == x->n)
        return;
    const void *rest = rp_element(x->dtype, x->rows, whole * elements);
    memset(blocks[0], 0, (size_t)elements * sizeof *blocks[0]);
    rp_row_load(x->dtype, rest, blocks[0], (x->n - whole * KEYS) * x->width);
    dots_of_block(x, blocks[0], (struct ahead){rest, NULL, 0}, q, blocks[1]);
    memcpy(dots, blocks[1], (size_t)(x->n - whole * KEYS) * RP_CPU_DECODE_ROWS * sizeof *dots);
}

/* A block of V in fp32, and where the one after it goes. */
struct values {
    const float *rows; /* (n, width) */
    int64_t n;
    struct ahead next;
    int64_t elements_next;
};

INLINE void add_to(float *o, rp_vec sum)
{
    rp_vec_store(o, rp_vec_load(o) + sum);
}

/* `vectors`, a constant, of o of TILE_SLOTS slots, from element d; beside each row `ahead` vectors
 * of the next block. */
INLINE void sum_tile(const struct rp_stream *x, struct values *block, int64_t d, const int vectors,
                     const int ahead, const float *weights, float *o)
{
    rp_vec sums[TILE_SLOTS][TILE_VECTORS];
#pragma GCC unroll 4
    for (int s = 0; s < TILE_SLOTS; ++s) {
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i)
            sums[s][i] = rp_vec_all(0.0f);
    }
    int64_t row = 0;
    do {
        rp_vec v[TILE_VECTORS];
        if (block->next.done + ahead * LANES <= block->elements_next)
            prepare(x, &block->next, ahead);
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i)
            v[i] = rp_vec_load(block->rows + row * x->width + d + i * LANES);
#pragma GCC unroll 4
        for (int s = 0; s < TILE_SLOTS; ++s) {
            rp_vec weight = rp_vec_all(weights[row * x->slots + s]);
#pragma GCC unroll 4
            for (int i = 0; i < vectors; ++i)
                sums[s][i] += weight * v[i];
        }
    } while (++row < block->n);
#pragma GCC unroll 4
    for (int s = 0; s < TILE_SLOTS; ++s) {
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i)
            add_to(o + s * x->stride + d + i * LANES, sums[s][i]);
    }
}

/* As few tiles as there can be, the last two alike rather than one of a single vector, which would
 * have too few chains of sums. */
INLINE int vectors_of_tile(int64_t left)
{
    return left == 4 ? 2 : left < TILE_VECTORS ? (int)left : TILE_VECTORS;
}

/* Vectors that tiles of the slots from s prepare beside a row: with those of the other slots as
 * many as the tiles have, so that memory is never idle. */
INLINE int portion(const struct rp_stream *x, const int s, const int vectors)
{
    return x->slots == TILE_SLOTS ? vectors : (vectors + (s == 0)) / 2;
}

/* Tiles of the slots from s. */
INLINE void sum_slots(const struct rp_stream *x, struct values *block, const int s,
                      const float *weights, float *o)
{
    for (int64_t d = 0; d < x->width;) {
        const int vectors = vectors_of_tile((x->width - d) / LANES);
        if (vectors == 3)
            sum_tile(x, block, d, 3, portion(x, s, 3), weights, o);
        else if (vectors == 2)
            sum_tile(x, block, d, 2, portion(x, s, 2), weights, o);
        else
            sum_tile(x, block, d, 1, portion(x, s, 1), weights, o);
        d += vectors * LANES;
    }
}

INLINE void sum_block(const struct rp_stream *x, struct values *block, const float *weights,
                      float *o)
{
    sum_slots(x, block, 0, weights, o);
    if (x->slots > TILE_SLOTS)
        sum_slots(x, block, TILE_SLOTS, weights + TILE_SLOTS, o + TILE_SLOTS * x->stride);
    while (block->next.done < block->elements_next)
        prepare(x, &block->next, 1);
}

INLINE int64_t rows_of_block(const struct rp_stream *x, int64_t first)
{
    int64_t most = VALUES_FLOATS / x->width;
    return x->n - first < most ? x->n - first : most;
}

INLINE void sum_of(const struct rp_stream *x, const float *weights, float *o)
{
    _Alignas(64) float blocks[2][VALUES_FLOATS];
    struct values block = {.n = rows_of_block(x, 0)};
    int turn = 0;
    rp_row_load(x->dtype, x->rows, blocks[0], block.n * x->width);
    for (int64_t row = 0; row < x->n; turn = 1 - turn) {
        const int64_t first = row + block.n;
        const int64_t n_next = rows_of_block(x, first);
        block.rows = blocks[turn];
        block.next =
            (struct ahead){rp_element(x->dtype, x->rows, first * x->width), blocks[1 - turn], 0};
        block.elements_next = n_next * x->width;
        sum_block(x, &block, weights + row * x->slots, o);
        row = first;
        block.n = n_next;
    }
}

INLINE void sum_of_slots(const struct rp_stream *x, const float *weights, float *o)
{
    struct rp_stream y = *x;
    if (x->slots == TILE_SLOTS) {
        y.slots = TILE_SLOTS;
        sum_of(&y, weights, o);
    } else {
        y.slots = RP_CPU_DECODE_ROWS;
        sum_of(&y, weights, o);
    }
}

INLINE void dots_of_width(const struct rp_stream *x, const float *q, float *dots)
{
    with_width(dots_of, x, q, dots);
}

INLINE void sum_of_width(const struct rp_stream *x, const float *weights, float *o)
{
    with_width(sum_of_slots, x, weights, o);
}

void rp_blocks_place(const struct rp_stream *x, int64_t slot, const float *row, float *q)
{
    /* Slots i and i + VECTORS share a vector: so the sums come out in the order of slots. */
    const int64_t place = slot % VECTORS * (LANES / PIECE) + slot / VECTORS;
    for (int64_t d = 0; d < x->width; d += PIECE)
        memcpy(q + d * x->slots + place * PIECE, row + d, PIECE * sizeof *row);
}

void rp_blocks_dots(const struct rp_stream *x, const float *q, float *dots)
{
    with_dtype(dots_of_width, x, q, dots);
}

void rp_blocks_sum(const struct rp_stream *x, const float *weights, float *o)
{
    with_dtype(sum_of_width, x, weights, o);
}
