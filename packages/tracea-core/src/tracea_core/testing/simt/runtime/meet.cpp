// SPDX-License-Identifier: MIT
// Where threads meet: collectives of a warp's lanes, barriers of a block, named barriers, and the cluster's barrier.
#include "state.h"

namespace simt {

Index3 thread_index() { return current->index; }
Index3 block_index() { return current->block; }
Index3 block_shape() { return launch.block; }
Index3 grid_shape() { return launch.grid; }
unsigned linear_thread() { return current->linear; }
unsigned lane() { return current->lane; }
unsigned warp() { return current->warp; }
unsigned warp_lanes() { return launch.settings.warp_lanes; }
unsigned cluster_rank() { return current->rank; }
unsigned cluster_blocks() { return launch.settings.cluster; }

ClockRef join(const std::vector<ClockRef>& clocks) {
    auto joined = std::make_shared<Clock>(*clocks.front());
    const Clock* last = clocks.front().get();
    for (const ClockRef& clock : clocks) {
        if (clock.get() == last) continue;
        last = clock.get();
        for (size_t actor = 0; actor < joined->size(); ++actor)
            if ((*clock)[actor] > (*joined)[actor]) (*joined)[actor] = (*clock)[actor];
    }
    return joined;
}

ClockRef with_own(const Thread& thread) {
    auto clock = std::make_shared<Clock>(*thread.seen);
    (*clock)[thread.actor] = thread.clock;
    return clock;
}

void synchronise(const std::vector<unsigned>& actors) {
    std::vector<ClockRef> clocks;
    for (unsigned actor : actors) clocks.push_back(launch.threads[actor].seen);
    auto joined = std::make_shared<Clock>(*join(clocks));
    for (unsigned actor : actors) (*joined)[actor] = launch.threads[actor].clock;
    for (unsigned actor : actors) {
        launch.threads[actor].seen = joined;
        ++launch.threads[actor].clock;
    }
}

Warp* meeting_warp;

As::As(unsigned lane) { current = &launch.threads[meeting_warp->first + lane]; }
As::~As() { current = nullptr; }

static std::string lane_text(unsigned lane) { return "lane " + std::to_string(lane); }

static Meeting& meeting_for(Warp& warp, const Meeting& asked) {
    for (Meeting& meeting : warp.meetings) {
        if (!(meeting.mask & asked.mask)) continue;
        if (meeting.mask == asked.mask && meeting.site == asked.site && meeting.operation == asked.operation) return meeting;
        report("divergence", asked.site, lane_text(current->lane) + " comes to " + asked.name
            + " while other lanes of its warp wait in " + meeting.name + " elsewhere or with another mask", meeting.site);
        fatal("divergence", asked.site, "the lanes of a warp cannot meet");
    }
    warp.meetings.push_back(asked);
    return warp.meetings.back();
}

static uint64_t existing_lanes(const Warp& warp) {
    return warp.lanes == 64 ? kAllLanes : (uint64_t(1) << warp.lanes) - 1;
}

void collective(const char* name, Operation operation, void* mine, uint64_t mask, const void* site, bool ordered) {
    Warp& warp = block_of(*current).warps[current->warp];
    mask &= existing_lanes(warp);
    const uint64_t bit = uint64_t(1) << current->lane;
    if (!(mask & bit)) fatal("divergence", site, "a lane takes part in a collective whose mask leaves it out");
    Meeting& meeting = meeting_for(warp, Meeting{name, operation, site, mask, 0, ordered, {}});
    meeting.arrived |= bit;
    meeting.given[current->lane] = mine;
    if (meeting.arrived != mask) return wait(name, site);
    Meeting done = meeting;
    count(name);
    warp.meetings.erase(warp.meetings.begin() + (&meeting - warp.meetings.data()));
    if (operation) {
        Thread* last = current;
        meeting_warp = &warp;
        current = nullptr;  // what it does to the lanes' values is no memory access of the kernel
        operation(done.given, warp.lanes);
        current = last;
    }
    flush_banks(warp);
    if (ordered) {
        std::vector<unsigned> actors;
        for (unsigned i = 0; i < warp.lanes; ++i)
            if (mask >> i & 1) actors.push_back(warp.first + i);
        synchronise(actors);
    }
    for (unsigned i = 0; i < warp.lanes; ++i)
        if ((mask & ~bit) >> i & 1) resume(warp.first + i);
}

static void flush_block(Block& block) {
    for (Warp& warp : block.warps) flush_banks(warp);
}

void barrier(const char* name, const void* site, bool uniform) {
    Block& block = block_of(*current);
    Barrier& barrier = block.barriers[16];
    count(name);
    if (!barrier.waiting.empty() && uniform && barrier.site != site) {
        report("divergence", site, std::string("threads of one block wait in different calls of ") + name, barrier.site);
        fatal("divergence", site, "the threads of a block cannot meet");
    }
    barrier.site = site;
    barrier.waiting.push_back(current->actor);
    const unsigned expected = launch.block.x * launch.block.y * launch.block.z;
    if (barrier.waiting.size() < expected) return wait(name, site);
    const std::vector<unsigned> all = std::move(barrier.waiting);
    barrier.waiting.clear();
    flush_block(block);
    synchronise(all);
    for (unsigned actor : all)
        if (actor != current->actor) resume(actor);
}

void count(const char* name) { ++launch.counts[name]; }

void fault(const char* kind, const void* site, const char* message) { report(kind, site, message); }

}  // namespace simt
