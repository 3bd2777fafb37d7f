/*
 * attn_cudnn.c - `cudnn`: the engine that cuDNN's heuristics put first for the point's graph and
 * that can be built, run as one call. What it runs inside is cuDNN's affair.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend_cuda.h"
#include "kernels/cuda/cudnn.h"
#include "kernels/cuda/cudnn_graph.h"
#include "kernels/gpu_support.h"
#include "kernels/kernel.h"

enum { CONFIGS_TRIED = 8 };

/* Of a queue: a handle, and the plan of the point that was prepared last. */
struct session {
    struct rp_cudnn_set set; /* the graph, the plan and what they consist of */
    void *handle;
    struct rp_point point;
    void *plan; /* null: no point is prepared */
    float scale, hidden;
    int32_t keys, queries;
    struct rp_cudnn_set pack_set;
    void *pack; /* of these addresses; null: none yet */
    const void *bound[RP_CUDNN_BOUND_COUNT];
    void *workspace;
};

static void forget_plan(struct session *s)
{
    rp_cudnn_set_clear(&s->pack_set);
    rp_cudnn_set_clear(&s->set);
    s->pack = NULL;
    s->plan = NULL;
}

static void close_session(void *opaque)
{
    struct session *s = opaque;
    forget_plan(s);
    s->set.api->Destroy(s->handle);
    free(s);
}

static enum rp_status open_session(struct rp_cuda_queue *queue, struct session **session)
{
    const struct rp_cudnn_api *api = NULL;
    void *handle = NULL;
    RP_TRY(rp_cudnn_load(&api));
    if (!queue->cudnn) {
        RP_TRY(rp_cudnn_check(api, api->Create(&handle), "a handle"));
        struct session *s = calloc(1, sizeof *s);
        if (!s) {
            api->Destroy(handle);
            return RP_FAIL(RP_ERR_INTERNAL, "no host memory for cuDNN");
        }
        s->handle = handle;
        s->set.api = s->pack_set.api = api;
        queue->cudnn = s;
        queue->cudnn_close = close_session;
        RP_TRY(rp_cudnn_check(api, api->SetStream(handle, queue->stream), "the stream"));
    }
    *session = queue->cudnn;
    return RP_OK;
}

/* The first of the configurations that can be built becomes the plan. */
static enum rp_status try_configs(struct session *s, void *const configs[], int64_t n)
{
    char words[RP_CUDNN_WORDS_SIZE];
    rp_cudnn_last_words(s->set.api, words);
    enum rp_status status =
        RP_FAIL(RP_ERR_UNSUPPORTED, "cuDNN has no engine for this point; it said last: %s", words);
    for (int64_t i = 0; i < n && status != RP_OK; ++i) {
        const struct rp_cudnn_value values[] = {
            {RP_CUDNN_PLAN_HANDLE, RP_CUDNN_TYPE_HANDLE, 1, &s->handle},
            {RP_CUDNN_PLAN_ENGINE_CONFIG, RP_CUDNN_TYPE_DESCRIPTOR, 1, &configs[i]},
        };
        const struct rp_cudnn_request request = {RP_CUDNN_EXECUTION_PLAN, values, RP_COUNT(values),
                                                 "the plan of attention"};
        void *plan = NULL;
        status = rp_cudnn_make(&s->set, &request, &plan);
        if (status == RP_OK)
            s->plan = plan;
    }
    return status;
}

static enum rp_status ask_heuristics(struct session *s, void *graph, enum rp_cudnn_heuristics mode)
{
    const struct rp_cudnn_api *api = s->set.api;
    const struct rp_cudnn_value values[] = {
        {RP_CUDNN_HEURISTICS_GRAPH, RP_CUDNN_TYPE_DESCRIPTOR, 1, &graph},
        {RP_CUDNN_HEURISTICS_MODE, RP_CUDNN_TYPE_HEUR_MODE, 1, &mode},
    };
    const struct rp_cudnn_request request = {RP_CUDNN_ENGINE_HEURISTICS, values, RP_COUNT(values),
                                             "engines for attention"};
    void *heuristics = NULL;
    void *configs[CONFIGS_TRIED];
    int64_t n = 0;
    RP_TRY(rp_cudnn_make(&s->set, &request, &heuristics));
    for (int i = 0; i < CONFIGS_TRIED; ++i)
        RP_TRY(rp_cudnn_take(&s->set, RP_CUDNN_ENGINE_CONFIG, &configs[i]));
    RP_TRY(rp_cudnn_check(api,
                          api->BackendGetAttribute(heuristics, RP_CUDNN_HEURISTICS_RESULTS,
                                                   RP_CUDNN_TYPE_DESCRIPTOR, CONFIGS_TRIED, &n,
                                                   configs),
                          request.what));
    return try_configs(s, configs, n < CONFIGS_TRIED ? n : CONFIGS_TRIED);
}

