/*
 * backend_cuda.c - one NVIDIA GPU: its identity, memory, events, and eviction of its L2.
 *
 * Built only where there is a CUDA toolkit. Nothing here needs the driver to be there at link or
 * load time: without one there is no device, and that is an answer.
 */
#include "device/backend_cuda.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "device/backend.h"
#include "device/backend_cuda_identity.h"
#include "device/cupti.h"
#include "device/nvml.h"

/* An event pair resolves about half a microsecond. */
static const double timer_tick_s = 5e-7;

/* Beside free memory the driver needs some of its own for a launch, and hands it out in pieces. */
static const int64_t reserve_bytes = 64 << 20;

struct cuda_state {
    struct rp_cuda_queue queue;
    struct rp_device_row row;
    struct rp_nvml *nvml;
    struct rp_cupti *cupti; /* while traffic is counted */
    cudaEvent_t begin, end;
    void *evict_data; /* twice the L2 */
    size_t evict_bytes;
    int64_t least_free_bytes; /* of the driver, since the reset */
    double sample_start_j;
};

/* What the driver has left now, remembered when it is the least. */
static int64_t note_free(struct cuda_state *state)
{
    size_t available = 0;
    size_t total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        return -1;
    if ((int64_t)available < state->least_free_bytes)
        state->least_free_bytes = (int64_t)available;
    return (int64_t)available;
}

static enum rp_status prepare(struct cuda_state *state)
{
    state->nvml = rp_nvml_open(state->row.uuid);
    cudaStream_t stream = NULL;
    RP_TRY(rp_cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                         "cudaStreamCreate"));
    state->queue.stream = stream;
    RP_TRY(rp_cuda_check(cudaEventCreate(&state->begin), "cudaEventCreate"));
    RP_TRY(rp_cuda_check(cudaEventCreate(&state->end), "cudaEventCreate"));
    state->evict_bytes = 2 * (size_t)state->row.l2_bytes;
    if (state->evict_bytes > 0)
        RP_TRY(rp_cuda_check(cudaMalloc(&state->evict_data, state->evict_bytes),
                             "the memory that evicts the L2"));
    state->least_free_bytes = INT64_MAX;
    note_free(state);
    return RP_OK;
}

/* Errors of a device that is lost do not matter any more. */
static void cuda_close(void *opaque)
{
    struct cuda_state *state = opaque;
    if (!state)
        return;
    if (state->queue.library)
        state->queue.library_close(state->queue.library);
    if (state->queue.cudnn)
        state->queue.cudnn_close(state->queue.cudnn);
    if (state->evict_data)
        cudaFree(state->evict_data);
    if (state->begin)
        cudaEventDestroy(state->begin);
    if (state->end)
        cudaEventDestroy(state->end);
    if (state->queue.graph)
        cudaGraphExecDestroy(state->queue.graph);
    if (state->queue.stream)
        cudaStreamDestroy(state->queue.stream);
    rp_nvml_close(state->nvml);
    free(state);
}

static enum rp_status cuda_open(const struct rp_device_request *request, void **opaque)
{
    struct cuda_state *state = calloc(1, sizeof *state);
    if (!state)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a CUDA device");
    enum rp_status status = rp_cuda_identify(request, &state->row);
    if (status == RP_OK)
        status = prepare(state);
    if (status != RP_OK) {
        cuda_close(state);
        return status;
    }
    *opaque = state;
    return RP_OK;
}

static void cuda_info(void *opaque, struct rp_device_info *info)
{
    const struct cuda_state *state = opaque;
    char version[48];
    info->row = state->row;
    rp_nvml_driver(state->nvml, version, sizeof version);
    if (version[0] != '\0')
        RP_WORD_SET(info->row.driver, version);
    info->row.power_limit_w = rp_nvml_power_limit_w(state->nvml);
    info->threads = -1;
    info->timer_tick_s = timer_tick_s;
    info->shares_cores = 0;
}

static int64_t cuda_memory_available_bytes(void *opaque)
{
    int64_t available = note_free(opaque);
    if (available < 0)
        return -1;
    return available > reserve_bytes ? available - reserve_bytes : 0;
}

static enum rp_status cuda_buffer_alloc(void *opaque, size_t bytes, void **data)
{
    struct cuda_state *state = opaque;
    cudaError_t error = cudaMalloc(data, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError(); /* it is told, and the device goes on */
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, %" PRId64 " available", bytes,
                       note_free(state));
    }
    RP_TRY(rp_cuda_check(error, "cudaMalloc"));
    note_free(state);
    return RP_OK;
}

static void cuda_buffer_free(void *opaque, void *data, size_t bytes)
{
    (void)opaque, (void)bytes;
    cudaFree(data);
}

static enum rp_status wait_for_queue(const struct cuda_state *state, const char *what)
{
    return rp_cuda_check(cudaStreamSynchronize(state->queue.stream), what);
}

static enum rp_status cuda_buffer_write(void *opaque, void *to, const void *host, size_t bytes)
{
    const struct cuda_state *state = opaque;
    RP_TRY(
        rp_cuda_check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, state->queue.stream),
                      "copy to the device"));
    return wait_for_queue(state, "copy to the device");
}

