// SPDX-License-Identifier: MIT
// A thread's own copies into shared memory, in groups: they land when their group is waited for, not before.
#include <simt/async.h>

#include "state.h"

namespace simt {

void copy_async(void* to, const void* from, unsigned bytes, unsigned source_bytes, const void* site) {
    count("cp.async");
    const size_t offset = shared_offset(to);
    if (bytes != 4 && bytes != 8 && bytes != 16) fatal("unsupported", site, "an asynchronous copy has 4, 8 or 16 bytes");
    if (offset == kNowhere || offset + bytes > launch.shared_bytes) {
        report("out-of-bounds", site, place(*current) + " copies to an address outside its block's shared memory");
        return;
    }
    if (offset % bytes || (source_bytes && uintptr_t(from) % bytes))
        report("misaligned", site, place(*current) + " copies " + std::to_string(bytes) + " bytes between unaligned addresses");
    const EngineTime time = next_engine_time();
    record(block_of(*current), offset, bytes, Entry{site, kInFlight, time.actor, 0, Access::write, false});
    log_banks(*current, offset, bytes, true, site);
    memset(to, 0xff, bytes);
    if (source_bytes > bytes) source_bytes = bytes;
    if (source_bytes && !touch(from, source_bytes, false, site)) source_bytes = 0;
    current->copies.push_back({current->rank, offset, static_cast<const char*>(from), bytes, source_bytes, time, site});
}

void copy_commit() {
    count("cp.async.commit_group");
    current->groups.push_back(std::move(current->copies));
    current->copies.clear();
}

static void land(const Copy& copy) {
    char* to = launch.blocks[copy.rank].shared + copy.offset;
    memset(to, 0, copy.bytes);
    memcpy(to, copy.from, copy.source_bytes);
    // Once waited for, it is as if the thread had stored the bytes itself.
    settle(launch.blocks[copy.rank], copy.offset, copy.bytes, copy.time.actor, Access::write,
           EngineTime{uint16_t(current->actor), current->clock});
}

void copy_wait(unsigned pending) {
    count("cp.async.wait_group");
    while (current->groups.size() > pending) {
        for (const Copy& copy : current->groups.front()) land(copy);
        current->groups.erase(current->groups.begin());
    }
}

void copy_wait_all() {
    copy_commit();
    copy_wait(0);
}

}  // namespace simt
