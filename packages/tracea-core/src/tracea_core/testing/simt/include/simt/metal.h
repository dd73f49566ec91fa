// SPDX-License-Identifier: MIT
// The Metal Shading Language's words. Source: Metal Shading Language Specification, sections 2 "Data Types", 4 "Address Spaces",
// 5.2.3 "Attributes for … Input Arguments", 6 "Metal Standard Library". There is no erf in it, and so there is none here.
#pragma once
#include <simt/numbers.h>
#include <simt/simt.h>

#define kernel __attribute__((noinline))
#define device
#define constant const
#define thread
#define threadgroup
// What the loader makes of the declaration of a variable in threadgroup memory.
#define SIMT_THREADGROUP static thread_local SIMT_KEPT
#define __METAL_VERSION__ 310

// Declared one by one: C++'s own header has overloads in the global namespace, with which those of `metal` would be ambiguous.
extern "C" {
float expf(float), exp2f(float), logf(float), log2f(float), sqrtf(float), tanhf(float), sinf(float), cosf(float), floorf(float),
    ceilf(float), rintf(float), truncf(float), fabsf(float), fminf(float, float), fmaxf(float, float), fmaf(float, float, float),
    copysignf(float, float);
}
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __bf16 bfloat;

namespace metal {

// ---- vectors: a three-element one takes the place of four. They are made and copied whole, so that to load or store one is one access.

template <class T, int N>
struct vec;

template <class T>
struct alignas(2 * sizeof(T)) vec<T, 2> {
    typedef T Whole __attribute__((ext_vector_type(2)));
    union {
        struct { T x, y; };
        Whole simt_whole;
    };
    vec() = default;
    vec(const vec& o) : simt_whole(o.simt_whole) {}
    vec& operator=(const vec& o) {
        simt_whole = o.simt_whole;
        return *this;
    }
    vec(T all) : vec(all, all) {}
    vec(T a, T b) : simt_whole{a, b} {}
    template <class U>
    explicit vec(vec<U, 2> o) : vec(T(o.x), T(o.y)) {}
    T& operator[](int i) { return (&x)[i]; }
    const T& operator[](int i) const { return (&x)[i]; }
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 3> {
    T x, y, z;
    vec() = default;
    vec(T all) : x(all), y(all), z(all) {}
    vec(T a, T b, T c) : x(a), y(b), z(c) {}
    template <class U>
    explicit vec(vec<U, 3> o) : x(T(o.x)), y(T(o.y)), z(T(o.z)) {}
    T& operator[](int i) { return (&x)[i]; }
    const T& operator[](int i) const { return (&x)[i]; }
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 4> {
    typedef T Whole __attribute__((ext_vector_type(4)));
    union {
        struct { T x, y, z, w; };
        Whole simt_whole;
    };
    vec() = default;
    vec(const vec& o) : simt_whole(o.simt_whole) {}
    vec& operator=(const vec& o) {
        simt_whole = o.simt_whole;
        return *this;
    }
    vec(T all) : vec(all, all, all, all) {}
    vec(T a, T b, T c, T d) : simt_whole{a, b, c, d} {}
    vec(vec<T, 2> a, vec<T, 2> b) : vec(a.x, a.y, b.x, b.y) {}
    template <class U>
    explicit vec(vec<U, 4> o) : vec(T(o.x), T(o.y), T(o.z), T(o.w)) {}
    T& operator[](int i) { return (&x)[i]; }
    const T& operator[](int i) const { return (&x)[i]; }
};

#define SIMT_OPERATOR(op)                                                  \
    template <class T, int N>                                              \
    inline vec<T, N> operator op(vec<T, N> a, vec<T, N> b) {               \
        for (int i = 0; i < N; ++i) a[i] = T(a[i] op b[i]);                \
        return a;                                                          \
    }                                                                      \
    template <class T, int N>                                              \
    inline vec<T, N> operator op(vec<T, N> a, T b) {                       \
        return a op vec<T, N>(b);                                          \
    }                                                                      \
    template <class T, int N>                                              \
    inline vec<T, N> operator op(T a, vec<T, N> b) {                       \
        return vec<T, N>(a) op b;                                          \
    }                                                                      \
    template <class T, int N>                                              \
    inline vec<T, N>& operator op##=(vec<T, N>& a, vec<T, N> b) {          \
        return a = a op b;                                                 \
    }
SIMT_OPERATOR(+)
SIMT_OPERATOR(-)
SIMT_OPERATOR(*)
SIMT_OPERATOR(/)

#define SIMT_VECTORS(T)       \
    typedef vec<T, 2> T##2;   \
    typedef vec<T, 3> T##3;   \
    typedef vec<T, 4> T##4;
SIMT_VECTORS(char)
SIMT_VECTORS(uchar)
SIMT_VECTORS(short)
SIMT_VECTORS(ushort)
SIMT_VECTORS(int)
SIMT_VECTORS(uint)
SIMT_VECTORS(long)
SIMT_VECTORS(ulong)
SIMT_VECTORS(half)
SIMT_VECTORS(bfloat)
SIMT_VECTORS(float)

// ---- barriers

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };

SIMT_TWIN void threadgroup_barrier(mem_flags) { simt::barrier("threadgroup_barrier", SIMT_SITE, true); }
SIMT_TWIN void simdgroup_barrier(mem_flags) {
    simt::collective("simdgroup_barrier", nullptr, nullptr, simt::kAllLanes, SIMT_SITE, true);
}

// ---- SIMD-group functions

template <class T>
struct Lane {
    T value, result;
    int source;
};

template <class T>
SIMT_PLAIN void simt_exchange(void* const* given, unsigned lanes) {
    for (unsigned i = 0; i < lanes; ++i) {
        auto& mine = *static_cast<Lane<T>*>(given[i]);
        mine.result = unsigned(mine.source) < lanes ? static_cast<Lane<T>*>(given[mine.source])->value : mine.value;
    }
}
template <class T, class F>
SIMT_PLAIN void simt_reduce(void* const* given, unsigned lanes) {
    T all = static_cast<Lane<T>*>(given[0])->value;
    for (unsigned i = 1; i < lanes; ++i) all = F::join(all, static_cast<Lane<T>*>(given[i])->value);
    for (unsigned i = 0; i < lanes; ++i) static_cast<Lane<T>*>(given[i])->result = all;
}
struct Add { template <class T> SIMT_PLAIN static T join(T a, T b) { return T(a + b); } };
struct Larger { template <class T> SIMT_PLAIN static T join(T a, T b) { return a < b ? b : a; } };
struct Smaller { template <class T> SIMT_PLAIN static T join(T a, T b) { return b < a ? b : a; } };

#define SIMT_SHUFFLE(name, argument, from)                                                                   \
    template <class T>                                                                                       \
    SIMT_TWIN T name(T value, argument) {                                                                    \
        const int lane = int(simt::lane());                                                                  \
        Lane<T> mine{value, value, int(from)};                                                               \
        simt::collective(#name, simt_exchange<T>, &mine, simt::kAllLanes, SIMT_SITE);                        \
        return mine.result;                                                                                  \
    }
SIMT_SHUFFLE(simd_shuffle, ushort source, source + 0 * lane)
SIMT_SHUFFLE(simd_broadcast, ushort source, source + 0 * lane)
SIMT_SHUFFLE(simd_shuffle_xor, ushort mask, lane ^ mask)
SIMT_SHUFFLE(simd_shuffle_down, ushort delta, lane + delta)
SIMT_SHUFFLE(simd_shuffle_up, ushort delta, lane - delta)

#define SIMT_REDUCTION(name, F)                                                                              \
    template <class T>                                                                                       \
    SIMT_TWIN T name(T value) {                                                                              \
        Lane<T> mine{value, value, 0};                                                                       \
        simt::collective(#name, simt_reduce<T, F>, &mine, simt::kAllLanes, SIMT_SITE);                       \
        return mine.result;                                                                                  \
    }
SIMT_REDUCTION(simd_sum, Add)
SIMT_REDUCTION(simd_max, Larger)
SIMT_REDUCTION(simd_min, Smaller)

// ---- mathematics, in single precision for narrower types

#define SIMT_FUNCTION(name, call)                          \
    inline float name(float x) { return call; }            \
    inline half name(half x) { return half(name(float(x))); } \
    inline bfloat name(bfloat x) { return bfloat(name(float(x))); }
#define SIMT_FUNCTIONS                  \
    SIMT_FUNCTION(exp, ::expf(x))       \
    SIMT_FUNCTION(exp2, ::exp2f(x))     \
    SIMT_FUNCTION(log, ::logf(x))       \
    SIMT_FUNCTION(log2, ::log2f(x))     \
    SIMT_FUNCTION(sqrt, ::sqrtf(x))     \
    SIMT_FUNCTION(rsqrt, 1.0f / ::sqrtf(x)) \
    SIMT_FUNCTION(tanh, ::tanhf(x))     \
    SIMT_FUNCTION(sin, ::sinf(x))       \
    SIMT_FUNCTION(cos, ::cosf(x))
SIMT_FUNCTIONS
SIMT_FUNCTION(floor, ::floorf(x))
SIMT_FUNCTION(ceil, ::ceilf(x))
SIMT_FUNCTION(rint, ::rintf(x))
SIMT_FUNCTION(trunc, ::truncf(x))
SIMT_FUNCTION(fabs, ::fabsf(x))
SIMT_FUNCTION(abs, ::fabsf(x))
namespace fast {
SIMT_FUNCTIONS
}
namespace precise {
SIMT_FUNCTIONS
}
inline int abs(int x) { return x < 0 ? -x : x; }
template <class T>
inline T min(T a, T b) { return b < a ? b : a; }
template <class T>
inline T max(T a, T b) { return a < b ? b : a; }
inline float fmin(float a, float b) { return ::fminf(a, b); }
inline float fmax(float a, float b) { return ::fmaxf(a, b); }
template <class T>
inline T clamp(T x, T low, T high) { return min(max(x, low), high); }
inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
inline half fma(half a, half b, half c) { return half(::fmaf(float(a), float(b), float(c))); }
template <class T>
inline T select(T a, T b, bool c) { return c ? b : a; }
inline float copysign(float a, float b) { return ::copysignf(a, b); }
inline bool isnan(float x) { return x != x; }
inline bool isinf(float x) { return __builtin_isinf(x); }
template <class T, class U>
inline T as_type(U value) {
    static_assert(sizeof(T) == sizeof(U), "as_type keeps the size");
    T same;
    __builtin_memcpy(&same, &value, sizeof(T));
    return same;
}

// ---- atomics: other threads run between two of them only

enum memory_order { memory_order_relaxed };
template <class T>
struct atomic { T value; };
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<float> atomic_float;
template <class T>
SIMT_TWIN T atomic_fetch_add_explicit(atomic<T>* place, T value, memory_order) {
    simt::relax(SIMT_SITE);
    if (!simt::touch_atomic(place, sizeof(T), SIMT_SITE)) return T{};
    const T old = place->value;
    place->value = old + value;
    return old;
}
template <class T>
SIMT_TWIN T atomic_load_explicit(const atomic<T>* place, memory_order) {
    simt::relax(SIMT_SITE);
    return simt::touch_atomic(place, sizeof(T), SIMT_SITE) ? place->value : T{};
}
template <class T>
SIMT_TWIN void atomic_store_explicit(atomic<T>* place, T value, memory_order) {
    simt::relax(SIMT_SITE);
    if (simt::touch_atomic(place, sizeof(T), SIMT_SITE)) place->value = value;
}

}  // namespace metal

// ---- what attributes of arguments stand for

namespace simt {

struct Given {
    Index3 index;
    operator metal::uint3() const { return {index.x, index.y, index.z}; }
    operator metal::uint2() const { return {index.x, index.y}; }
    operator metal::ushort3() const { return {ushort(index.x), ushort(index.y), ushort(index.z)}; }
    operator metal::ushort2() const { return {ushort(index.x), ushort(index.y)}; }
    operator uint() const { return index.x; }
    operator ushort() const { return ushort(index.x); }
};

#define SIMT_ATTRIBUTE(name, ...) \
    inline Given metal_##name() { return {__VA_ARGS__}; }
SIMT_ATTRIBUTE(thread_position_in_threadgroup, thread_index())
SIMT_ATTRIBUTE(threadgroup_position_in_grid, block_index())
SIMT_ATTRIBUTE(threads_per_threadgroup, block_shape())
SIMT_ATTRIBUTE(dispatch_threads_per_threadgroup, block_shape())
SIMT_ATTRIBUTE(threadgroups_per_grid, grid_shape())
SIMT_ATTRIBUTE(thread_index_in_threadgroup, {linear_thread(), 0, 0})
SIMT_ATTRIBUTE(thread_index_in_simdgroup, {lane(), 0, 0})
SIMT_ATTRIBUTE(simdgroup_index_in_threadgroup, {warp(), 0, 0})
SIMT_ATTRIBUTE(threads_per_simdgroup, {warp_lanes(), 0, 0})
SIMT_ATTRIBUTE(simdgroups_per_threadgroup, {(block_shape().x * block_shape().y * block_shape().z + warp_lanes() - 1) / warp_lanes(), 0, 0})
SIMT_ATTRIBUTE(thread_position_in_grid, {block_index().x * block_shape().x + thread_index().x,
                                         block_index().y * block_shape().y + thread_index().y,
                                         block_index().z * block_shape().z + thread_index().z})
SIMT_ATTRIBUTE(threads_per_grid, {grid_shape().x * block_shape().x, grid_shape().y * block_shape().y, grid_shape().z * block_shape().z})

}  // namespace simt

#include <simt/metal_matrix.h>

using namespace metal;
