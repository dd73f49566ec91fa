// SPDX-License-Identifier: MIT
// cp.async, mbarrier and cp.async.bulk.tensor: their operands, handed to the emulator.
#pragma once
#include <simt/async.h>
#include <simt/ptx/operands.h>

namespace simt::ptx {

SIMT_TWIN void copy_one(void* to, const void* from, unsigned bytes, unsigned source_bytes) {
    copy_async(to, from, bytes, source_bytes, SIMT_SITE);
}

template <class A, class B, class... O>
__attribute__((always_inline)) inline void copy_sized(A to, B from, unsigned bytes, O... source_bytes) {
    const unsigned read[] = {unsigned(source_bytes)..., bytes};
    copy_one(pointer_of(unsigned(to.base)), reinterpret_cast<const void*>(uint64_t(from.base)), bytes, read[0]);
}

template <Name op, class... O>
__attribute__((always_inline)) inline void copy_async(O... o) {
    if constexpr (op.is("cp.async.commit_group")) copy_commit();
    else if constexpr (op.is("cp.async.wait_all")) copy_wait_all();
    else if constexpr (op.is("cp.async.wait_group")) copy_wait(unsigned(o)...);
    else copy_sized(o...);
}

// ---- mbarrier

SIMT_TWIN void initialise(void* barrier, unsigned arrivals) { mbarrier_init(barrier, arrivals, SIMT_SITE); }
SIMT_TWIN void invalidate(void* barrier) { mbarrier_invalidate(barrier, SIMT_SITE); }
SIMT_TWIN void arrive(void* barrier, unsigned arrivals) { mbarrier_arrive(barrier, arrivals, SIMT_SITE); }
SIMT_TWIN void expect(void* barrier, unsigned bytes) { mbarrier_expect(barrier, bytes, SIMT_SITE); }
SIMT_TWIN void arrive_and_expect(void* barrier, unsigned bytes) {
    mbarrier_expect(barrier, bytes, SIMT_SITE);
    mbarrier_arrive(barrier, 1, SIMT_SITE);
}
SIMT_TWIN bool test(void* barrier, unsigned parity, bool wait) { return mbarrier_test(barrier, parity, wait, SIMT_SITE); }

template <class A>
SIMT_PLAIN inline void* barrier_at(const A& address) {
    return pointer_of(unsigned(address.base));
}

template <Name op, class First, class... O>
__attribute__((always_inline)) inline void mbarrier(First&& first, O... o) {
    if constexpr (op.has("init")) initialise(barrier_at(first), unsigned(o)...);
    else if constexpr (op.has("inval")) invalidate(barrier_at(first));
    else if constexpr (op.is("mbarrier.expect_tx")) expect(barrier_at(first), unsigned(o)...);
    else if constexpr (op.has("expect_tx")) {
        const auto both = [](auto address, auto bytes) { arrive_and_expect(barrier_at(address), unsigned(bytes)); };
        both(o...);
    } else if constexpr (op.is("mbarrier.arrive")) {
        const auto counted = [](auto address, auto... arrivals) {
            const unsigned given[] = {unsigned(arrivals)..., 1};
            arrive(barrier_at(address), given[0]);
        };
        counted(o...);
    } else {
        static_assert(op.has("parity"), "no twin of a wait for a phase token: wait for a parity");
        const auto waited = [&](auto address, auto parity, auto...) { first = test(barrier_at(address), unsigned(parity), op.has("try_wait")); };
        waited(o...);
    }
}

// ---- boxes

SIMT_TWIN void load_box(void* to, const void* map, void* barrier, const int* place, unsigned rank, unsigned blocks) {
    box_load(to, map, barrier, place, rank, blocks, SIMT_SITE);
}
SIMT_TWIN void load_windows(void* to, const void* map, void* barrier, const int* place, const int* offset, unsigned blocks) {
    windows_load(to, map, barrier, place, offset, blocks, SIMT_SITE);
}
SIMT_TWIN void store_box(const void* map, const void* from, const int* place, unsigned rank) {
    box_store(map, from, place, rank, SIMT_SITE);
}

template <Name op, class... O>
__attribute__((always_inline)) inline void bulk(O... o) {
    if constexpr (op.has("commit_group")) box_commit();
    else if constexpr (op.has("wait_group")) box_wait(unsigned(o)...);
    else if constexpr (op.has("prefetch")) count("prefetch");
    else if constexpr (op.has("bulk_group")) {
        const auto both = [](auto to, auto from) {
            store_box(reinterpret_cast<const void*>(uint64_t(to.base)), pointer_of(unsigned(from.base)), to.coordinates, to.rank);
        };
        both(o...);
    } else if constexpr (op.has("im2col")) {
        const auto all = [](auto to, auto from, auto barrier, auto element, auto... mask) {
            const unsigned blocks[] = {unsigned(mask)..., 0};
            const int offset[] = {int(element.values[0]), int(element.values[1])};
            load_windows(pointer_of(unsigned(to.base)), reinterpret_cast<const void*>(uint64_t(from.base)), barrier_at(barrier), from.coordinates,
                         offset, op.has("multicast::cluster") ? blocks[0] : 0);
        };
        all(o...);
    } else {
        static_assert(op.has("tensor") && op.has("mbarrier::complete_tx::bytes"), "no twin of this bulk copy");
        const auto all = [](auto to, auto from, auto barrier, auto... mask) {
            const unsigned blocks[] = {unsigned(mask)..., 0};
            load_box(pointer_of(unsigned(to.base)), reinterpret_cast<const void*>(uint64_t(from.base)), barrier_at(barrier), from.coordinates,
                     from.rank, op.has("multicast::cluster") ? blocks[0] : 0);
        };
        all(o...);
    }
}

}  // namespace simt::ptx
