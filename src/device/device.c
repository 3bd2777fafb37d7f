/*
 * device.c - wrappers over a backend, and the allocator that counts.
 *
 * The only place that knows which backend members are optional.
 */
#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define RP_BACKEND(name) extern const struct rp_backend rp_backend_##name;
#include "registry/backends.def"
#undef RP_BACKEND

static const struct rp_backend *const backends[] = {
#define RP_BACKEND(name) &rp_backend_##name,
#include "registry/backends.def"
#undef RP_BACKEND
    NULL};

struct rp_device {
    const struct rp_backend *backend;
    void *state;
    struct rp_device_info info;
    char *data_folder; /* heap; null: none was named */
    bool counts_traffic;
    int64_t held[RP_MEMORY_TAG_COUNT];
    int64_t held_total;
    int64_t peak_total;
    int64_t peak_scores;
};

const struct rp_backend *const *rp_backends(void)
{
    return backends;
}

const struct rp_backend *rp_backend_find(const char *name)
{
    for (size_t i = 0; backends[i]; ++i) {
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    }
    return NULL;
}

enum rp_status rp_device_open(const struct rp_backend *backend,
                              const struct rp_device_request *request, struct rp_device **device)
{
    *device = NULL;
    struct rp_device *opened = calloc(1, sizeof *opened);
    if (!opened)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a device");
    opened->backend = backend;
    opened->counts_traffic = request->counts_traffic;
    opened->data_folder = request->data_folder ? strdup(request->data_folder) : NULL;
    enum rp_status status = backend->open(request, &opened->state);
    if (status != RP_OK) {
        free(opened->data_folder);
        free(opened);
        return status;
    }
    rp_row_init(RP_TABLE_DEVICES, &opened->info.row);
    backend->info(opened->state, &opened->info);
    *device = opened;
    return RP_OK;
}

void rp_device_close(struct rp_device *device)
{
    if (!device)
        return;
    device->backend->close(device->state);
    free(device->data_folder);
    free(device);
}

const struct rp_device_info *rp_device_info(const struct rp_device *device)
{
    return &device->info;
}

const struct rp_backend *rp_device_backend(const struct rp_device *device)
{
    return device->backend;
}

const char *rp_device_data_folder(const struct rp_device *device)
{
    return device->data_folder;
}

static void count_held(struct rp_device *device, enum rp_memory_tag tag, size_t bytes)
{
    device->held[tag] += (int64_t)bytes;
    device->held_total += (int64_t)bytes;
    if (device->held_total > device->peak_total)
        device->peak_total = device->held_total;
    if (device->held[RP_MEMORY_SCORES] > device->peak_scores)
        device->peak_scores = device->held[RP_MEMORY_SCORES];
}

static void count_returned(struct rp_device *device, const struct rp_buffer *buffer)
{
    device->held[buffer->tag] -= (int64_t)buffer->bytes;
    device->held_total -= (int64_t)buffer->bytes;
}

enum rp_status rp_device_alloc(struct rp_device *device, enum rp_memory_tag tag, size_t bytes,
                               struct rp_buffer *buffer)
{
    *buffer = (struct rp_buffer){.tag = tag};
    if (bytes == 0)
        return RP_OK;
    RP_TRY(device->backend->buffer_alloc(device->state, bytes, &buffer->data));
    buffer->bytes = bytes;
    count_held(device, tag, bytes);
    return RP_OK;
}

void rp_device_free(struct rp_device *device, struct rp_buffer *buffer)
{
    if (!buffer->data)
        return;
    device->backend->buffer_free(device->state, buffer->data, buffer->bytes);
    count_returned(device, buffer);
    *buffer = (struct rp_buffer){.tag = buffer->tag};
}

/* Where a buffer of an arena may begin; what a page is on the hosts and a good line on a GPU. */
static const size_t arena_alignment = 4096;

enum rp_status rp_device_arena_open(struct rp_device *device, size_t bytes, struct rp_arena *arena)
{
    *arena = (struct rp_arena){0};
    if (bytes == 0)
        return RP_OK;
    size_t rounded = bytes + (RP_ARENA_BUFFERS - 1) * arena_alignment;
    RP_TRY(device->backend->buffer_alloc(device->state, rounded, &arena->data));
    arena->bytes = rounded;
    return RP_OK;
}

void rp_device_arena_close(struct rp_device *device, struct rp_arena *arena)
{
    if (arena->data)
        device->backend->buffer_free(device->state, arena->data, arena->bytes);
    *arena = (struct rp_arena){0};
}

enum rp_status rp_device_arena_take(struct rp_device *device, struct rp_arena *arena,
                                    enum rp_memory_tag tag, size_t bytes, struct rp_buffer *buffer)
{
    *buffer = (struct rp_buffer){.tag = tag};
    if (bytes == 0)
        return RP_OK;
    size_t start = (arena->used_bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
    if (start > arena->bytes || bytes > arena->bytes - start)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY, "%zu bytes needed, %zu left of the scratch region",
                       bytes, arena->bytes - arena->used_bytes);
    buffer->data = (char *)arena->data + start;
    buffer->bytes = bytes;
    arena->used_bytes = start + bytes;
    ++arena->n_taken;
    count_held(device, tag, bytes);
    return RP_OK;
}

