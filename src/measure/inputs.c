/*
 * inputs.c - element i of tensor t is byte i % 16 of the Philox block (seed, t, i / 16).
 *
 *   value = n / 64,  n = byte - 128, and 0 for byte 0, so that -127 .. 127 is symmetric
 */
#include "measure/inputs.h"

#include <string.h>

#include "base/rng.h"

#define BLOCK_BYTES 16
#define BYTE_VALUES 256

static float value_of(unsigned byte)
{
    return byte == 0 ? 0.0f : (float)((int)byte - 128) / 64.0f;
}

int64_t rp_inputs_count(const struct rp_point *p, enum rp_tensor tensor)
{
    int64_t rows = tensor == RP_TENSOR_Q ? p->heads * p->seq_q : p->kv_heads * p->seq_k;
    return p->batch * rows * p->head_dim;
}

static unsigned byte_at(const struct rp_rng_block *block, int64_t i)
{
    return block->word[i / 4] >> (8 * (i % 4)) & 0xFFu;
}

void rp_inputs_values(int64_t seed, enum rp_tensor tensor, int64_t first, int64_t n, float *values)
{
    struct rp_rng_block block = {0};
    for (int64_t i = first; i < first + n; ++i) {
        if (i == first || i % BLOCK_BYTES == 0)
            block = rp_rng_block((uint64_t)seed, (uint64_t)tensor, (uint64_t)(i / BLOCK_BYTES));
        values[i - first] = value_of(byte_at(&block, i % BLOCK_BYTES));
    }
}

/* Elements of one Philox block as stored, by way of a table of the 256 there are. */
static void fill_block(const void *table, size_t element_bytes, const struct rp_rng_block *block,
                       void *stored, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        memcpy((char *)stored + (size_t)i * element_bytes,
               (const char *)table + byte_at(block, i) * element_bytes, element_bytes);
}

void rp_inputs_fill(const struct rp_point *p, int64_t seed, enum rp_tensor tensor, void *stored)
{
    int64_t count = rp_inputs_count(p, tensor);
    int64_t blocks = (count + BLOCK_BYTES - 1) / BLOCK_BYTES;
    size_t element_bytes = (size_t)rp_dtype_info(p->dtype)->storage_bytes;
    float values[BYTE_VALUES];
    uint32_t table[BYTE_VALUES]; /* room for the widest; packed at element_bytes */
    for (unsigned byte = 0; byte < BYTE_VALUES; ++byte)
        values[byte] = value_of(byte);
    rp_dtype_encode_array(p->dtype, values, table, BYTE_VALUES);
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < blocks; ++b) {
        struct rp_rng_block block = rp_rng_block((uint64_t)seed, (uint64_t)tensor, (uint64_t)b);
        int64_t first = b * BLOCK_BYTES;
        int64_t n = count - first < BLOCK_BYTES ? count - first : BLOCK_BYTES;
        fill_block(table, element_bytes, &block, (char *)stored + (size_t)first * element_bytes, n);
    }
}
