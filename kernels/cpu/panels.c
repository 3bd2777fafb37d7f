/*
 * panels.c - packing, and the register tile both products run through.
 *
 * A tile holds TILE_ROWS x (16 or 32) sums in registers. Each step of the depth loads one row of
 * one panel, or of two, and one element of each row of `a`.
 */
#include "kernels/cpu/panels.h"

#include <string.h>

#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

#define COLUMNS RP_CPU_LANES
#define PARTS   (COLUMNS / RP_VEC_LANES) /* vectors across a panel */

/* As many rows and panels as leave registers for the panels' row and one element: 32 registers with
 * AVX-512, 16 elsewhere. The rows divide RP_CPU_TILE_ROWS. */
#if RP_VEC_LANES == 16
#define TILE_ROWS   12
#define TILE_PANELS 2
#elif RP_VEC_LANES == 8
#define TILE_ROWS   6
#define TILE_PANELS 1
#else
#define TILE_ROWS   2
#define TILE_PANELS 1
#endif

/* Six rows are so few instructions that those of the loop itself count. */
#if RP_VEC_LANES == 8 && !defined(RP_SANITIZED)
#define UNROLLED _Pragma("GCC unroll 4")
#else
#define UNROLLED
#endif

/* Where in a product a tile is. */
struct place {
    int64_t row;
    int64_t panel;
};

static inline __attribute__((always_inline)) void
multiply_tile(const struct rp_product *x, struct place at, const int rows, const int panels)
{
    const float *a = x->a + at.row * x->a_stride;
    const float *b = x->panels + at.panel * x->panel_stride;
    float *c = x->c + at.row * x->c_stride + at.panel * COLUMNS;
    const int parts = panels * PARTS;
    rp_vec sum[TILE_ROWS > 4 ? TILE_ROWS : 4][TILE_PANELS * PARTS] = {0};
    UNROLLED
    for (int64_t k = 0; k < x->depth; ++k) {
        rp_vec row[TILE_PANELS * PARTS];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i)
            row[i] = rp_vec_load(b + i / PARTS * x->panel_stride + k * x->row_stride +
                                 i % PARTS * RP_VEC_LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) {
            rp_vec element = rp_vec_all(a[r * x->a_stride + k]);
#pragma GCC unroll 4
            for (int i = 0; i < parts; ++i)
                sum[r][i] += element * row[i];
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            float *to = c + r * x->c_stride + i * RP_VEC_LANES;
            rp_vec_store(to, x->adds ? rp_vec_load(to) + sum[r][i] : sum[r][i]);
        }
    }
}

/* All rows with `panels` panels from `panel`; a constant. */
static inline __attribute__((always_inline)) void
multiply_rows(const struct rp_product *x, int64_t rows, int64_t panel, const int panels)
{
    int64_t r = 0;
    for (; r + TILE_ROWS <= rows; r += TILE_ROWS)
        multiply_tile(x, (struct place){r, panel}, TILE_ROWS, panels);
#if TILE_ROWS > 8
    for (; r + 8 <= rows; r += 8)
        multiply_tile(x, (struct place){r, panel}, 8, panels);
#endif
    for (; r + 4 <= rows; r += 4)
        multiply_tile(x, (struct place){r, panel}, 4, panels);
    for (; r + 2 <= rows; r += 2)
        multiply_tile(x, (struct place){r, panel}, 2, panels);
    if (r < rows)
        multiply_tile(x, (struct place){r, panel}, 1, panels);
}

void rp_panels_multiply(const struct rp_product *x, int64_t rows)
{
    int64_t panel = 0;
    for (; panel + TILE_PANELS <= x->n_panels; panel += TILE_PANELS)
        multiply_rows(x, rows, panel, TILE_PANELS);
    for (; panel < x->n_panels; ++panel)
        multiply_rows(x, rows, panel, 1);
}

