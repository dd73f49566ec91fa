// SPDX-License-Identifier: MIT
// Who has seen what: vector clocks of threads and of asynchronous work.
#include "state.h"

namespace simt {

ClockRef join(const std::vector<ClockRef>& clocks) {
    auto joined = std::make_shared<Clock>(*clocks.front());
    const Clock* last = clocks.front().get();
    for (const ClockRef& clock : clocks) {
        if (clock.get() == last) continue;  // after a barrier all share one
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

void learn(Thread& thread, const ClockRef& clock) {
    static ClockRef seen, learnt, both;  // threads that learn the same mostly knew the same
    if (thread.seen.get() == clock.get()) return;
    if (seen.get() != thread.seen.get() || learnt.get() != clock.get()) {
        seen = thread.seen;
        learnt = clock;
        both = join({seen, learnt});
    }
    thread.seen = both;
}

void learn(Thread& thread, EngineTime time) {
    if ((*thread.seen)[time.actor] >= time.clock) return;
    auto clock = std::make_shared<Clock>(*thread.seen);
    (*clock)[time.actor] = time.clock;
    thread.seen = clock;
}

// Slots are reused in turn. Work that shares a slot looks ordered where it is not, so there are many of them.
EngineTime next_engine_time() {
    const unsigned slot = launch.engine_next++ % launch.settings.engine_slots;
    return {uint16_t(launch.threads.size() + slot), ++launch.engine_clock[slot]};
}

}  // namespace simt
