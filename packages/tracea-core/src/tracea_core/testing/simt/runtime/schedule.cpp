// SPDX-License-Identifier: MIT
// Runs a grid: one fibre per GPU thread, the blocks of a cluster together, one cluster after the other. A fibre runs until it
// must wait; who runs next is drawn at random, so what only works in one order does not always work here.
#include "state.h"

#include <algorithm>

#include <sys/mman.h>

namespace simt {

Launch launch;
Thread* current;

static void* scheduler_stack;
static char* stacks;
static void (*kernel_call)(void**);
static void** kernel_arguments;

extern "C" void simt_switch(void** from, void* to);
extern "C" void simt_begin();

#if defined(__x86_64__)
// Only what the calling convention lets a callee keep must be saved: six registers and the stack.
asm(R"(
.text
.type simt_switch, @function
.globl simt_switch
.hidden simt_switch
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch, .-simt_switch
)");
static void* prepare_stack(char* top) {
    void** stack = reinterpret_cast<void**>(top) - 1;  // the alignment a function expects at its entry
    *--stack = reinterpret_cast<void*>(simt_begin);
    for (int saved = 0; saved < 6; ++saved) *--stack = nullptr;
    return stack;
}
#elif defined(__aarch64__)
asm(R"(
.text
.type simt_switch, %function
.globl simt_switch
.hidden simt_switch
simt_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x2, sp
    str x2, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size simt_switch, .-simt_switch
)");
static void* prepare_stack(char* top) {
    uint64_t* stack = reinterpret_cast<uint64_t*>(top) - 20;
    for (int saved = 0; saved < 20; ++saved) stack[saved] = 0;
    stack[11] = reinterpret_cast<uint64_t>(simt_begin);
    return stack;
}
#else
#error "the emulator switches fibres on x86-64 and aarch64"
#endif

static void to_scheduler() {
    void** mine = &current->stack_pointer;
    simt_switch(mine, scheduler_stack);
}

extern "C" void simt_begin() {
    kernel_call(kernel_arguments);
    current->state = State::done;
    ++launch.progress;
    to_scheduler();
    __builtin_unreachable();
}

uint64_t next_random() {
    uint64_t z = launch.random += 0x9e3779b97f4a7c15ull;  // SplitMix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

Block& block_of(const Thread& thread) { return launch.blocks[thread.rank]; }

void resume(unsigned actor) {
    launch.threads[actor].state = State::ready;
    ++launch.progress;
}

void wait(const char* what, const void* site) {
    current->state = State::waiting;
    current->waits_for = what;
    current->site = site;
    to_scheduler();
}

void relax(const void* site) {
    current->state = State::polling;
    current->site = site;
    current->waits_for = "a loop that polls memory";
    to_scheduler();
}

void fatal(const char* kind, const void* site, const char* message) {
    report(kind, site, message);
    launch.ended = true;
    to_scheduler();
    __builtin_unreachable();
}

static void* memory(size_t bytes) {
    void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) abort();  // reported as what it is: there is no memory left to run in
    return found;
}

static void reserve_stacks(size_t threads) {
    stacks = static_cast<char*>(memory(threads * kStackBytes));
    for (size_t i = 0; i < threads; ++i) mprotect(stacks + i * kStackBytes, 4096, PROT_NONE);  // an overflow stops here
}

static Index3 unravel(uint64_t linear, Index3 shape) {
    return {unsigned(linear % shape.x), unsigned(linear / shape.x % shape.y), unsigned(linear / shape.x / shape.y)};
}

static void start_thread(Thread& thread, unsigned actor, unsigned threads_per_block, const ClockRef& zero) {
    const unsigned lanes = launch.settings.warp_lanes;
    thread = Thread{};
    thread.actor = actor;
    thread.rank = actor / threads_per_block;
    thread.linear = actor % threads_per_block;
    thread.index = unravel(thread.linear, launch.block);
    thread.block = launch.blocks[thread.rank].index;
    thread.lane = thread.linear % lanes;
    thread.warp = thread.linear / lanes;
    thread.seen = thread.fenced = zero;
    thread.stack = stacks + actor * kStackBytes;
    thread.stack_pointer = prepare_stack(thread.stack + kStackBytes - 64);
}

static void start_block(Block& block, unsigned rank, Index3 index, unsigned threads_per_block) {
    const unsigned lanes = launch.settings.warp_lanes;
    block.index = index;
    block.shared = launch.arena + rank * launch.shared_stride + kRedZone;
    memset(block.shared, 0xff, launch.shared_bytes);  // NaN in every float format
    block.shadow.resize((launch.shared_bytes + 7) / 8);
    for (Granule& granule : block.shadow) {
        granule.initialised = 0;
        granule.entries.clear();
    }
    block.warps.assign((threads_per_block + lanes - 1) / lanes, Warp{});
    for (unsigned w = 0; w < block.warps.size(); ++w) {
        block.warps[w].first = rank * threads_per_block + w * lanes;
        block.warps[w].lanes = std::min(lanes, threads_per_block - w * lanes);
    }
    for (Barrier& barrier : block.barriers) barrier = Barrier{};
    block.warpgroups.clear();
}

// Lanes of one warp that wait at different places are the fault; else everybody waits for someone who never comes.
static void explain_deadlock() {
    for (const Block& block : launch.blocks)
        for (const Warp& warp : block.warps) {
            const Thread* first = nullptr;
            for (unsigned i = warp.first; i < warp.first + warp.lanes; ++i) {
                Thread& thread = launch.threads[i];
                const bool same = !first || (first->state == thread.state && first->site == thread.site);
                if (!first) first = &thread;
                if (same || thread.state == State::polling || first->state == State::polling) continue;
                const Thread& waits = first->state == State::done ? thread : *first;
                const Thread& other = first->state == State::done ? *first : thread;
                current = &launch.threads[waits.actor];
                const std::string where = other.state == State::done
                    ? std::string("has ended") : std::string("waits for ") + other.waits_for;
                report("divergence", waits.site, "lane " + std::to_string(waits.lane) + " waits for " + waits.waits_for
                    + ", lane " + std::to_string(other.lane) + " of its warp " + where,
                    other.state == State::done ? nullptr : other.site);
                current = nullptr;
                return;
            }
        }
    for (Thread& thread : launch.threads)
        if (thread.state != State::done) {
            current = &thread;
            report("deadlock", thread.site, std::string("every thread that has not ended waits; this one for ") + thread.waits_for);
            current = nullptr;
        }
}

static bool finish_engine_work() {
    if (launch.engine.empty()) return false;
    const size_t chosen = launch.settings.seed ? next_random() % launch.engine.size() : 0;
    const std::shared_ptr<Pending> work = launch.engine[chosen];
    launch.engine.erase(launch.engine.begin() + ptrdiff_t(chosen));
    if (!work->done) work->finish();
    work->done = true;
    ++launch.progress;
    return true;
}

// Copies land as late as they can, or now and then earlier, in any order.
static void run_cluster() {
    std::vector<unsigned> order;
    uint64_t idle = 0;
    while (!launch.ended) {
        order.clear();
        bool polling = false;
        for (const Thread& thread : launch.threads) {
            if (thread.state == State::ready || thread.state == State::polling) order.push_back(thread.actor);
            polling |= thread.state == State::polling;
        }
        if (order.empty()) {
            if (finish_engine_work()) continue;
            break;
        }
        if (launch.settings.seed)
            for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[next_random() % i]);
        const uint64_t before = launch.progress;
        bool ran = false;
        for (unsigned actor : order) {
            Thread& thread = launch.threads[actor];
            ran |= thread.state == State::ready;
            thread.state = State::ready;
            current = &thread;
            simt_switch(&scheduler_stack, thread.stack_pointer);
            current = nullptr;
            if (launch.ended) return;
        }
        if (launch.settings.seed && !launch.engine.empty() && next_random() % 4 == 0) finish_engine_work();
        idle = ran || launch.progress != before ? 0 : idle + 1;
        if (polling && idle && !finish_engine_work() && idle > 1000) break;
    }
    bool stuck = false;
    for (const Thread& thread : launch.threads) stuck |= thread.state != State::done;
    if (stuck && !launch.ended) {
        explain_deadlock();
        launch.ended = true;
    }
    while (!launch.ended && finish_engine_work()) {}
    for (Block& block : launch.blocks)
        for (Warp& warp : block.warps) flush_banks(warp);
}

