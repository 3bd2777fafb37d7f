/*
 * cudnn.h - cuDNN, loaded when the first job asks for it; never linked: it is a gigabyte, and not
 * everybody has it.
 */
#ifndef RP_KERNELS_CUDA_CUDNN_H
#define RP_KERNELS_CUDA_CUDNN_H

#include "base/status.h"
#include "kernels/cuda/cudnn_abi.h"

/* RP_ERR_UNSUPPORTED when there is none, or one that is too old. */
enum rp_status rp_cudnn_load(const struct rp_cudnn_api **api) RP_MUST_CHECK;

/* What cuDNN said last of why it did not do something: one line, maybe empty. */
enum { RP_CUDNN_WORDS_SIZE = 160 };
void rp_cudnn_last_words(const struct rp_cudnn_api *api, char words[RP_CUDNN_WORDS_SIZE]);

/* A failed call as this project's status, with cuDNN's words: RP_ERR_UNSUPPORTED when it does not
 * support what was asked, else RP_ERR_DEVICE. */
enum rp_status rp_cudnn_check(const struct rp_cudnn_api *api, int status,
                              const char *what) RP_MUST_CHECK;

/* Descriptors that live and die together. Start from {.api = api}. */
enum { RP_CUDNN_SET_MAX = 96 };
struct rp_cudnn_set {
    const struct rp_cudnn_api *api;
    void *items[RP_CUDNN_SET_MAX];
    size_t count;
};

struct rp_cudnn_value { /* one attribute */
    enum rp_cudnn_attribute name;
    enum rp_cudnn_type type;
    int64_t count;
    const void *elements;
};

/* A descriptor with these values, finalized. `what` names it in an error. */
struct rp_cudnn_request {
    enum rp_cudnn_descriptor type;
    const struct rp_cudnn_value *values;
    size_t n_values;
    const char *what;
};
enum rp_status rp_cudnn_make(struct rp_cudnn_set *set, const struct rp_cudnn_request *request,
                             void **descriptor) RP_MUST_CHECK;

/* An empty one, for an answer of cuDNN's to be put into. */
enum rp_status rp_cudnn_take(struct rp_cudnn_set *set, enum rp_cudnn_descriptor type,
                             void **descriptor) RP_MUST_CHECK;
void rp_cudnn_set_clear(struct rp_cudnn_set *set);

#endif
