/*
 * test_hopper_layout.c - where the prefill for sm_90a says that Q, K and V lie, against what the
 * manuals say that the copy unit and the matrix unit do (host_cuda/wgmma_layout.h).
 */
#include "check.h"

#include <stdbool.h>

#include "host_cuda/wgmma_layout.h"
#include "kernels/cuda/hopper_layout.h"

enum { SHARED_BYTES = 228 * 1024, BLOCK_BYTES_MOST = 227 * 1024 };

/* 16-bit elements of shared memory; of a GPU with 228 KB. */
static uint16_t shared_memory[SHARED_BYTES / 2];

/* What the copy unit leaves of a tile: row after row of each box, swizzled; an element says its row
 * and column. */
static void copy_tile(uint32_t to, int width)
{
    const struct rp_hopper_map map = rp_hopper_map_of(width, 1000, 3);
    memset(shared_memory, 0xff, sizeof shared_memory);
    for (uint32_t column = 0; column < (uint32_t)width; ++column) {
        const uint32_t box = column / map.box[0] * map.box[0] * map.box[1] * 2;
        for (uint32_t row = 0; row < map.box[1]; ++row) {
            const uint32_t place = (row * map.box[0] + column % map.box[0]) * 2;
            shared_memory[wgmma_swizzle(to + box + place) / 2] = (uint16_t)(row * 256 + column);
        }
    }
}

static struct wgmma_operand decode(uint64_t descriptor)
{
    const struct wgmma_operand operand = wgmma_operand_of(descriptor);
    assert_int_equal(operand.others, 0);
    assert_int_equal(operand.swizzle, 1); /* 128 bytes */
    return operand;
}

static void test_k_is_read_as_it_was_copied(void **state)
{
    (void)state;
    for (int width = 64; width <= 128; width += 64) {
        const uint32_t tile = (uint32_t)rp_hopper_k_place(width, 1);
        copy_tile(tile, width);
        for (uint32_t i = 0; i < 64 * (uint32_t)width; ++i) {
            const uint32_t key = i % 64, column = i / 64;
            const struct wgmma_operand k = decode(rp_hopper_k_descriptor(tile, (int)column / 16));
            assert_int_equal(shared_memory[wgmma_by_rows(&k, key, column % 16) / 2],
                             key * 256 + column);
        }
    }
}

static void test_v_is_read_as_it_was_copied(void **state)
{
    (void)state;
    for (int width = 64; width <= 128; width += 64) {
        const uint32_t tile = (uint32_t)rp_hopper_v_place(width, 3);
        copy_tile(tile, width);
        for (uint32_t i = 0; i < 64 * (uint32_t)width; ++i) {
            const uint32_t key = i % 64, column = i / 64;
            const struct wgmma_operand v = decode(rp_hopper_v_descriptor(tile, (int)key / 16));
            assert_int_equal(shared_memory[wgmma_by_columns(&v, column, key % 16) / 2],
                             key * 256 + column);
        }
    }
}

static void test_chunks_lie_where_the_copy_unit_puts_them(void **state)
{
    (void)state;
    for (int row = 0; row < RP_HOPPER_BOX_ROWS; ++row)
        for (int chunk = 0; chunk < 8; ++chunk)
            assert_int_equal(rp_hopper_chunk_place(row, chunk),
                             wgmma_swizzle((uint32_t)(row * 128 + chunk * 16)));
    assert_int_equal(rp_hopper_chunk_place(9, 3), 9 * 128 + 2 * 16);
}

/* Worked out by hand, in hexadecimal: stride 1024 / 16 = 0x40, swizzle 1 << 62. */
static void test_descriptors(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t expected;
        uint32_t tile;
        int step;
        bool is_v;
    } cases[] = {
        {"K, first columns", 0x4000004000010040, 0x400, 0, false},
        {"K, 16 columns further: 32 bytes", 0x4000004000010042, 0x400, 1, false},
        {"K, last columns of the first box", 0x4000004000010046, 0x400, 3, false},
        {"K, second box: 8192 bytes further", 0x4000004000010240, 0x400, 4, false},
        {"K, its last columns", 0x4000004000010246, 0x400, 7, false},
        {"V, first keys", 0x4000004002000040, 0x400, 0, true},
        {"V, 16 keys further: 2048 bytes", 0x40000040020000c0, 0x400, 1, true},
        {"V, beyond 64 KB", 0x4000004002001180, 0x11000, 1, true},
        {"V, beyond 128 KB", 0x4000004002002980, 0x29800, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const uint64_t found = cases[i].is_v ? rp_hopper_v_descriptor(cases[i].tile, cases[i].step)
                                             : rp_hopper_k_descriptor(cases[i].tile, cases[i].step);
        if (found != cases[i].expected)
            fail_msg("%s: %llx", cases[i].name, (unsigned long long)found);
    }
}

