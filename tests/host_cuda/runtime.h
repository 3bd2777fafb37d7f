/*
 * runtime.h - the state behind the runtime's and cuBLAS's functions: devices, their memory, errors.
 */
#ifndef RP_TESTS_RUNTIME_H
#define RP_TESTS_RUNTIME_H

#include <mutex>
#include <string>

#include <cuda_runtime_api.h>

#include "host_cuda.h"

struct CUstream_st {
    int device;
    cudaGraph_t capture; /* what is launched here is noted there instead; null: it runs */
};

namespace host_cuda
{

/* A kind of GPU, as the runtime describes it. */
struct Profile {
    const char *key, *name;
    int major, minor, multiprocessors;
    size_t memory_bytes;
    int shared_block_most_bytes, shared_processor_bytes, threads_per_processor;
    int l2_bytes, clock_khz, memory_clock_khz, bus_bits;
};

struct Device {
    const Profile *profile;
    int index;
    size_t limit_bytes, used_bytes;
    cudaError_t pending; /* a kernel went wrong; the next call that waits tells it */
    cudaError_t sticky;  /* told; every later call fails with it */
};

enum class Answer { works, no_driver, old_driver, no_device };

/* All that host_cuda_reset sets up. */
struct Machine {
    Answer answer;
    int n_devices;
    Device devices[8];
    std::string fail_call; /* which call fails; empty: none */
    int fail_in;           /* at its how-manieth from now */
    int fail_code;         /* -1: the usual one of the call */
};
extern Machine machine;
void set_up_once();

/*
 * A call of the runtime from its first line to its last: holds the lock, finds the calling thread's
 * device, and says in `error` what the call must return without doing anything.
 */
class Call
{
  public:
    explicit Call(const char *name);
    cudaError_t end(cudaError_t result); /* remembers a failure for cudaGetLastError */
    Device *device;
    cudaError_t error;

  private:
    std::lock_guard<std::recursive_mutex> lock;
};

/* The code that this call of `name` must fail with, or -1. */
int injected_failure(const char *name);

/* Errors after which a context is of no use. */
bool is_sticky(cudaError_t error);

/* A call that waits for the device: what went wrong on it becomes known. */
cudaError_t wait_for(Device *device);

/* Device memory. */
void *memory_take(Device *device, size_t bytes); /* null: the host has none */
bool memory_give_back(void *data);               /* false: not a buffer */
void memory_forget();
size_t memory_count();
enum class Where { elsewhere, inside, overruns };
Where memory_find(const Device *device, const void *data, size_t bytes);

/* While one lives, code of this process may touch device memory. Elsewhere it crashes, as it must.
 */
class MemoryOpen
{
  public:
    MemoryOpen();
    ~MemoryOpen();
};

/* Streams, events and library handles alive. */
extern int n_handles;
void launches_forget();
bool stream_fits(cudaStream_t stream, const Device *device);

/* Notes a launch in the graph that its stream captures. */
struct Launch;
cudaError_t capture_launch(const Launch &l);

} // namespace host_cuda

#endif
