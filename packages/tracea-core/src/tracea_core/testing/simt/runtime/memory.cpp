// SPDX-License-Identifier: MIT
// Every load and store of a kernel comes here before it happens: where it lies, whether it races, whether anybody has written
// what it reads. The compiler inserts the calls (its outlined address-sanitizer checks; no sanitizer run-time is linked).
#include "state.h"

#include <algorithm>

extern "C" char __ehdr_start __attribute__((visibility("hidden")));
extern "C" char _end __attribute__((visibility("hidden")));

namespace simt {

void report(const char* kind, const void* site, const std::string& message, const void* other) {
    for (Finding& finding : launch.findings)
        if (finding.site == site && finding.kind == kind && finding.other_site == other) {
            ++finding.count;
            return;
        }
    Finding finding{kind, message, site, other, {}, {}};
    if (current) {
        finding.block = current->block;
        finding.thread = current->index;
    }
    launch.findings.push_back(finding);
}

std::string place(const Thread& thread) {
    const Index3 i = thread.index;
    return "thread (" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) + ")";
}

static std::string actor_name(unsigned actor) {
    if (actor < launch.threads.size()) return place(launch.threads[actor]);
    return "an asynchronous copy or instruction";
}

static const char* verb(Access access) {
    return access == Access::read ? "reads" : access == Access::write ? "writes" : "updates";
}

static bool conflicts(const Entry& entry, const Entry& now) {
    if (!(entry.mask & now.mask)) return false;
    if (entry.access == Access::read && now.access == Access::read) return false;
    return !(entry.access == Access::atomic && now.access == Access::atomic);
}

static bool ordered_before(const Entry& entry, const Thread& issuer) {
    if (entry.clock == kInFlight) return false;
    return entry.actor == issuer.actor || entry.clock <= (*issuer.seen)[entry.actor];
}

// The copy engine and the matrix units see ordinary stores only once a proxy fence has come between, on the writer's side or,
// after synchronisation, on the reader's.
static bool shown_to_engine(const Entry& entry, const Thread& issuer) {
    if (entry.async || entry.access == Access::read || entry.actor >= launch.threads.size()) return true;
    if (launch.threads[entry.actor].fenced_own >= entry.clock) return true;
    return (*issuer.fenced)[entry.actor] >= entry.clock;
}

static void say_race(const Entry& before, const Entry& now, size_t offset) {
    const std::string what = std::string(verb(now.access)) + " shared byte " + std::to_string(offset) + " that "
        + actor_name(before.actor) + " " + verb(before.access)
        + (before.clock == kInFlight ? " asynchronously and nobody has waited for" : " with nothing that orders the two");
    report("race", now.site, actor_name(now.actor) + " " + what, before.site);
}

// Keep what a later access could still race with: an entry goes when a newer one of the same bytes stands for it.
static void enter(Granule& granule, const Entry& now, const Thread& issuer) {
    for (Entry& entry : granule.entries) {
        const bool replaced = now.access == Access::read ? entry.access == Access::read : true;
        if (replaced && ordered_before(entry, issuer)) entry.mask &= uint8_t(~now.mask);
    }
    granule.entries.erase(
        std::remove_if(granule.entries.begin(), granule.entries.end(), [](const Entry& entry) { return !entry.mask; }),
        granule.entries.end());
    granule.entries.push_back(now);
}

static uint8_t mask_of(size_t granule, size_t offset, size_t bytes) {
    const size_t begin = std::max(offset, granule * 8) - granule * 8, end = std::min(offset + bytes, granule * 8 + 8) - granule * 8;
    return uint8_t(((1u << end) - 1) & ~((1u << begin) - 1));
}

