/* machine.cpp - which GPUs there are and which call fails, from settings or from the environment.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine.h"
#include "runtime.h"

namespace host_cuda
{

static const Profile profiles[] = {
    {.key = "t4",
     .name = "Tesla T4",
     .major = 7,
     .minor = 5,
     .multiprocessors = 40,
     .memory_bytes = 15843721216,
     .shared_block_most_bytes = 65536,
     .shared_processor_bytes = 65536,
     .threads_per_processor = 1024,
     .l2_bytes = 4 << 20,
     .clock_khz = 1590000,
     .memory_clock_khz = 5001000,
     .bus_bits = 256},
    {.key = "a100",
     .name = "NVIDIA A100-SXM4-80GB",
     .major = 8,
     .minor = 0,
     .multiprocessors = 108,
     .memory_bytes = 84987740160,
     .shared_block_most_bytes = 166912,
     .shared_processor_bytes = 167936,
     .threads_per_processor = 2048,
     .l2_bytes = 40 << 20,
     .clock_khz = 1410000,
     .memory_clock_khz = 1593000,
     .bus_bits = 5120},
    {.key = "h100",
     .name = "NVIDIA H100 80GB HBM3",
     .major = 9,
     .minor = 0,
     .multiprocessors = 132,
     .memory_bytes = 84929347584,
     .shared_block_most_bytes = 232448,
     .shared_processor_bytes = 233472,
     .threads_per_processor = 2048,
     .l2_bytes = 50 << 20,
     .clock_khz = 1980000,
     .memory_clock_khz = 2619000,
     .bus_bits = 5120},
};

Machine machine;
static bool is_set_up;

[[noreturn]] static void refuse(const char *what, const char *word)
{
    fprintf(stderr, "host_cuda: %s \"%s\" is not known\n", what, word);
    abort();
}

/* "a100:2" */
static void set_devices(const std::string &word, size_t memory_bytes)
{
    std::string key = word.substr(0, word.find(':'));
    int n = key.size() < word.size() ? std::stoi(word.substr(key.size() + 1)) : 1;
    const int most = sizeof machine.devices / sizeof machine.devices[0];
    const Profile *found = nullptr;
    machine.answer = key == "nodriver"    ? Answer::no_driver
                     : key == "olddriver" ? Answer::old_driver
                     : key == "none"      ? Answer::no_device
                                          : Answer::works;
    if (machine.answer != Answer::works)
        return;
    for (const Profile &profile : profiles)
        found = key == profile.key ? &profile : found;
    if (!found || n < 1 || n > most)
        refuse("device", word.c_str());
    machine.n_devices = n;
    for (int i = 0; i < n; ++i)
        machine.devices[i] = {.profile = found,
                              .index = i,
                              .limit_bytes = memory_bytes ? memory_bytes : found->memory_bytes,
                              .used_bytes = 0,
                              .pending = cudaSuccess,
                              .sticky = cudaSuccess};
}

/* "cudaMalloc:3" or "cudaMalloc:3:46" */
static void set_failure(const std::string &text)
{
    size_t colon = text.find(':');
    if (colon == std::string::npos)
        refuse("failure", text.c_str());
    machine.fail_call = text.substr(0, colon);
    machine.fail_code = -1;
    sscanf(text.c_str() + colon, ":%d:%d", &machine.fail_in, &machine.fail_code);
    if (machine.fail_in < 1)
        refuse("failure", text.c_str());
}

static void set_up(const host_cuda_settings &s)
{
    machine = {};
    set_devices(s.devices ? s.devices : "t4", s.memory_bytes);
    if (s.fail)
        set_failure(s.fail);
    schedule = {.order = s.order,
                .seed = s.seed ? s.seed : 1,
                .copies_early = s.copies_early,
                .workers = s.workers};
    is_set_up = true;
}

static uint64_t number_from_environment(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, nullptr, 0) : 0;
}

static host_cuda_order order_from_environment()
{
    const char *word = getenv("HOST_CUDA_ORDER");
    if (!word || strcmp(word, "up") == 0)
        return HOST_CUDA_UP;
    if (strcmp(word, "down") == 0)
        return HOST_CUDA_DOWN;
    if (strcmp(word, "random") == 0)
        return HOST_CUDA_RANDOM;
    refuse("order", word);
}

static void report_leaks()
{
    if (host_cuda_leaks() > 0)
        fprintf(stderr, "host_cuda: %d buffers, streams, events or handles not given back\n",
                host_cuda_leaks());
}

void set_up_once()
{
    if (is_set_up)
        return;
    const char *copies = getenv("HOST_CUDA_COPIES");
    set_up({.devices = getenv("HOST_CUDA_DEVICES"),
            .memory_bytes = number_from_environment("HOST_CUDA_MEMORY_MB") << 20,
            .fail = getenv("HOST_CUDA_FAIL"),
            .seed = number_from_environment("HOST_CUDA_SEED"),
            .order = order_from_environment(),
            .copies_early = copies && strcmp(copies, "early") == 0,
            .workers = static_cast<int>(number_from_environment("HOST_CUDA_WORKERS"))});
    atexit(report_leaks);
}

int injected_failure(const char *name)
{
    if (machine.fail_call != name || --machine.fail_in != 0)
        return -1;
    if (machine.fail_code >= 0)
        return machine.fail_code;
    return machine.fail_call == "cudaMalloc" ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
}

} // namespace host_cuda

extern "C" void host_cuda_reset(const struct host_cuda_settings *settings)
{
    host_cuda::memory_forget();
    host_cuda::launches_forget();
    host_cuda::forget_fault();
    host_cuda::conflicts_forget();
    host_cuda::boxes_forget();
    host_cuda::set_up(*settings);
    cudaGetLastError();
    if (host_cuda::machine.answer == host_cuda::Answer::works)
        cudaSetDevice(0);
}

extern "C" int host_cuda_leaks(void)
{
    return static_cast<int>(host_cuda::memory_count()) + host_cuda::n_handles;
}
