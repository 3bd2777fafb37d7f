/*
 * fake_cudnn.cpp - libcudnn.so.9 without a GPU: descriptors keep what they are told, and a plan
 * runs its graph on the host, one operation after the other in fp32, each tensor by its own extents
 * and strides. So a wrong shape, stride, mask or order shows in the result.
 *
 * As the real one it refuses what its engines do not know (a head_dim that is no multiple of 8)
 * with a status and a sentence. HOST_CUDA_FAIL=cudnnBackendExecute:1:5001 fails a call,
 * cudnnGetVersion:1:90100 makes it old.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "engine.h"
#include "kernels/cuda/cudnn_abi.h"
#include "runtime.h"

using namespace host_cuda;

namespace
{

struct Descriptor {
    rp_cudnn_descriptor type;
    std::map<int, std::vector<char>> attributes;
    bool is_final = false;

    template <typename T> std::vector<T> all(int name) const
    {
        auto found = attributes.find(name);
        if (found == attributes.end())
            return {};
        std::vector<T> values(found->second.size() / sizeof(T));
        memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
        return values;
    }
    template <typename T> T one(int name, T otherwise = {}) const
    {
        std::vector<T> values = all<T>(name);
        return values.empty() ? otherwise : values[0];
    }
    const Descriptor *at(int name) const
    {
        return one<const Descriptor *>(name, nullptr);
    }
};

constexpr int64_t workspace_bytes = 4096;
std::string last_error;

int refuse(int status, const std::string &why)
{
    last_error = why;
    return status;
}

using Values = std::vector<float>; /* packed, by the tensor's extents */
using Extents = std::vector<int64_t>;

Extents extents_of(const Descriptor *t)
{
    return t->all<int64_t>(RP_CUDNN_TENSOR_DIMENSIONS);
}

int64_t count(const Extents &extents)
{
    int64_t n = 1;
    for (int64_t extent : extents)
        n *= extent;
    return n;
}

/* Index of an element of a tensor that is as large as `whole`, or broadcast: 1, or a divisor. */
int64_t place(const Extents &whole, int64_t index, const Extents &own, const Extents &strides)
{
    int64_t at = 0;
    for (size_t d = whole.size(); d-- > 0; index /= whole[d])
        at += index % whole[d] * own[d] / whole[d] * strides[d];
    return at;
}

Extents packed(const Extents &extents)
{
    Extents strides(extents.size(), 1);
    for (size_t d = extents.size() - 1; d-- > 0;)
        strides[d] = strides[d + 1] * extents[d + 1];
    return strides;
}

float load(const void *data, int type, int64_t i)
{
    switch (type) {
    case RP_CUDNN_HALF:
        return __half2float(static_cast<const __half *>(data)[i]);
    case RP_CUDNN_BFLOAT16:
        return __bfloat162float(static_cast<const __nv_bfloat16 *>(data)[i]);
    case RP_CUDNN_INT32:
        return static_cast<float>(static_cast<const int32_t *>(data)[i]);
    default:
        return static_cast<const float *>(data)[i];
    }
}

void store(void *data, int type, int64_t i, float x)
{
    if (type == RP_CUDNN_HALF)
        static_cast<__half *>(data)[i] = __float2half(x);
    else
        static_cast<__nv_bfloat16 *>(data)[i] = __float2bfloat16(x);
}

float round_to(int type, float x)
{
    if (type == RP_CUDNN_HALF)
        return __half2float(__float2half(x));
    return type == RP_CUDNN_BFLOAT16 ? __bfloat162float(__float2bfloat16(x)) : x;
}

size_t element_bytes(int type)
{
    return type == RP_CUDNN_HALF || type == RP_CUDNN_BFLOAT16 ? 2 : 4;
}

/* A graph while it runs. */
struct Run {
    const Device *device;
    std::map<int64_t, void *> bound;
    std::map<int64_t, Values> values;
    bool is_outside = false; /* something was not in device memory */

    void *find(const Descriptor *t)
    {
        auto found = bound.find(t->one<int64_t>(RP_CUDNN_TENSOR_ID));
        if (found == bound.end())
            return nullptr;
        Extents extents = extents_of(t);
        Extents strides = t->all<int64_t>(RP_CUDNN_TENSOR_STRIDES);
        int64_t last = 0;
        for (size_t d = 0; d < extents.size(); ++d)
            last += (extents[d] - 1) * strides[d];
        size_t bytes =
            static_cast<size_t>(last + 1) * element_bytes(t->one<int>(RP_CUDNN_TENSOR_DATA_TYPE));
        bool is_host = t->one<char>(RP_CUDNN_TENSOR_IS_BY_VALUE);
        if (!is_host && memory_find(device, found->second, bytes) != Where::inside)
            is_outside = true;
        return is_outside ? nullptr : found->second;
    }