void record(Block& block, size_t offset, size_t bytes, const Entry& given) {
    bool raced = false, hidden = false;
    for (size_t g = offset / 8; g <= (offset + bytes - 1) / 8; ++g) {
        Granule& granule = block.shadow[g];
        Entry now = given;
        now.mask = mask_of(g, offset, bytes);
        for (const Entry& entry : granule.entries) {
            if (!raced && conflicts(entry, now) && !ordered_before(entry, *current)) {
                say_race(entry, now, std::max(offset, g * 8));
                raced = true;
            }
            if (!hidden && now.async && now.access == Access::read && (entry.mask & now.mask) && !shown_to_engine(entry, *current)) {
                report("proxy", now.site, "an asynchronous instruction reads shared byte " + std::to_string(std::max(offset, g * 8))
                    + ", written by " + actor_name(entry.actor) + " with no proxy fence between", entry.site);
                hidden = true;
            }
        }
        if (!raced && now.access != Access::write && (granule.initialised & now.mask) != now.mask) {
            report("uninitialised", now.site, actor_name(now.actor) + " reads shared byte "
                + std::to_string(std::max(offset, g * 8)) + ", which nobody has written");
            granule.initialised |= now.mask;
        }
        if (now.access != Access::read) {
            if (now.clock == kInFlight) granule.initialised &= uint8_t(~now.mask);
            else granule.initialised |= now.mask;
        }
        enter(granule, now, *current);
    }
}

void settle(Block& block, size_t offset, size_t bytes, unsigned actor, Access access, EngineTime done) {
    for (size_t g = offset / 8; g <= (offset + bytes - 1) / 8; ++g) {
        Granule& granule = block.shadow[g];
        const uint8_t mask = mask_of(g, offset, bytes);
        for (Entry& entry : granule.entries)
            if (entry.clock == kInFlight && entry.actor == actor && entry.access == access && (entry.mask & mask)) {
                entry.clock = done.clock;
                entry.actor = done.actor;
            }
        if (access == Access::write) granule.initialised |= mask;
    }
}

static bool lanes_are_known = true;

static bool shared_access(uintptr_t address, size_t bytes, Access access, const void* site) {
    const size_t inside = address - uintptr_t(launch.arena), rank = inside / launch.shared_stride;
    const size_t offset = inside % launch.shared_stride - kRedZone;
    if (offset >= launch.shared_bytes || offset + bytes > launch.shared_bytes) {
        report("out-of-bounds", site, place(*current) + " " + verb(access) + " " + std::to_string(bytes) + " bytes at offset "
            + std::to_string(int64_t(offset)) + " of " + std::to_string(launch.shared_bytes) + " bytes of shared memory");
        return false;
    }
    if (address % std::min<size_t>(bytes & (0 - bytes), 16))
        report("misaligned", site, place(*current) + " " + verb(access) + " " + std::to_string(bytes) + " bytes at shared offset "
            + std::to_string(offset));
    record(launch.blocks[rank], offset, bytes, Entry{site, current->clock, uint16_t(current->actor), 0, access, false});
    if (lanes_are_known) log_banks(*current, offset, bytes, access != Access::read, site);
    return true;
}

static bool global_access(uintptr_t address, size_t bytes, Access access, const void* site) {
    for (const Region& region : launch.regions) {
        if (address < region.begin || address + bytes > region.end) continue;
        if (access != Access::read && !region.writable)
            report("read-only", site, place(*current) + " writes argument " + std::to_string(region.argument) + ", which is read-only");
        if (address % std::min<size_t>(bytes & (0 - bytes), 16))
            report("misaligned", site, place(*current) + " " + verb(access) + " " + std::to_string(bytes) + " bytes at byte "
                + std::to_string(address - region.begin) + " of argument " + std::to_string(region.argument));
        return true;
    }
    std::string where = "outside every buffer";
    for (const Region& region : launch.regions)
        if (address + kRedZone >= region.begin && address < region.end + kRedZone)
            where = "at byte " + std::to_string(int64_t(address - region.begin)) + " of argument " + std::to_string(region.argument)
                + ", which has " + std::to_string(region.end - region.begin);
    report("out-of-bounds", site, place(*current) + " " + verb(access) + " " + std::to_string(bytes) + " bytes " + where);
    return false;
}

static bool near_region(uintptr_t address, size_t bytes) {
    for (const Region& region : launch.regions)
        if (address + kRedZone >= region.begin && address + bytes <= region.end + kRedZone) return true;
    return address >= uintptr_t(launch.arena) && address + bytes <= uintptr_t(launch.arena) + launch.arena_bytes;
}

static void spend_step(const void* site) {
    if (++launch.steps <= launch.settings.step_limit) return;
    launch.ended = true;
    report("endless", site, "the launch made more memory accesses than its limit of " + std::to_string(launch.settings.step_limit));
    wait("the end of the launch", site);
}

