// SPDX-License-Identifier: MIT
// Joint matrices. Source: SYCL extension sycl_ext_oneapi_matrix, which says what its functions do to a whole matrix and leaves open
// which work-item holds what: here a scattered order that no kernel can mean. Shapes are those of "Intel XMX supported combinations".
#pragma once
#include <simt/numbers.h>
#include <simt/simt.h>

namespace sycl::ext::oneapi::experimental::matrix {

enum class use { a, b, accumulator };
enum class layout { row_major, col_major, ext_intel_packed, dynamic };

template <class Group, class T, use Use, size_t Rows, size_t Columns, layout Layout = layout::dynamic>
struct joint_matrix {
    static constexpr size_t simt_depth = 32 / sizeof(T);
    static_assert(Use == use::accumulator ? Rows <= 8 && sizeof(T) == 4 : Use == use::a ? Rows <= 8 && Columns == simt_depth : Rows == simt_depth,
                  "no Intel GPU has matrices of this shape");
    joint_matrix() = default;
    joint_matrix(const joint_matrix&) = delete;
    joint_matrix& operator=(const joint_matrix&) = delete;
    T simt_elements[Rows * Columns / 8];  // as many as lanes of the smallest sub-group hold
};

// Which element of the matrix, counted by rows, a lane holds in a register.
SIMT_PLAIN inline size_t simt_place(unsigned lane, unsigned held, unsigned lanes) { return held * lanes + (lane * 5 + held * 3 + 1) % lanes; }

#pragma clang attribute push(__attribute__((no_sanitize("kernel-address"))), apply_to = function)
inline float simt_value(half x) { return float(x); }
inline float simt_value(bfloat16 x) { return simt::bf16_to_float(x.simt_bits); }
inline int simt_value(signed char x) { return x; }
inline int simt_value(unsigned char x) { return x; }

template <class T, class S, size_t Rows, size_t Columns, size_t Depth>
struct SimtMad {
    const T *a, *b;
    const S* c;
    S* d;
    static void run(void* const* given, unsigned lanes) {
        T a[Rows * Depth], b[Depth * Columns];
        S sums[Rows * Columns];
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const SimtMad& mine = *static_cast<const SimtMad*>(given[lane]);
            for (unsigned i = 0; i < Rows * Depth / lanes; ++i) a[simt_place(lane, i, lanes)] = mine.a[i];
            for (unsigned i = 0; i < Depth * Columns / lanes; ++i) b[simt_place(lane, i, lanes)] = mine.b[i];
            for (unsigned i = 0; i < Rows * Columns / lanes; ++i) sums[simt_place(lane, i, lanes)] = mine.c[i];
        }
        for (size_t row = 0; row < Rows; ++row)
            for (size_t column = 0; column < Columns; ++column)
                for (size_t k = 0; k < Depth; ++k)
                    sums[row * Columns + column] += simt_value(a[row * Depth + k]) * simt_value(b[k * Columns + column]);
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (unsigned i = 0; i < Rows * Columns / lanes; ++i)
                static_cast<SimtMad*>(given[lane])->d[i] = sums[simt_place(lane, i, lanes)];
    }
};
#pragma clang attribute pop

template <class Group, class T, use Use, size_t Rows, size_t Columns, layout Layout, class V>
SIMT_TWIN void joint_matrix_fill(Group, joint_matrix<Group, T, Use, Rows, Columns, Layout>& filled, V value) {
    simt::collective("joint_matrix_fill", nullptr, nullptr, simt::kAllLanes, SIMT_SITE);
    for (size_t i = 0; i < Rows * Columns / simt::warp_lanes(); ++i) filled.simt_elements[i] = T(value);
}

template <bool store, size_t Rows, size_t Columns, access::address_space space, class T, class E>
SIMT_PLAIN __attribute__((always_inline)) inline void simt_move(const char* name, E* held, multi_ptr<T, space> first, size_t stride, layout order, const void* site) {
    if ((simt::shared_offset(first.get()) != simt::kNowhere) != (space == access::address_space::local_space))
        simt::fatal("space", site, "a matrix lies in another address space than its pointer says");
    if (order != layout::row_major && order != layout::col_major) simt::fatal("layout", site, "a matrix lies by rows or by columns");
    simt::collective(name, nullptr, nullptr, simt::kAllLanes, site);
    const unsigned lanes = simt::warp_lanes();
    for (unsigned i = 0; i < Rows * Columns / lanes; ++i) {
        const size_t place = simt_place(simt::lane(), i, lanes), row = place / Columns, column = place % Columns;
        T* at = first.get() + (order == layout::row_major ? row * stride + column : column * stride + row);
        if (!simt::touch_by_any_lane(at, sizeof(T), store, site)) continue;
        if constexpr (store) memcpy(at, &held[i], sizeof(T));
        else memcpy(&held[i], at, sizeof(T));
    }
}

template <class Group, class T, use Use, size_t Rows, size_t Columns, layout Layout, access::address_space space>
SIMT_TWIN void joint_matrix_load(Group, joint_matrix<Group, T, Use, Rows, Columns, Layout>& loaded, multi_ptr<T, space> first, size_t stride) {
    static_assert(Use != use::accumulator, "a load of sums says how they lie");
    simt_move<false, Rows, Columns>("joint_matrix_load", loaded.simt_elements, first, stride, Layout, SIMT_SITE);
}

template <class Group, class T, size_t Rows, size_t Columns, access::address_space space>
SIMT_TWIN void joint_matrix_load(Group, joint_matrix<Group, T, use::accumulator, Rows, Columns>& loaded, multi_ptr<T, space> first, size_t stride, layout order) {
    simt_move<false, Rows, Columns>("joint_matrix_load", loaded.simt_elements, first, stride, order, SIMT_SITE);
}

template <class Group, class T, size_t Rows, size_t Columns, access::address_space space>
SIMT_TWIN void joint_matrix_store(Group, const joint_matrix<Group, T, use::accumulator, Rows, Columns>& stored, multi_ptr<T, space> first, size_t stride, layout order) {
    simt_move<true, Rows, Columns>("joint_matrix_store", stored.simt_elements, first, stride, order, SIMT_SITE);
}

template <class Group, class T, class S, size_t Rows, size_t Columns, size_t Depth, layout A, layout B>
SIMT_TWIN void joint_matrix_mad(Group, joint_matrix<Group, S, use::accumulator, Rows, Columns>& d, const joint_matrix<Group, T, use::a, Rows, Depth, A>& a,
                                const joint_matrix<Group, T, use::b, Depth, Columns, B>& b, const joint_matrix<Group, S, use::accumulator, Rows, Columns>& c) {
    if (simt::warp_lanes() != Columns) simt::fatal("combination", SIMT_SITE, "the device has matrices as wide as its sub-groups");
    using Mad = SimtMad<T, S, Rows, Columns, Depth>;
    Mad mine{a.simt_elements, b.simt_elements, c.simt_elements, d.simt_elements};
    simt::collective("joint_matrix_mad", Mad::run, &mine, simt::kAllLanes, SIMT_SITE);
}

}  // namespace sycl::ext::oneapi::experimental::matrix