static enum rp_status cuda_buffer_read(void *opaque, void *host, const void *from, size_t bytes)
{
    const struct cuda_state *state = opaque;
    RP_TRY(rp_cuda_check(
        cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, state->queue.stream),
        "copy from the device"));
    return wait_for_queue(state, "copy from the device");
}

static enum rp_status cuda_buffer_fill(void *opaque, void *to, unsigned char byte, size_t bytes)
{
    const struct cuda_state *state = opaque;
    RP_TRY(rp_cuda_check(cudaMemsetAsync(to, byte, bytes, state->queue.stream), "fill"));
    return wait_for_queue(state, "fill");
}

static void *cuda_queue(void *opaque)
{
    return &((struct cuda_state *)opaque)->queue;
}

static enum rp_status cuda_timer_begin(void *opaque)
{
    const struct cuda_state *state = opaque;
    return rp_cuda_check(cudaEventRecord(state->begin, state->queue.stream), "cudaEventRecord");
}

/* What a kernel did wrong is told here, too: by the first call that waits for it. */
static enum rp_status cuda_timer_end(void *opaque, double *elapsed_s)
{
    const struct cuda_state *state = opaque;
    float elapsed_ms = 0;
    RP_TRY(rp_cuda_check(cudaEventRecord(state->end, state->queue.stream), "cudaEventRecord"));
    RP_TRY(rp_cuda_check(cudaEventSynchronize(state->end), "launch"));
    RP_TRY(rp_cuda_check(cudaEventElapsedTime(&elapsed_ms, state->begin, state->end),
                         "cudaEventElapsedTime"));
    *elapsed_s = 1e-3 * (double)elapsed_ms;
    return RP_OK;
}

/* An error that a wait repeats after it was taken back stays for the life of the process. */
static bool cuda_is_lost(void *opaque)
{
    (void)opaque;
    cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}

/* Queued before the timer begins, so it costs a sample nothing. */
static enum rp_status cuda_cache_evict(void *opaque)
{
    const struct cuda_state *state = opaque;
    if (!state->evict_data)
        return RP_OK;
    return rp_cuda_check(
        cudaMemsetAsync(state->evict_data, 1, state->evict_bytes, state->queue.stream),
        "eviction of the L2");
}

static int64_t cuda_memory_used_bytes(void *opaque)
{
    const struct cuda_state *state = opaque;
    int64_t available = note_free(opaque);
    return available < 0 ? -1 : state->row.memory_bytes - available;
}

static enum rp_status cuda_memory_peak_reset(void *opaque)
{
    struct cuda_state *state = opaque;
    state->least_free_bytes = INT64_MAX;
    note_free(state);
    return RP_OK;
}

/* A library takes memory in a launch: it still holds it when this is asked. */
static int64_t cuda_memory_peak_bytes(void *opaque)
{
    const struct cuda_state *state = opaque;
    note_free(opaque);
    if (state->least_free_bytes == INT64_MAX)
        return -1;
    return state->row.memory_bytes - state->least_free_bytes;
}

static void cuda_watch(void *opaque, struct rp_watch *now)
{
    const struct rp_nvml *nvml = ((struct cuda_state *)opaque)->nvml;
    now->clock_hz = rp_nvml_clock_hz(nvml);
    now->temperature_c = rp_nvml_temperature_c(nvml);
    now->power_w = rp_nvml_power_w(nvml);
    now->throttled_s = rp_nvml_throttled_s(nvml);
}

static void cuda_sample_begin(void *opaque)
{
    struct cuda_state *state = opaque;
    state->sample_start_j = rp_nvml_energy_j(state->nvml);
}

static void cuda_sample_end(void *opaque, struct rp_sample_watch *seen)
{
    const struct cuda_state *state = opaque;
    seen->energy_j = rp_nvml_energy_j(state->nvml) - state->sample_start_j;
}

static enum rp_status cuda_traffic_begin(void *opaque)
{
    struct cuda_state *state = opaque;
    int device = 0;
    RP_TRY(rp_cuda_check(cudaGetDevice(&device), "cudaGetDevice"));
    return rp_cupti_begin(device, &state->cupti);
}

static enum rp_status cuda_traffic_end(void *opaque, struct rp_traffic *traffic)
{
    struct cuda_state *state = opaque;
    return rp_cupti_end(state->cupti, &traffic->read_bytes, &traffic->write_bytes);
}

const struct rp_backend rp_backend_cuda = {
    .name = "cuda",
    .count = rp_cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .info = cuda_info,
    .buffer_alloc = cuda_buffer_alloc,
    .buffer_free = cuda_buffer_free,
    .buffer_write = cuda_buffer_write,
    .buffer_read = cuda_buffer_read,
    .buffer_fill = cuda_buffer_fill,
    .queue = cuda_queue,
    .timer_begin = cuda_timer_begin,
    .timer_end = cuda_timer_end,
    .is_lost = cuda_is_lost,
    .cache_evict = cuda_cache_evict,
    .memory_available_bytes = cuda_memory_available_bytes,
    .memory_used_bytes = cuda_memory_used_bytes,
    .memory_peak_reset = cuda_memory_peak_reset,
    .memory_peak_bytes = cuda_memory_peak_bytes,
    .watch = cuda_watch,
    .sample_begin = cuda_sample_begin,
    .sample_end = cuda_sample_end,
    .traffic_begin = cuda_traffic_begin,
    .traffic_end = cuda_traffic_end,
};
