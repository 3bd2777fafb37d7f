/* cudnn.c - see cudnn.h. */
#include "kernels/cuda/cudnn.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/library.h"

#define LIBRARY "libcudnn.so.9"

/* From here on a causal mask of any two lengths is supported. */
static const size_t version_least = 90600;

#define FIND(name) rp_library_find(library, "cudnn" #name, &found.name, sizeof found.name)

static enum rp_status check_version(size_t version)
{
    if (version < version_least)
        return RP_FAIL(RP_ERR_UNSUPPORTED, "cuDNN %zu.%zu.%zu is too old: 9.6.0 is needed",
                       version / 10000, version / 100 % 100, version % 100);
    return RP_OK;
}

enum rp_status rp_cudnn_load(const struct rp_cudnn_api **api)
{
    static struct rp_cudnn_api found; /* one worker, one thread that launches */
    static bool is_loaded;
    void *library = is_loaded ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    *api = &found;
    if (!is_loaded && !library)
        return RP_FAIL(RP_ERR_UNSUPPORTED,
                       LIBRARY " not found or not loaded: install cuDNN 9, or name its folder in "
                               "LD_LIBRARY_PATH (%s)",
                       dlerror());
    if (!is_loaded)
        is_loaded = FIND(GetVersion) && FIND(GetErrorString) && FIND(GetLastErrorString) &&
                    FIND(Create) && FIND(Destroy) && FIND(SetStream) &&
                    FIND(BackendCreateDescriptor) && FIND(BackendDestroyDescriptor) &&
                    FIND(BackendSetAttribute) && FIND(BackendGetAttribute) &&
                    FIND(BackendFinalize) && FIND(BackendExecute);
    if (!is_loaded)
        return RP_FAIL(RP_ERR_UNSUPPORTED, LIBRARY " lacks a function of cuDNN 9's graph API");
    return check_version(found.GetVersion());
}

void rp_cudnn_last_words(const struct rp_cudnn_api *api, char words[RP_CUDNN_WORDS_SIZE])
{
    words[0] = '\0';
    api->GetLastErrorString(words, RP_CUDNN_WORDS_SIZE);
    words[RP_CUDNN_WORDS_SIZE - 1] = '\0';
    words[strcspn(words, "\n")] = '\0';
}

enum rp_status rp_cudnn_check(const struct rp_cudnn_api *api, int status, const char *what)
{
    char words[RP_CUDNN_WORDS_SIZE];
    if (status == RP_CUDNN_SUCCESS)
        return RP_OK;
    rp_cudnn_last_words(api, words);
    return RP_FAIL(status < RP_CUDNN_INTERNAL_ERROR ? RP_ERR_UNSUPPORTED : RP_ERR_DEVICE,
                   "cuDNN, %s: %s: %s", what, api->GetErrorString(status), words);
}

static enum rp_status fill(const struct rp_cudnn_set *set, const struct rp_cudnn_request *request,
                           void *descriptor)
{
    const struct rp_cudnn_api *api = set->api;
    for (size_t i = 0; i < request->n_values; ++i) {
        const struct rp_cudnn_value *v = &request->values[i];
        RP_TRY(rp_cudnn_check(
            api, api->BackendSetAttribute(descriptor, v->name, v->type, v->count, v->elements),
            request->what));
    }
    return rp_cudnn_check(api, api->BackendFinalize(descriptor), request->what);
}

enum rp_status rp_cudnn_take(struct rp_cudnn_set *set, enum rp_cudnn_descriptor type,
                             void **descriptor)
{
    if (set->count == RP_CUDNN_SET_MAX)
        return RP_FAIL(RP_ERR_INTERNAL, "cuDNN: more than %d descriptors", RP_CUDNN_SET_MAX);
    RP_TRY(rp_cudnn_check(set->api, set->api->BackendCreateDescriptor(type, descriptor),
                          "a descriptor"));
    set->items[set->count++] = *descriptor;
    return RP_OK;
}

enum rp_status rp_cudnn_make(struct rp_cudnn_set *set, const struct rp_cudnn_request *request,
                             void **descriptor)
{
    RP_TRY(rp_cudnn_take(set, request->type, descriptor));
    return fill(set, request, *descriptor);
}

void rp_cudnn_set_clear(struct rp_cudnn_set *set)
{
    while (set->count > 0)
        set->api->BackendDestroyDescriptor(set->items[--set->count]);
}