bool access_memory(uintptr_t address, size_t bytes, Access access, const void* site) {
    if (address - uintptr_t(current->stack) < kStackBytes || !bytes) return true;
    spend_step(site);
    if (address - uintptr_t(launch.arena) < launch.arena_bytes) return shared_access(address, bytes, access, site);
    const bool of_program = address >= uintptr_t(&__ehdr_start) && address < uintptr_t(&_end);
    if (of_program && access == Access::read) return true;  // constants of the kernel
    return global_access(address, bytes, access, site);
}

bool touch(const void* pointer, size_t bytes, bool write, const void* site) {
    return access_memory(uintptr_t(pointer), bytes, write ? Access::write : Access::read, site);
}

bool touch_by_any_lane(const void* pointer, size_t bytes, bool write, const void* site) {
    lanes_are_known = false;
    const bool inside = touch(pointer, bytes, write, site);
    lanes_are_known = true;
    return inside;
}

bool touch_atomic(const void* pointer, size_t bytes, const void* site) {
    return access_memory(uintptr_t(pointer), bytes, Access::atomic, site);
}

// A kernel's own access follows the call, so one that the host cannot make ends the launch.
static void instruction(uintptr_t address, size_t bytes, bool write, const void* site, bool aligned = false) {
    if (!current) return;
    const Access access = write ? Access::write : Access::read;
    if (!access_memory(address, bytes, access, site) && !near_region(address, bytes))
        fatal("out-of-bounds", site, "the address is not mapped, so the launch ends here");
    const bool on_stack = address - uintptr_t(current->stack) < kStackBytes;
    if (aligned && !on_stack && address % 16) fatal("misaligned", site, "the host cannot make this access either, so the launch ends here");
}

void* dynamic_shared() { return block_of(*current).shared + launch.static_bytes; }

size_t shared_offset(const void* pointer, unsigned rank) {
    const size_t offset = uintptr_t(pointer) - uintptr_t(launch.blocks[rank].shared);
    return offset <= launch.shared_bytes ? offset : kNowhere;
}

size_t shared_offset(const void* pointer) { return shared_offset(pointer, current->rank); }

char* shared_address(size_t offset) { return block_of(*current).shared + offset; }
char* shared_address(size_t offset, unsigned rank) { return launch.blocks[rank].shared + offset; }

}  // namespace simt

// ---- what instrumented code calls

#define SIMT_HOOKS(bytes)                                                                                        \
    extern "C" void __asan_load##bytes##_noabort(uintptr_t a) { simt::instruction(a, bytes, false, SIMT_SITE, bytes == 16); } \
    extern "C" void __asan_store##bytes##_noabort(uintptr_t a) { simt::instruction(a, bytes, true, SIMT_SITE, bytes == 16); }
SIMT_HOOKS(1)
SIMT_HOOKS(2)
SIMT_HOOKS(4)
SIMT_HOOKS(8)
SIMT_HOOKS(16)

extern "C" void __asan_loadN_noabort(uintptr_t a, size_t n) { simt::instruction(a, n, false, SIMT_SITE); }
extern "C" void __asan_storeN_noabort(uintptr_t a, size_t n) { simt::instruction(a, n, true, SIMT_SITE); }
extern "C" void __asan_handle_no_return() {}

extern "C" void* __asan_memcpy(void* to, const void* from, size_t n) {
    simt::instruction(uintptr_t(from), n, false, SIMT_SITE);
    simt::instruction(uintptr_t(to), n, true, SIMT_SITE);
    return memcpy(to, from, n);
}

extern "C" void* __asan_memmove(void* to, const void* from, size_t n) {
    simt::instruction(uintptr_t(from), n, false, SIMT_SITE);
    simt::instruction(uintptr_t(to), n, true, SIMT_SITE);
    return memmove(to, from, n);
}

extern "C" void* __asan_memset(void* to, int value, size_t n) {
    simt::instruction(uintptr_t(to), n, true, SIMT_SITE);
    return memset(to, value, n);
}

// Shared variables are thread-local in the host's eyes, with addresses asked for at run time: here they become the block's own.
// The loader puts each variable's offset into its descriptor.
struct SharedVariable {
    size_t bytes, alignment, offset;
    void* initial;
};

extern "C" void* __emutls_get_address(SharedVariable* variable) { return simt::shared_address(variable->offset); }
