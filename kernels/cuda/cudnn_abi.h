/*
 * cudnn_abi.h - of cuDNN's graph API (its "backend", in C) the few functions and numbers that one
 * attention needs, so that building needs no cuDNN.
 *
 * Names, numbers and prototypes are those of cudnn_graph.h of cuDNN 9.28 (package
 * nvidia-cudnn-cu13); those used here say "since cuDNN 9.0.0", and numbers of enumerations never
 * change.
 */
#ifndef RP_KERNELS_CUDA_CUDNN_ABI_H
#define RP_KERNELS_CUDA_CUDNN_ABI_H

#include <stddef.h>
#include <stdint.h>

enum rp_cudnn_status { /* cudnnStatus_t; from 4000 on something broke, before it is refused */
                       RP_CUDNN_SUCCESS = 0,
                       RP_CUDNN_INTERNAL_ERROR = 4000
};

enum rp_cudnn_descriptor { /* cudnnBackendDescriptorType_t */
                           RP_CUDNN_POINTWISE = 0,
                           RP_CUDNN_ENGINE_CONFIG = 3,
                           RP_CUDNN_ENGINE_HEURISTICS = 4,
                           RP_CUDNN_EXECUTION_PLAN = 5,
                           RP_CUDNN_OPERATION_POINTWISE = 13,
                           RP_CUDNN_OPERATION_GRAPH = 15,
                           RP_CUDNN_VARIANT_PACK = 16,
                           RP_CUDNN_TENSOR = 17,
                           RP_CUDNN_MATMUL = 18,
                           RP_CUDNN_OPERATION_MATMUL = 19,
                           RP_CUDNN_REDUCTION = 21,
                           RP_CUDNN_OPERATION_REDUCTION = 22
};

enum rp_cudnn_type { /* cudnnBackendAttributeType_t: of an attribute's elements */
                     RP_CUDNN_TYPE_HANDLE = 0,
                     RP_CUDNN_TYPE_DATA_TYPE = 1,
                     RP_CUDNN_TYPE_BOOLEAN = 2,
                     RP_CUDNN_TYPE_INT64 = 3,
                     RP_CUDNN_TYPE_VOID_PTR = 6,
                     RP_CUDNN_TYPE_HEUR_MODE = 8,
                     RP_CUDNN_TYPE_POINTWISE_MODE = 14,
                     RP_CUDNN_TYPE_DESCRIPTOR = 15,
                     RP_CUDNN_TYPE_REDUCTION = 18
};

enum rp_cudnn_attribute { /* cudnnBackendAttributeName_t */
                          RP_CUDNN_POINTWISE_MODE = 0,
                          RP_CUDNN_POINTWISE_PRECISION = 1,
                          RP_CUDNN_POINTWISE_AXIS = 9,
                          RP_CUDNN_HEURISTICS_MODE = 200,
                          RP_CUDNN_HEURISTICS_GRAPH = 201,
                          RP_CUDNN_HEURISTICS_RESULTS = 202,
                          RP_CUDNN_PLAN_HANDLE = 400,
                          RP_CUDNN_PLAN_ENGINE_CONFIG = 401,
                          RP_CUDNN_PLAN_WORKSPACE_SIZE = 402,
                          RP_CUDNN_OPERATION_POINTWISE_BY = 750, /* the pointwise descriptor */
                          RP_CUDNN_OPERATION_POINTWISE_X = 751,
                          RP_CUDNN_OPERATION_POINTWISE_B = 752,
                          RP_CUDNN_OPERATION_POINTWISE_Y = 753,
                          RP_CUDNN_OPERATION_POINTWISE_T = 758,
                          RP_CUDNN_GRAPH_HANDLE = 800,
                          RP_CUDNN_GRAPH_OPERATIONS = 801,
                          RP_CUDNN_TENSOR_ALIGNMENT = 900,
                          RP_CUDNN_TENSOR_DATA_TYPE = 901,
                          RP_CUDNN_TENSOR_DIMENSIONS = 902,
                          RP_CUDNN_TENSOR_STRIDES = 903,
                          RP_CUDNN_TENSOR_ID = 906,
                          RP_CUDNN_TENSOR_IS_VIRTUAL = 907,
                          RP_CUDNN_TENSOR_IS_BY_VALUE = 908,
                          RP_CUDNN_PACK_IDS = 1000,
                          RP_CUDNN_PACK_POINTERS = 1001,
                          RP_CUDNN_PACK_WORKSPACE = 1003,
                          RP_CUDNN_MATMUL_PRECISION = 1500,
                          RP_CUDNN_OPERATION_MATMUL_A = 1520,
                          RP_CUDNN_OPERATION_MATMUL_B = 1521,
                          RP_CUDNN_OPERATION_MATMUL_C = 1522,
                          RP_CUDNN_OPERATION_MATMUL_BY = 1523,
                          RP_CUDNN_REDUCTION_OPERATOR = 1600,
                          RP_CUDNN_REDUCTION_PRECISION = 1601,
                          RP_CUDNN_OPERATION_REDUCTION_X = 1610,
                          RP_CUDNN_OPERATION_REDUCTION_Y = 1611,
                          RP_CUDNN_OPERATION_REDUCTION_BY = 1612
};

enum rp_cudnn_data { /* cudnnDataType_t */
                     RP_CUDNN_FLOAT = 0,
                     RP_CUDNN_HALF = 2,
                     RP_CUDNN_INT32 = 4,
                     RP_CUDNN_BFLOAT16 = 9,
                     RP_CUDNN_BOOLEAN = 11
};

enum rp_cudnn_pointwise { /* cudnnPointwiseMode_t */
                          RP_CUDNN_ADD = 0,
                          RP_CUDNN_MUL = 1,
                          RP_CUDNN_DIV = 6,
                          RP_CUDNN_SUB = 9,
                          RP_CUDNN_EXP = 13,
                          RP_CUDNN_LOG = 15,
                          RP_CUDNN_GREATER_OR_EQUAL = 303,
                          RP_CUDNN_INDEX = 501,
                          RP_CUDNN_SELECT = 601 /* x where t holds, else b */
};

enum rp_cudnn_reduction { RP_CUDNN_REDUCE_ADD = 0, RP_CUDNN_REDUCE_MAX = 3 };

enum rp_cudnn_heuristics { RP_CUDNN_HEURISTICS_FALLBACK = 2, RP_CUDNN_HEURISTICS_A = 3 };

/* The functions, by their names without the prefix "cudnn". Enumerations are passed as int, as
 * every platform of CUDA does; descriptors and handles are pointers. */
struct rp_cudnn_api {
    size_t (*GetVersion)(void); /* 90600 is 9.6.0 */
    const char *(*GetErrorString)(int status);
    void (*GetLastErrorString)(char *message, size_t size);
    int (*Create)(void **handle);
    int (*Destroy)(void *handle);
    int (*SetStream)(void *handle, void *stream);
    int (*BackendCreateDescriptor)(enum rp_cudnn_descriptor type, void **descriptor);
    int (*BackendDestroyDescriptor)(void *descriptor);
    int (*BackendSetAttribute)(void *descriptor, enum rp_cudnn_attribute name,
                               enum rp_cudnn_type type, int64_t count, const void *elements);
    int (*BackendGetAttribute)(void *descriptor, enum rp_cudnn_attribute name,
                               enum rp_cudnn_type type, int64_t room, int64_t *count,
                               void *elements);
    int (*BackendFinalize)(void *descriptor);
    int (*BackendExecute)(void *handle, void *plan, void *pack);
};

#endif
