/* grid.cpp - blocks spread over OS threads, and the first fault of a grid. */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <mutex>

#ifndef HOST_CUDA_SERIAL
#include <omp.h>
#endif

#include "engine.h"

namespace host_cuda
{

static struct {
    std::atomic<bool> seen;
    std::mutex mutex; /* of the rest */
    std::string message;
    cudaError_t error;
} fault;

void report_fault(const std::string &message, cudaError_t error)
{
    std::lock_guard lock(fault.mutex);
    if (fault.seen)
        return;
    fault.message = message;
    fault.error = error;
    fault.seen = true;
    if (!getenv("HOST_CUDA_QUIET"))
        fprintf(stderr, "host_cuda: %s\n", message.c_str());
}

bool fault_seen()
{
    return fault.seen;
}

cudaError_t fault_error()
{
    std::lock_guard lock(fault.mutex);
    return fault.error;
}

void forget_fault()
{
    std::lock_guard lock(fault.mutex);
    fault.seen = false;
    fault.message.clear();
    fault.error = cudaSuccess;
}

static std::string text_of(uint3 index)
{
    return std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z);
}

std::string describe(Place place, const std::string &message, const Thread *t)
{
    return std::string(place.file) + ":" + std::to_string(place.line) + ": " + message +
           " [kernel " + t->block->launch->name + ", block " + text_of(t->block_index) +
           ", thread " + text_of(t->thread_index) + "]";
}

void trap(Place place, cudaError_t error, const char *message)
{
    auto *t = static_cast<Thread *>(self);
    report_fault(describe(place, message, t), error);
    t->state = State::done;
    fiber_leave(&t->fiber, &t->block->scheduler);
}

#ifndef HOST_CUDA_SERIAL

/* Of the library that the kernel is in, on this OS thread. */
struct StaticShared {
    uintptr_t kernel;
    void *data;
    size_t bytes;
};

static int find_static_shared(dl_phdr_info *library, size_t, void *context)
{
    auto *shared = static_cast<StaticShared *>(context);
    bool has_kernel = false;
    shared->bytes = 0;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const ElfW(Phdr) &part = library->dlpi_phdr[i];
        uintptr_t begin = library->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD)
            has_kernel |= shared->kernel - begin < part.p_memsz;
        if (part.p_type == PT_TLS)
            shared->bytes = part.p_memsz;
    }
    shared->data = library->dlpi_tls_data;
    return has_kernel;
}

/* Kernels are a library of their own, whose thread-local variables are its __shared__ ones: they
 * become NaN, so that no block finds there what the one before has left. */
static void poison_static_shared(const Launch &l)
{
    StaticShared shared = {reinterpret_cast<uintptr_t>(l.kernel), nullptr, 0};
    if (dl_iterate_phdr(find_static_shared, &shared) && shared.data)
        memset(shared.data, 0xff, shared.bytes);
}

#else

static void poison_static_shared(const Launch &)
{
}

#endif

/* The grid's block number `index`, on this OS thread. */
static void run_block(const Launch &l, uint64_t index)
{
    static thread_local Block block;
    unsigned char *dynamic_shared = nullptr;
    if (fault_seen())
        return;
    if (l.shared_bytes > 0) {
        void *bytes = nullptr;
        if (posix_memalign(&bytes, 128, l.shared_bytes) != 0)
            abort();
        dynamic_shared = static_cast<unsigned char *>(bytes);
        memset(dynamic_shared, 0xff, l.shared_bytes); /* NaN: nobody wrote it */
    }
    poison_static_shared(l);
    block.begin(l, index, dynamic_shared);
    block.run();
    free(dynamic_shared);
}

void run_grid(const Launch &l)
{
    auto n_blocks = static_cast<int64_t>(l.grid.x) * l.grid.y * l.grid.z;
    auto run = [&](int64_t i) {
        run_block(l,
                  static_cast<uint64_t>(schedule.order == HOST_CUDA_DOWN ? n_blocks - 1 - i : i));
    };
#ifdef HOST_CUDA_SERIAL
    for (int64_t i = 0; i < n_blocks; ++i)
        run(i);
#else
    int workers = schedule.workers > 0 ? schedule.workers : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_blocks < 4 ? 1 : workers)
    for (int64_t i = 0; i < n_blocks; ++i)
        run(i);
#endif
}

} // namespace host_cuda

extern "C" const char *host_cuda_fault(void)
{
    using namespace host_cuda;
    return fault_seen() ? fault.message.c_str() : "";
}
