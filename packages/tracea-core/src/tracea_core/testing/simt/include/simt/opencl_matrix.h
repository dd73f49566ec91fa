// SPDX-License-Identifier: MIT
// Matrix instructions of a sub-group. Source: Khronos extension cl_intel_subgroup_matrix_multiply_accumulate: work-item i holds column i
// of the sums and of B, whose rows are packed in words, lowest bits first; of the eight rows of A it holds its share of the columns:
// 16 bits of each row where a sub-group has 16 work-items, 32 bits where it has 8.
#pragma once
#include <simt/numbers.h>
#include <simt/simt.h>

namespace simt {

#pragma clang attribute push(__attribute__((no_sanitize("kernel-address"))), apply_to = function)
struct Bf16 {
    typedef uint16_t Stored;
    static float value(Stored x) { return bf16_to_float(x); }
};
struct Fp16 {
    typedef uint16_t Stored;
    static float value(Stored x) { return float(__builtin_bit_cast(_Float16, x)); }
};
struct Int8 {
    typedef int8_t Stored;
    static int value(Stored x) { return x; }
};
struct Uint8 {
    typedef uint8_t Stored;
    static int value(Stored x) { return x; }
};

template <class A, class C>
struct Mad {
    A a;
    int8 b;
    C c, d;
};

template <class Type, class A, class C>
void mad(void* const* given, unsigned lanes) {
    using Mine = Mad<A, C>;
    typedef typename Type::Stored Stored;
    constexpr int depth = 32 / int(sizeof(Stored)), per_row = int(sizeof(A)) / 8 / int(sizeof(Stored));
    for (unsigned column = 0; column < lanes; ++column) {
        Mine& mine = *static_cast<Mine*>(given[column]);
        for (int row = 0; row < 8; ++row) {
            auto sum = mine.c[row];
            for (int k = 0; k < depth; ++k) {
                const Stored* left = reinterpret_cast<const Stored*>(&static_cast<Mine*>(given[k / per_row])->a);
                const Stored* right = reinterpret_cast<const Stored*>(&mine.b);
                sum += Type::value(left[row * per_row + k % per_row]) * Type::value(right[k]);
            }
            mine.d[row] = sum;
        }
    }
}
#pragma clang attribute pop

template <class Type, class A, class C>
SIMT_PLAIN __attribute__((always_inline)) inline C matrix_mad(const char* name, A a, int8 b, C c, const void* site) {
    if (warp_lanes() * sizeof(A) != 256) fatal("lanes", site, "the operand A does not fit the sub-group");
    Mad<A, C> mine{a, b, c, c};
    collective(name, mad<Type, A, C>, &mine, kAllLanes, site);
    return mine.d;
}

}  // namespace simt

#define SIMT_MAD(name, Type, A, B, C)                                                                                    \
    SIMT_TWIN C name(A a, B b, C c) {                                                                                    \
        return simt::matrix_mad<simt::Type>(#name, a, __builtin_bit_cast(int8, b), c, SIMT_SITE);                        \
    }
#define SIMT_MADS(name, Type, sign, C)                                   \
    SIMT_MAD(name, Type, sign##short8, sign##int8, C)                    \
    SIMT_MAD(name, Type, sign##int8, sign##int8, C)
SIMT_MADS(intel_sub_group_bf16_bf16_matrix_mad_k16, Bf16, , float8)
SIMT_MADS(intel_sub_group_f16_f16_matrix_mad_k16, Fp16, , float8)
SIMT_MADS(intel_sub_group_i8_i8_matrix_mad_k32, Int8, , int8)
SIMT_MADS(intel_sub_group_u8_u8_matrix_mad_k32, Uint8, u, int8)
