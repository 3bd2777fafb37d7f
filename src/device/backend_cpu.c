/*
 * backend_cpu.c - the host's cores as a device: bound threads, huge-page buffers, the monotonic
 * clock, and eviction of the caches by reading.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "device/backend.h"
#include "device/domain_token.h"
#include "device/host_cpu.h"
#include "device/host_memory.h"
#include "device/host_watch.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

/* Memory that is left to the rest of the machine before an allocation is refused. */
static const int64_t reserve_bytes = 256 << 20;

struct cpu_state {
    struct rp_host_cpu *cpu;
    struct rp_host_watch *watch;
    bool is_alone;         /* no other rank of this job shares the cores it was given */
    int token;             /* of the memory domain; -1: none */
    double sample_start_j; /* energy when the sample began */
    int threads;
    bool shares_cores;
    double timer_start_s;
    double timer_tick_s;
    void *evict_data; /* at least twice the last-level cache, prefaulted */
    size_t evict_bytes;
};

/* OpenBLAS describes itself; another CBLAS leaves the symbol null. */
extern char *openblas_get_config(void) __attribute__((weak));

static int cpu_count(char *reason, size_t reason_size)
{
    snprintf(reason, reason_size, "%s", "");
    return 1;
}

/* Threads: what was asked for, else OMP_NUM_THREADS up to the cores, else the cores. */
static int choose_threads(int asked, int cores)
{
    if (asked > 0)
        return asked;
    const char *text = getenv("OMP_NUM_THREADS");
    int64_t wish = 0;
    if (text && rp_parse_i64(text, false, &wish) && wish >= 1 && wish < cores)
        return (int)wish;
    return cores;
}

static enum rp_status bind_threads(struct cpu_state *state)
{
    int failures = 0;
    omp_set_dynamic(0);
    omp_set_num_threads(state->threads); /* a smaller team elsewhere would end bound threads */
#pragma omp parallel num_threads(state->threads) reduction(+ : failures)
    {
        failures += rp_host_cpu_bind(state->cpu, omp_get_thread_num()) != RP_OK;
        rp_host_watch_add_thread(state->watch, omp_get_thread_num());
    }
    if (failures > 0)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "%d of %d threads cannot be bound to their cores",
                       failures, state->threads);
    return RP_OK;
}

/* Smallest step the clock was seen to make. */
static double measure_tick_s(void)
{
    double tick = 1;
    for (int i = 0; i < 1000; ++i) {
        double first = rp_clock_now_s();
        double next = first;
        while (next == first)
            next = rp_clock_now_s();
        if (next - first < tick)
            tick = next - first;
    }
    return tick;
}

