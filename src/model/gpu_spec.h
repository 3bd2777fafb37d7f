/*
 * gpu_spec.h - data/gpus.tsv: the datasheet of every GPU type, with its source.
 *
 * Keys are model, form, memory: a100-sxm-80gb. NaN or -1 where the datasheet says nothing.
 */
#ifndef RP_MODEL_GPU_SPEC_H
#define RP_MODEL_GPU_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct rp_gpu_spec {
    char gpu_type[64];
    char driver_names[256]; /* '|'-separated, each the whole name the driver gives */
    char compute_capability[8];
    double tensor_fp16_flop_per_s; /* dense */
    double tensor_bf16_flop_per_s;
    double tensor_tf32_flop_per_s;
    double simt_fp32_flop_per_s;
    double bandwidth_bytes_per_s;
    int64_t memory_bytes;
    int64_t l2_bytes;
    int64_t multiprocessors;
    double launch_latency_s;
    char source[256];   /* of the datasheet's values */
    char measured[512]; /* values measured elsewhere, with their source; for people to read */
};

struct rp_gpu_list {
    struct rp_gpu_spec *items; /* heap, owned by the list */
    size_t count;
};

/* Reads the table; RP_ERR_CONFIG with file, line and column name on anything out of order. */
enum rp_status rp_gpu_list_read(const char *path, struct rp_gpu_list *list) RP_MUST_CHECK;
void rp_gpu_list_clear(struct rp_gpu_list *list);

/* gpus.tsv as data_folder.h finds it. With `data_override` (may be null) its rows come first and
 * the installed ones it does not replace follow. */
enum rp_status rp_gpu_list_load(const char *data_override, struct rp_gpu_list *list) RP_MUST_CHECK;

/* An exact key, or a prefix that fits one row; RP_ERR_USAGE with the candidates when it fits
 * several or none. The spec stays owned by the list. */
enum rp_status rp_gpu_list_find(const struct rp_gpu_list *list, const char *key,
                                const struct rp_gpu_spec **spec) RP_MUST_CHECK;

/* Only an exact key; null when there is none. What /devices.gpu_type of a file is looked up by. */
const struct rp_gpu_spec *rp_gpu_list_find_exact(const struct rp_gpu_list *list, const char *key);

/* By the driver's whole name and the memory it reports (within 12 %; 0 or less: not reported);
 * null when it is nobody's, more than one's, or a part of a card. */
const struct rp_gpu_spec *rp_gpu_list_find_driver_name(const struct rp_gpu_list *list,
                                                       const char *name, int64_t memory_bytes);

/* Datasheet peak of a path (tensor_fp16, simt_fp32, ...), FLOP/s; NaN when there is none. */
double rp_gpu_spec_peak(const struct rp_gpu_spec *spec, const char *path);

/* Of the datasheet's peak and bandwidth, what good kernels reach: for forecasts and simulated
 * devices. */
#define RP_GPU_COMPUTE_EFFICIENCY 0.6
#define RP_GPU_MEMORY_EFFICIENCY  0.8

#endif
