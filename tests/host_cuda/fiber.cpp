/* fiber.cpp - see fiber.h. */
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HOST_CUDA_TSAN /* kernels are instrumented, this file is not */
#include <sanitizer/tsan_interface.h>
#endif

/* Saves the callee-saved registers on the stack it leaves, and takes those of the other. */
extern "C" void host_cuda_switch(void **stack_pointer, void *to);
asm(R"(
    .text
    .globl host_cuda_switch
    .type host_cuda_switch, @function
host_cuda_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size host_cuda_switch, .-host_cuda_switch
)");

namespace host_cuda
{

enum : size_t {
    GUARD_BYTES = 4096,
#if defined(__SANITIZE_ADDRESS__) || defined(HOST_CUDA_TSAN)
    STACK_BYTES = 512 << 10 /* red zones, and unoptimised frames */
#else
    STACK_BYTES = 128 << 10
#endif
};

void fiber_create(Fiber *fiber)
{
    void *pages = mmap(nullptr, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, GUARD_BYTES, PROT_NONE) != 0) {
        perror("host_cuda: stack of a thread");
        abort();
    }
    fiber->stack = static_cast<char *>(pages) + GUARD_BYTES;
    fiber->stack_bytes = STACK_BYTES;
#ifdef HOST_CUDA_TSAN
    fiber->shadow = __tsan_create_fiber(0);
#endif
}

void fiber_prepare(Fiber *fiber, unsigned number, void (*entry)())
{
    /* Stacks with equal page offsets would share a few sets of the L1 cache. */
    size_t offset = number * 320 % 8192;
    auto *top = reinterpret_cast<uintptr_t *>(fiber->stack + fiber->stack_bytes - offset);
    *--top = 0; /* no caller */
    *--top = reinterpret_cast<uintptr_t>(entry);
    for (int registers = 0; registers < 6; ++registers)
        *--top = 0;
    fiber->stack_pointer = top;
    fiber->fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes); /* of one abandoned */
#endif
}

void fiber_adopt(Fiber *thread)
{
    *thread = {};
#ifdef HOST_CUDA_TSAN
    thread->shadow = __tsan_get_current_fiber();
#endif
}

void fiber_entered(Fiber *from)
{
#if defined(__SANITIZE_ADDRESS__)
    const void *bottom = nullptr;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &from->stack_bytes);
    from->stack = static_cast<char *>(const_cast<void *>(bottom));
#else
    (void)from;
#endif
}

void fiber_switch(Fiber *from, Fiber *to)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef HOST_CUDA_TSAN
    __tsan_switch_to_fiber(to->shadow, __tsan_switch_to_fiber_no_sync);
#endif
    host_cuda_switch(&from->stack_pointer, to->stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
#endif
}

void fiber_leave(Fiber *from, Fiber *to)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, to->stack, to->stack_bytes);
#endif
#ifdef HOST_CUDA_TSAN
    __tsan_switch_to_fiber(to->shadow, __tsan_switch_to_fiber_no_sync);
#endif
    host_cuda_switch(&from->stack_pointer, to->stack_pointer);
    abort(); /* nobody comes back */
}

#ifdef HOST_CUDA_TSAN
void order_release(void *address)
{
    __tsan_release(address);
}

void order_acquire(void *address)
{
    __tsan_acquire(address);
}
#else
void order_release(void *)
{
}

void order_acquire(void *)
{
}
#endif

} // namespace host_cuda