/* Anonymous memory aligned to a huge page where it is at least that large. */
static void *map_pages(size_t bytes)
{
    size_t extra = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
    char *raw =
        mmap(NULL, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    if (extra == 0)
        return raw;
    size_t head = (HUGE_PAGE_BYTES - (uintptr_t)raw % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (head > 0)
        munmap(raw, head);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = (bytes + page - 1) / page * page;
    size_t total = (bytes + extra + page - 1) / page * page;
    if (head + end < total)
        munmap(raw + head + end, total - head - end);
    madvise(raw + head, bytes, MADV_HUGEPAGE);
    return raw + head;
}

static enum rp_status prepare_eviction(struct cpu_state *state)
{
    int64_t cache = rp_host_cpu_last_level_cache_bytes(state->cpu);
    state->evict_bytes = 2 * (size_t)(cache > 0 ? cache : 32 << 20);
    state->evict_data = map_pages(state->evict_bytes);
    if (!state->evict_data)
        return RP_FAIL(RP_ERR_ENVIRONMENT, "no memory for the %zu bytes that evict the caches",
                       state->evict_bytes);
    memset(state->evict_data, 1, state->evict_bytes);
    return RP_OK;
}

static void cpu_close(void *opaque)
{
    struct cpu_state *state = opaque;
    if (!state)
        return;
    if (state->evict_data)
        munmap(state->evict_data, state->evict_bytes);
    rp_domain_token_close(state->token);
    rp_host_watch_destroy(state->watch);
    rp_host_cpu_destroy(state->cpu);
    free(state);
}

static enum rp_status cpu_open(const struct rp_device_request *request, void **opaque)
{
    struct cpu_state *state = calloc(1, sizeof *state);
    if (!state)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for the CPU device");
    state->token = -1;
    state->is_alone = request->local_size == 1;
    enum rp_status status =
        rp_host_cpu_create(request->local_rank, request->local_size, &state->cpu);
    if (status != RP_OK)
        goto cleanup;
    int cores = rp_host_cpu_cores(state->cpu);
    state->threads = choose_threads(request->threads, cores);
    state->shares_cores = rp_host_cpu_shared(state->cpu) || state->threads > cores;
    state->token = rp_domain_token_open(rp_host_cpu_memory_domain(state->cpu));
    status = rp_host_watch_create(state->cpu, state->threads, &state->watch);
    if (status != RP_OK)
        goto cleanup;
    status = bind_threads(state);
    if (status != RP_OK)
        goto cleanup;
    state->timer_tick_s = measure_tick_s();
    status = prepare_eviction(state);
    if (status != RP_OK)
        goto cleanup;
    *opaque = state;
    state = NULL;

cleanup:
    cpu_close(state);
    return status;
}

static void cpu_info(void *opaque, struct rp_device_info *info)
{
    struct cpu_state *state = opaque;
    struct rp_device_row *row = &info->row;
    char model[96];
    char slug[64];
    char cores[64];
    char host[64] = "";
    char uuid[160];
    struct utsname kernel;
    rp_host_cpu_model(state->cpu, model, sizeof model);
    rp_host_cpu_slug(model, slug, sizeof slug);
    rp_host_cpu_list(state->cpu, cores, sizeof cores);
    gethostname(host, sizeof host - 1);
    snprintf(uuid, sizeof uuid, "%s/cores-%s", host, cores);
    RP_WORD_SET(row->gpu_type, slug);
    RP_WORD_SET(row->name, model);
    RP_WORD_SET(row->uuid, uuid);
    RP_WORD_SET(row->host, host);
    RP_WORD_SET(row->backend, "cpu");
    RP_WORD_SET(row->driver, uname(&kernel) == 0 ? kernel.release : "");
    RP_WORD_SET(row->runtime, openblas_get_config ? openblas_get_config() : "CBLAS");
    row->multiprocessors = rp_host_cpu_cores(state->cpu);
    row->memory_bytes = rp_host_memory_total_bytes();
    row->l2_bytes = rp_host_cpu_last_level_cache_bytes(state->cpu);
    row->clock_max_hz = rp_host_cpu_clock_max_hz(state->cpu);
    info->threads = state->threads;
    info->timer_tick_s = state->timer_tick_s;
    info->shares_cores = state->shares_cores;
}

static int64_t cpu_memory_available_bytes(void *opaque)
{
    (void)opaque;
    int64_t available = rp_host_memory_available_bytes();
    if (available < 0)
        return -1;
    return available > reserve_bytes ? available - reserve_bytes : 0;
}

static enum rp_status cpu_buffer_alloc(void *opaque, size_t bytes, void **data)
{
    int64_t available = cpu_memory_available_bytes(opaque);
    if (available >= 0 && bytes > (size_t)available)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, %" PRId64 " available", bytes,
                       available);
    *data = map_pages(bytes);
    if (!*data)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, the kernel refused: %s", bytes,
                       strerror(errno));
    return RP_OK;
}

static void cpu_buffer_free(void *opaque, void *data, size_t bytes)
{
    (void)opaque;
    munmap(data, bytes);
}

static enum rp_status cpu_buffer_write(void *opaque, void *to, const void *host, size_t bytes)
{
    (void)opaque;
    memcpy(to, host, bytes);
    return RP_OK;
}

static enum rp_status cpu_buffer_read(void *opaque, void *host, const void *from, size_t bytes)
{
    (void)opaque;
    memcpy(host, from, bytes);
    return RP_OK;
}

