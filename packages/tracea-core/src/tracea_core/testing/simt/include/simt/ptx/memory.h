// SPDX-License-Identifier: MIT
// Loads, stores and atomics of PTX, addresses in clusters, barriers and fences.
#pragma once
#include <simt/async.h>
#include <simt/ptx/operands.h>

namespace simt::ptx {

template <Name op>
constexpr bool in_shared = op.has("shared") || op.has("shared::cta") || op.has("shared::cluster");

template <Name op, class A>
SIMT_PLAIN inline char* place_of(const A& address) {
    if constexpr (in_shared<op>) return pointer_of(unsigned(address.base));
    else return reinterpret_cast<char*>(uint64_t(address.base));
}

SIMT_TWIN void read_bytes(void* to, const void* from, size_t bytes) {
    if (touch(from, bytes, false, SIMT_SITE)) memcpy(to, from, bytes);
}
SIMT_TWIN void write_bytes(void* to, const void* from, size_t bytes) {
    if (touch(to, bytes, true, SIMT_SITE)) memcpy(to, from, bytes);
}

template <Name op, class D, class A>
__attribute__((always_inline)) inline void load(D&& d, A address) {
    if constexpr (requires { d.places; }) {
        using T = decltype(+*d.places[0]);
        constexpr size_t count = sizeof(d.places) / sizeof(d.places[0]);
        T values[count];
        read_bytes(values, place_of<op>(address), sizeof(values));
        for (size_t i = 0; i < count; ++i) *d.places[i] = values[i];
    } else {
        read_bytes(&d, place_of<op>(address), sizeof(d));
    }
}

template <Name op, class A, class S>
__attribute__((always_inline)) inline void store(A address, S s) {
    write_bytes(place_of<op>(address), &s, sizeof(s));
}

template <class T>
SIMT_TWIN T add_atomically(void* place, T value) {
    relax(SIMT_SITE);
    if (!touch_atomic(place, sizeof(T), SIMT_SITE)) return T{};
    T old;
    memcpy(&old, place, sizeof(T));
    const T sum = old + value;
    memcpy(place, &sum, sizeof(T));
    return old;
}

template <Name op, class... O>
__attribute__((always_inline)) inline void atomic(O&&... o) {
    static_assert(op.has("add"), "no twin of this PTX atomic");
    if constexpr (op.is("red")) {
        const auto both = [](auto address, auto value) { add_atomically(place_of<op>(address), value); };
        both(o...);
    } else {
        const auto all = [](auto& d, auto address, auto value) { d = add_atomically(place_of<op>(address), value); };
        all(o...);
    }
}

// mapa.shared::cluster.u32 works on shared addresses, mapa.u64 on generic ones.
template <Name op, class D, class S>
SIMT_PLAIN inline void mapa(D& d, S source, unsigned rank) {
    if constexpr (sizeof(D) == 8 && !in_shared<op>) {
        const size_t offset = shared_offset(reinterpret_cast<const void*>(uint64_t(source)));
        d = D(uint64_t(shared_address(offset, rank)));
    } else d = D(in_block(unsigned(uint64_t(source)), rank));
}

SIMT_TWIN void wait_at(unsigned id, unsigned threads) { named_barrier(id, threads, true, SIMT_SITE); }
SIMT_TWIN void arrive_at(unsigned id, unsigned threads) { named_barrier(id, threads, false, SIMT_SITE); }

template <Name op, class... O>
__attribute__((always_inline)) inline void block_barrier(O... o) {
    const unsigned given[] = {unsigned(o)..., 0, 0};
    const unsigned threads = sizeof...(O) > 1 ? given[1] : block_shape().x * block_shape().y * block_shape().z;
    if constexpr (op.is("bar.warp")) collective("bar.warp.sync", nullptr, nullptr, given[0], SIMT_SITE, true);
    else if constexpr (op.has("arrive")) arrive_at(given[0], threads);
    else wait_at(given[0], threads);
}

SIMT_TWIN void cluster_arrival() { cluster_arrive(SIMT_SITE); }
SIMT_TWIN void cluster_waiting() { cluster_wait(SIMT_SITE); }

template <Name op>
__attribute__((always_inline)) inline void cluster_barrier() {
    if constexpr (op.has("arrive")) cluster_arrival();
    else cluster_waiting();
}

template <Name op>
__attribute__((always_inline)) inline void fence() {
    if constexpr (op.has("mbarrier_init")) mbarrier_init_fence();
    else if constexpr (op.is("fence.proxy.async")) proxy_fence();
    count(op.is("membar") ? "membar" : "fence");
}

// The elected lane is the lowest of the mask, as all compilers' loops assume of one leader.
template <class... O>
__attribute__((always_inline)) inline void elect(O&&... o) {
    const auto both = [](auto& predicate, auto mask) { predicate = lane() == unsigned(__builtin_ctz(unsigned(mask))); };
    both(o...);
}

}  // namespace simt::ptx
