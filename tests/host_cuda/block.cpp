/*
 * block.cpp - one block: which thread runs when, and the block's barrier.
 *
 * A warp runs until all its lanes wait before another warp gets the CPU: taking all threads in turn
 * would keep the warps in step and hide races between them.
 */
#include <algorithm>
#include <numeric>

#include "engine.h"

namespace host_cuda
{

__thread KernelThread *self;
Schedule schedule;

uint64_t next_random(uint64_t *state) /* xorshift64 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 0 .. n - 1 in the order asked for. */
static std::vector<unsigned> ordered(unsigned n, uint64_t *random)
{
    std::vector<unsigned> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (schedule.order == HOST_CUDA_DOWN)
        std::reverse(numbers.begin(), numbers.end());
    if (schedule.order == HOST_CUDA_RANDOM) {
        for (unsigned i = n; i > 1; --i)
            std::swap(numbers[i - 1], numbers[next_random(random) % i]);
    }
    return numbers;
}

static void thread_main()
{
    auto *t = static_cast<Thread *>(self);
    const Launch *launch = t->block->launch;
    fiber_entered(&t->block->scheduler);
    order_acquire(&t->departed); /* of the launch */
    launch->body(launch->context);
    leave_warp(t);
    order_release(&t->arrived); /* at the end of the block */
    t->state = State::done;
    fiber_leave(&t->fiber, &t->block->scheduler);
}

void wait_for_turn(Thread *t)
{
    fiber_switch(&t->fiber, &t->block->scheduler);
}

void Block::begin(const Launch &l, uint64_t index, unsigned char *dynamic_shared)
{
    dim3 size = l.block;
    launch = &l;
    boxes.clear();
    n_threads = size.x * size.y * size.z;
    random = (schedule.seed + index) * 0x9e3779b97f4a7c15u | 1;
    fiber_adopt(&scheduler);
    warps.assign((n_threads + WARP_LANES - 1) / WARP_LANES, Warp{0xffffffffu, 0, 0});
    if (n_threads % WARP_LANES != 0)
        warps.back().there = (1u << n_threads % WARP_LANES) - 1;
    while (threads.size() < n_threads) {
        threads.push_back(std::make_unique<Thread>());
        fiber_create(&threads.back()->fiber);
    }
    for (unsigned i = 0; i < n_threads; ++i) {
        Thread *t = threads[i].get();
        t->thread_index = {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
        t->block_index = {static_cast<unsigned>(index % l.grid.x),
                          static_cast<unsigned>(index / l.grid.x % l.grid.y),
                          static_cast<unsigned>(index / l.grid.x / l.grid.y)};
        t->block_size = size;
        t->grid_size = l.grid;
        t->dynamic_shared = dynamic_shared;
        t->lane = i % WARP_LANES;
        t->warp = i / WARP_LANES;
        t->block = this;
        t->state = State::ready;
        t->copies.clear();
        t->groups.clear();
        t->products.clear();
        t->committed.clear();
        order_release(&t->departed);
        fiber_prepare(&t->fiber, i, thread_main);
    }
}

Warp &Block::warp_of(const Thread *t)
{
    return warps[t->warp];
}

Thread *Block::lane_of(const Thread *t, unsigned lane)
{
    return threads[t->warp * WARP_LANES + lane].get();
}

/* Runs each ready lane until it waits; false when none was ready. */
bool Block::run_warp_once(unsigned warp, const std::vector<unsigned> &lanes)
{
    bool ran = false;
    for (unsigned lane : lanes) {
        bool is_there = warps[warp].there >> lane & 1;
        Thread *t = is_there ? threads[warp * WARP_LANES + lane].get() : nullptr;
        if (!t || t->state != State::ready)
            continue;
        self = t;
        fiber_switch(&scheduler, &t->fiber);
        self = nullptr;
        ran = true;
        if (fault_seen())
            return false;
    }
    return ran;
}

void Block::run_threads(bool *ran)
{
    *ran = false;
    for (unsigned warp : ordered(static_cast<unsigned>(warps.size()), &random)) {
        while (run_warp_once(warp, ordered(WARP_LANES, &random))) {
            *ran = true;
            bool is_interrupted =
                schedule.order == HOST_CUDA_RANDOM && next_random(&random) % 16 == 0;
            if (is_interrupted)
                break;
        }
    }
}

/* Opens the barrier once all threads that have not returned wait at it. */
void Block::release_barrier()
{
    int n_true = 0;
    int n_waiting = 0;
    const Thread *first = nullptr;
    for (unsigned i = 0; i < n_threads; ++i) {
        Thread *t = threads[i].get();
        if (t->state == State::done)
            continue;
        if (t->state != State::at_barrier)
            return;
        first = first ? first : t;
        if (t->place.line != first->place.line || t->reduction != first->reduction)
            report_fault(describe(t->place,
                                  "divergent barrier: others wait at line " +
                                      std::to_string(first->place.line),
                                  t),
                         cudaErrorLaunchTimeout);
        n_true += t->predicate;
        ++n_waiting;
        order_acquire(&t->arrived);
    }
    for (unsigned i = 0; i < n_threads; ++i) {
        Thread *t = threads[i].get();
        if (t->state != State::at_barrier)
            continue;
        t->answer = t->reduction == Reduction::all   ? n_true == n_waiting
                    : t->reduction == Reduction::any ? n_true > 0
                                                     : n_true;
        t->state = State::ready;
        order_release(&t->departed);
    }
}

void Block::release_phases()
{
    for (unsigned i = 0; i < n_threads; ++i) {
        Thread *t = threads[i].get();
        if (t->state == State::at_phase && may_go_on(t))
            t->state = State::ready;
    }
}

bool Block::is_done() const
{
    for (unsigned i = 0; i < n_threads; ++i) {
        if (threads[i]->state != State::done)
            return false;
    }
    return true;
}

void Block::report_deadlock()
{
    const Thread *stuck = nullptr;
    const char *why = nullptr;
    for (unsigned i = 0; i < n_threads; ++i) {
        const Thread *t = threads[i].get();
        if (t->state == State::at_barrier && !stuck) {
            stuck = t;
            why = "deadlock: waits at a barrier";
        }
        if (t->state == State::at_phase && !stuck) {
            stuck = t;
            why = "deadlock: waits for a phase of a barrier that does not end";
        }
        if (t->state == State::at_warp && waits_in_vain(t)) {
            stuck = t;
            why =
                "deadlock: lanes of one warp meet at different operations or with different masks";
        }
    }
    report_fault(describe(stuck->place, why, stuck), cudaErrorLaunchTimeout);
}

void Block::run()
{
    for (;;) {
        bool ran = false;
        run_threads(&ran);
        release_barrier();
        release_phases();
        if (fault_seen() || is_done())
            break; /* after a fault the fibers are left as they are */
        bool someone_ready = false;
        for (unsigned i = 0; i < n_threads; ++i)
            someone_ready |= threads[i]->state == State::ready;
        if (!ran && !someone_ready) {
            report_deadlock();
            break;
        }
    }
    for (unsigned i = 0; i < n_threads; ++i)
        order_acquire(&threads[i]->arrived);
}

int barrier(Place place, Reduction reduction, bool predicate)
{
    auto *t = static_cast<Thread *>(self);
    t->place = place;
    t->reduction = reduction;
    t->predicate = predicate;
    t->state = State::at_barrier;
    order_release(&t->arrived);
    wait_for_turn(t);
    order_acquire(&t->departed);
    return t->answer;
}

} // namespace host_cuda