    const Values &read(const Descriptor *t)
    {
        Values &v = values[t->one<int64_t>(RP_CUDNN_TENSOR_ID)];
        if (!v.empty() || t->one<char>(RP_CUDNN_TENSOR_IS_VIRTUAL))
            return v;
        Extents extents = extents_of(t);
        Extents strides = t->all<int64_t>(RP_CUDNN_TENSOR_STRIDES);
        v.resize(static_cast<size_t>(count(extents)));
        const void *data = find(t);
        for (int64_t i = 0; data && i < count(extents); ++i)
            v[static_cast<size_t>(i)] = load(data, t->one<int>(RP_CUDNN_TENSOR_DATA_TYPE),
                                             place(extents, i, extents, strides));
        return v;
    }

    void write(const Descriptor *t, Values v)
    {
        int type = t->one<int>(RP_CUDNN_TENSOR_DATA_TYPE);
        if (t->one<char>(RP_CUDNN_TENSOR_IS_VIRTUAL)) {
            for (float &x : v)
                x = round_to(type, x);
            values[t->one<int64_t>(RP_CUDNN_TENSOR_ID)] = std::move(v);
            return;
        }
        Extents extents = extents_of(t);
        Extents strides = t->all<int64_t>(RP_CUDNN_TENSOR_STRIDES);
        void *data = find(t);
        for (int64_t i = 0; data && i < count(extents); ++i)
            store(data, type, place(extents, i, extents, strides), v[static_cast<size_t>(i)]);
    }
};

void multiply(Run &run, const Descriptor *o)
{
    const Descriptor *at = o->at(RP_CUDNN_OPERATION_MATMUL_A);
    const Descriptor *bt = o->at(RP_CUDNN_OPERATION_MATMUL_B);
    const Descriptor *ct = o->at(RP_CUDNN_OPERATION_MATMUL_C);
    const Values &a = run.read(at);
    const Values &b = run.read(bt);
    Extents n = extents_of(ct);
    int64_t depth = extents_of(at)[3];
    int64_t groups = n[1] / extents_of(bt)[1]; /* query heads on a kv head */
    Values c(static_cast<size_t>(count(n)));
    for (size_t i = 0; i < c.size(); ++i) {
        int64_t matrix = static_cast<int64_t>(i) / (n[2] * n[3]);
        int64_t row = static_cast<int64_t>(i) / n[3] % n[2];
        int64_t column = static_cast<int64_t>(i) % n[3];
        const float *x = &a[static_cast<size_t>((matrix * n[2] + row) * depth)];
        const float *y = &b[static_cast<size_t>(matrix / groups * depth * n[3] + column)];
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k)
            sum += static_cast<double>(x[k]) * static_cast<double>(y[k * n[3]]);
        c[i] = static_cast<float>(sum);
    }
    run.write(ct, std::move(c));
}

void reduce(Run &run, const Descriptor *o)
{
    const Descriptor *by = o->at(RP_CUDNN_OPERATION_REDUCTION_BY);
    const Descriptor *yt = o->at(RP_CUDNN_OPERATION_REDUCTION_Y);
    const Descriptor *xt = o->at(RP_CUDNN_OPERATION_REDUCTION_X);
    const Values &x = run.read(xt);
    bool is_sum = by->one<int>(RP_CUDNN_REDUCTION_OPERATOR) == RP_CUDNN_REDUCE_ADD;
    Values y(static_cast<size_t>(count(extents_of(yt))), is_sum ? 0.0f : -INFINITY);
    Extents strides = packed(extents_of(yt));
    for (size_t i = 0; i < x.size(); ++i) {
        float &to = y[static_cast<size_t>(
            place(extents_of(xt), static_cast<int64_t>(i), extents_of(yt), strides))];
        to = is_sum ? to + x[i] : std::max(to, x[i]);
    }
    run.write(yt, std::move(y));
}

float apply(int mode, float x, float b, float t)
{
    switch (mode) {
    case RP_CUDNN_ADD:
        return x + b;
    case RP_CUDNN_SUB:
        return x - b;
    case RP_CUDNN_MUL:
        return x * b;
    case RP_CUDNN_DIV:
        return x / b;
    case RP_CUDNN_EXP:
        return expf(x);
    case RP_CUDNN_LOG:
        return logf(x);
    case RP_CUDNN_GREATER_OR_EQUAL:
        return x >= b ? 1.0f : 0.0f;
    case RP_CUDNN_SELECT:
        return t != 0.0f ? x : b;
    default:
        return NAN;
    }
}

