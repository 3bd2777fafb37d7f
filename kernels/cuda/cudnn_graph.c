/*
 * cudnn_graph.c - the operations one after the other, each with its tensors:
 *
 *   S = Q K^T                            K given as its own transposed, by its strides
 *   S' = scale S
 *   M = S' where row + seq_k - seq_q >= column, else the hidden score     (causal only)
 *   P = exp(M - max M) / sum exp(M - max M)
 *   max M + log sum exp(M - max M)       the row's statistics, which nobody reads
 *   O = P V                              P in the storage type, all before it fp32
 *
 * cuDNN's fused attention is chosen by this very pattern, order and types as in NVIDIA's own
 * frontend; without the statistics it takes the graph for an older kind of attention, and has no
 * engine. Query heads share kv heads by broadcasting: H a multiple of G.
 */
#include "kernels/cuda/cudnn_graph.h"

#include "base/status.h"

/* Virtual tensors, numbered after those that a call binds. */
enum {
    S = RP_CUDNN_BOUND_COUNT,
    SCALED,
    ROW,
    COLUMN,
    ROW_PLUS,  /* row + seq_k */
    ROW_MINUS, /* row + seq_k - seq_q */
    VISIBLE,
    MASKED,
    MAXIMUM,
    SHIFTED,
    EXPONENTIAL,
    SUM,
    LOGARITHM,
    STATISTICS,
    P,
    TENSOR_COUNT,
    NONE = -1
};

enum when { ALWAYS, CAUSAL, CAUSAL_OF_A_PART /* fewer queries than keys */ };

struct operation {
    enum rp_cudnn_descriptor kind; /* what the operation is described by */
    int mode;                      /* of a pointwise operation or a reduction */
    enum rp_cudnn_data precision;
    int x, b, t, y; /* y = x, or x by b; t: the choice between them */
    int64_t axis;
    enum when when;
};

static const struct operation operations[] = {
    {RP_CUDNN_MATMUL, 0, RP_CUDNN_FLOAT, RP_CUDNN_Q, RP_CUDNN_K, NONE, S, 0, ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_MUL, RP_CUDNN_FLOAT, S, RP_CUDNN_SCALE, NONE, SCALED, 0, ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_INDEX, RP_CUDNN_FLOAT, SCALED, NONE, NONE, ROW, 2, CAUSAL},
    {RP_CUDNN_POINTWISE, RP_CUDNN_INDEX, RP_CUDNN_FLOAT, SCALED, NONE, NONE, COLUMN, 3, CAUSAL},
    {RP_CUDNN_POINTWISE, RP_CUDNN_ADD, RP_CUDNN_INT32, ROW, RP_CUDNN_KEYS, NONE, ROW_PLUS, 0,
     CAUSAL_OF_A_PART},
    {RP_CUDNN_POINTWISE, RP_CUDNN_SUB, RP_CUDNN_INT32, ROW_PLUS, RP_CUDNN_QUERIES, NONE, ROW_MINUS,
     0, CAUSAL_OF_A_PART},
    {RP_CUDNN_POINTWISE, RP_CUDNN_GREATER_OR_EQUAL, RP_CUDNN_BOOLEAN, ROW_MINUS, COLUMN, NONE,
     VISIBLE, 0, CAUSAL},
    {RP_CUDNN_POINTWISE, RP_CUDNN_SELECT, RP_CUDNN_FLOAT, SCALED, RP_CUDNN_HIDDEN, VISIBLE, MASKED,
     0, CAUSAL},
    {RP_CUDNN_REDUCTION, RP_CUDNN_REDUCE_MAX, RP_CUDNN_FLOAT, MASKED, NONE, NONE, MAXIMUM, 0,
     ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_SUB, RP_CUDNN_FLOAT, MASKED, MAXIMUM, NONE, SHIFTED, 0, ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_EXP, RP_CUDNN_FLOAT, SHIFTED, NONE, NONE, EXPONENTIAL, 0, ALWAYS},
    {RP_CUDNN_REDUCTION, RP_CUDNN_REDUCE_ADD, RP_CUDNN_FLOAT, EXPONENTIAL, NONE, NONE, SUM, 0,
     ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_LOG, RP_CUDNN_FLOAT, SUM, NONE, NONE, LOGARITHM, 0, ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_ADD, RP_CUDNN_FLOAT, MAXIMUM, LOGARITHM, NONE, STATISTICS, 0,
     ALWAYS},
    {RP_CUDNN_POINTWISE, RP_CUDNN_DIV, RP_CUDNN_FLOAT, EXPONENTIAL, SUM, NONE, P, 0, ALWAYS},
    {RP_CUDNN_MATMUL, 0, RP_CUDNN_FLOAT, P, RP_CUDNN_V, NONE, RP_CUDNN_O, 0, ALWAYS},
};

static bool happens(const struct rp_point *p, enum when when)
{
    return when == ALWAYS || (p->causal && (when == CAUSAL || p->seq_q < p->seq_k));
}