void rp_device_arena_return(struct rp_device *device, struct rp_arena *arena,
                            struct rp_buffer *buffer)
{
    if (!buffer->data)
        return;
    count_returned(device, buffer);
    *buffer = (struct rp_buffer){.tag = buffer->tag};
    if (--arena->n_taken == 0)
        arena->used_bytes = 0;
}

void rp_device_peak_reset(struct rp_device *device)
{
    device->peak_total = device->held_total;
    device->peak_scores = device->held[RP_MEMORY_SCORES];
}

int64_t rp_device_peak_bytes(const struct rp_device *device)
{
    return device->peak_total;
}

int64_t rp_device_peak_scores_bytes(const struct rp_device *device)
{
    return device->peak_scores;
}

int64_t rp_device_held_bytes(const struct rp_device *device)
{
    return device->held_total;
}

enum rp_status rp_device_write(struct rp_device *device, struct rp_buffer *to, const void *host,
                               size_t bytes)
{
    return device->backend->buffer_write(device->state, to->data, host, bytes);
}

enum rp_status rp_device_read(struct rp_device *device, void *host, const struct rp_buffer *from,
                              size_t bytes)
{
    return device->backend->buffer_read(device->state, host, from->data, bytes);
}

enum rp_status rp_device_poison(struct rp_device *device, struct rp_buffer *buffer)
{
    return device->backend->buffer_fill(device->state, buffer->data, 0xFF, buffer->bytes);
}

void *rp_device_queue(struct rp_device *device)
{
    return device->backend->queue(device->state);
}

enum rp_status rp_device_timer_begin(struct rp_device *device)
{
    return device->backend->timer_begin(device->state);
}

enum rp_status rp_device_timer_end(struct rp_device *device, double *elapsed_s)
{
    return device->backend->timer_end(device->state, elapsed_s);
}

enum rp_status rp_device_cache_evict(struct rp_device *device)
{
    return device->backend->cache_evict ? device->backend->cache_evict(device->state) : RP_OK;
}

bool rp_device_is_lost(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->is_lost && b->is_lost(device->state);
}

int64_t rp_device_memory_available_bytes(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->memory_available_bytes ? b->memory_available_bytes(device->state) : -1;
}

int64_t rp_device_outside_used_bytes(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->memory_used_bytes ? b->memory_used_bytes(device->state) : -1;
}

enum rp_status rp_device_outside_peak_reset(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->memory_peak_reset ? b->memory_peak_reset(device->state) : RP_OK;
}

int64_t rp_device_outside_peak_bytes(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->memory_peak_bytes ? b->memory_peak_bytes(device->state) : -1;
}

double rp_device_now_s(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return b->now_s ? b->now_s(device->state) : rp_clock_now_s();
}

void rp_device_watch(struct rp_device *device, struct rp_watch *now)
{
    const struct rp_backend *b = device->backend;
    *now = (struct rp_watch){
        .stolen_s = NAN, .throttled_s = NAN, .power_w = NAN, .temperature_c = NAN, .clock_hz = NAN};
    if (b->watch)
        b->watch(device->state, now);
}

void rp_device_sample_begin(struct rp_device *device)
{
    if (device->backend->sample_begin)
        device->backend->sample_begin(device->state);
}

void rp_device_sample_end(struct rp_device *device, struct rp_sample_watch *seen)
{
    *seen = (struct rp_sample_watch){.lost_s = NAN, .energy_j = NAN};
    if (device->backend->sample_end)
        device->backend->sample_end(device->state, seen);
}

/* What failed once is not tried again. */
static bool is_counted(struct rp_device *device, enum rp_status status)
{
    if (status == RP_OK)
        return true;
    device->counts_traffic = false;
    rp_log(RP_LOG_WARN, "%s: traffic of its memory is not counted: %s", device->info.row.name,
           rp_status_message());
    return false;
}

bool rp_device_counts_traffic(const struct rp_device *device)
{
    return device->counts_traffic;
}

bool rp_device_traffic_begin(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return is_counted(device, b->traffic_begin ? b->traffic_begin(device->state)
                                               : RP_FAIL(RP_ERR_UNSUPPORTED,
                                                         "the %s device has no counters", b->name));
}

bool rp_device_traffic_end(struct rp_device *device, struct rp_traffic *traffic)
{
    return is_counted(device, device->backend->traffic_end(device->state, traffic));
}

bool rp_device_exclusive_begin(struct rp_device *device)
{
    const struct rp_backend *b = device->backend;
    return !b->exclusive_begin || b->exclusive_begin(device->state);
}

void rp_device_exclusive_end(struct rp_device *device)
{
    if (device->backend->exclusive_end)
        device->backend->exclusive_end(device->state);
}
