/*
 * cupti.c - one user range around one launch, in one pass: dram__bytes_read.sum and
 * dram__bytes_write.sum. Prototypes: cupti_abi.h.
 */
#include "device/cupti.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "device/cupti_abi.h"

static const char *const metrics[] = {"dram__bytes_read.sum", "dram__bytes_write.sum"};

/* Every call takes one parameter block. */
typedef int (*cupti_call)(void *parameters);

struct functions {
    int (*result_string)(int result, const char **text);
    int (*current_context)(void **context); /* the driver's */
    cupti_call initialize, deinitialize, support, chip;
    cupti_call host_begin, host_end, add_metrics, config_size, config_image, passes, evaluate;
    cupti_call enable, disable, counters_size, counters_begin, set, start, stop, push, pop, decode;
};

static struct functions calls; /* one worker, one thread that launches */

struct rp_cupti {
    bool is_initialized;
    void *host, *range; /* null: not there */
    uint8_t *config, *counters;
    size_t config_bytes, counters_bytes;
};

#define FIND(library, member, name)                                                                \
    rp_library_find(library, name, &calls.member, sizeof calls.member)

static bool find_calls(void *cupti, void *driver)
{
    return FIND(driver, current_context, "cuCtxGetCurrent") &&
           FIND(cupti, result_string, "cuptiGetResultString") &&
           FIND(cupti, initialize, "cuptiProfilerInitialize") &&
           FIND(cupti, deinitialize, "cuptiProfilerDeInitialize") &&
           FIND(cupti, support, "cuptiProfilerDeviceSupported") &&
           FIND(cupti, chip, "cuptiDeviceGetChipName") &&
           FIND(cupti, host_begin, "cuptiProfilerHostInitialize") &&
           FIND(cupti, host_end, "cuptiProfilerHostDeinitialize") &&
           FIND(cupti, add_metrics, "cuptiProfilerHostConfigAddMetrics") &&
           FIND(cupti, config_size, "cuptiProfilerHostGetConfigImageSize") &&
           FIND(cupti, config_image, "cuptiProfilerHostGetConfigImage") &&
           FIND(cupti, passes, "cuptiProfilerHostGetNumOfPasses") &&
           FIND(cupti, evaluate, "cuptiProfilerHostEvaluateToGpuValues") &&
           FIND(cupti, enable, "cuptiRangeProfilerEnable") &&
           FIND(cupti, disable, "cuptiRangeProfilerDisable") &&
           FIND(cupti, counters_size, "cuptiRangeProfilerGetCounterDataSize") &&
           FIND(cupti, counters_begin, "cuptiRangeProfilerCounterDataImageInitialize") &&
           FIND(cupti, set, "cuptiRangeProfilerSetConfig") &&
           FIND(cupti, start, "cuptiRangeProfilerStart") &&
           FIND(cupti, stop, "cuptiRangeProfilerStop") &&
           FIND(cupti, push, "cuptiRangeProfilerPushRange") &&
           FIND(cupti, pop, "cuptiRangeProfilerPopRange") &&
           FIND(cupti, decode, "cuptiRangeProfilerDecodeData");
}

static enum rp_status load(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
    static bool is_loaded;
    void *library = NULL;
    if (is_loaded)
        return RP_OK;
    for (size_t i = 0; i < RP_COUNT(names) && !library; ++i)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "libcupti.so.13 or .12 not found: name the toolkit's extras/CUPTI/lib64 in "
                       "LD_LIBRARY_PATH");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "CUPTI without a driver: %s", dlerror());
    is_loaded = find_calls(library, driver);
    if (!is_loaded)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "CUPTI has no range profiler: that of CUDA 12.6 or newer is needed");
    return RP_OK;
}

static enum rp_status check(int result, const char *what)
{
    const char *text = NULL;
    if (result == RP_CUPTI_SUCCESS)
        return RP_OK;
    if (calls.result_string(result, &text) != RP_CUPTI_SUCCESS || !text)
        text = "an unknown error";
    bool may_not = result == RP_CUPTI_INSUFFICIENT_PRIVILEGES ||
                   result == RP_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES;
    return RP_FAIL(RP_ERR_UNSUPPORTED, "CUPTI, %s: %s (%d)%s", what, text, result,
                   may_not ? ": users may count where the driver is loaded with "
                             "NVreg_RestrictProfilingToAdminUsers=0, else the program needs "
                             "CAP_SYS_ADMIN"
                           : "");
}

