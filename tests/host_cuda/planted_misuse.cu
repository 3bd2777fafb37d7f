/* planted_misuse.cu - memory that is not there, lanes that do not meet, launches that cannot be. */
#include "kernels/cuda/ptx.h"

#include "planted.h"
#include "planted_run.h"

enum { THREADS = 64 };

/* `shift` beyond what there is makes the fault in most of these. */
static __global__ void read_global(const float *x, float *y, int n, int shift)
{
    int i = static_cast<int>(threadIdx.x);
    if (i < n)
        y[i] = x[i + shift];
}

/* An odd number of floats: the end of x is within a line of its memory. */
static bool run_read_global(bool with_fault)
{
    const int n = THREADS - 1;
    DeviceFloats x(n);
    DeviceFloats y(n);
    LAUNCH(read_global, dim3(1), dim3(THREADS), 0, nullptr, (const float *)x.data, y.data, n,
           with_fault ? 4 : 0);
    return y.become([](size_t i) { return i; });
}

static __global__ void write_global(float *x, int n)
{
    int i = static_cast<int>(threadIdx.x);
    if (i < n)
        x[i] = static_cast<float>(i);
}

/* One float beyond the end. Told when the buffer is freed. */
static bool run_write_global(bool with_fault)
{
    const int n = THREADS - 3;
    DeviceFloats x(n);
    LAUNCH(write_global, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? n + 1 : n);
    return x.become([](size_t i) { return i; });
}

static __global__ void use_dynamic_shared(float *x, int shift)
{
    DYN_SHARED(float, values);
    values[threadIdx.x + shift] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = values[threadIdx.x + shift];
}

static bool run_dynamic_shared(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(use_dynamic_shared, dim3(1), dim3(THREADS), THREADS * sizeof(float), nullptr, x.data,
           with_fault ? 1 : 0);
    return x.become([](size_t i) { return i; });
}

static __global__ void use_static_shared(float *x, int shift)
{
    __shared__ float values[THREADS];
    values[threadIdx.x + shift] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = values[threadIdx.x + shift];
}

static bool run_static_shared(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(use_static_shared, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? 1 : 0);
    return x.become([](size_t i) { return i; });
}

/* By pointer: no index with a known bound. */
static __global__ void use_row(float *x, int shift)
{
    __shared__ float row[THREADS];
    float *place = row + shift;
    place += threadIdx.x;
    *place = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = *place;
}

static bool run_row_overrun(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(use_row, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? 1 : 0);
    return x.become([](size_t i) { return i; });
}

static __global__ void two_barriers(float *x, bool with_fault)
{
    if (!with_fault || threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    x[threadIdx.x] += 1.0f;
}

static bool run_two_barriers(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(two_barriers, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault);
    return x.become([](size_t i) { return i + 1; });
}

/* Halves of a warp shuffle among themselves; a half with another mask, or not in its own, must not.
 */
static __global__ void shuffle_halves(float *x, unsigned upper_mask)
{
    unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffffu : upper_mask;
    x[threadIdx.x] = __shfl_xor_sync(mask, x[threadIdx.x], 1);
    __syncwarp();
}

static bool run_masks(unsigned upper_mask)
{
    DeviceFloats x(THREADS);
    LAUNCH(shuffle_halves, dim3(1), dim3(THREADS), 0, nullptr, x.data, upper_mask);
    return x.become([](size_t i) { return i ^ 1; });
}

static bool run_other_mask(bool with_fault)
{
    return run_masks(with_fault ? 0xffffffffu : 0xffff0000u);
}

static bool run_not_in_mask(bool with_fault)
{
    return run_masks(with_fault ? 0x0000ffffu : 0xffff0000u);
}

static __global__ void shuffle_from(float *x, unsigned lane)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_sync(0xffffu, x[threadIdx.x], lane);
}

static bool run_lane_outside(bool with_fault)
{
    DeviceFloats x(16);
    LAUNCH(shuffle_from, dim3(1), dim3(32), 0, nullptr, x.data, with_fault ? 16u : 3u);
    return x.become([](size_t) { return 3; });
}

static __global__ void leave_early(float *x, unsigned leaves)
{
    if (threadIdx.x == leaves)
        return;
    x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
}

static bool run_lane_gone(bool with_fault)
{
    DeviceFloats x(32);
    LAUNCH(leave_early, dim3(1), dim3(32), 0, nullptr, x.data, with_fault ? 5u : 99u);
    return x.become([](size_t i) { return i ^ 1; });
}

/* One lane waits for its block, the others for the lane. */
static __global__ void wait_crosswise(float *x, unsigned odd_one)
{
    if (threadIdx.x == odd_one)
        __syncthreads();
    x[threadIdx.x] += static_cast<float>(__all_sync(0xffffffffu, 1));
}

static bool run_deadlock(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(wait_crosswise, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? 3u : 99u);
    return x.become([](size_t i) { return i + 1; });
}

static __global__ void read_four(float *x, int shift)
{
    if (threadIdx.x == 0) {
        float4 four = *reinterpret_cast<const float4 *>(x + shift);
        x[0] = four.x + four.w;
    }
}

