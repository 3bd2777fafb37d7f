/*
 * matrix.cpp - ldmatrix's bank conflicts, counted, and mma.sync: the warp's registers are put
 * together to matrices as kernels/cuda/ptx.h documents, multiplied in fp32, and taken apart again.
 */
#include <array>
#include <atomic>
#include <cstring>

#include "engine.h"

namespace host_cuda
{

static std::atomic<long> bank_conflicts;

void count_conflicts(const void *const *rows, int n_matrices)
{
    for (int m = 0; m < n_matrices; ++m) {
        unsigned places = 0; /* of 16 bytes, eight to the 128 bytes of all banks */
        for (int i = 0; i < 8; ++i)
            places |= 1u << reinterpret_cast<uintptr_t>(rows[8 * m + i]) / 16 % 8;
        bank_conflicts += 8 - __builtin_popcount(places);
    }
}

void conflicts_forget()
{
    bank_conflicts = 0;
}

enum { M = 16, N = 8, K_MOST = 16 };

struct Operands {
    MatrixType type;
    float *d;
    const unsigned *a, *b;
};

struct Matrices {
    float a[M][K_MOST], b[K_MOST][N], d[M][N];
};

static std::array<float, 65536> decode_all_halves()
{
    std::array<float, 65536> values;
    for (unsigned bits = 0; bits < values.size(); ++bits) {
        __half_raw raw;
        raw.x = static_cast<unsigned short>(bits);
        values[bits] = __half2float(__half(raw));
    }
    return values;
}

/* Element e of a register. */
static float element_of(MatrixType type, unsigned bits, unsigned e)
{
    static const std::array<float, 65536> halves = decode_all_halves();
    unsigned half = bits >> 16 * e & 0xffffu;
    switch (type) {
    case MatrixType::fp16:
        return halves[half];
    case MatrixType::bf16:
        return __uint_as_float(half << 16);
    case MatrixType::tf32:
        break;
    }
    return __uint_as_float(bits & ~0x1fffu);
}

static void gather(Matrices *m, unsigned lane, const Operands &o)
{
    unsigned group = lane / 4;
    unsigned in_group = lane % 4;
    unsigned packed = o.type == MatrixType::tf32 ? 1 : 2; /* elements of a register */
    for (unsigned e = 0; e < packed; ++e) {
        unsigned k = packed * in_group + e;
        for (unsigned i = 0; i < 4; ++i)
            m->a[group + 8 * (i & 1)][k + 4 * packed * (i >> 1)] = element_of(o.type, o.a[i], e);
        for (unsigned i = 0; i < 2; ++i)
            m->b[k + 4 * packed * i][group] = element_of(o.type, o.b[i], e);
    }
    for (unsigned i = 0; i < 4; ++i)
        m->d[group + 8 * (i >> 1)][2 * in_group + (i & 1)] = o.d[i];
}

static void multiply(Thread *const lanes[WARP_LANES])
{
    Matrices m;
    auto operands_of = [&](unsigned lane) -> const Operands & {
        return *static_cast<const Operands *>(lanes[lane]->operand);
    };
    int depth = operands_of(0).type == MatrixType::tf32 ? 8 : 16;
    for (unsigned lane = 0; lane < WARP_LANES; ++lane)
        gather(&m, lane, operands_of(lane));
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < depth; ++k) {
            for (int j = 0; j < N; ++j)
                m.d[i][j] += m.a[i][k] * m.b[k][j];
        }
    }
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        for (unsigned i = 0; i < 4; ++i)
            operands_of(lane).d[i] = m.d[lane / 4 + 8 * (i >> 1)][2 * (lane % 4) + (i & 1)];
    }
}

void multiply_matrices(MatrixType type, float (&d)[4], const unsigned (&a)[4],
                       const unsigned (&b)[2])
{
    auto *t = static_cast<Thread *>(self);
    const Place place = {"mma.sync", M};
    Operands operands = {type, d, a, b};
    if (t->block->warp_of(t).there != 0xffffffffu)
        trap(place, cudaErrorLaunchFailure, "a warp that is not full multiplies matrices");
    t->operand = &operands;
    meet(place, {Operation::matrix_multiply, 0xffffffffu}, multiply);
}

} // namespace host_cuda

extern "C" long host_cuda_bank_conflicts(void)
{
    return host_cuda::bank_conflicts;
}
