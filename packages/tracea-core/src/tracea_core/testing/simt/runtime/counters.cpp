// SPDX-License-Identifier: MIT
// Barriers in shared memory that count arrivals and bytes, phase by phase.
//
// Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier": a phase is complete when no arrivals are pending
// and the bytes announced have come; the count of arrivals then starts again.
#include <simt/async.h>

#include "state.h"

namespace simt {

static Counter& counter_at(void* barrier, const void* site) {
    const auto found = launch.counters.find(uintptr_t(barrier));
    if (found == launch.counters.end()) fatal("barrier", site, "no barrier has been initialised at this address");
    Counter& counter = found->second;
    if (counter.initialiser != current->actor && (*current->seen)[counter.initialiser] < counter.initialised_at)
        report("barrier", site, place(*current) + " uses a barrier whose initialisation is not ordered before");
    const bool remote = shared_offset(barrier) == kNowhere;
    if (remote && !counter.fenced)
        report("barrier", site, place(*current) + " uses a barrier of another block whose initialisation was never fenced");
    return counter;
}

void mbarrier_init(void* barrier, unsigned arrivals, const void* site) {
    count("mbarrier.init");
    if (shared_offset(barrier) == kNowhere || uintptr_t(barrier) % 8)
        fatal("barrier", site, "a barrier lies at a multiple of 8 in its block's shared memory");
    if (!arrivals) fatal("barrier", site, "a barrier of no arrivals");
    Counter counter;
    counter.expected = counter.pending = arrivals;
    counter.initialiser = current->actor;
    counter.initialised_at = current->clock;
    counter.gathering.assign(current->seen->size(), 0);
    counter.completed = std::make_shared<const Clock>(counter.gathering);
    launch.counters[uintptr_t(barrier)] = counter;
}

void mbarrier_invalidate(void* barrier, const void* site) {
    counter_at(barrier, site);
    launch.counters.erase(uintptr_t(barrier));
}

void mbarrier_init_fence() {
    for (auto& [address, counter] : launch.counters)
        if (counter.initialiser == current->actor) counter.fenced = true;
}

static void complete_if_done(Counter& counter) {
    if (counter.pending || counter.bytes) return;
    counter.completed = std::make_shared<const Clock>(counter.gathering);
    counter.pending = counter.expected;
    counter.parity ^= 1;
    const std::vector<unsigned> waiting = std::move(counter.waiting);
    counter.waiting.clear();
    for (unsigned actor : waiting) resume(actor);
}

void mbarrier_expect(void* barrier, unsigned bytes, const void* site) {
    count("mbarrier.expect_tx");
    counter_at(barrier, site).bytes += bytes;
}

void mbarrier_arrive(void* barrier, unsigned arrivals, const void* site) {
    count("mbarrier.arrive");
    Counter& counter = counter_at(barrier, site);
    if (arrivals > counter.pending) {
        report("barrier", site, "more arrivals than the barrier's phase expects");
        fatal("barrier", site, "the barrier's count is exceeded");
    }
    const Clock& seen = *current->seen;
    for (size_t actor = 0; actor < seen.size(); ++actor)
        if (seen[actor] > counter.gathering[actor]) counter.gathering[actor] = seen[actor];
    counter.gathering[current->actor] = current->clock++;
    counter.pending -= arrivals;
    complete_if_done(counter);
}

bool mbarrier_test(void* barrier, unsigned parity, bool waits, const void* site) {
    Counter& counter = counter_at(barrier, site);
    while (counter.parity == (parity & 1)) {
        if (!waits) {
            relax();
            return false;
        }
        counter.waiting.push_back(current->actor);
        wait("a phase of a barrier in shared memory", site);
    }
    learn(*current, counter.completed);
    count("mbarrier.try_wait");
    return true;
}

void land_bytes(char* barrier, unsigned bytes, EngineTime time) {
    const auto found = launch.counters.find(uintptr_t(barrier));
    if (found == launch.counters.end()) return report("barrier", nullptr, "a copy has landed, and its barrier is gone");
    found->second.gathering[time.actor] = time.clock;
    found->second.bytes -= bytes;
    complete_if_done(found->second);
}

void proxy_fence() {
    current->fenced = with_own(*current);
    current->fenced_own = current->clock++;
}

}  // namespace simt
