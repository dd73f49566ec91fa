// SPDX-License-Identifier: MIT
// simdgroup_matrix. Source of its functions: Metal Shading Language Specification, section 6.7 "SIMD-group Matrix Functions". Apple
// documents no lane map; kernels that use thread_elements() rely on the one that MLX states (mlx/backend/metal/kernels/steel/gemm/mma.h,
// BaseMMAFrag<T, 8, 8>::get_coord): with q = lane / 4, row (q & 4) + lane / 2 % 4, first column (q & 2) * 2 + lane % 2 * 2.
#pragma once
#include <simt/simt.h>

namespace metal {

template <class T, int Columns, int Rows = Columns>
struct simdgroup_matrix {
    static_assert(Columns == 8 && Rows == 8, "matrices are 8 by 8");
    vec<T, 2> simt_elements;
    simdgroup_matrix() = default;
    explicit simdgroup_matrix(T diagonal) {
        const int row = simt_row(int(simt::lane())), column = simt_column(int(simt::lane()));
        for (int i = 0; i < 2; ++i) simt_elements[i] = row == column + i ? diagonal : T(0);
    }
    vec<T, 2>& thread_elements() { return simt_elements; }
    const vec<T, 2>& thread_elements() const { return simt_elements; }
    SIMT_PLAIN static int simt_row(int lane) { return (lane / 4 & 4) + lane / 2 % 4; }
    SIMT_PLAIN static int simt_column(int lane) { return (lane / 4 & 2) * 2 + lane % 2 * 2; }
};

typedef simdgroup_matrix<float, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8> simdgroup_bfloat8x8;

template <class T, int Columns, int Rows = Columns>
inline simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
    simdgroup_matrix<T, Columns, Rows> filled;
    filled.simt_elements = vec<T, 2>(value);
    return filled;
}

// Each lane touches its two elements, as one access where they lie side by side and are aligned.
template <bool store, class T>
SIMT_PLAIN inline void simt_move(T (&elements)[2], T* places[2], const void* site) {
    const bool together = places[1] == places[0] + 1 && reinterpret_cast<uintptr_t>(places[0]) % (2 * sizeof(T)) == 0;
    for (int i = 0; i < 2; ++i) {
        const bool first = i == 0;
        if (together && !first) break;
        const size_t bytes = (together ? 2 : 1) * sizeof(T);
        if (!simt::touch(places[i], bytes, store, site)) continue;
        if (store) memcpy(places[i], &elements[i], bytes);
        else memcpy(&elements[i], places[i], bytes);
    }
}

template <bool store, class T>
SIMT_PLAIN inline void simt_matrix(vec<T, 2>& elements, T* start, ulong row_elements, ulong2 origin, bool transposed, const void* site) {
    const int lane = int(simt::lane()), row = simdgroup_matrix<T, 8>::simt_row(lane), column = simdgroup_matrix<T, 8>::simt_column(lane);
    T values[2] = {elements.x, elements.y};
    T* places[2];
    for (int i = 0; i < 2; ++i) {
        const ulong r = ulong(transposed ? column + i : row), c = ulong(transposed ? row : column + i);
        places[i] = start + (origin.y + r) * row_elements + origin.x + c;
    }
    simt_move<store>(values, places, site);
    elements.x = values[0];
    elements.y = values[1];
}

template <class T>
SIMT_TWIN void simdgroup_load(simdgroup_matrix<T, 8>& d, const T* source, ulong row_elements = 8, ulong2 origin = ulong2(0), bool transposed = false) {
    simt::collective("simdgroup_load", nullptr, nullptr, simt::kAllLanes, SIMT_SITE);
    vec<T, 2> elements = vec<T, 2>(T(0));
    simt_matrix<false>(elements, const_cast<T*>(source), row_elements, origin, transposed, SIMT_SITE);
    d.simt_elements = elements;
}

template <class T>
SIMT_TWIN void simdgroup_store(simdgroup_matrix<T, 8> s, T* target, ulong row_elements = 8, ulong2 origin = ulong2(0), bool transposed = false) {
    simt::collective("simdgroup_store", nullptr, nullptr, simt::kAllLanes, SIMT_SITE);
    simt_matrix<true>(s.simt_elements, target, row_elements, origin, transposed, SIMT_SITE);
}

template <class D, class A, class B, class C>
struct SimtProduct {
    vec<A, 2> a;
    vec<B, 2> b;
    vec<C, 2> c;
    vec<D, 2> d;
};

template <class D, class A, class B, class C>
SIMT_PLAIN void simt_multiply(void* const* given, unsigned) {
    using Mine = SimtProduct<D, A, B, C>;
    float a[8][8], b[8][8];
    for (int lane = 0; lane < 32; ++lane) {
        const Mine& mine = *static_cast<Mine*>(given[lane]);
        const int row = simdgroup_matrix<A, 8>::simt_row(lane), column = simdgroup_matrix<A, 8>::simt_column(lane);
        a[row][column] = float(mine.a.x), a[row][column + 1] = float(mine.a.y);
        b[row][column] = float(mine.b.x), b[row][column + 1] = float(mine.b.y);
    }
    for (int lane = 0; lane < 32; ++lane) {
        Mine& mine = *static_cast<Mine*>(given[lane]);
        const int row = simdgroup_matrix<A, 8>::simt_row(lane), column = simdgroup_matrix<A, 8>::simt_column(lane);
        float sums[2] = {float(mine.c.x), float(mine.c.y)};
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 8; ++k) sums[i] += a[row][k] * b[k][column + i];
        mine.d.x = D(sums[0]);
        mine.d.y = D(sums[1]);
    }
}

template <class D, class A, class B, class C>
SIMT_TWIN void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8>& d, const simdgroup_matrix<A, 8>& a, const simdgroup_matrix<B, 8>& b,
                                             const simdgroup_matrix<C, 8>& c) {
    SimtProduct<D, A, B, C> mine{a.simt_elements, b.simt_elements, c.simt_elements, {}};
    simt::collective("simdgroup_multiply_accumulate", simt_multiply<D, A, B, C>, &mine, simt::kAllLanes, SIMT_SITE);
    d.simt_elements = mine.d;
}

template <class D, class A, class B>
SIMT_TWIN void simdgroup_multiply(simdgroup_matrix<D, 8>& d, const simdgroup_matrix<A, 8>& a, const simdgroup_matrix<B, 8>& b) {
    SimtProduct<D, A, B, D> mine{a.simt_elements, b.simt_elements, vec<D, 2>(D(0)), {}};
    simt::collective("simdgroup_multiply", simt_multiply<D, A, B, D>, &mine, simt::kAllLanes, SIMT_SITE);
    d.simt_elements = mine.d;
}

}  // namespace metal
