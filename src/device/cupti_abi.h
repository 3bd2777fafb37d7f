/*
 * cupti_abi.h - of NVIDIA's CUPTI the calls that count the traffic of one launch: the parameters of
 * cupti_profiler_host.h, cupti_profiler_target.h, cupti_range_profiler.h and cupti_target.h (CUDA
 * 12.6 and newer) written out, so that building needs none of them; the first is C++ only.
 *
 * Every parameter block begins with its own size up to the last member known, by which CUPTI tells
 * versions apart: RP_CUPTI_SIZE. tests/host_cuda holds the layouts against NVIDIA's headers.
 */
#ifndef RP_DEVICE_CUPTI_ABI_H
#define RP_DEVICE_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

#define RP_CUPTI_SIZE(type, last)                                                                  \
    (offsetof(struct type, last) + sizeof(((struct type *)NULL)->last))

enum { /* CUptiResult */
       RP_CUPTI_SUCCESS = 0,
       RP_CUPTI_INSUFFICIENT_PRIVILEGES = 35,
       RP_CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES = 40
};

enum { RP_CUPTI_SUPPORTED = 3 };                            /* CUpti_Profiler_Support_Level */
enum { RP_CUPTI_USER_RANGE = 2, RP_CUPTI_USER_REPLAY = 3 }; /* ranges and passes are ours */

struct rp_cupti_nothing { /* CUpti_Profiler_Initialize_Params, ..._DeInitialize_Params */
    size_t size;
    void *priv;
};

struct rp_cupti_support { /* CUpti_Profiler_DeviceSupported_Params */
    size_t size;
    void *priv;
    int device; /* CUdevice */
    int is_supported;
    int architecture, sli, vgpu, confidential, cmp, wsl;
    int api; /* 0: range profiling */
};

struct rp_cupti_chip { /* CUpti_Device_GetChipName_Params */
    size_t size;
    void *priv;
    size_t device;
    const char *chip;
};

struct rp_cupti_host_begin { /* CUpti_Profiler_Host_Initialize_Params */
    size_t size;
    void *priv;
    int type; /* 0: range profiler */
    const char *chip;
    const uint8_t *availability;
    void *host;
};

struct rp_cupti_object { /* ..._Host_Deinitialize_Params, ..._Start_, Disable_, PopRange_Params */
    size_t size;
    void *priv;
    void *object;
};

struct rp_cupti_metrics { /* CUpti_Profiler_Host_ConfigAddMetrics_Params */
    size_t size;
    void *priv;
    void *host;
    const char *const *names;
    size_t n;
};

struct rp_cupti_config { /* CUpti_Profiler_Host_GetConfigImageSize_, GetConfigImage_Params */
    size_t size;
    void *priv;
    void *host;
    size_t bytes;
    uint8_t *image;
};

struct rp_cupti_passes { /* CUpti_Profiler_Host_GetNumOfPasses_Params */
    size_t size;
    void *priv;
    size_t bytes;
    uint8_t *image;
    size_t n;
};

struct rp_cupti_values { /* CUpti_Profiler_Host_EvaluateToGpuValues_Params */
    size_t size;
    void *priv;
    void *host;
    const uint8_t *counters;
    size_t counters_bytes;
    size_t range;
    const char *const *names;
    size_t n;
    double *values;
};

struct rp_cupti_enable { /* CUpti_RangeProfiler_Enable_Params */
    size_t size;
    void *priv;
    void *context; /* CUcontext */
    void *range;
};

struct rp_cupti_counters { /* CUpti_RangeProfiler_GetCounterDataSize_Params */
    size_t size;
    void *priv;
    void *range;
    const char *const *names;
    size_t n;
    size_t ranges_most;
    uint32_t nodes_most;
    size_t bytes;
};

struct rp_cupti_counters_begin { /* CUpti_RangeProfiler_CounterDataImage_Initialize_Params */
    size_t size;
    void *priv;
    void *range;
    size_t bytes;
    uint8_t *counters;
};

struct rp_cupti_set { /* CUpti_RangeProfiler_SetConfig_Params */
    size_t size;
    void *priv;
    void *range;
    size_t config_bytes;
    const uint8_t *config;
    size_t counters_bytes;
    uint8_t *counters;
    int range_mode, replay_mode;
    size_t ranges_most;
    uint16_t levels, level_least;
    size_t pass;
    uint16_t target_level;
};

struct rp_cupti_push { /* CUpti_RangeProfiler_PushRange_Params */
    size_t size;
    void *priv;
    void *range;
    const char *name;
};

struct rp_cupti_stop { /* CUpti_RangeProfiler_Stop_Params */
    size_t size;
    void *priv;
    void *range;
    size_t pass, target_level;
    uint8_t is_complete; /* all passes were made */
};

struct rp_cupti_decode { /* CUpti_RangeProfiler_DecodeData_Params */
    size_t size;
    void *priv;
    void *range;
    size_t dropped;
};

#endif
