/* words.cu - see words.h. */
#include "kernels/cuda/fused_tile.h"

#include "host_cuda.h"
#include "planted_run.h"
#include "words.h"

enum { M = 16, N = 8, LANES = 32, THREADS = 96 };

/* Small whole numbers: every product is exact in every type. */
static __host__ __device__ int a_at(int i, int k)
{
    return (3 * i + k) % 7 - 3;
}

static __host__ __device__ int b_at(int k, int j)
{
    return (5 * k + 2 * j) % 9 - 4;
}

/* Element (i, j) of A B, row-major. */
template <int DEPTH> static int product_at(size_t index)
{
    int sum = 0;
    for (int k = 0; k < DEPTH; ++k)
        sum += a_at(static_cast<int>(index) / N, k) * b_at(k, static_cast<int>(index) % N);
    return sum;
}

/* A lane's part of the 16 x 8 result, as the layout in ptx.h says. */
static __device__ void store_product(const float (&d)[4], float *x)
{
    unsigned row = threadIdx.x / 4;
    unsigned column = 2 * (threadIdx.x % 4);
    for (unsigned e = 0; e < 4; ++e)
        x[(row + 8 * (e / 2)) * N + column + e % 2] = d[e];
}

static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                __half)
{
    rp_mma_m16n8k16_fp16(d, a, b);
}

static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                __nv_bfloat16)
{
    rp_mma_m16n8k16_bf16(d, a, b);
}

static __device__ void set(__half *x, int value)
{
    *x = __float2half(static_cast<float>(value));
}

static __device__ void set(__nv_bfloat16 *x, int value)
{
    *x = __float2bfloat16(static_cast<float>(value));
}

/* A lies row by row, B once row by row (loaded transposed) and once column by column. */
template <class T> static __global__ void multiply_halves(float *x, bool by_rows)
{
    __shared__ __align__(16) T a[M][16];
    __shared__ __align__(16) T b_rows[16][N];
    __shared__ __align__(16) T b_columns[N][16];
    unsigned lane = threadIdx.x;
    unsigned fragment_a[4];
    unsigned fragment_b[2];
    float d[4] = {};
    for (unsigned i = lane; i < M * 16; i += LANES)
        set(&a[i / 16][i % 16], a_at(static_cast<int>(i / 16), static_cast<int>(i % 16)));
    for (unsigned i = lane; i < 16 * N; i += LANES) {
        set(&b_rows[i / N][i % N], b_at(static_cast<int>(i / N), static_cast<int>(i % N)));
        set(&b_columns[i / 16][i % 16], b_at(static_cast<int>(i % 16), static_cast<int>(i / 16)));
    }
    __syncwarp();
    rp_ldmatrix_x4(fragment_a, &a[lane % 16][8 * (lane / 16)]);
    if (by_rows)
        rp_ldmatrix_x2_trans(fragment_b, &b_rows[lane % 16][0]);
    else
        rp_ldmatrix_x2(fragment_b, &b_columns[lane % 8][8 * (lane / 8 % 2)]);
    multiply(d, fragment_a, fragment_b, T());
    store_product(d, x);
}

template <class T> static bool multiplies_halves()
{
    bool is_right = true;
    for (bool by_rows : {false, true}) {
        DeviceFloats x(M * N);
        LAUNCH(multiply_halves<T>, dim3(1), dim3(LANES), 0, nullptr, x.data, by_rows);
        is_right &= x.become(product_at<16>);
    }
    return is_right;
}

static __global__ void multiply_tf32(float *x)
{
    int group = static_cast<int>(threadIdx.x) / 4;
    int in_group = static_cast<int>(threadIdx.x) % 4;
    unsigned a[4];
    unsigned b[2];
    float d[4] = {};
    const float nearly_one = 1.00001f; /* what is not kept must be rounded away */
    for (int i = 0; i < 4; ++i)
        a[i] = rp_tf32_round(nearly_one * a_at(group + 8 * (i % 2), in_group + 4 * (i / 2)));
    for (int i = 0; i < 2; ++i)
        b[i] = rp_tf32_round(nearly_one * b_at(in_group + 4 * i, group));
    rp_mma_m16n8k8_tf32(d, a, b);
    store_product(d, x);
}

