/*
 * wgmma_layout.h - where wgmma finds the elements of an operand in shared memory, after the PTX
 * manual alone ("Matrix Descriptor Format", canonical layouts, 128-byte swizzle). Of 16-bit
 * elements; plain C, for the host's matrix unit and for tests/unit/test_hopper_layout.c.
 */
#ifndef RP_TESTS_WGMMA_LAYOUT_H
#define RP_TESTS_WGMMA_LAYOUT_H

#include <stdint.h>

/* Address bits 4-6 (which chunk of 16 bytes) by exclusive or with bits 7-9 (which row of 128). */
static inline uint32_t wgmma_swizzle(uint32_t address)
{
    return address ^ (address >> 3 & 0x70u);
}

/* What a matrix descriptor says, in bytes. */
struct wgmma_operand {
    uint32_t begin, leading, stride;
    uint32_t others; /* base offset and reserved bits: 0 */
    uint32_t swizzle;
};

static inline struct wgmma_operand wgmma_operand_of(uint64_t descriptor)
{
    const uint64_t known = 0xc000000000000000u | (uint64_t)0x3fff << 32 | 0x3fffu << 16 | 0x3fffu;
    const struct wgmma_operand operand = {
        (uint32_t)(descriptor & 0x3fffu) * 16,
        (uint32_t)(descriptor >> 16 & 0x3fffu) * 16,
        (uint32_t)(descriptor >> 32 & 0x3fffu) * 16,
        (descriptor & ~known) != 0,
        (uint32_t)(descriptor >> 62),
    };
    return operand;
}

/* Element (n, k) where those of neighbouring k are neighbours ("K-major"): rows n of 128 bytes,
 * eight of them, then the next eight a stride further. */
static inline uint32_t wgmma_by_rows(const struct wgmma_operand *b, uint32_t n, uint32_t k)
{
    return wgmma_swizzle(b->begin + n / 8 * b->stride + n % 8 * 128 + k * 2);
}

/* The same where those of neighbouring n are ("MN-major"): 64 of them, then the next 64 a leading
 * dimension further; eight rows k of 128 bytes, then the next eight a stride further. */
static inline uint32_t wgmma_by_columns(const struct wgmma_operand *b, uint32_t n, uint32_t k)
{
    return wgmma_swizzle(b->begin + n / 64 * b->leading + k / 8 * b->stride + k % 8 * 128 +
                         n % 64 * 2);
}

#endif
