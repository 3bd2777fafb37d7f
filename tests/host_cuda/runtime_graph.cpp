/* runtime_graph.cpp - CUDA's runtime: graphs of launches that take no arguments. */
#include <vector>

#include "engine.h"
#include "runtime.h"

struct CUgraph_st {
    std::vector<host_cuda::Launch> launches;
};

struct CUgraphExec_st {
    std::vector<host_cuda::Launch> launches;
};

using namespace host_cuda;

namespace host_cuda
{

static void call_without_arguments(const void *kernel)
{
    reinterpret_cast<void (*)()>(const_cast<void *>(kernel))();
}

cudaError_t capture_launch(const Launch &l)
{
    if (l.has_arguments)
        return cudaErrorNotSupported;
    Launch noted = l;
    noted.body = call_without_arguments;
    noted.context = l.kernel;
    l.stream->capture->launches.push_back(noted);
    return cudaSuccess;
}

} // namespace host_cuda

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    Call call("cudaStreamBeginCapture");
    if (call.error != cudaSuccess)
        return call.error;
    if (!stream || stream->capture || !stream_fits(stream, call.device))
        return call.end(cudaErrorIllegalState);
    stream->capture = new CUgraph_st;
    ++n_handles;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    Call call("cudaStreamEndCapture");
    *graph = stream ? stream->capture : nullptr;
    if (!*graph)
        return call.end(cudaErrorIllegalState);
    stream->capture = nullptr;
    return call.error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long long)
{
    Call call("cudaGraphInstantiate");
    if (call.error != cudaSuccess)
        return call.error;
    *ready = new CUgraphExec_st{graph->launches};
    ++n_handles;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    Call call("cudaGraphDestroy");
    delete graph;
    --n_handles;
    return call.error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
    Call call("cudaGraphLaunch");
    if (call.error != cudaSuccess)
        return call.error;
    for (Launch l : ready->launches) {
        l.stream = stream;
        launch(l);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
    Call call("cudaGraphExecDestroy");
    delete ready;
    --n_handles;
    return call.error;
}