static bool multiplies_tf32()
{
    DeviceFloats x(M * N);
    LAUNCH(multiply_tf32, dim3(1), dim3(LANES), 0, nullptr, x.data);
    return x.become(product_at<8>);
}

/* Copies of a block into a tile of 64 rows: eight lanes at a time write 128 bytes, all banks. */
template <class Tile> static bool copies_meet_all_banks()
{
    for (int first = 0; first < Tile::KEYS * Tile::CHUNKS; first += 8) {
        unsigned places = 0;
        for (int i = first; i < first + 8; ++i)
            places |= 1u << place_of<Tile>(i / Tile::CHUNKS, i % Tile::CHUNKS) / 16 % 8;
        if (places != 0xffu)
            return false;
    }
    return true;
}

static bool tiles_have_no_conflicts()
{
    return copies_meet_all_banks<Tile<__half, 64, 4, true>>() &&
           copies_meet_all_banks<Tile<__half, 128, 8, false>>() &&
           copies_meet_all_banks<Tile<__nv_bfloat16, 256, 8, true>>();
}

/* Eight rows of 32 bytes lie in four places of 128 bytes: each matrix takes a second pass for four
 * of them. */
static __global__ void conflict(float *x)
{
    __shared__ __align__(128) __half rows[16][16];
    unsigned registers[2];
    rows[threadIdx.x / 2][threadIdx.x % 2] = __float2half(0.0f);
    __syncwarp();
    rp_ldmatrix_x2(registers, rows[threadIdx.x % 16]);
    x[threadIdx.x] = 0.0f;
}

static bool conflicts_are_counted()
{
    DeviceFloats x(LANES);
    const long before = host_cuda_bank_conflicts();
    LAUNCH(conflict, dim3(1), dim3(LANES), 0, nullptr, x.data);
    return x.become([](size_t) { return 0; }) && host_cuda_bank_conflicts() - before == 2 * 4;
}

/* Register m of a lane is M[2t, 2t + 1][g] of the m-th of four matrices side by side. */
static __global__ void transpose(float *x)
{
    __shared__ __align__(16) __half rows[8][4][8];
    unsigned lane = threadIdx.x;
    unsigned registers[4];
    for (unsigned i = lane; i < 8 * 4 * 8; i += LANES)
        rows[i / 32][i / 8 % 4][i % 8] = __float2half(static_cast<float>(i));
    __syncwarp();
    rp_ldmatrix_x4_trans(registers, rows[lane % 8][lane / 8]);
    for (unsigned m = 0; m < 4; ++m) {
        unsigned short low = static_cast<unsigned short>(registers[m] & 0xffffu);
        unsigned short high = static_cast<unsigned short>(registers[m] >> 16);
        x[(4 * lane + m) * 2] = __half2float(__ushort_as_half(low));
        x[(4 * lane + m) * 2 + 1] = __half2float(__ushort_as_half(high));
    }
}

static bool transposes()
{
    DeviceFloats x(LANES * 8);
    LAUNCH(transpose, dim3(1), dim3(LANES), 0, nullptr, x.data);
    return x.become([](size_t i) {
        size_t lane = i / 8;
        size_t row = 2 * (lane % 4) + i % 2;
        return row * 32 + i / 2 % 4 * 8 + lane / 4;
    });
}

static __global__ void shuffle(float *x)
{
    const unsigned all = 0xffffffffu;
    float own = static_cast<float>(threadIdx.x % LANES);
    float *result = x + 5 * threadIdx.x;
    result[0] = __shfl_sync(all, own, 17);
    result[1] = __shfl_xor_sync(all, own, 5);
    result[2] = __shfl_up_sync(all, own, 2);
    result[3] = __shfl_down_sync(all, own, 2);
    result[4] = __shfl_down_sync(all, own, 3, 8);
}

