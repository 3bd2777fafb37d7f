/* gpu_table.h - data/gpus.tsv, loaded once for a group of tests. Include after check.h. */
#ifndef RP_TESTS_GPU_TABLE_H
#define RP_TESTS_GPU_TABLE_H

#include "model/gpu_spec.h"

static struct rp_gpu_list gpus;

static int load_gpus(void **state)
{
    (void)state;
    return rp_gpu_list_read("data/gpus.tsv", &gpus) == RP_OK ? 0 : -1;
}

static int unload_gpus(void **state)
{
    (void)state;
    rp_gpu_list_clear(&gpus);
    return 0;
}

#endif