static bool run_misaligned(bool with_fault)
{
    DeviceFloats x(8);
    LAUNCH(read_four, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? 2 : 4);
    return x.become([](size_t i) { return i == 0 ? 11 : i; });
}

/* Lane i points to row i of an 8 x 8 matrix (and the transposed second one is the same). */
static __global__ void load_matrix(float *x, int shift)
{
    __shared__ __align__(16) __half rows[8 * 8 + 8];
    unsigned registers[2];
    for (unsigned i = threadIdx.x; i < 8 * 8 + 8; i += 32)
        rows[i] = __float2half(static_cast<float>(i));
    __syncwarp();
    rp_ldmatrix_x2(registers, rows + threadIdx.x % 8 * 8 + shift);
    x[threadIdx.x] = __half2float(__ushort_as_half(registers[0] & 0xffffu));
}

static bool run_matrix_misaligned(bool with_fault)
{
    DeviceFloats x(32);
    LAUNCH(load_matrix, dim3(1), dim3(32), 0, nullptr, x.data, with_fault ? 4 : 8);
    return x.become([](size_t i) { return i / 4 * 8 + i % 4 * 2 + 8; });
}

static __global__ void count_on(float *x, int last)
{
    int next = last + static_cast<int>(threadIdx.x); /* wraps when last is large */
    x[threadIdx.x] += next > 0 ? 1.0f : 2.0f;
}

static bool run_overflow(bool with_fault)
{
    DeviceFloats x(THREADS);
    LAUNCH(count_on, dim3(1), dim3(THREADS), 0, nullptr, x.data, with_fault ? 2147483640 : 1);
    return x.become([](size_t i) { return i + 1; });
}

static bool run_size(dim3 grid, dim3 block)
{
    DeviceFloats x(1);
    LAUNCH(write_global, grid, block, 0, nullptr, x.data, 1);
    return x.become([](size_t i) { return i; });
}

static bool run_large_block(bool with_fault)
{
    return run_size(dim3(1), with_fault ? dim3(1025) : dim3(1024));
}

static bool run_tall_grid(bool with_fault)
{
    return run_size(with_fault ? dim3(1, 65536) : dim3(1, 3), dim3(1));
}

static bool run_empty_grid(bool with_fault)
{
    return run_size(dim3(with_fault ? 0 : 1), dim3(1));
}

/* 48 KiB unasked, more when asked for, up to the device's limit. */
static bool run_shared_unasked(bool with_fault)
{
    const size_t bytes = with_fault ? 49153 : 49152;
    DeviceFloats x(THREADS);
    LAUNCH(use_dynamic_shared, dim3(1), dim3(THREADS), bytes, nullptr, x.data, 0);
    return x.become([](size_t i) { return i; });
}

static bool run_shared_beyond_device(bool with_fault)
{
    int most = 0;
    DeviceFloats x(THREADS);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    int asked = with_fault ? most + 1 : most;
    bool granted =
        cudaFuncSetAttribute((const void *)use_dynamic_shared,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, asked) == cudaSuccess;
    LAUNCH(use_dynamic_shared, dim3(1), dim3(THREADS), static_cast<size_t>(asked), nullptr, x.data,
           0);
    return x.become([](size_t i) { return i; }) && granted;
}

static bool run_host_pointer(bool with_fault)
{
    float on_host = 0.0f;
    DeviceFloats x(1);
    LAUNCH(write_global, dim3(1), dim3(1), 0, nullptr, with_fault ? &on_host : x.data, 1);
    return x.become([](size_t i) { return i; });
}

/* Memory of the second device while the first is current. */
static bool run_other_device(bool with_fault)
{
    cudaSetDevice(1);
    DeviceFloats other(1);
    cudaSetDevice(0);
    DeviceFloats x(1);
    LAUNCH(write_global, dim3(1), dim3(1), 0, nullptr, with_fault ? other.data : x.data, 1);
    bool is_right = x.become([](size_t i) { return i; });
    cudaSetDevice(1);
    return is_right;
}

const struct planted planted_misuse[] = {
    {"global read past the end", run_read_global},
    {"global write past the end", run_write_global},
    {"dynamic shared overrun", run_dynamic_shared},
    {"static shared overrun", run_static_shared},
    {"overrun of a row", run_row_overrun},
    {"divergent barriers", run_two_barriers},
    {"different masks", run_other_mask},
    {"not in its own mask", run_not_in_mask},
    {"shuffle from outside the mask", run_lane_outside},
    {"a lane that has returned", run_lane_gone},
    {"deadlock", run_deadlock},
    {"misaligned float4", run_misaligned},
    {"misaligned ldmatrix", run_matrix_misaligned},
    {"32-bit index wraps", run_overflow},
    {"1025 threads", run_large_block},
    {"grid.y of 65536", run_tall_grid},
    {"empty grid", run_empty_grid},
    {"shared memory not asked for", run_shared_unasked},
    {"shared memory beyond the device", run_shared_beyond_device},
    {"host pointer in a kernel", run_host_pointer},
    {"memory of another device", run_other_device},
    {nullptr, nullptr},
};