void work_pointwise(Run &run, const Descriptor *o)
{
    const Descriptor *by = o->at(RP_CUDNN_OPERATION_POINTWISE_BY);
    const Descriptor *xt = o->at(RP_CUDNN_OPERATION_POINTWISE_X);
    const Descriptor *bt = o->at(RP_CUDNN_OPERATION_POINTWISE_B);
    const Descriptor *tt = o->at(RP_CUDNN_OPERATION_POINTWISE_T);
    const Descriptor *yt = o->at(RP_CUDNN_OPERATION_POINTWISE_Y);
    int mode = by->one<int>(RP_CUDNN_POINTWISE_MODE);
    size_t axis = static_cast<size_t>(by->one<int64_t>(RP_CUDNN_POINTWISE_AXIS, -1));
    Extents whole = extents_of(yt);
    Extents strides = packed(whole);
    Values y(static_cast<size_t>(count(whole)));
    auto value = [&](const Descriptor *d, int64_t i) {
        Extents own = d ? extents_of(d) : Extents();
        return d ? run.read(d)[static_cast<size_t>(place(whole, i, own, packed(own)))] : 0.0f;
    };
    for (size_t k = 0; k < y.size(); ++k) {
        int64_t i = static_cast<int64_t>(k);
        if (mode == RP_CUDNN_INDEX)
            y[k] = static_cast<float>(i / strides[axis] % whole[axis]);
        else
            y[k] = apply(mode, value(xt, i), value(bt, i), value(tt, i));
    }
    run.write(yt, std::move(y));
}

const Descriptor *graph_of(const Descriptor *plan)
{
    return plan->at(RP_CUDNN_PLAN_ENGINE_CONFIG)->at(RP_CUDNN_HEURISTICS_GRAPH);
}

/* What no engine of the real one takes, either: it answers with none, and the reason last told. */
int count_engines(const Descriptor *graph)
{
    std::vector<const Descriptor *> operations =
        graph->all<const Descriptor *>(RP_CUDNN_GRAPH_OPERATIONS);
    bool has_statistics = false;
    for (const Descriptor *o : operations) {
        const Descriptor *by = o->at(RP_CUDNN_OPERATION_POINTWISE_BY);
        has_statistics |= by && by->one<int>(RP_CUDNN_POINTWISE_MODE) == RP_CUDNN_LOG;
    }
    if (extents_of(operations[0]->at(RP_CUDNN_OPERATION_MATMUL_A))[3] % 8 != 0)
        last_error = "hidden_dim is no multiple of 8\nhere";
    else if (!has_statistics)
        last_error = "this is no fused attention";
    else
        return 1;
    return 0;
}

struct Handle {
    void *stream;
};

} // namespace

extern "C" {

size_t cudnnGetVersion(void)
{
    int old = injected_failure("cudnnGetVersion");
    return old > 0 ? static_cast<size_t>(old) : 91900;
}

const char *cudnnGetErrorString(int status)
{
    return status < RP_CUDNN_INTERNAL_ERROR ? "not supported" : "failed";
}

void cudnnGetLastErrorString(char *message, size_t size)
{
    snprintf(message, size, "%s", last_error.c_str());
}

int cudnnCreate(void **handle)
{
    *handle = new Handle{nullptr};
    ++n_handles;
    return RP_CUDNN_SUCCESS;
}

int cudnnDestroy(void *handle)
{
    delete static_cast<Handle *>(handle);
    --n_handles;
    return RP_CUDNN_SUCCESS;
}

int cudnnSetStream(void *handle, void *stream)
{
    static_cast<Handle *>(handle)->stream = stream;
    return RP_CUDNN_SUCCESS;
}

int cudnnBackendCreateDescriptor(int type, void **descriptor)
{
    *descriptor = new Descriptor{static_cast<rp_cudnn_descriptor>(type), {}};
    ++n_handles;
    return RP_CUDNN_SUCCESS;
}

int cudnnBackendDestroyDescriptor(void *descriptor)
{
    delete static_cast<Descriptor *>(descriptor);
    --n_handles;
    return RP_CUDNN_SUCCESS;
}

int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t n, const void *elements)
{
    static const std::map<int, size_t> sizes = {{RP_CUDNN_TYPE_HANDLE, sizeof(void *)},
                                                {RP_CUDNN_TYPE_DATA_TYPE, sizeof(int)},
                                                {RP_CUDNN_TYPE_BOOLEAN, 1},
                                                {RP_CUDNN_TYPE_INT64, sizeof(int64_t)},
                                                {RP_CUDNN_TYPE_VOID_PTR, sizeof(void *)},
                                                {RP_CUDNN_TYPE_HEUR_MODE, sizeof(int)},
                                                {RP_CUDNN_TYPE_POINTWISE_MODE, sizeof(int)},
                                                {RP_CUDNN_TYPE_DESCRIPTOR, sizeof(void *)},
                                                {RP_CUDNN_TYPE_REDUCTION, sizeof(int)}};
    Descriptor *d = static_cast<Descriptor *>(descriptor);
    auto size = sizes.find(type);
    if (d->is_final || size == sizes.end())
        return refuse(2000, "an attribute that cannot be set");
    if (type == RP_CUDNN_TYPE_DESCRIPTOR) {
        auto all = static_cast<Descriptor *const *>(elements);
        if (!std::all_of(all, all + n, [](Descriptor *one) { return one->is_final; }))
            return refuse(2004, "a descriptor that is not finalized");
    }
    const char *bytes = static_cast<const char *>(elements);
    d->attributes[name] = {bytes, bytes + static_cast<size_t>(n) * size->second};
    return RP_CUDNN_SUCCESS;
}

