/*
 * probe_table.c - the probes of a CUDA GPU as tables: how much work a launch is.
 */
#include "device/backend_cuda.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/probes.h"
#include "kernels/probe.h"

enum {
    ELEMENT_BYTES = 16,
    BLOCKS_PER_PROCESSOR = 8,
    FMA_STEPS = 4096,
    CACHE_PASSES = 16,
    GRAPH_NODES = 64
};

static unsigned blocks_of(const struct rp_probe_call *call)
{
    return BLOCKS_PER_PROCESSOR * (unsigned)call->device->row.multiprocessors;
}

static cudaStream_t stream_of(const struct rp_probe_call *call)
{
    return ((const struct rp_cuda_queue *)call->queue)->stream;
}

static int64_t l2_bytes(const struct rp_probe_call *call)
{
    const int64_t usual = 4 << 20;
    return call->device->row.l2_bytes > 0 ? call->device->row.l2_bytes : usual;
}

/* extent: arrays. Together eight times the L2, of which a pass then finds next to nothing there. */
static enum rp_status plan_memory(struct rp_probe_call *call)
{
    int64_t unit = ELEMENT_BYTES * call->probe->extent;
    call->scratch_bytes = (size_t)(8 * l2_bytes(call) / unit * unit);
    call->work = (double)call->scratch_bytes;
    return RP_OK;
}

/* A quarter of the L2, so that all of it is there, on parts whose L2 is in two halves, too. */
static enum rp_status plan_cache(struct rp_probe_call *call)
{
    call->scratch_bytes = (size_t)(l2_bytes(call) / 4 / ELEMENT_BYTES * ELEMENT_BYTES);
    call->work = (double)call->scratch_bytes * CACHE_PASSES;
    return RP_OK;
}

static enum rp_status plan_fma(struct rp_probe_call *call)
{
    call->scratch_bytes = ELEMENT_BYTES;
    call->work = (double)RP_CUDA_FMA_FLOP * FMA_STEPS * RP_CUDA_PROBE_THREADS * blocks_of(call);
    return RP_OK;
}

static enum rp_status plan_graph(struct rp_probe_call *call)
{
    call->work = GRAPH_NODES;
    return RP_OK;
}

static enum rp_status plan_nothing(struct rp_probe_call *call)
{
    call->work = 1;
    return RP_OK;
}

/* Zeros: what is read must not be all ones, and what is added not be NaN. */
static enum rp_status clear(const struct rp_probe_call *call)
{
    return rp_cuda_status(cudaMemsetAsync(call->scratch, 0, call->scratch_bytes, stream_of(call)),
                          "fill");
}

static int64_t elements_of(const struct rp_probe_call *call)
{
    return (int64_t)call->scratch_bytes / ELEMENT_BYTES / call->probe->extent;
}

static enum rp_status launch_read(const struct rp_probe_call *call)
{
    return rp_cuda_status(
        rp_cuda_probe_read(call->scratch, elements_of(call), 1, blocks_of(call), stream_of(call)),
        "read");
}

static enum rp_status launch_cache_read(const struct rp_probe_call *call)
{
    return rp_cuda_status(rp_cuda_probe_read(call->scratch, elements_of(call), CACHE_PASSES,
                                             blocks_of(call), stream_of(call)),
                          "read of the L2");
}

static enum rp_status launch_copy(const struct rp_probe_call *call)
{
    return rp_cuda_status(
        rp_cuda_probe_copy(call->scratch, elements_of(call), blocks_of(call), stream_of(call)),
        "copy");
}

static enum rp_status launch_triad(const struct rp_probe_call *call)
{
    return rp_cuda_status(
        rp_cuda_probe_triad(call->scratch, elements_of(call), blocks_of(call), stream_of(call)),
        "triad");
}

static enum rp_status launch_fma(const struct rp_probe_call *call)
{
    return rp_cuda_status(
        rp_cuda_probe_fma(call->scratch, FMA_STEPS, blocks_of(call), stream_of(call)),
        "multiply-adds");
}

static enum rp_status launch_nothing(const struct rp_probe_call *call)
{
    return rp_cuda_status(rp_cuda_probe_nothing(stream_of(call)), "empty launch");
}

static enum rp_status record(cudaStream_t stream, cudaGraph_t *graph)
{
    RP_TRY(rp_cuda_status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                          "capture of a graph"));
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < GRAPH_NODES && error == cudaSuccess; ++i)
        error = rp_cuda_probe_nothing(stream);
    cudaError_t end = cudaStreamEndCapture(stream, graph);
    return rp_cuda_status(error != cudaSuccess ? error : end, "capture of a graph");
}

/* One after the other, as launches of a stream are. The queue keeps the graph. */
static enum rp_status make_graph(const struct rp_probe_call *call)
{
    struct rp_cuda_queue *queue = call->queue;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    if (queue->graph)
        return RP_OK;
    enum rp_status status = record(queue->stream, &graph);
    if (status == RP_OK)
        status = rp_cuda_status(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    if (graph)
        cudaGraphDestroy(graph);
    queue->graph = ready;
    return status;
}

static enum rp_status launch_graph(const struct rp_probe_call *call)
{
    const struct rp_cuda_queue *queue = call->queue;
    return rp_cuda_status(cudaGraphLaunch(queue->graph, queue->stream), "graph launch");
}

#define PROBE(name, ...)                                                                           \
    extern const struct rp_probe rp_probe_cuda_##name;                                             \
    const struct rp_probe rp_probe_cuda_##name = {.backend = "cuda", __VA_ARGS__}

PROBE(read, .kind = RP_PROBE_READ_BANDWIDTH, .path = "", .method = "read of 8 L2", .extent = 1,
      .plan = plan_memory, .fill = clear, .launch = launch_read);
PROBE(copy, .kind = RP_PROBE_BANDWIDTH, .path = "", .method = "copy in 8 L2", .extent = 2,
      .plan = plan_memory, .fill = clear, .launch = launch_copy);
PROBE(triad, .kind = RP_PROBE_BANDWIDTH, .path = "", .method = "triad in 8 L2", .extent = 3,
      .plan = plan_memory, .fill = clear, .launch = launch_triad);
PROBE(cache_read, .kind = RP_PROBE_CACHE_BANDWIDTH, .path = "", .method = "read of a quarter of L2",
      .extent = 1, .plan = plan_cache, .fill = clear, .launch = launch_cache_read);
PROBE(fma, .kind = RP_PROBE_COMPUTE, .path = "simt_fp32", .method = "multiply-adds in registers",
      .extent = 1, .plan = plan_fma, .launch = launch_fma);
PROBE(launch, .kind = RP_PROBE_LATENCY, .path = "", .method = "empty launch", .extent = 1,
      .plan = plan_nothing, .launch = launch_nothing);
PROBE(graph, .kind = RP_PROBE_GRAPH_LATENCY, .path = "", .method = "graph of 64 empty launches",
      .extent = 1, .plan = plan_graph, .fill = make_graph, .launch = launch_graph);
PROBE(anchor, .kind = RP_PROBE_ANCHOR, .path = "", .method = "naive attention", .extent = 1,
      .plan = rp_probe_anchor_plan, .launch = rp_probe_anchor_launch);