/* What is read where the step that makes the tensor is left out. */
static int input_of(const struct rp_point *p, int tensor)
{
    if (tensor == MASKED && !p->causal)
        return SCALED;
    if (tensor == ROW_MINUS && !happens(p, CAUSAL_OF_A_PART))
        return ROW;
    return tensor;
}

int64_t rp_cudnn_tensor_id(int tensor)
{
    return tensor + 1;
}

bool rp_cudnn_graph_has(const struct rp_point *p, enum rp_cudnn_tensor tensor)
{
    if (tensor == RP_CUDNN_HIDDEN)
        return happens(p, CAUSAL);
    bool is_of_a_part = tensor == RP_CUDNN_KEYS || tensor == RP_CUDNN_QUERIES;
    return !is_of_a_part || happens(p, CAUSAL_OF_A_PART);
}

static enum rp_cudnn_data type_of(const struct rp_point *p, int tensor)
{
    switch (tensor) {
    case RP_CUDNN_Q:
    case RP_CUDNN_K:
    case RP_CUDNN_V:
    case RP_CUDNN_O:
    case P:
        return p->dtype == RP_DTYPE_bf16 ? RP_CUDNN_BFLOAT16 : RP_CUDNN_HALF;
    case RP_CUDNN_KEYS:
    case RP_CUDNN_QUERIES:
    case ROW:
    case COLUMN:
    case ROW_PLUS:
    case ROW_MINUS:
        return RP_CUDNN_INT32;
    case VISIBLE:
        return RP_CUDNN_BOOLEAN;
    default:
        return RP_CUDNN_FLOAT;
    }
}

enum { RANK = 4 };

struct shape {
    int64_t extents[RANK], strides[RANK];
};

static struct shape packed(int64_t batch, int64_t heads, int64_t rows, int64_t columns)
{
    return (struct shape){{batch, heads, rows, columns},
                          {heads * rows * columns, rows * columns, columns, 1}};
}

static struct shape shape_of(const struct rp_point *p, int tensor)
{
    switch (tensor) {
    case RP_CUDNN_Q:
    case RP_CUDNN_O:
        return packed(p->batch, p->heads, p->seq_q, p->head_dim);
    case RP_CUDNN_V:
        return packed(p->batch, p->kv_heads, p->seq_k, p->head_dim);
    case RP_CUDNN_K: /* (head_dim, seq_k) of memory that has it as V has */
        return (struct shape){
            {p->batch, p->kv_heads, p->head_dim, p->seq_k},
            {p->kv_heads * p->seq_k * p->head_dim, p->seq_k * p->head_dim, 1, p->head_dim}};
    case RP_CUDNN_SCALE:
    case RP_CUDNN_HIDDEN:
    case RP_CUDNN_KEYS:
    case RP_CUDNN_QUERIES:
        return packed(1, 1, 1, 1);
    case MAXIMUM:
    case SUM:
    case LOGARITHM:
    case STATISTICS:
        return packed(p->batch, p->heads, p->seq_q, 1);
    default:
        return packed(p->batch, p->heads, p->seq_q, p->seq_k);
    }
}

struct builder {
    struct rp_cudnn_set *set;
    const struct rp_point *point;
    void *tensors[TENSOR_COUNT]; /* null: not made yet */
};

/* The tensor's descriptor, made when it is needed first. */
static enum rp_status find_tensor(struct builder *b, int tensor, void **descriptor)
{
    const int64_t alignment = 16;
    const int64_t id = rp_cudnn_tensor_id(tensor);
    const enum rp_cudnn_data type = type_of(b->point, tensor);
    const struct shape shape = shape_of(b->point, tensor);
    const bool is_virtual = tensor >= RP_CUDNN_BOUND_COUNT;
    const bool is_by_value = !is_virtual && tensor >= RP_CUDNN_SCALE;
    const struct rp_cudnn_value values[] = {
        {RP_CUDNN_TENSOR_ID, RP_CUDNN_TYPE_INT64, 1, &id},
        {RP_CUDNN_TENSOR_DATA_TYPE, RP_CUDNN_TYPE_DATA_TYPE, 1, &type},
        {RP_CUDNN_TENSOR_ALIGNMENT, RP_CUDNN_TYPE_INT64, 1, &alignment},
        {RP_CUDNN_TENSOR_DIMENSIONS, RP_CUDNN_TYPE_INT64, RANK, shape.extents},
        {RP_CUDNN_TENSOR_STRIDES, RP_CUDNN_TYPE_INT64, RANK, shape.strides},
        {RP_CUDNN_TENSOR_IS_VIRTUAL, RP_CUDNN_TYPE_BOOLEAN, 1, &is_virtual},
        {RP_CUDNN_TENSOR_IS_BY_VALUE, RP_CUDNN_TYPE_BOOLEAN, 1, &is_by_value},
    };
    const struct rp_cudnn_request request = {RP_CUDNN_TENSOR, values, RP_COUNT(values), "a tensor"};
    if (!b->tensors[tensor])
        RP_TRY(rp_cudnn_make(b->set, &request, &b->tensors[tensor]));
    *descriptor = b->tensors[tensor];
    return RP_OK;
}