/* Nothing overlaps, tiles begin where the pattern does, and all fits a block. */
static void test_shared_memory(void **state)
{
    (void)state;
    static uint8_t taken[SHARED_BYTES];
    for (int width = 64; width <= 128; width += 64) {
        const int tile_bytes = 64 * width * 2;
        int places[2 + 2 * RP_HOPPER_STAGES];
        int n = 0;
        memset(taken, 0, sizeof taken);
        for (int group = 0; group < 2; ++group)
            places[n++] = rp_hopper_q_place(width, group);
        for (int stage = 0; stage < RP_HOPPER_STAGES; ++stage) {
            places[n++] = rp_hopper_k_place(width, stage);
            places[n++] = rp_hopper_v_place(width, stage);
        }
        for (int i = 0; i < n; ++i) {
            assert_int_equal(places[i] % 1024, 0);
            for (int byte = 0; byte < tile_bytes; ++byte)
                assert_int_equal(taken[places[i] + byte]++, 0);
        }
        for (int i = 0; i < RP_HOPPER_BARRIERS; ++i) {
            const int kind = i == 0 ? RP_HOPPER_Q_FULL : 1 + (i - 1) % 3;
            const int place = rp_hopper_barrier_place(width, kind, i == 0 ? 0 : (i - 1) / 3);
            assert_int_equal(place % 8, 0);
            assert_true(place + 8 + 1024 <= rp_hopper_shared_bytes(width));
            for (int byte = 0; byte < 8; ++byte)
                assert_int_equal(taken[place + byte]++, 0);
        }
        assert_true(rp_hopper_shared_bytes(width) <= BLOCK_BYTES_MOST);
    }
    /* Q 32 KB, four stages of 2 * 16 KB, 13 barriers, and the way to the first multiple of 1024. */
    assert_int_equal(rp_hopper_shared_bytes(128), 32768 + 4 * 32768 + 13 * 8 + 1024);
    assert_int_equal(rp_hopper_shared_bytes(64), 16384 + 4 * 16384 + 13 * 8 + 1024);
}

/* A barrier's bytes are those of the boxes that report to it, also where they hang over the end. */
static void test_expected_bytes(void **state)
{
    (void)state;
    assert_int_equal(rp_hopper_tile_bytes(64), 8192);
    assert_int_equal(rp_hopper_tile_bytes(128), 16384);
    assert_int_equal(rp_hopper_q_bytes(64), 16384);
    assert_int_equal(rp_hopper_q_bytes(128), 32768);
    assert_int_equal(rp_hopper_boxes(128) * RP_HOPPER_BOX_BYTES, rp_hopper_tile_bytes(128));
}

/* Sizes beyond 32 bits, strides in whole chunks of 16 bytes, boxes no wider than the swizzle. */
static void test_tensor_map(void **state)
{
    (void)state;
    const struct rp_hopper_map map = rp_hopper_map_of(128, 1 << 20, 256 * 128);
    assert_int_equal(map.size[0], 128);
    assert_int_equal(map.size[1], 1048576);
    assert_int_equal(map.size[2], 32768);
    assert_int_equal(map.stride_bytes[0], 256);
    assert_int_equal(map.stride_bytes[1], 268435456);
    assert_int_equal(map.box[0] * 2, 128);
    assert_int_equal(map.box[1], 64);
    assert_int_equal(map.box[2], 1);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(map.element_stride[i], 1);
    assert_int_equal(rp_hopper_map_of(64, INT32_MAX, 1).stride_bytes[1], 274877906816);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_k_is_read_as_it_was_copied),
        cmocka_unit_test(test_v_is_read_as_it_was_copied),
        cmocka_unit_test(test_chunks_lie_where_the_copy_unit_puts_them),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_expected_bytes),
        cmocka_unit_test(test_tensor_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