static enum rp_status initialize(struct rp_cupti *c, int device, const char **chip)
{
    struct rp_cupti_nothing nothing = {RP_CUPTI_SIZE(rp_cupti_nothing, priv), NULL};
    struct rp_cupti_support support = {.size = RP_CUPTI_SIZE(rp_cupti_support, api),
                                       .device = device};
    struct rp_cupti_chip name = {.size = RP_CUPTI_SIZE(rp_cupti_chip, chip),
                                 .device = (size_t)device};
    RP_TRY(check(calls.initialize(&nothing), "start"));
    c->is_initialized = true;
    RP_TRY(check(calls.support(&support), "support"));
    if (support.is_supported != RP_CUPTI_SUPPORTED)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       "CUPTI cannot profile this GPU as it is (architecture %d, vGPU %d, "
                       "confidential computing %d, WSL %d; 3 is good)",
                       support.architecture, support.vgpu, support.confidential, support.wsl);
    RP_TRY(check(calls.chip(&name), "the chip's name"));
    *chip = name.chip;
    return RP_OK;
}

/* What to count, as the GPU takes it. */
static enum rp_status configure(struct rp_cupti *c, const char *chip)
{
    struct rp_cupti_host_begin begin = {.size = RP_CUPTI_SIZE(rp_cupti_host_begin, host),
                                        .chip = chip};
    RP_TRY(check(calls.host_begin(&begin), chip));
    c->host = begin.host;
    struct rp_cupti_metrics add = {.size = RP_CUPTI_SIZE(rp_cupti_metrics, n),
                                   .host = c->host,
                                   .names = metrics,
                                   .n = RP_COUNT(metrics)};
    struct rp_cupti_config config = {.size = RP_CUPTI_SIZE(rp_cupti_config, bytes),
                                     .host = c->host};
    RP_TRY(check(calls.add_metrics(&add), metrics[0]));
    RP_TRY(check(calls.config_size(&config), "the configuration"));
    c->config_bytes = config.bytes;
    c->config = malloc(config.bytes);
    if (!c->config)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to count DRAM traffic");
    config.size = RP_CUPTI_SIZE(rp_cupti_config, image);
    config.image = c->config;
    RP_TRY(check(calls.config_image(&config), "the configuration"));
    struct rp_cupti_passes passes = {
        .size = RP_CUPTI_SIZE(rp_cupti_passes, n), .bytes = c->config_bytes, .image = c->config};
    RP_TRY(check(calls.passes(&passes), "the number of passes"));
    if (passes.n != 1)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "CUPTI needs %zu passes on %s, not one", passes.n, chip);
    return RP_OK;
}

static enum rp_status enable(struct rp_cupti *c)
{
    void *context = NULL;
    RP_TRY(check(calls.current_context(&context), "the context"));
    struct rp_cupti_enable on = {.size = RP_CUPTI_SIZE(rp_cupti_enable, range), .context = context};
    RP_TRY(check(calls.enable(&on), "counting"));
    c->range = on.range;
    struct rp_cupti_counters size = {.size = RP_CUPTI_SIZE(rp_cupti_counters, bytes),
                                     .range = c->range,
                                     .names = metrics,
                                     .n = RP_COUNT(metrics),
                                     .ranges_most = 1,
                                     .nodes_most = 1};
    RP_TRY(check(calls.counters_size(&size), "the counters"));
    c->counters_bytes = size.bytes;
    c->counters = malloc(size.bytes);
    if (!c->counters)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to count DRAM traffic");
    struct rp_cupti_counters_begin begin = {.size =
                                                RP_CUPTI_SIZE(rp_cupti_counters_begin, counters),
                                            .range = c->range,
                                            .bytes = c->counters_bytes,
                                            .counters = c->counters};
    RP_TRY(check(calls.counters_begin(&begin), "the counters"));
    struct rp_cupti_set set = {.size = RP_CUPTI_SIZE(rp_cupti_set, target_level),
                               .range = c->range,
                               .config_bytes = c->config_bytes,
                               .config = c->config,
                               .counters_bytes = c->counters_bytes,
                               .counters = c->counters,
                               .range_mode = RP_CUPTI_USER_RANGE,
                               .replay_mode = RP_CUPTI_USER_REPLAY,
                               .ranges_most = 1,
                               .levels = 1,
                               .level_least = 1,
                               .target_level = 1};
    return check(calls.set(&set), "the configuration");
}

