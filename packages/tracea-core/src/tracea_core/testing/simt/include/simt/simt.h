// SPDX-License-Identifier: MIT
// What a twin may ask of the emulator: who the running thread is, meeting the other lanes or the whole block, telling about
// memory that it touches. Kernels never see this header's names; the languages' headers are written with it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A twin is never inlined, so its return address is the line of the kernel that called it, and never instrumented, so that it
// reports what it touches itself. Convergent calls are never duplicated: all lanes of a warp must come from one place.
#define SIMT_TWIN __attribute__((noinline, convergent, no_sanitize("kernel-address"), no_sanitize("address"), unused)) static
// A shared variable that is only written would be dropped, and its faults with it.
#define SIMT_KEPT __attribute__((used))
#define SIMT_PLAIN __attribute__((no_sanitize("kernel-address"), no_sanitize("address")))
#define SIMT_SITE ((const void*)__builtin_return_address(0))

namespace simt {

struct Index3 {
    unsigned x, y, z;
};

// Constant for a running thread, so the compiler may keep the values in registers.
__attribute__((const)) Index3 thread_index();
__attribute__((const)) Index3 block_index();
__attribute__((const)) Index3 block_shape();
__attribute__((const)) Index3 grid_shape();
__attribute__((const)) unsigned linear_thread();
__attribute__((const)) unsigned lane();
__attribute__((const)) unsigned warp();
__attribute__((const)) unsigned warp_lanes();
__attribute__((const)) unsigned cluster_rank();
__attribute__((const)) unsigned cluster_blocks();

// ---- memory

constexpr size_t kNowhere = ~size_t(0);

// Shared memory of the running block that follows its static variables.
void* dynamic_shared();
// Offset of an address in the shared memory of the running block, or of one of its cluster, or kNowhere.
size_t shared_offset(const void* pointer);
size_t shared_offset(const void* pointer, unsigned rank);
// Address of an offset in the shared memory of a block of the running cluster.
char* shared_address(size_t offset);
char* shared_address(size_t offset, unsigned rank);

// Tell that the running thread reads or writes bytes now; false where they lie outside every buffer (then do not touch them).
bool touch(const void* pointer, size_t bytes, bool write, const void* site);
// The same where a device may let any lane do it, as with matrices whose elements lie nobody knows where: no bank conflicts are counted.
bool touch_by_any_lane(const void* pointer, size_t bytes, bool write, const void* site);
// The same for an atomic read-modify-write, which does not race with others of its kind.
bool touch_atomic(const void* pointer, size_t bytes, const void* site);

template <class T>
T read(const void* pointer, const void* site) {
    T value{};
    if (touch(pointer, sizeof(T), false, site)) memcpy(&value, pointer, sizeof(T));
    return value;
}

template <class T>
void write(void* pointer, T value, const void* site) {
    if (touch(pointer, sizeof(T), true, site)) memcpy(pointer, &value, sizeof(T));
}

// ---- meeting others

// Runs once when every lane of `mask` has arrived; `given[lane]` is what that lane passed, null for lanes that do not take part.
// It acts for nobody: what it touches of the lanes' own values is not looked at, and to touch memory it says `As(lane)` first.
using Operation = void (*)(void* const* given, unsigned lanes);
constexpr uint64_t kAllLanes = ~uint64_t(0);

// A call of these may not move into a branch or be copied into several, else lanes that meet would come from different places; a twin
// that calls none of them loses the attribute again.
#define SIMT_MEETS __attribute__((convergent))

// Wait for the lanes of `mask`; the last one runs `operation`. `ordered` also orders their memory accesses.
SIMT_MEETS void collective(const char* name, Operation operation, void* mine, uint64_t mask, const void* site, bool ordered = false);

// Wait for every thread of the block. `uniform` demands that all come from one place, as languages without named barriers do.
SIMT_MEETS void barrier(const char* name, const void* site, bool uniform);
// Barrier `id` of the block, complete when `threads` have come to it; an arrival does not wait.
SIMT_MEETS void named_barrier(unsigned id, unsigned threads, bool wait, const void* site);
// Wait for every thread of the cluster, in two halves.
SIMT_MEETS void cluster_arrive(const void* site);
SIMT_MEETS void cluster_wait(const void* site);
// Let others run: what a loop that polls memory must do.
void relax(const void* site = nullptr);

// For its lifetime, what an operation touches is touched by `lane` of the warp that meets.
class As {
public:
    explicit As(unsigned lane);
    ~As();
};

// ---- reports

// Count one execution of an instruction.
void count(const char* name);
// Report a fault of the kernel at `site`.
void fault(const char* kind, const void* site, const char* message);
// Report a fault after which nothing can be run: it ends the launch.
[[noreturn]] void fatal(const char* kind, const void* site, const char* message);

}  // namespace simt
