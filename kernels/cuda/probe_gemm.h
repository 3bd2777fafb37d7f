/* probe_gemm.h - plan, fill and launch of a probe whose extent is the order of three matrices. */
#ifndef RP_KERNELS_CUDA_PROBE_GEMM_H
#define RP_KERNELS_CUDA_PROBE_GEMM_H

#include "kernels/probe.h"

enum rp_status rp_cuda_probe_gemm_plan(struct rp_probe_call *call) RP_MUST_CHECK;
enum rp_status rp_cuda_probe_gemm_fill(const struct rp_probe_call *call) RP_MUST_CHECK;
enum rp_status rp_cuda_probe_gemm_launch(const struct rp_probe_call *call) RP_MUST_CHECK;

#endif
