/*
 * memory.cpp - device memory: every buffer ends at a page that must not be touched, is NaN at
 * first, and out of reach while host code runs. AddressSanitizer's builds use the heap instead,
 * with its red zones on both sides.
 */
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"
#include "runtime.h"

namespace host_cuda
{

enum : size_t {
    PAGE_BYTES = 4096,
    ALIGN_BYTES = 16,         /* less than cudaMalloc's 256, so that the end is nearly exact */
    POISON_MOST = 64ul << 20, /* of large buffers only so much: the rest is not even mapped */
    FIRST_FIT_BYTES = 512     /* what the driver rounds sizes up to */
};
static const unsigned char slack_byte = 0xa5; /* between the buffer's end and the guard page */

struct Buffer {
    size_t bytes;
    char *mapping; /* null: on the heap */
    size_t mapping_bytes;
    int device;
};

static std::map<const char *, Buffer> buffers;
static int n_open;

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t charged(size_t bytes)
{
    return round_up(bytes, FIRST_FIT_BYTES);
}

#if defined(__SANITIZE_ADDRESS__)

static char *take(Buffer *buffer)
{
    void *data = nullptr;
    return posix_memalign(&data, 256, buffer->bytes) == 0 ? static_cast<char *>(data) : nullptr;
}

static void give_back(const Buffer &, char *data)
{
    free(data);
}

static void protect(bool)
{
}

static bool overran(const Buffer &, const char *)
{
    return false; /* AddressSanitizer has said so */
}

static void catch_bad_accesses(bool)
{
}

#else

static void set_protection(const Buffer &buffer, int protection)
{
    mprotect(buffer.mapping + PAGE_BYTES, buffer.mapping_bytes - 2 * PAGE_BYTES, protection);
}

static void protect(bool is_open)
{
    for (const auto &[data, buffer] : buffers)
        set_protection(buffer, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

static size_t slack_of(const Buffer &buffer)
{
    return round_up(buffer.bytes, ALIGN_BYTES) - buffer.bytes;
}

/* A guard page, the pages of the buffer, a guard page. */
static char *take(Buffer *buffer)
{
    size_t used = round_up(round_up(buffer->bytes, ALIGN_BYTES), PAGE_BYTES);
    buffer->mapping_bytes = used + 2 * PAGE_BYTES;
    void *pages = mmap(nullptr, buffer->mapping_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return nullptr;
    buffer->mapping = static_cast<char *>(pages);
    set_protection(*buffer, PROT_READ | PROT_WRITE);
    char *data = buffer->mapping + PAGE_BYTES + used - round_up(buffer->bytes, ALIGN_BYTES);
    memset(data + buffer->bytes, slack_byte, slack_of(*buffer));
    return data;
}

static void give_back(const Buffer &buffer, char *)
{
    munmap(buffer.mapping, buffer.mapping_bytes);
}

static bool overran(const Buffer &buffer, const char *data)
{
    const char *end = data + buffer.bytes;
    return std::any_of(end, end + slack_of(buffer),
                       [](char byte) { return static_cast<unsigned char>(byte) != slack_byte; });
}

static struct sigaction action_before[2]; /* SIGSEGV, SIGBUS */

/* In a kernel: the kernel's fault. Elsewhere the program goes down as it would without this. */
static void on_bad_access(int number, siginfo_t *info, void *)
{
    if (!self) {
        sigaction(number, &action_before[number == SIGBUS], nullptr);
        return; /* and the access is made once more */
    }
    char message[64];
    snprintf(message, sizeof message, "illegal address %p", info->si_addr);
    trap({"in a kernel", 0}, cudaErrorIllegalAddress, message);
}

static void catch_bad_accesses(bool is_on)
{
    struct sigaction action = {};
    action.sa_sigaction = on_bad_access;
    action.sa_flags = SA_SIGINFO | SA_NODEFER; /* the handler does not return from a kernel */
    for (int number : {SIGSEGV, SIGBUS}) {
        struct sigaction *before = &action_before[number == SIGBUS];
        sigaction(number, is_on ? &action : before, is_on ? before : nullptr);
    }
}

#endif

void *memory_take(Device *device, size_t bytes)
{
    Buffer buffer = {
        .bytes = bytes, .mapping = nullptr, .mapping_bytes = 0, .device = device->index};
    char *data = take(&buffer);
    if (!data)
        return nullptr;
    memset(data, 0xff, std::min<size_t>(bytes, POISON_MOST));
    buffers[data] = buffer;
    device->used_bytes += charged(bytes);
    protect(n_open > 0);
    return data;
}

bool memory_give_back(void *data)
{
    auto found = buffers.find(static_cast<char *>(data));
    if (found == buffers.end())
        return false;
    Buffer buffer = found->second;
    {
        MemoryOpen open;
        if (overran(buffer, found->first))
            report_fault("a kernel wrote beyond the end of a buffer of " +
                             std::to_string(buffer.bytes) + " bytes",
                         cudaErrorIllegalAddress);
    }
    machine.devices[buffer.device].used_bytes -= charged(buffer.bytes);
    buffers.erase(found);
    give_back(buffer, static_cast<char *>(data));
    return true;
}

void memory_forget()
{
    for (const auto &[data, buffer] : buffers)
        give_back(buffer, const_cast<char *>(data));
    buffers.clear();
}

size_t memory_count()
{
    return buffers.size();
}

Where memory_find(const Device *device, const void *data, size_t bytes)
{
    auto *begin = static_cast<const char *>(data);
    auto after = buffers.upper_bound(begin);
    if (after == buffers.begin())
        return Where::elsewhere;
    const auto &[first, buffer] = *std::prev(after);
    size_t offset = static_cast<size_t>(begin - first);
    if (offset >= buffer.bytes || buffer.device != device->index)
        return Where::elsewhere;
    return bytes <= buffer.bytes - offset ? Where::inside : Where::overruns;
}

MemoryOpen::MemoryOpen()
{
    if (n_open++ > 0)
        return;
    protect(true);
    catch_bad_accesses(true);
}

MemoryOpen::~MemoryOpen()
{
    if (--n_open > 0)
        return;
    catch_bad_accesses(false);
    protect(false);
}

} // namespace host_cuda