/* panel (width, 16) = the transpose of rows (16, width). */
static void transpose(const float *rows, int64_t width, float *panel)
{
    int64_t d = 0;
    for (; d + RP_VEC_LANES <= width; d += RP_VEC_LANES) {
        for (int64_t j = 0; j < COLUMNS; j += RP_VEC_LANES) {
            rp_vec square[RP_VEC_LANES];
            for (int64_t i = 0; i < RP_VEC_LANES; ++i)
                square[i] = rp_vec_load(rows + (j + i) * width + d);
            rp_vec_transpose(square);
            for (int64_t i = 0; i < RP_VEC_LANES; ++i)
                rp_vec_store(panel + (d + i) * COLUMNS + j, square[i]);
        }
    }
    for (; d < width; ++d) {
        for (int64_t j = 0; j < COLUMNS; ++j)
            panel[d * COLUMNS + j] = rows[j * width + d];
    }
}

/* Keys first .. first + 15 of one kv head into one panel, by way of 16 fp32 rows. */
static void pack_key_panel(const struct rp_attention *a, const void *keys, int64_t first,
                           float *panel, float *rows)
{
    const struct rp_point *p = a->point;
    int64_t width = p->head_dim;
    int64_t n = p->seq_k - first < COLUMNS ? p->seq_k - first : COLUMNS;
    rp_row_load(p->dtype, rp_element(p->dtype, keys, first * width), rows, n * width);
    memset(rows + n * width, 0, (size_t)((COLUMNS - n) * width) * sizeof *rows);
    transpose(rows, width, panel);
}

void rp_panels_pack_keys(const struct rp_attention *a, const struct rp_cpu_layout *layout)
{
    const struct rp_point *p = a->point;
    int64_t panels = rp_cpu_lanes_up(p->seq_k) / COLUMNS;
    float *base = (float *)a->workspace + layout->k_panels;
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < p->batch * p->kv_heads * panels; ++i) {
        const void *keys = rp_element(p->dtype, a->k, i / panels * p->seq_k * p->head_dim);
        pack_key_panel(a, keys, i % panels * COLUMNS, base + i * COLUMNS * p->head_dim,
                       rp_thread_scratch(a, layout));
    }
}

/* Keys first .. first + 15 of one kv head into their rows of all its panels. */
static void pack_value_rows(const struct rp_attention *a, const void *values, int64_t first,
                            float *panels, float *row)
{
    const struct rp_point *p = a->point;
    int64_t wide = rp_cpu_lanes_up(p->head_dim);
    int64_t end = p->seq_k - first < COLUMNS ? p->seq_k : first + COLUMNS;
    memset(row + p->head_dim, 0, (size_t)(wide - p->head_dim) * sizeof *row);
    for (int64_t key = first; key < end; ++key) {
        rp_row_load(p->dtype, rp_element(p->dtype, values, key * p->head_dim), row, p->head_dim);
        for (int64_t d = 0; d < wide; d += COLUMNS)
            memcpy(panels + d * p->seq_k + key * COLUMNS, row + d, COLUMNS * sizeof *row);
    }
}

void rp_panels_pack_values(const struct rp_attention *a, const struct rp_cpu_layout *layout)
{
    const struct rp_point *p = a->point;
    int64_t pieces = rp_cpu_lanes_up(p->seq_k) / COLUMNS;
    int64_t head_floats = p->seq_k * rp_cpu_lanes_up(p->head_dim);
    float *base = (float *)a->workspace + layout->v_panels;
#pragma omp parallel for num_threads(a->threads) schedule(static)
    for (int64_t i = 0; i < p->batch * p->kv_heads * pieces; ++i) {
        int64_t head = i / pieces;
        const void *values = rp_element(p->dtype, a->v, head * p->seq_k * p->head_dim);
        pack_value_rows(a, values, i % pieces * COLUMNS, base + head * head_floats,
                        rp_thread_scratch(a, layout));
    }
}
