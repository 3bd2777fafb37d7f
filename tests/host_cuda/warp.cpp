/* warp.cpp - lanes of one warp meet: __syncwarp, shuffles, votes, matrix instructions. */
#include "engine.h"

namespace host_cuda
{

static bool names(const Thread *t, unsigned lane)
{
    return t->meeting.mask >> lane & 1;
}

static const char *const names_gone_lane = "the mask names a lane that has returned";

void leave_warp(const Thread *t)
{
    Warp &warp = t->block->warp_of(t);
    for (unsigned lane = 0; warp.waiting != 0 && lane < WARP_LANES; ++lane) {
        const Thread *other = warp.waiting >> lane & 1 ? t->block->lane_of(t, lane) : nullptr;
        if (other && names(other, t->lane))
            trap(other->place, cudaErrorLaunchFailure, names_gone_lane);
    }
    warp.done |= 1u << t->lane;
}

bool waits_in_vain(const Thread *t)
{
    unsigned waiting = t->block->warp_of(t).waiting;
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (names(t, lane) && waiting >> lane & 1 &&
            !(t->block->lane_of(t, lane)->meeting == t->meeting))
            return true;
    }
    return false;
}

/* Only __syncwarp orders memory. The last lane has seen the others arrive, and lets them go, so
 * that one that runs ahead tells the others nothing. */
static void order(Thread *const lanes[WARP_LANES])
{
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (lanes[lane])
            order_acquire(&lanes[lane]->arrived);
    }
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (lanes[lane])
            order_release(&lanes[lane]->departed);
    }
}

/* Every lane of the meeting waits: it takes place. */
static void hold(const Thread *t, Complete complete)
{
    Warp &warp = t->block->warp_of(t);
    Thread *lanes[WARP_LANES];
    for (unsigned lane = 0; lane < WARP_LANES; ++lane)
        lanes[lane] = names(t, lane) ? t->block->lane_of(t, lane) : nullptr;
    complete(lanes);
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (lanes[lane])
            lanes[lane]->state = State::ready;
    }
    warp.waiting &= ~t->meeting.mask;
}

void meet(Place place, const Meeting &meeting, Complete complete)
{
    auto *t = static_cast<Thread *>(self);
    Warp &warp = t->block->warp_of(t);
    t->place = place;
    t->meeting = {meeting.operation, meeting.mask & warp.there};
    if (!names(t, t->lane))
        trap(place, cudaErrorLaunchFailure, "the caller is not in its own mask");
    if (warp.done & t->meeting.mask)
        trap(place, cudaErrorLaunchFailure, names_gone_lane);
    t->state = State::at_warp;
    warp.waiting |= 1u << t->lane;
    if ((warp.waiting & t->meeting.mask) == t->meeting.mask && !waits_in_vain(t)) {
        hold(t, complete);
        if (schedule.order == HOST_CUDA_UP)
            return; /* the last lane runs ahead; in the other orders it is one of many */
    }
    wait_for_turn(t);
}

void sync_warp(Place place, unsigned mask)
{
    auto *t = static_cast<Thread *>(self);
    order_release(&t->arrived);
    meet(place, {Operation::syncwarp, mask}, order);
    order_acquire(&t->departed);
}

struct Exchange {
    const void *value;
    size_t bytes;
    void *all;
};

static void give_to_all(Thread *const lanes[WARP_LANES])
{
    alignas(16) char gathered[WARP_LANES * 16];
    size_t bytes = 0;
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (!lanes[lane])
            continue;
        auto *x = static_cast<const Exchange *>(lanes[lane]->operand);
        bytes = x->bytes;
        copy_unseen(gathered + lane * bytes, x->value, bytes);
    }
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        if (lanes[lane])
            copy_unseen(static_cast<const Exchange *>(lanes[lane]->operand)->all, gathered,
                        WARP_LANES * bytes);
    }
}

unsigned exchange(Place place, const Meeting &meeting, const void *value, size_t bytes, void *all)
{
    auto *t = static_cast<Thread *>(self);
    Exchange x = {value, bytes, all};
    t->operand = &x;
    meet(place, meeting, give_to_all);
    return t->meeting.mask;
}

} // namespace host_cuda
