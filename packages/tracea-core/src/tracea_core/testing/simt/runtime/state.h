// SPDX-License-Identifier: MIT
// What the emulator knows of a running launch. One host thread runs everything, so nothing here is locked.
#pragma once
#include <simt/async.h>
#include <simt/simt.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace simt {

// Vector clocks: entry a of a thread's clock is the last event of actor a that is ordered before what the thread does next.
// After a barrier all its threads share one vector; each thread's own entry is kept beside it (Thread::clock).
using Clock = std::vector<uint32_t>;
using ClockRef = std::shared_ptr<const Clock>;
constexpr uint32_t kInFlight = ~uint32_t(0);  // time of an access that nobody has waited for yet: ordered before nothing

enum class State : uint8_t { ready, waiting, polling, done };

struct Thread {
    void* stack_pointer = nullptr;
    char* stack = nullptr;
    State state = State::ready;
    Index3 index{}, block{};
    unsigned linear = 0, lane = 0, warp = 0, rank = 0;
    unsigned actor = 0;
    uint32_t clock = 1;
    ClockRef seen;
    ClockRef fenced;          // what a proxy fence has shown to the copy engine
    uint32_t fenced_own = 0;  // own accesses up to this time have been shown
    const void* site = nullptr;
    const char* waits_for = nullptr;
    std::vector<struct Copy> copies;                           // started, in no group yet
    std::vector<std::vector<struct Copy>> groups;              // oldest first
    std::vector<std::shared_ptr<struct Pending>> stores;       // the same for stores of boxes
    std::vector<std::vector<std::shared_ptr<struct Pending>>> store_groups;
};

enum class Access : uint8_t { read, write, atomic };

// One access to some bytes of an 8-byte granule of shared memory.
struct Entry {
    const void* site;
    uint32_t clock;
    uint16_t actor;
    uint8_t mask;
    Access access;
    bool async;
};

struct Granule {
    uint8_t initialised = 0;
    uint8_t poisoned = 0;
    std::vector<Entry> entries;
};

// One access instruction of a warp: the offsets of its lanes.
struct Occurrence {
    uint64_t present = 0;
    uint32_t offset[64];
};

struct SiteLog {
    uint8_t width = 0;
    bool write = false;
    uint32_t executed[64] = {};
    std::vector<Occurrence> occurrences;
};

struct Meeting {
    const char* name;
    Operation operation;
    const void* site;
    uint64_t mask, arrived = 0;
    bool ordered;
    void* given[64] = {};
};

struct Warp {
    unsigned first = 0, lanes = 0;  // its threads in Launch::threads
    std::vector<Meeting> meetings;
    std::unordered_map<const void*, SiteLog> log;
};

// The time of one piece of asynchronous work: an actor of its own, and when it will have happened.
struct EngineTime {
    uint16_t actor;
    uint32_t clock;
};

// Work of an engine that runs beside the threads.
struct Pending {
    bool done = false;
    EngineTime time{};
    virtual ~Pending() = default;
    virtual void finish() = 0;
};

// A thread's own copy into shared memory, on its way.
struct Copy {
    unsigned rank;
    size_t offset;
    const char* from;
    unsigned bytes, source_bytes;
    EngineTime time;
    const void* site;
};

// A barrier in shared memory that counts arrivals and bytes.
struct Counter {
    unsigned expected = 0, pending = 0, parity = 0;
    int64_t bytes = 0;
    bool fenced = false;
    unsigned initialiser = 0;
    uint32_t initialised_at = 0;
    Clock gathering;
    ClockRef completed;
    std::vector<unsigned> waiting;
};

// Four warps that multiply together.
struct Warpgroup {
    const void* site = nullptr;
    const char* name = nullptr;
    std::vector<unsigned> present;
    std::vector<WarpgroupMultiply> lanes;
    std::vector<std::shared_ptr<struct Accumulator>> taken;
    std::vector<std::shared_ptr<Pending>> open;
    std::vector<std::vector<std::shared_ptr<Pending>>> groups;
};

struct Barrier {
    const char* name = nullptr;
    const void* site = nullptr;
    unsigned threads = 0;
    std::vector<unsigned> waiting, arrived;
    std::vector<ClockRef> past;  // of those that have only arrived: what they do afterwards is not ordered by it
};

struct Block {
    Index3 index{};
    char* shared = nullptr;
    std::vector<Granule> shadow;
    std::vector<Warp> warps;
    Barrier barriers[16];  // number 0 is the whole block's
    std::unordered_map<unsigned, Warpgroup> warpgroups;
};

struct Finding {
    std::string kind, message;
    const void* site;
    const void* other_site;
    Index3 block, thread;
    uint64_t count = 1;
};

struct BankSite {
    unsigned width = 0;
    bool write = false;
    uint64_t accesses = 0, phases = 0, cycles = 0;
    unsigned worst = 0;
};

struct Region {
    uintptr_t begin, end;
    bool writable;
    unsigned argument;
};

struct Settings {
    unsigned warp_lanes, banks, bank_bytes, cluster, engine_slots;
    uint64_t seed, shared_limit, step_limit, second_limit;
    // The lanes of one access phase by width (log2 of bytes): phase number of each lane, or 255 for "in lane order".
    uint8_t phase_of_lane[8][64];
};

struct Launch {
    Settings settings{};
    Index3 grid{}, block{};
    size_t static_bytes = 0, shared_bytes = 0, shared_stride = 0;
    char* arena = nullptr;
    size_t arena_bytes = 0;
    std::vector<Thread> threads;
    std::vector<Block> blocks;
    Barrier cluster_barrier;
    ClockRef cluster_past;  // what its last complete phase has ordered
    std::vector<std::shared_ptr<Pending>> engine;
    std::unordered_map<uintptr_t, Counter> counters;
    std::vector<uint32_t> engine_clock;
    unsigned engine_next = 0;
    std::vector<Region> regions;
    std::vector<Finding> findings;
    std::unordered_map<const void*, BankSite> banks;
    std::unordered_map<std::string, uint64_t> counts;
    uint64_t random = 0, steps = 0, progress = 0;
    bool ended = false;
};

extern Launch launch;
extern Thread* current;
extern Warp* meeting_warp;  // while an operation runs

constexpr size_t kStackBytes = 128 * 1024;
constexpr size_t kRedZone = 4096;

uint64_t next_random();
Block& block_of(const Thread& thread);
void resume(unsigned actor);  // make a waiting thread ready
void wait(const char* what, const void* site);
void run_grid(void (*kernel)(void**), void** arguments);

// The thread has seen everything that all of `others` have done so far.
ClockRef join(const std::vector<ClockRef>& clocks);
ClockRef with_own(const Thread& thread);  // its clock with its own entry in it
void synchronise(const std::vector<unsigned>& actors);

void report(const char* kind, const void* site, const std::string& message, const void* other = nullptr);
std::string place(const Thread& thread);

bool access_memory(uintptr_t address, size_t bytes, Access access, const void* site);
// Enter an access by the running thread, or by work that it starts: kInFlight until `settle` says when and by whom it was done.
void record(Block& block, size_t offset, size_t bytes, const Entry& entry);
void settle(Block& block, size_t offset, size_t bytes, unsigned actor, Access access, EngineTime done);
EngineTime next_engine_time();
void learn(Thread& thread, const ClockRef& clock);  // the thread has seen what the clock says
void learn(Thread& thread, EngineTime time);
void log_banks(const Thread& thread, size_t offset, size_t bytes, bool write, const void* site);
void flush_banks(Warp& warp);

}  // namespace simt
