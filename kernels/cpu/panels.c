/*
 * panels.c - packing, and the register tile both products run through.
 *
 * A tile holds TILE_ROWS x 16 sums in registers. Each step of the depth loads one row of the panel
 * and one element of each row of `a`, and makes TILE_ROWS * 16 multiply-adds of them.
 */
#include "kernels/cpu/panels.h"

#include <string.h>

#include "kernels/cpu/storage.h"
#include "kernels/cpu/vec.h"

#define COLUMNS RP_CPU_LANES
#define PARTS   (COLUMNS / RP_VEC_LANES) /* vectors across a panel */

/* As many rows as leave registers for a panel row and one element: 32 registers with AVX-512, 16
 * elsewhere. Each divides RP_CPU_TILE_ROWS. */
#if RP_VEC_LANES == 16
#define TILE_ROWS 12
#elif RP_VEC_LANES == 8
#define TILE_ROWS 6
#else
#define TILE_ROWS 2
#endif

static inline __attribute__((always_inline)) void multiply_tile(const struct rp_product *x,
                                                                int64_t first, const int rows)
{
    const float *a = x->a + first * x->a_stride;
    float *c = x->c + first * x->c_stride;
    rp_vec sum[TILE_ROWS > 4 ? TILE_ROWS : 4][PARTS] = {0};
    for (int64_t k = 0; k < x->depth; ++k) {
        rp_vec b[PARTS];
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; ++i)
            b[i] = rp_vec_load(x->panel + k * COLUMNS + i * RP_VEC_LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
            for (int i = 0; i < PARTS; ++i)
                sum[r][i] += rp_vec_all(a[r * x->a_stride + k]) * b[i];
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; ++i) {
            float *to = c + r * x->c_stride + i * RP_VEC_LANES;
            rp_vec_store(to, x->adds ? rp_vec_load(to) + sum[r][i] : sum[r][i]);
        }
    }
}

void rp_panels_multiply(const struct rp_product *x, int64_t rows)
{
    int64_t r = 0;
    for (; r + TILE_ROWS <= rows; r += TILE_ROWS)
        multiply_tile(x, r, TILE_ROWS);
    for (; r + 4 <= rows; r += 4)
        multiply_tile(x, r, 4);
    for (; r + 2 <= rows; r += 2)
        multiply_tile(x, r, 2);
    if (r < rows)
        multiply_tile(x, r, 1);
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
    for (int64_t d = 0; d < width; ++d) {
        for (int j = 0; j < COLUMNS; ++j)
            panel[d * COLUMNS + j] = rows[j * width + d];
    }
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