static enum rp_status cpu_buffer_fill(void *opaque, void *to, unsigned char byte, size_t bytes)
{
    (void)opaque;
    memset(to, byte, bytes);
    return RP_OK;
}

static void *cpu_queue(void *opaque)
{
    (void)opaque;
    return NULL;
}

static enum rp_status cpu_timer_begin(void *opaque)
{
    struct cpu_state *state = opaque;
    state->timer_start_s = rp_clock_now_s();
    return RP_OK;
}

static enum rp_status cpu_timer_end(void *opaque, double *elapsed_s)
{
    struct cpu_state *state = opaque;
    *elapsed_s = rp_clock_now_s() - state->timer_start_s;
    return RP_OK;
}

/* Every thread reads its part, one load a cache line; reading leaves no dirty lines behind. */
static enum rp_status cpu_cache_evict(void *opaque)
{
    struct cpu_state *state = opaque;
    const uint64_t *words = state->evict_data;
    int64_t lines = (int64_t)(state->evict_bytes / 64);
    uint64_t sum = 0;
#pragma omp parallel for num_threads(state->threads) schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < lines; ++i)
        sum += words[8 * i];
    static volatile uint64_t sink;
    sink = sum;
    (void)sink;
    return RP_OK;
}

static int64_t cpu_memory_used_bytes(void *opaque)
{
    (void)opaque;
    return rp_host_memory_resident_bytes();
}

static enum rp_status cpu_memory_peak_reset(void *opaque)
{
    (void)opaque;
    rp_host_memory_peak_reset(); /* where the kernel forbids it the peak is an upper bound */
    return RP_OK;
}

static int64_t cpu_memory_peak_bytes(void *opaque)
{
    (void)opaque;
    return rp_host_memory_resident_peak_bytes();
}

static void cpu_watch(void *opaque, struct rp_watch *now)
{
    struct cpu_state *state = opaque;
    now->clock_hz = rp_host_cpu_clock_hz(state->cpu);
    now->stolen_s = rp_host_watch_stolen_s(state->watch);
    now->throttled_s = rp_host_watch_throttled_s(state->watch);
}

static void cpu_sample_begin(void *opaque)
{
    struct cpu_state *state = opaque;
    rp_host_watch_begin(state->watch);
    state->sample_start_j = rp_host_watch_energy_j(state->watch);
}

static void cpu_sample_end(void *opaque, struct rp_sample_watch *seen)
{
    struct cpu_state *state = opaque;
    seen->lost_s = rp_host_watch_lost_s(state->watch);
    seen->energy_j = rp_host_watch_energy_j(state->watch) - state->sample_start_j;
}

static bool cpu_exclusive_begin(void *opaque)
{
    const struct cpu_state *state = opaque;
    if (state->token < 0) /* no shared memory on this host */
        return state->is_alone;
    return rp_domain_token_take(state->token, RP_DOMAIN_PATIENCE_S);
}

static void cpu_exclusive_end(void *opaque)
{
    rp_domain_token_return(((struct cpu_state *)opaque)->token);
}

const struct rp_backend rp_backend_cpu = {
    .name = "cpu",
    .host_accessible = true,
    .lazy_pages = true,
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .info = cpu_info,
    .buffer_alloc = cpu_buffer_alloc,
    .buffer_free = cpu_buffer_free,
    .buffer_write = cpu_buffer_write,
    .buffer_read = cpu_buffer_read,
    .buffer_fill = cpu_buffer_fill,
    .queue = cpu_queue,
    .timer_begin = cpu_timer_begin,
    .timer_end = cpu_timer_end,
    .cache_evict = cpu_cache_evict,
    .memory_available_bytes = cpu_memory_available_bytes,
    .memory_used_bytes = cpu_memory_used_bytes,
    .memory_peak_reset = cpu_memory_peak_reset,
    .memory_peak_bytes = cpu_memory_peak_bytes,
    .watch = cpu_watch,
    .sample_begin = cpu_sample_begin,
    .sample_end = cpu_sample_end,
    .exclusive_begin = cpu_exclusive_begin,
    .exclusive_end = cpu_exclusive_end,
};
