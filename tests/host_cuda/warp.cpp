/* warp.cpp - lanes of one warp meet: __syncwarp, shuffles, votes, matrix instructions. */
#include <algorithm>
#include <cstring>

#include "engine.h"

namespace host_cuda
{

static const Thread *lane_of_warp(const Thread *t, unsigned lane)
{
    return t->block->threads[t->warp * WARP_LANES + lane].get();
}

static bool names(const Thread *t, unsigned lane)
{
    return t->meeting.mask >> lane & 1;
}

static const char *find_misuse(const Thread *t)
{
    if (!names(t, t->lane))
        return "the caller is not in its own mask";
    for (unsigned lane = 0; lane < t->block->lanes_of(t->warp); ++lane) {
        if (names(t, lane) && lane_of_warp(t, lane)->state == State::done)
            return "the mask names a lane that has returned";
    }
    return nullptr;
}

void leave_warp(const Thread *t)
{
    for (unsigned lane = 0; lane < t->block->lanes_of(t->warp); ++lane) {
        const Thread *other = lane_of_warp(t, lane);
        if (other->state == State::at_warp && names(other, t->lane))
            trap(other->place, cudaErrorLaunchFailure, "the mask names a lane that has returned");
    }
}

bool waits_in_vain(const Thread *t)
{
    for (unsigned lane = 0; lane < t->block->lanes_of(t->warp); ++lane) {
        const Thread *other = lane_of_warp(t, lane);
        if (names(t, lane) && other->state == State::at_warp && !(other->meeting == t->meeting))
            return true;
    }
    return false;
}

static bool all_have_met(const Thread *t, Thread *const lanes[WARP_LANES])
{
    return std::all_of(lanes, lanes + WARP_LANES, [t](const Thread *other) {
        return !other || (other->state == State::at_warp && other->meeting == t->meeting);
    });
}

/* A warp that is not full has no lanes beyond its end: a full mask means those that are there. */
static unsigned find_lanes(const Thread *t, unsigned mask, Thread *lanes[WARP_LANES])
{
    unsigned n = t->block->lanes_of(t->warp);
    mask &= n < WARP_LANES ? (1u << n) - 1 : 0xffffffffu;
    for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
        bool is_named = mask >> lane & 1;
        lanes[lane] = is_named ? t->block->threads[t->warp * WARP_LANES + lane].get() : nullptr;
    }
    return mask;
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

void meet(Place place, const Meeting &meeting, Complete complete)
{
    auto *t = static_cast<Thread *>(self);
    Thread *lanes[WARP_LANES];
    t->place = place;
    t->meeting = {meeting.operation, find_lanes(t, meeting.mask, lanes)};
    if (const char *misuse = find_misuse(t))
        trap(place, cudaErrorLaunchFailure, misuse);
    t->state = State::at_warp;
    if (all_have_met(t, lanes)) {
        complete(lanes);
        for (unsigned lane = 0; lane < WARP_LANES; ++lane) {
            if (lanes[lane])
                lanes[lane]->state = State::ready;
        }
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