void run_grid(void (*kernel)(void**), void** arguments) {
    kernel_call = kernel;
    kernel_arguments = arguments;
    const Settings& settings = launch.settings;
    const unsigned per_block = launch.block.x * launch.block.y * launch.block.z;
    const uint64_t blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
    launch.shared_stride = launch.shared_bytes + 2 * kRedZone;
    launch.shared_stride = (launch.shared_stride + 4095) / 4096 * 4096;
    launch.arena_bytes = launch.shared_stride * settings.cluster;
    launch.arena = static_cast<char*>(memory(launch.arena_bytes));
    reserve_stacks(size_t(per_block) * settings.cluster);
    launch.blocks.clear();
    launch.blocks.resize(settings.cluster);
    launch.threads.resize(size_t(per_block) * settings.cluster);
    for (uint64_t first = 0; first < blocks && !launch.ended; first += settings.cluster) {
        const ClockRef zero = std::make_shared<const Clock>(launch.threads.size() + settings.engine_slots, 0);
        launch.engine.clear();
        launch.counters.clear();
        launch.engine_clock.assign(settings.engine_slots, 0);
        launch.cluster_barrier = Barrier{};
        launch.cluster_past = nullptr;
        for (unsigned rank = 0; rank < settings.cluster; ++rank)
            start_block(launch.blocks[rank], rank, unravel(first + rank, launch.grid), per_block);
        for (unsigned actor = 0; actor < launch.threads.size(); ++actor)
            start_thread(launch.threads[actor], actor, per_block, zero);
        run_cluster();
    }
}  // the process ends with the launch, and all of this with it

}  // namespace simt
