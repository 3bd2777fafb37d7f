/*
 * fake_cupti.cpp - libcupti.so.13 without a GPU: takes the calls in the one order that counts a
 * launch, in NVIDIA's own types, and answers with bytes that tell one range from the next. The same
 * source is libcuda.so.1, of which the context is asked.
 *
 * FAKE_CUPTI_FAIL=cuptiRangeProfilerEnable:35 makes that call fail so.
 */
#include <cstdlib>
#include <cstring>
#include <string>

#include <cuda.h>

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "device/cupti_abi.h"

/* The product's prototypes, member by member, are NVIDIA's. */
#define SAME(ours, our_last, theirs, their_last)                                                   \
    static_assert(RP_CUPTI_SIZE(ours, our_last) ==                                                 \
                      offsetof(theirs, their_last) + sizeof(((theirs *)nullptr)->their_last) &&    \
                  offsetof(ours, our_last) == offsetof(theirs, their_last))
SAME(rp_cupti_nothing, priv, CUpti_Profiler_Initialize_Params, pPriv);
SAME(rp_cupti_support, is_supported, CUpti_Profiler_DeviceSupported_Params, isSupported);
SAME(rp_cupti_support, vgpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
SAME(rp_cupti_support, api, CUpti_Profiler_DeviceSupported_Params, api);
SAME(rp_cupti_chip, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME(rp_cupti_chip, chip, CUpti_Device_GetChipName_Params, pChipName);
SAME(rp_cupti_host_begin, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME(rp_cupti_host_begin, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
SAME(rp_cupti_object, object, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);
SAME(rp_cupti_object, object, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
SAME(rp_cupti_object, object, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject);
SAME(rp_cupti_object, object, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
SAME(rp_cupti_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME(rp_cupti_metrics, n, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
SAME(rp_cupti_config, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
SAME(rp_cupti_config, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME(rp_cupti_config, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME(rp_cupti_passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
SAME(rp_cupti_passes, n, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SAME(rp_cupti_values, counters_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     counterDataImageSize);
SAME(rp_cupti_values, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(rp_cupti_values, n, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME(rp_cupti_values, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
SAME(rp_cupti_enable, context, CUpti_RangeProfiler_Enable_Params, ctx);
SAME(rp_cupti_enable, range, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
SAME(rp_cupti_counters, nodes_most, CUpti_RangeProfiler_GetCounterDataSize_Params,
     maxNumRangeTreeNodes);
SAME(rp_cupti_counters, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
SAME(rp_cupti_counters_begin, counters, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     pCounterData);
SAME(rp_cupti_set, counters, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME(rp_cupti_set, replay_mode, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME(rp_cupti_set, level_least, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME(rp_cupti_set, target_level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
SAME(rp_cupti_push, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
SAME(rp_cupti_stop, is_complete, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
SAME(rp_cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
static_assert(static_cast<int>(RP_CUPTI_USER_RANGE) == static_cast<int>(CUPTI_UserRange));
static_assert(static_cast<int>(RP_CUPTI_USER_REPLAY) == static_cast<int>(CUPTI_UserReplay));
static_assert(static_cast<int>(RP_CUPTI_SUPPORTED) ==
              static_cast<int>(CUPTI_PROFILER_CONFIGURATION_SUPPORTED));
static_assert(static_cast<int>(RP_CUPTI_INSUFFICIENT_PRIVILEGES) ==
              static_cast<int>(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
static_assert(static_cast<int>(RP_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES) ==
              static_cast<int>(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES));

namespace
{

constexpr size_t config_bytes = 64, counters_bytes = 256;
const char *const metrics[] = {"dram__bytes_read.sum", "dram__bytes_write.sum"};
int step; /* how many of the calls of a count were made, in their order */
int ranges;
char host_object, range_object; /* nothing but addresses */

/* The code this call must return; out of order it is an invalid operation. */
CUptiResult at(int expected, const char *name)
{
    const char *fail = getenv("FAKE_CUPTI_FAIL");
    size_t length = strlen(name);
    if (fail && strncmp(fail, name, length) == 0 && fail[length] == ':')
        return static_cast<CUptiResult>(atoi(fail + length + 1));
    if (step != expected)
        return CUPTI_ERROR_INVALID_OPERATION;
    ++step;
    return CUPTI_SUCCESS;
}

bool are_ours(const char *const *names, size_t n)
{
    return n == 2 && strcmp(names[0], metrics[0]) == 0 && strcmp(names[1], metrics[1]) == 0;
}

CUptiResult when(bool good)
{
    return good ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

} // namespace

#define TRY(call)                                                                                  \
    if (CUptiResult failed = (call); failed != CUPTI_SUCCESS)                                      \
    return failed

extern "C" {

CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = reinterpret_cast<CUcontext>(&host_object);
    return CUDA_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char **text)
{
    *text = "as the test asked";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *)
{
    return at(0, "cuptiProfilerInitialize");
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
    TRY(at(1, "cuptiProfilerDeviceSupported"));
    p->isSupported = getenv("FAKE_CUPTI_MIG") ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                                              : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return when(p->api == CUPTI_PROFILER_RANGE_PROFILING && p->cuDevice == 0);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    TRY(at(2, "cuptiDeviceGetChipName"));
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    TRY(at(3, "cuptiProfilerHostInitialize"));
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object *>(&host_object);
    return when(strcmp(p->pChipName, "GH100") == 0 &&
                p->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER);
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    TRY(at(4, "cuptiProfilerHostConfigAddMetrics"));
    return when(are_ours(p->ppMetricNames, p->numMetrics));
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    TRY(at(5, "cuptiProfilerHostGetConfigImageSize"));
    p->configImageSize = config_bytes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    TRY(at(6, "cuptiProfilerHostGetConfigImage"));
    memset(p->pConfigImage, 1, p->configImageSize);
    return when(p->configImageSize == config_bytes);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    TRY(at(7, "cuptiProfilerHostGetNumOfPasses"));
    p->numOfPasses = 1;
    return when(p->pConfigImage[config_bytes - 1] == 1);
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    TRY(at(8, "cuptiRangeProfilerEnable"));
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object *>(&range_object);
    return when(p->ctx != nullptr);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    TRY(at(9, "cuptiRangeProfilerGetCounterDataSize"));
    p->counterDataSize = counters_bytes;
    return when(are_ours(p->pMetricNames, p->numMetrics) && p->maxNumOfRanges == 1);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    TRY(at(10, "cuptiRangeProfilerCounterDataImageInitialize"));
    memset(p->pCounterData, 0, p->counterDataSize);
    return when(p->counterDataSize == counters_bytes);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    TRY(at(11, "cuptiRangeProfilerSetConfig"));
    return when(p->configSize == config_bytes && p->counterDataImageSize == counters_bytes &&
                p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay &&
                p->maxRangesPerPass == 1 && p->numNestingLevels == 1 && p->minNestingLevel == 1 &&
                p->targetNestingLevel == 1);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *)
{
    return at(12, "cuptiRangeProfilerStart");
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *)
{
    return at(13, "cuptiRangeProfilerPushRange");
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *)
{
    return at(14, "cuptiRangeProfilerPopRange");
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    TRY(at(15, "cuptiRangeProfilerStop"));
    p->isAllPassSubmitted = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    TRY(at(16, "cuptiRangeProfilerDecodeData"));
    p->numOfRangeDropped = 0;
    ++ranges;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    TRY(at(17, "cuptiProfilerHostEvaluateToGpuValues"));
    p->pMetricValues[0] = 1000.0 * ranges;
    p->pMetricValues[1] = 10.0 * ranges;
    return when(are_ours(p->ppMetricNames, p->numMetrics));
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *)
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *)
{
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *)
{
    step = 0;
    return CUPTI_SUCCESS;
}

} // extern "C"
