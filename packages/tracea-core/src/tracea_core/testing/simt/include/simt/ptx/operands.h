// SPDX-License-Identifier: MIT
// Names and operands of PTX instructions as C++ values.
#pragma once
#include <simt/simt.h>

namespace simt::ptx {

// A full instruction name as a template argument. `is` compares whole parts from the front, `has` finds one part anywhere.
template <size_t N>
struct Name {
    char text[N];

    consteval Name(const char (&given)[N]) {
        for (size_t i = 0; i < N; ++i) text[i] = given[i];
    }

    constexpr bool part_ends(size_t at) const { return text[at] == '.' || text[at] == 0; }

    template <size_t M>
    constexpr bool matches(const char (&wanted)[M], size_t at) const {
        if (at + M > N) return false;
        for (size_t i = 0; i + 1 < M; ++i)
            if (text[at + i] != wanted[i]) return false;
        return part_ends(at + M - 1);
    }

    template <size_t M>
    constexpr bool is(const char (&wanted)[M]) const {
        return matches(wanted, 0);
    }

    template <size_t M>
    constexpr bool has(const char (&wanted)[M]) const {
        for (size_t at = 0; at + M <= N; ++at)
            if ((at == 0 || text[at - 1] == '.') && matches(wanted, at)) return true;
        return false;
    }

    // The part with this number, counted from the front; empty beyond the last.
    constexpr bool part_is(unsigned number, const char* wanted) const {
        size_t at = 0;
        for (; number; ++at) {
            if (at >= N - 1) return false;
            if (text[at] == '.') --number;
        }
        size_t i = 0;
        for (; wanted[i]; ++i)
            if (text[at + i] != wanted[i]) return false;
        return part_ends(at + i);
    }

    constexpr unsigned parts() const {
        unsigned found = 1;
        for (char c : text) found += c == '.';
        return found;
    }

    constexpr bool last_is(const char* wanted) const { return part_is(parts() - 1, wanted); }
    constexpr bool second_last_is(const char* wanted) const { return part_is(parts() - 2, wanted); }
};

// An address with an offset and the coordinates of a box.
template <class A>
struct Address {
    A base;
    int coordinates[5];
    unsigned rank;
};

template <class A, class... C>
__attribute__((always_inline)) inline Address<A> at(A base, int shift, C... coordinates) {
    return {A(base + A(shift ? shift : 0)), {int(coordinates)...}, unsigned(sizeof...(C))};
}
template <class T, class... C>
__attribute__((always_inline)) inline Address<uint64_t> at(T* base, int shift, C... coordinates) {
    return {uint64_t(base) + uint64_t(shift), {int(coordinates)...}, unsigned(sizeof...(C))};
}

template <class T, size_t N>
struct Outputs {
    T* places[N];
};
template <class T, class... R>
__attribute__((always_inline)) inline Outputs<T, 1 + sizeof...(R)> out(T& first, R&... rest) {
    return {{&first, &rest...}};
}

template <class T, size_t N>
struct Inputs {
    T values[N];
};
template <class T, class... R>
__attribute__((always_inline)) inline Inputs<T, 1 + sizeof...(R)> in(T first, R... rest) {
    return {{first, T(rest)...}};
}

struct Sink {
    template <class T>
    void operator=(T) {}
};
inline Sink sink() { return {}; }

template <Name name>
inline uint32_t special() {
    if constexpr (name.is("laneid")) return lane();
    else if constexpr (name.is("warpid")) return warp();
    else if constexpr (name.is("cluster_ctarank")) return cluster_rank();
    else if constexpr (name.is("cluster_nctarank")) return cluster_blocks();
    else if constexpr (name.is("tid.x")) return thread_index().x;
    else if constexpr (name.is("ctaid.x")) return block_index().x;
    else static_assert(sizeof(name) == 0, "no twin of this special register");
}

// ---- shared addresses
// An address in the window of the block's own shared memory is an offset. One that mapa has made also says which block of the
// cluster it lies in: rank + 1 above bit 24.

constexpr unsigned kRankShift = 24;

SIMT_PLAIN inline unsigned shared_window(const void* pointer) {
    const size_t mine = shared_offset(pointer);
    if (mine != kNowhere) return unsigned(mine);
    for (unsigned rank = 0; rank < cluster_blocks(); ++rank) {
        const size_t offset = shared_offset(pointer, rank);
        if (offset != kNowhere) return unsigned(offset) | (rank + 1) << kRankShift;
    }
    return 0;
}

SIMT_PLAIN inline unsigned in_block(unsigned address, unsigned rank) {
    return (address & ((1u << kRankShift) - 1)) | (rank + 1) << kRankShift;
}

SIMT_PLAIN inline char* pointer_of(unsigned address) {
    const unsigned offset = address & ((1u << kRankShift) - 1), rank = address >> kRankShift;
    return rank ? shared_address(offset, rank - 1) : shared_address(offset);
}

}  // namespace simt::ptx