static bool shuffles()
{
    DeviceFloats x(5 * THREADS);
    LAUNCH(shuffle, dim3(1), dim3(THREADS), 0, nullptr, x.data);
    return x.become([](size_t i) {
        size_t lane = i / 5 % LANES;
        size_t expected[] = {17, lane ^ 5, lane < 2 ? lane : lane - 2, lane > 29 ? lane : lane + 2,
                             lane % 8 > 4 ? lane : lane + 3};
        return expected[i % 5];
    });
}

static __global__ void vote(float *x)
{
    const unsigned all = 0xffffffffu;
    bool is_odd = threadIdx.x % 2 == 1;
    float *result = x + 6 * threadIdx.x;
    result[0] = static_cast<float>(__ballot_sync(all, is_odd) == 0xaaaaaaaau);
    result[1] = static_cast<float>(__any_sync(all, threadIdx.x == 40));
    result[2] = static_cast<float>(__all_sync(all, threadIdx.x < 40));
    result[3] = static_cast<float>(__syncthreads_count(is_odd));
    result[4] = static_cast<float>(__syncthreads_or(threadIdx.x == 40) != 0);
    result[5] = static_cast<float>(__syncthreads_and(threadIdx.x < 40) != 0);
}

static bool votes()
{
    DeviceFloats x(6 * THREADS);
    LAUNCH(vote, dim3(1), dim3(THREADS), 0, nullptr, x.data);
    return x.become([](size_t i) {
        size_t warp = i / 6 / LANES;
        size_t expected[] = {1, warp == 1, warp == 0, THREADS / 2, 1, 0};
        return expected[i % 6];
    });
}

static __global__ void add_up(float *x)
{
    atomicAdd(x, 1.0f);
    float place = static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicMax(reinterpret_cast<unsigned *>(x + 1), __float_as_uint(place));
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    x[2 + block * blockDim.x * blockDim.y * blockDim.z + thread] = static_cast<float>(thread);
}

static bool adds_up()
{
    const dim3 grid(5, 4, 3);
    const dim3 block(4, 3, 2);
    const unsigned threads = 24;
    DeviceFloats x(2 + 60 * threads);
    LAUNCH(add_up, grid, block, 0, nullptr, x.data);
    return x.become([=](size_t i) {
        return i == 0 ? 60 * threads : i == 1 ? 4 * 4 + 3 : (i - 2) % threads;
    });
}

#ifdef HOST_CUDA_SERIAL
static const bool static_shared_is_poisoned = false;
#else
static const bool static_shared_is_poisoned = true;
#endif

/* Shared memory holds nothing of use at first, whatever ran before. */
static __global__ void look_around(float *x)
{
    __shared__ float fixed[THREADS];
    DYN_SHARED(float, dynamic);
    unsigned i = threadIdx.x;
    bool is_undefined = isnan(dynamic[i]) && (isnan(fixed[i]) || !static_shared_is_poisoned);
    x[blockIdx.x * THREADS + i] = static_cast<float>(is_undefined);
    __syncthreads();
    fixed[i] = dynamic[i] = 7.0f;
}

static bool looks_around()
{
    DeviceFloats x(8 * THREADS);
    LAUNCH(look_around, dim3(8), dim3(THREADS), THREADS * sizeof(float), nullptr, x.data);
    return x.become([](size_t) { return 1; });
}

const struct word words[] = {
    {"mma fp16", multiplies_halves<__half>, false},
    {"mma bf16", multiplies_halves<__nv_bfloat16>, true},
    {"mma tf32", multiplies_tf32, true},
    {"ldmatrix x4 trans", transposes, false},
    {"ldmatrix's bank conflicts are counted", conflicts_are_counted, false},
    {"copies into tiles meet all banks", tiles_have_no_conflicts, false},
    {"shuffles", shuffles, false},
    {"votes", votes, false},
    {"atomics and indices", adds_up, false},
    {"undefined shared memory", looks_around, false},
    {nullptr, nullptr, false},
};