/* What the operation does, apart from its tensors. */
static enum rp_status make_kind(struct builder *b, const struct operation *o, void **descriptor)
{
    const struct rp_cudnn_value pointwise[] = {
        {RP_CUDNN_POINTWISE_MODE, RP_CUDNN_TYPE_POINTWISE_MODE, 1, &o->mode},
        {RP_CUDNN_POINTWISE_PRECISION, RP_CUDNN_TYPE_DATA_TYPE, 1, &o->precision},
        {RP_CUDNN_POINTWISE_AXIS, RP_CUDNN_TYPE_INT64, 1, &o->axis},
    };
    const struct rp_cudnn_value reduction[] = {
        {RP_CUDNN_REDUCTION_OPERATOR, RP_CUDNN_TYPE_REDUCTION, 1, &o->mode},
        {RP_CUDNN_REDUCTION_PRECISION, RP_CUDNN_TYPE_DATA_TYPE, 1, &o->precision},
    };
    const struct rp_cudnn_value matmul[] = {
        {RP_CUDNN_MATMUL_PRECISION, RP_CUDNN_TYPE_DATA_TYPE, 1, &o->precision},
    };
    struct rp_cudnn_request request = {o->kind, matmul, RP_COUNT(matmul), "an operation"};
    if (o->kind == RP_CUDNN_REDUCTION) {
        request.values = reduction;
        request.n_values = RP_COUNT(reduction);
    } else if (o->kind == RP_CUDNN_POINTWISE) {
        request.values = pointwise;
        request.n_values = o->mode == RP_CUDNN_INDEX ? RP_COUNT(pointwise) : 2;
    }
    return rp_cudnn_make(b->set, &request, descriptor);
}

static enum rp_status make_operation(struct builder *b, const struct operation *o,
                                     void **descriptor)
{
    static const struct {
        enum rp_cudnn_descriptor type;
        enum rp_cudnn_attribute by, x, b, t, y;
    } names[] = {
        [RP_CUDNN_POINTWISE] = {RP_CUDNN_OPERATION_POINTWISE, RP_CUDNN_OPERATION_POINTWISE_BY,
                                RP_CUDNN_OPERATION_POINTWISE_X, RP_CUDNN_OPERATION_POINTWISE_B,
                                RP_CUDNN_OPERATION_POINTWISE_T, RP_CUDNN_OPERATION_POINTWISE_Y},
        [RP_CUDNN_MATMUL] = {RP_CUDNN_OPERATION_MATMUL, RP_CUDNN_OPERATION_MATMUL_BY,
                             RP_CUDNN_OPERATION_MATMUL_A, RP_CUDNN_OPERATION_MATMUL_B, 0,
                             RP_CUDNN_OPERATION_MATMUL_C},
        [RP_CUDNN_REDUCTION] = {RP_CUDNN_OPERATION_REDUCTION, RP_CUDNN_OPERATION_REDUCTION_BY,
                                RP_CUDNN_OPERATION_REDUCTION_X, 0, 0,
                                RP_CUDNN_OPERATION_REDUCTION_Y},
    };
    const int tensors[] = {o->x, o->b, o->t, o->y};
    const enum rp_cudnn_attribute places[] = {names[o->kind].x, names[o->kind].b, names[o->kind].t,
                                              names[o->kind].y};
    void *found[RP_COUNT(tensors) + 1];
    struct rp_cudnn_value values[RP_COUNT(found)];
    size_t n = 0;
    RP_TRY(make_kind(b, o, &found[n]));
    values[n] = (struct rp_cudnn_value){names[o->kind].by, RP_CUDNN_TYPE_DESCRIPTOR, 1, &found[n]};
    ++n;
    for (size_t i = 0; i < RP_COUNT(tensors); ++i) {
        if (tensors[i] == NONE)
            continue;
        RP_TRY(find_tensor(b, input_of(b->point, tensors[i]), &found[n]));
        values[n] = (struct rp_cudnn_value){places[i], RP_CUDNN_TYPE_DESCRIPTOR, 1, &found[n]};
        ++n;
    }
    const struct rp_cudnn_request request = {names[o->kind].type, values, n, "an operation"};
    return rp_cudnn_make(b->set, &request, descriptor);
}

enum rp_status rp_cudnn_graph_make(struct rp_cudnn_set *set, void *handle, const struct rp_point *p,
                                   void **graph)
{
    struct builder builder = {.set = set, .point = p};
    void *made[RP_COUNT(operations)];
    int64_t n = 0;
    for (size_t i = 0; i < RP_COUNT(operations); ++i) {
        if (happens(p, operations[i].when))
            RP_TRY(make_operation(&builder, &operations[i], &made[n++]));
    }
    const struct rp_cudnn_value values[] = {
        {RP_CUDNN_GRAPH_HANDLE, RP_CUDNN_TYPE_HANDLE, 1, &handle},
        {RP_CUDNN_GRAPH_OPERATIONS, RP_CUDNN_TYPE_DESCRIPTOR, n, made},
    };
    const struct rp_cudnn_request request = {RP_CUDNN_OPERATION_GRAPH, values, RP_COUNT(values),
                                             "the graph of attention"};
    return rp_cudnn_make(set, &request, graph);
}