static enum rp_status start(struct rp_cupti *c)
{
    struct rp_cupti_object object = {RP_CUPTI_SIZE(rp_cupti_object, object), NULL, c->range};
    struct rp_cupti_push push = {
        .size = RP_CUPTI_SIZE(rp_cupti_push, name), .range = c->range, .name = "launch"};
    RP_TRY(check(calls.start(&object), "counting"));
    return check(calls.push(&push), "counting");
}

/* What fails on the way out can be told to nobody. */
static void close_all(struct rp_cupti *c)
{
    struct rp_cupti_object range = {RP_CUPTI_SIZE(rp_cupti_object, object), NULL, c->range};
    struct rp_cupti_object host = {RP_CUPTI_SIZE(rp_cupti_object, object), NULL, c->host};
    struct rp_cupti_nothing nothing = {RP_CUPTI_SIZE(rp_cupti_nothing, priv), NULL};
    if (c->range)
        calls.disable(&range);
    if (c->host)
        calls.host_end(&host);
    if (c->is_initialized)
        calls.deinitialize(&nothing);
    free(c->config);
    free(c->counters);
    free(c);
}

enum rp_status rp_cupti_begin(int device, struct rp_cupti **cupti)
{
    const char *chip = NULL;
    RP_TRY(load());
    struct rp_cupti *c = calloc(1, sizeof *c);
    if (!c)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory to count DRAM traffic");
    enum rp_status status = initialize(c, device, &chip);
    if (status == RP_OK)
        status = configure(c, chip);
    if (status == RP_OK)
        status = enable(c);
    if (status == RP_OK)
        status = start(c);
    if (status != RP_OK) {
        close_all(c);
        return status;
    }
    *cupti = c;
    return RP_OK;
}

static enum rp_status read_counters(struct rp_cupti *c, double values[RP_COUNT(metrics)])
{
    struct rp_cupti_object range = {RP_CUPTI_SIZE(rp_cupti_object, object), NULL, c->range};
    struct rp_cupti_stop stop = {.size = RP_CUPTI_SIZE(rp_cupti_stop, is_complete),
                                 .range = c->range};
    struct rp_cupti_decode decode = {.size = RP_CUPTI_SIZE(rp_cupti_decode, dropped),
                                     .range = c->range};
    struct rp_cupti_values evaluate = {.size = RP_CUPTI_SIZE(rp_cupti_values, values),
                                       .host = c->host,
                                       .counters = c->counters,
                                       .counters_bytes = c->counters_bytes,
                                       .names = metrics,
                                       .n = RP_COUNT(metrics),
                                       .values = values};
    RP_TRY(check(calls.pop(&range), "the end of the launch"));
    RP_TRY(check(calls.stop(&stop), "the end of the launch"));
    RP_TRY(check(calls.decode(&decode), "the counters"));
    if (!stop.is_complete || decode.dropped > 0)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "CUPTI did not count the launch as a whole");
    return check(calls.evaluate(&evaluate), "the counters");
}

enum rp_status rp_cupti_end(struct rp_cupti *cupti, int64_t *read_bytes, int64_t *write_bytes)
{
    double values[RP_COUNT(metrics)] = {0};
    enum rp_status status = read_counters(cupti, values);
    close_all(cupti);
    if (status != RP_OK)
        return status;
    *read_bytes = (int64_t)values[0];
    *write_bytes = (int64_t)values[1];
    return RP_OK;
}
