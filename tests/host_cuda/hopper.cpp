/*
 * hopper.cpp - what compute capability 9.0 does on its own: phases of barriers in shared memory,
 * boxes and products on their way (kernel_hopper.h). A block's threads run one at a time, so
 * nothing here is atomic.
 */
#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine.h"
#include "kernel_hopper.h"

namespace host_cuda
{

/* In 8 bytes, as on the GPU. */
struct Phase {
    int32_t bytes;                  /* expected and not yet there */
    uint32_t parity : 1;            /* of the phase that runs */
    uint32_t count : 15, left : 16; /* arrivals */
};
static_assert(sizeof(Phase) == 8);

static const Place place_of_phase = {"mbarrier", 0};

static Phase phase_at(const void *barrier)
{
    Phase phase;
    if (reinterpret_cast<uintptr_t>(barrier) % 8 != 0)
        trap(place_of_phase, cudaErrorMisalignedAddress, "a barrier is not aligned to 8 bytes");
    memcpy(&phase, barrier, sizeof phase);
    return phase;
}

/* A phase without arrivals and bytes to come is over. */
static void put_phase(void *barrier, Phase phase)
{
    if (phase.left == 0 && phase.bytes == 0) {
        phase.left = phase.count;
        phase.parity ^= 1;
    }
    memcpy(barrier, &phase, sizeof phase);
}

void phase_create(void *barrier, int count)
{
    const auto n = static_cast<uint16_t>(count);
    put_phase(barrier, {0, 0, n, n});
}

void phase_expect(void *barrier, int bytes)
{
    Phase phase = phase_at(barrier);
    phase.bytes += bytes;
    memcpy(barrier, &phase, sizeof phase);
}

void phase_arrive(void *barrier)
{
    Phase phase = phase_at(barrier);
    if (phase.left == 0)
        trap(place_of_phase, cudaErrorLaunchFailure, "more arrivals than the barrier counts");
    --phase.left;
    put_phase(barrier, phase);
}

void phase_complete(void *barrier, int bytes)
{
    Phase phase = phase_at(barrier);
    phase.bytes -= bytes;
    put_phase(barrier, phase);
}

static bool is_over(const void *barrier, int parity)
{
    Phase phase;
    memcpy(&phase, barrier, sizeof phase);
    return phase.parity != static_cast<uint32_t>(parity);
}

static bool reports_to(const Box &box, const void *barrier)
{
    return box.barrier == barrier;
}

bool Block::may_go_on(const Thread *t) const
{
    return is_over(t->barrier, t->parity) ||
           std::any_of(boxes.begin(), boxes.end(),
                       [&](const Box &box) { return reports_to(box, t->barrier); });
}

bool phase_wait(void *barrier, int parity)
{
    auto *t = static_cast<Thread *>(self);
    if (is_over(barrier, parity))
        return true;
    t->place = place_of_phase;
    t->barrier = barrier;
    t->parity = parity;
    t->state = State::at_phase;
    wait_for_turn(t);
    return is_over(barrier, parity);
}

static std::atomic<long> n_boxes;

void boxes_forget()
{
    n_boxes = 0;
}

bool keep_box(const Box &box)
{
    ++n_boxes;
    auto *t = static_cast<Thread *>(self);
    if (!schedule.copies_early)
        t->block->boxes.push_back(box);
    return !schedule.copies_early;
}

bool take_box(const void *barrier, Box *box)
{
    std::vector<Box> &boxes = static_cast<Thread *>(self)->block->boxes;
    for (auto it = boxes.begin(); it != boxes.end(); ++it) {
        if (reports_to(*it, barrier)) {
            *box = *it;
            boxes.erase(it);
            return true;
        }
    }
    return false;
}

void keep_product(const MatrixProduct &product)
{
    static_cast<Thread *>(self)->products.push_back(product);
}

void commit_products()
{
    auto *t = static_cast<Thread *>(self);
    t->committed.insert(t->committed.end(), t->products.begin(), t->products.end());
    t->products.clear();
}

bool take_product(MatrixProduct *product)
{
    auto *t = static_cast<Thread *>(self);
    if (t->committed.empty())
        return false;
    *product = t->committed.front();
    t->committed.pop_front();
    return true;
}

} // namespace host_cuda

extern "C" long host_cuda_boxes(void)
{
    return host_cuda::n_boxes;
}
