/* foresee.c - support, predicted time and predicted memory, in this order. */
#include "measure/foresee.h"

#include <inttypes.h>

#include "plan/forecast.h"

/* What only a library can tell, once it has a device. */
static enum rp_status prepare(const struct rp_foresee_request *request, struct rp_method_cost *cost)
{
    int64_t workspace_bytes = 0;
    if (!request->kernel->prepare || !request->queue)
        return RP_OK;
    RP_TRY(request->kernel->prepare(request->point, request->queue, &workspace_bytes));
    cost->workspace_bytes += workspace_bytes;
    return RP_OK;
}

enum rp_status rp_foresee(const struct rp_foresee_request *request, struct rp_method_cost *cost)
{
    const struct rp_device_info *info = request->info;
    const struct rp_point *p = request->point;
    const struct rp_method_device method = rp_method_device_of(&info->row, info->threads);
    *cost = (struct rp_method_cost){0};
    RP_TRY(request->kernel->supports(p, info));
    enum rp_status status = rp_method_cost_of(&method, request->kernel->impl, p, cost);
    if (status != RP_OK) {
        *cost = (struct rp_method_cost){0};
        return status;
    }
    if (request->launch_s > RP_FORECAST_HOPELESS * request->timeout_s)
        return RP_FAIL(RP_ERR_TIMEOUT,
                       "predicted, not tried: about %.3g s a launch, the limit is %.3g s",
                       request->launch_s, request->timeout_s);
    status = prepare(request, cost);
    if (status != RP_OK) {
        *cost = (struct rp_method_cost){0};
        return status;
    }
    int64_t needed = rp_method_cost_memory(cost);
    if (request->available_bytes >= 0 && needed > request->available_bytes)
        return RP_FAIL(RP_ERR_OUT_OF_MEMORY,
                       RP_REASON_PREDICTED ": %" PRId64 " bytes needed, %" PRId64 " available",
                       needed, request->available_bytes);
    return RP_OK;
}

enum rp_outcome rp_foresee_outcome(enum rp_status status)
{
    return status == RP_ERR_TIMEOUT ? RP_OUTCOME_SKIPPED : rp_outcome_from(status);
}
