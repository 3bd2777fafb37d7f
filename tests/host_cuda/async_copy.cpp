/*
 * async_copy.cpp - which copies of a thread are under way. Late ones (the default) land when they
 * are waited for, with what the source holds then; early ones at once. A kernel must be right with
 * both.
 */
#include "engine.h"

namespace host_cuda
{

bool keep_copy(const Copy &copy)
{
    auto *t = static_cast<Thread *>(self);
    if (!schedule.copies_early)
        t->copies.push_back(copy);
    return !schedule.copies_early;
}

void commit_copies()
{
    auto *t = static_cast<Thread *>(self);
    t->groups.emplace_back();
    t->groups.back().swap(t->copies);
}

bool take_copy(size_t pending, Copy *copy)
{
    auto *t = static_cast<Thread *>(self);
    while (t->groups.size() > pending) {
        std::vector<Copy> &oldest = t->groups.front();
        if (!oldest.empty()) {
            *copy = oldest.back();
            oldest.pop_back();
            return true;
        }
        t->groups.pop_front();
    }
    return false;
}

} // namespace host_cuda
