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
    Barrier& barrier = block.barriers[0];
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

static void arrive(Barrier& barrier) {
    barrier.arrived.push_back(current->actor);
    barrier.past.push_back(with_own(*current));
    ++current->clock;
}

void named_barrier(unsigned id, unsigned threads, bool waits, const void* site) {
    Block& block = block_of(*current);
    count(waits ? "bar.sync" : "bar.arrive");
    if (id > 15 || threads % launch.settings.warp_lanes || !threads)
        fatal("barrier", site, "named barriers have numbers 0 to 15 and whole warps");
    Barrier& barrier = block.barriers[id];
    const size_t present = barrier.waiting.size() + barrier.arrived.size();
    if (present && barrier.threads != threads) {
        report("barrier", site, "barrier " + std::to_string(id) + " is used for " + std::to_string(threads) + " threads here and for "
            + std::to_string(barrier.threads) + " elsewhere", barrier.site);
        fatal("barrier", site, "the threads cannot meet");
    }
    barrier.site = site;
    barrier.threads = threads;
    if (waits) barrier.waiting.push_back(current->actor);
    else arrive(barrier);
    if (present + 1 < threads) {
        if (waits) wait("a named barrier", site);
        return;
    }
    const std::vector<unsigned> waiting = std::move(barrier.waiting);
    flush_block(block);
    if (!waiting.empty()) synchronise(waiting);
    const ClockRef past = barrier.past.empty() ? nullptr : join(barrier.past);
    for (unsigned actor : waiting) {
        if (past) learn(launch.threads[actor], past);
        if (actor != current->actor) resume(actor);
    }
    barrier = Barrier{};
}

void cluster_arrive(const void* site) {
    Barrier& barrier = launch.cluster_barrier;
    count("barrier.cluster.arrive");
    barrier.site = site;
    arrive(barrier);
    if (barrier.arrived.size() < launch.threads.size()) return;
    for (Block& block : launch.blocks) flush_block(block);
    launch.cluster_past = join(barrier.past);
    for (unsigned actor : barrier.waiting) resume(actor);
    barrier = Barrier{};
}

// Who waits before all have come is among those that have arrived; else the phase is complete.
void cluster_wait(const void* site) {
    Barrier& barrier = launch.cluster_barrier;
    bool open = false;
    for (unsigned actor : barrier.arrived) open |= actor == current->actor;
    if (open) {
        barrier.waiting.push_back(current->actor);
        wait("the cluster's barrier", site);
    }
    if (launch.cluster_past) learn(*current, launch.cluster_past);
}

void count(const char* name) { ++launch.counts[name]; }

void fault(const char* kind, const void* site, const char* message) { report(kind, site, message); }

}  // namespace simt
