/*
 * fiber.h - stacks and the switch between them (x86-64), with what the sanitizers must be told.
 */
#ifndef RP_TESTS_FIBER_H
#define RP_TESTS_FIBER_H

#include <cstddef>

namespace host_cuda
{

/* A place to go on from: of a fiber, or of the OS thread that runs the fibers. */
struct Fiber {
    void *stack_pointer;
    char *stack; /* lowest byte; null: not yet known */
    size_t stack_bytes;
    void *fake_stack; /* of AddressSanitizer */
    void *shadow;     /* of ThreadSanitizer */
};

/* Gets a stack (kept until the process ends) with a guard page below. */
void fiber_create(Fiber *fiber);

/* The next switch to it calls entry(), which must never return. `number` spreads the tops of stacks
 * over the cache. */
void fiber_prepare(Fiber *fiber, unsigned number, void (*entry)());

/* `thread` stands for the OS thread that calls this. */
void fiber_adopt(Fiber *thread);

/* First thing in entry(): says who switched to it. */
void fiber_entered(Fiber *from);

void fiber_switch(Fiber *from, Fiber *to);
[[noreturn]] void fiber_leave(Fiber *from, Fiber *to);

/* ThreadSanitizer: what happened before order_release(a) is seen after order_acquire(a). */
void order_release(void *address);
void order_acquire(void *address);

} // namespace host_cuda

#endif
