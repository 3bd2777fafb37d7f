/*
 * engine.h - how a grid runs on the CPU: one Thread (a fiber) a CUDA thread, one Block an OS
 * thread.
 *
 * Under ThreadSanitizer only kernels are instrumented, not the engine: what the engine moves
 * between lanes is not the kernel's traffic. It tells ThreadSanitizer of every fiber and of every
 * barrier.
 */
#ifndef RP_TESTS_ENGINE_H
#define RP_TESTS_ENGINE_H

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "fiber.h"
#include "host_cuda.h"
#include "kernel_hopper.h"
#include "kernel_side.h"

namespace host_cuda
{

enum class State { ready, at_barrier, at_warp, at_phase, done };

struct Block;

struct Thread : KernelThread {
    Block *block;
    Fiber fiber;
    State state;
    Place place; /* where it waits */

    Reduction reduction; /* at a block's barrier */
    bool predicate;
    int answer;

    Meeting meeting; /* at a warp's */
    void *operand;

    std::vector<Copy> copies; /* cp.async not yet committed */
    std::deque<std::vector<Copy>> groups;

    const void *barrier; /* at a phase's end: whose, and the phase's parity */
    int parity;
    std::vector<MatrixProduct> products; /* wgmma not yet committed */
    std::deque<MatrixProduct> committed;

    char arrived, departed; /* nothing but addresses, by which ThreadSanitizer orders */
};

/* Bits of its lanes. */
struct Warp {
    unsigned there, waiting, done;
};

struct Block {
    std::vector<std::unique_ptr<Thread>> threads; /* at least n_threads */
    std::vector<Warp> warps;
    unsigned n_threads;
    Fiber scheduler;
    const Launch *launch;
    uint64_t random;        /* state of the generator */
    std::vector<Box> boxes; /* on their way */

    void begin(const Launch &l, uint64_t index, unsigned char *dynamic_shared);
    void run();
    Warp &warp_of(const Thread *t);
    Thread *lane_of(const Thread *t, unsigned lane); /* of the same warp */

  private:
    void run_threads(bool *ran);
    bool run_warp_once(unsigned warp, const std::vector<unsigned> &lanes);
    void release_barrier();
    void release_phases();
    bool may_go_on(const Thread *t) const; /* from a phase's end */
    bool is_done() const;
    void report_deadlock();
};

/* How a grid is run, from struct host_cuda_settings. */
struct Schedule {
    host_cuda_order order;
    uint64_t seed;
    bool copies_early;
    int workers;
};
extern Schedule schedule;

uint64_t next_random(uint64_t *state);

/* Runs all blocks; returns at once when a fault is seen. */
void run_grid(const Launch &l);

/* Gives the CPU back to the block's scheduler until the state is ready again. */
void wait_for_turn(Thread *t);

/* What went wrong first: kept, and printed unless nobody shall see it. */
void report_fault(const std::string &message, cudaError_t error);
std::string describe(Place place, const std::string &message, const Thread *t);
bool fault_seen();
cudaError_t fault_error();
void forget_fault();
void conflicts_forget();
void boxes_forget();

/* Moves bytes where no sanitizer looks. */
inline void copy_unseen(void *to, const void *from, size_t bytes)
{
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* Lanes of the mask wait for each other; the last one runs `complete` over all 32 (null: not in
 * the mask) before any goes on. */
using Complete = void (*)(Thread *const lanes[WARP_LANES]);
void meet(Place place, const Meeting &meeting, Complete complete);

/* At the end of a thread: nobody may wait for it any more. */
void leave_warp(const Thread *t);

/* Of a thread that waits for its warp: a lane it waits for waits at another meeting. */
bool waits_in_vain(const Thread *t);

} // namespace host_cuda

#endif
