// SPDX-License-Identifier: MIT
// OpenCL C's words. Source: The OpenCL C Specification 3.0, sections 6.3 "Data types" and 6.15 "Built-in functions". Address spaces
// are nothing here: the loader (opencl.py) drops overloads that differ in them alone, and writes literals of vectors as calls.
#pragma once
#include <math.h>

#include <simt/numbers.h>
#include <simt/shuffle.h>
#include <simt/simt.h>

#define __kernel __attribute__((noinline))
#define __global
#define __local
#define __private
#define __constant const
#define SIMT_LOCAL static thread_local SIMT_KEPT
#define restrict __restrict
#define reqd_work_group_size(...)
#define intel_reqd_sub_group_size(...)
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;

#define SIMT_VECTORS(type)                                   \
    typedef type type##2 __attribute__((ext_vector_type(2)));   \
    typedef type type##4 __attribute__((ext_vector_type(4)));   \
    typedef type type##8 __attribute__((ext_vector_type(8)));   \
    typedef type type##16 __attribute__((ext_vector_type(16)));
SIMT_VECTORS(char)
SIMT_VECTORS(uchar)
SIMT_VECTORS(short)
SIMT_VECTORS(ushort)
SIMT_VECTORS(int)
SIMT_VECTORS(uint)
SIMT_VECTORS(long)
SIMT_VECTORS(ulong)
SIMT_VECTORS(float)

// Elements of a literal are converted to the vector's type (OpenCL C 3.0, 6.2.2 and 6.3).
template <class V>
using simt_element = __typeof__(__builtin_reduce_max(V{}));
template <class V, class... T>
SIMT_PLAIN inline V simt_vector(T... elements) {
    return V{static_cast<simt_element<V>>(elements)...};
}

// ---- the same bits as another type

template <class T, class U>
SIMT_PLAIN inline T simt_bits(U value) {
    static_assert(sizeof(T) == sizeof(U), "the size is kept");
    return __builtin_bit_cast(T, value);
}
#define SIMT_AS(type) \
    template <class U> SIMT_PLAIN inline type as_##type(U value) { return simt_bits<type>(value); }
SIMT_AS(int)
SIMT_AS(uint)
SIMT_AS(float)
SIMT_AS(short8)
SIMT_AS(ushort8)
SIMT_AS(int8)
SIMT_AS(uint8)
SIMT_AS(float8)

// ---- work-items

#define SIMT_OF_AXIS(name, index) \
    inline size_t name(uint axis) { return axis == 0 ? index.x : axis == 1 ? index.y : index.z; }
SIMT_OF_AXIS(get_local_id, simt::thread_index())
SIMT_OF_AXIS(get_local_size, simt::block_shape())
SIMT_OF_AXIS(get_group_id, simt::block_index())
SIMT_OF_AXIS(get_num_groups, simt::grid_shape())
inline size_t get_global_id(uint axis) { return get_group_id(axis) * get_local_size(axis) + get_local_id(axis); }
inline uint get_sub_group_local_id() { return simt::lane(); }
inline uint get_sub_group_id() { return simt::warp(); }
inline uint get_sub_group_size() { return simt::warp_lanes(); }

enum { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2 };
SIMT_TWIN void barrier(uint) { simt::barrier("barrier", SIMT_SITE, true); }
SIMT_TWIN void sub_group_barrier(uint) {
    simt::collective("sub_group_barrier", nullptr, nullptr, simt::kAllLanes, SIMT_SITE, true);
}
#define cl_khr_subgroup_shuffle 1
SIMT_TWIN float sub_group_shuffle_xor(float value, uint distance) {
    return simt::shuffle(value, int(simt::lane() ^ distance), simt::kAllLanes, SIMT_SITE);
}
inline void mem_fence(uint) {}  // orders one work-item's accesses, and nothing between two

// ---- numbers

#define SIMT_PAIR(type)                                              \
    inline type min(type x, type y) { return y < x ? y : x; }        \
    inline type max(type x, type y) { return x < y ? y : x; }
SIMT_PAIR(int)
SIMT_PAIR(uint)
SIMT_PAIR(long)
SIMT_PAIR(ulong)
inline float min(float x, float y) { return y < x ? y : x; }
inline float max(float x, float y) { return x < y ? y : x; }
inline double nan(ulong) { return __builtin_nan(""); }
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }

template <class T, class U>
SIMT_PLAIN inline T simt_saturated(U value, double low, double high) {
    return value <= low ? T(low) : value >= high ? T(high) : T(value);
}
inline int convert_int_sat_rte(float x) { return simt_saturated<int>(rintf(x), -2147483648.0, 2147483647.0); }
inline char convert_char_sat_rte(float x) { return simt_saturated<char>(rintf(x), -128, 127); }
inline uchar convert_uchar_sat_rte(float x) { return simt_saturated<uchar>(rintf(x), 0, 255); }
inline char convert_char_sat(int x) { return simt_saturated<char>(x, -128, 127); }
inline uchar convert_uchar_sat(int x) { return simt_saturated<uchar>(x, 0, 255); }
inline float vload_half(size_t offset, const half* place) { return float(place[offset]); }
inline void vstore_half_rte(float value, size_t offset, half* place) { place[offset] = half(value); }

#include <simt/opencl_matrix.h>