int cudnnBackendFinalize(void *descriptor)
{
    Descriptor *d = static_cast<Descriptor *>(descriptor);
    int injected = injected_failure("cudnnBackendFinalize");
    if (injected > 0)
        return refuse(injected, "as the test asked");
    d->is_final = true;
    return RP_CUDNN_SUCCESS;
}

/* One configuration; a plan wants 4 KB. */
int cudnnBackendGetAttribute(void *descriptor, int name, int, int64_t room, int64_t *n,
                             void *elements)
{
    const Descriptor *d = static_cast<Descriptor *>(descriptor);
    *n = name == RP_CUDNN_HEURISTICS_RESULTS ? count_engines(d->at(RP_CUDNN_HEURISTICS_GRAPH)) : 1;
    if (*n == 0)
        return RP_CUDNN_SUCCESS;
    if (name == RP_CUDNN_PLAN_WORKSPACE_SIZE) {
        *static_cast<int64_t *>(elements) = workspace_bytes;
    } else if (name == RP_CUDNN_HEURISTICS_RESULTS && room > 0) {
        Descriptor *config = *static_cast<Descriptor **>(elements);
        config->attributes[RP_CUDNN_HEURISTICS_GRAPH] = d->attributes.at(RP_CUDNN_HEURISTICS_GRAPH);
        config->is_final = true;
    } else {
        return refuse(2000, "an attribute that cannot be asked for");
    }
    return RP_CUDNN_SUCCESS;
}

int cudnnBackendExecute(void *, void *plan, void *pack)
{
    const Descriptor *bound = static_cast<Descriptor *>(pack);
    int injected = injected_failure("cudnnBackendExecute");
    if (injected > 0)
        return refuse(injected, "as the test asked");
    Call call("cuDNN");
    if (call.error != cudaSuccess || call.device->pending != cudaSuccess)
        return refuse(5003, "the device is lost");
    std::vector<int64_t> ids = bound->all<int64_t>(RP_CUDNN_PACK_IDS);
    std::vector<void *> pointers = bound->all<void *>(RP_CUDNN_PACK_POINTERS);
    void *workspace = bound->one<void *>(RP_CUDNN_PACK_WORKSPACE);
    if (memory_find(call.device, workspace, workspace_bytes) != Where::inside)
        return refuse(2003, "the workspace is too small");
    Run run{call.device, {}, {}};
    for (size_t i = 0; i < ids.size(); ++i)
        run.bound[ids[i]] = pointers[i];
    MemoryOpen open;
    memset(workspace, 0xFF, workspace_bytes);
    for (const Descriptor *o : graph_of(static_cast<Descriptor *>(plan))
                                   ->all<const Descriptor *>(RP_CUDNN_GRAPH_OPERATIONS)) {
        if (o->type == RP_CUDNN_OPERATION_MATMUL)
            multiply(run, o);
        else if (o->type == RP_CUDNN_OPERATION_REDUCTION)
            reduce(run, o);
        else
            work_pointwise(run, o);
    }
    return run.is_outside ? refuse(5000, "a tensor is not in device memory") : RP_CUDNN_SUCCESS;
}

} // extern "C"
