/* backend_cuda_identity.h - which GPU this rank has, and what CUDA tells of it. */
#ifndef RP_DEVICE_BACKEND_CUDA_IDENTITY_H
#define RP_DEVICE_BACKEND_CUDA_IDENTITY_H

#include <stddef.h>

#include "base/status.h"
#include "device/backend.h"
#include "model/column.h"

/* A cudaError_t as this project's status: RP_ERR_DEVICE with what was tried. */
enum rp_status rp_cuda_check(unsigned error, const char *what) RP_MUST_CHECK;

/* Visible devices; when none, a sentence that says why. */
int rp_cuda_count(char *reason, size_t reason_size);

/* Makes this rank's GPU the current one and fills its row, as far as CUDA knows it. The type is ""
 * when data/gpus.tsv does not have the driver's name. */
enum rp_status rp_cuda_identify(const struct rp_device_request *request,
                                struct rp_device_row *row) RP_MUST_CHECK;

#endif