static enum rp_status make_plan(struct session *s, const struct rp_point *p)
{
    void *graph = NULL;
    RP_TRY(rp_cudnn_graph_make(&s->set, s->handle, p, &graph));
    if (ask_heuristics(s, graph, RP_CUDNN_HEURISTICS_A) == RP_OK)
        return RP_OK;
    return ask_heuristics(s, graph, RP_CUDNN_HEURISTICS_FALLBACK);
}

static enum rp_status prepare(const struct rp_point *p, void *queue, int64_t *workspace_bytes)
{
    struct session *s = NULL;
    int64_t n = 0;
    RP_TRY(open_session(queue, &s));
    forget_plan(s);
    enum rp_status status = make_plan(s, p);
    if (status == RP_OK)
        status = rp_cudnn_check(
            s->set.api,
            s->set.api->BackendGetAttribute(s->plan, RP_CUDNN_PLAN_WORKSPACE_SIZE,
                                            RP_CUDNN_TYPE_INT64, 1, &n, workspace_bytes),
            "the workspace of attention");
    if (status != RP_OK) {
        forget_plan(s);
        return status;
    }
    s->point = *p;
    s->scale = (float)(1.0 / sqrt((double)p->head_dim));
    s->hidden = -FLT_MAX; /* older versions do not take an infinity */
    s->keys = (int32_t)p->seq_k;
    s->queries = (int32_t)p->seq_q;
    return RP_OK;
}

/* Where the tensors lie; made anew only when they moved, so that a launch costs the host little. */
static enum rp_status bind_memory(struct session *s, const struct rp_attention *a)
{
    const void *bound[RP_CUDNN_BOUND_COUNT] = {
        [RP_CUDNN_Q] = a->q,          [RP_CUDNN_K] = a->k,
        [RP_CUDNN_V] = a->v,          [RP_CUDNN_O] = a->o,
        [RP_CUDNN_SCALE] = &s->scale, [RP_CUDNN_HIDDEN] = &s->hidden,
        [RP_CUDNN_KEYS] = &s->keys,   [RP_CUDNN_QUERIES] = &s->queries,
    };
    int64_t ids[RP_CUDNN_BOUND_COUNT];
    const void *pointers[RP_CUDNN_BOUND_COUNT];
    int64_t n = 0;
    if (s->pack && memcmp(bound, s->bound, sizeof bound) == 0 && s->workspace == a->workspace)
        return RP_OK;
    for (int t = 0; t < RP_CUDNN_BOUND_COUNT; ++t) {
        if (!rp_cudnn_graph_has(a->point, (enum rp_cudnn_tensor)t))
            continue;
        ids[n] = rp_cudnn_tensor_id(t);
        pointers[n++] = bound[t];
    }
    const struct rp_cudnn_value values[] = {
        {RP_CUDNN_PACK_IDS, RP_CUDNN_TYPE_INT64, n, ids},
        {RP_CUDNN_PACK_POINTERS, RP_CUDNN_TYPE_VOID_PTR, n, pointers},
        {RP_CUDNN_PACK_WORKSPACE, RP_CUDNN_TYPE_VOID_PTR, 1, &a->workspace},
    };
    const struct rp_cudnn_request request = {RP_CUDNN_VARIANT_PACK, values, RP_COUNT(values),
                                             "the addresses of attention"};
    s->pack = NULL;
    rp_cudnn_set_clear(&s->pack_set);
    RP_TRY(rp_cudnn_make(&s->pack_set, &request, &s->pack));
    memcpy(s->bound, bound, sizeof bound);
    s->workspace = a->workspace;
    return RP_OK;
}

static enum rp_status launch(const struct rp_attention *a)
{
    const struct rp_cuda_queue *queue = a->queue;
    struct session *s = queue->cudnn;
    if (!s || !s->plan || rp_point_compare(&s->point, a->point) != 0)
        return RP_FAIL(RP_ERR_INTERNAL, "cudnn: this point is not prepared");
    RP_TRY(bind_memory(s, a));
    return rp_cudnn_check(s->set.api, s->set.api->BackendExecute(s->handle, s->plan, s->pack),
                          "attention");
}

static enum rp_status supports(const struct rp_point *p, const struct rp_device_info *device)
{
    const struct rp_method_device method = {.backend = "cuda"};
    const struct rp_cudnn_api *api = NULL;
    struct rp_method_cost cost;
    RP_TRY(rp_method_cost_of(&method, RP_IMPL_cudnn, p, &cost));
    RP_TRY(rp_gpu_supports_cudnn(p, device));
    return rp_cudnn_load(&api);
}

extern const struct rp_kernel rp_kernel_cuda_cudnn;

const struct rp_kernel rp_kernel_cuda_cudnn = {
    .impl = RP_IMPL_cudnn,
    .backend = "cuda",
    .supports = supports,
    .prepare = prepare,
    .launch = launch,
};
