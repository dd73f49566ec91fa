// SPDX-License-Identifier: MIT
// What CUDA C++ and HIP have in common: qualifiers, thread and block numbers, vector types, shuffles, votes, atomics, mathematics.
#pragma once
#include <math.h>

#include <simt/numbers.h>
#include <simt/shuffle.h>
#include <simt/simt.h>

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __shared__ static thread_local SIMT_KEPT
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#ifndef __restrict__
#define __restrict__ __restrict
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace simt {

template <Index3 (*index)()>
struct Index {
    unsigned get_x() const { return index().x; }
    unsigned get_y() const { return index().y; }
    unsigned get_z() const { return index().z; }
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
    __declspec(property(get = get_z)) unsigned z;
    operator dim3() const { return {get_x(), get_y(), get_z()}; }
};

}  // namespace simt

static const simt::Index<simt::thread_index> threadIdx;
static const simt::Index<simt::block_index> blockIdx;
static const simt::Index<simt::block_shape> blockDim;
static const simt::Index<simt::grid_shape> gridDim;

// ---- vector types: two and four elements load and store as one instruction, three as three

#define SIMT_VECTORS(type, name)                                                                     \
    typedef type name##2 __attribute__((ext_vector_type(2)));                                        \
    typedef type name##4 __attribute__((ext_vector_type(4)));                                        \
    struct name##1 {                                                                                 \
        type x;                                                                                      \
    };                                                                                               \
    struct name##3 {                                                                                 \
        type x, y, z;                                                                                \
    };                                                                                               \
    static inline name##1 make_##name##1(type x) { return {x}; }                                     \
    static inline name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                   \
    static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }               \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }

SIMT_VECTORS(signed char, char)
SIMT_VECTORS(unsigned char, uchar)
SIMT_VECTORS(short, short)
SIMT_VECTORS(unsigned short, ushort)
SIMT_VECTORS(int, int)
SIMT_VECTORS(unsigned int, uint)
SIMT_VECTORS(long long, longlong)
SIMT_VECTORS(unsigned long long, ulonglong)
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)

// ---- barriers

SIMT_TWIN void __syncthreads() { simt::barrier("__syncthreads", SIMT_SITE, true); }
static inline void __threadfence_block() {}
static inline void __threadfence() {}
static inline void __threadfence_system() {}

// ---- shuffles and votes

namespace simt {

struct Vote {
    bool value;
    uint64_t result;
};

inline void vote(void* const* given, unsigned lanes) {
    uint64_t votes = 0;
    for (unsigned i = 0; i < lanes; ++i)
        if (given[i] && static_cast<Vote*>(given[i])->value) votes |= uint64_t(1) << i;
    for (unsigned i = 0; i < lanes; ++i)
        if (given[i]) static_cast<Vote*>(given[i])->result = votes;
}

inline uint64_t ballot(bool value, uint64_t mask, const void* site) {
    Vote mine{value, 0};
    collective("vote", vote, &mine, mask, site);
    return mine.result;
}

// Source lanes of the four shuffles, in segments of `width` lanes.
inline int segment(int width) { return int(lane()) & ~(width - 1); }
inline int from_index(int source, int width) { return segment(width) + (source & (width - 1)); }
inline int from_up(unsigned delta, int width) { return int(lane()) - int(delta) < segment(width) ? -1 : int(lane() - delta); }
inline int from_down(unsigned delta, int width) { return int(lane() + delta) >= segment(width) + width ? -1 : int(lane() + delta); }
inline int from_xor(int bits, int width) { return (int(lane()) ^ bits) >= segment(width) + width ? -1 : int(lane()) ^ bits; }

}  // namespace simt

// ---- atomics: other threads run between two of them only, so plain arithmetic is atomic here

template <class T, class F>
SIMT_PLAIN __attribute__((always_inline)) inline T simt_atomic(T* place, F update, const void* site) {
    simt::relax(site);
    if (!simt::touch_atomic(place, sizeof(T), site)) return T{};
    const T old = *place;
    *place = update(old);
    return old;
}
#define SIMT_ATOMIC(name, expression)                                                                          \
    template <class T>                                                                                         \
    SIMT_TWIN T name(T* place, T value) {                                                                      \
        return simt_atomic(place, [&](T old) __attribute__((no_sanitize("kernel-address"))) { return T(expression); }, SIMT_SITE); \
    }
SIMT_ATOMIC(atomicAdd, old + value)
SIMT_ATOMIC(atomicSub, old - value)
SIMT_ATOMIC(atomicMax, old > value ? old : value)
SIMT_ATOMIC(atomicMin, old < value ? old : value)
SIMT_ATOMIC(atomicExch, value)
SIMT_ATOMIC(atomicAnd, old & value)
SIMT_ATOMIC(atomicOr, old | value)
SIMT_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
template <class T>
SIMT_TWIN T atomicCAS(T* place, T expected, T value) {
    return simt_atomic(place, [&](T old) __attribute__((no_sanitize("kernel-address"))) { return old == expected ? value : old; }, SIMT_SITE);
}

// ---- mathematics

#define SIMT_MATH(name, expression) \
    static inline float name(float x) { return expression; }
// Names that the host's mathematics library keeps for itself.
#define __expf(x) expf(x)
#define __exp2f(x) exp2f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define rsqrtf(x) (1.0f / sqrtf(x))
SIMT_MATH(__frcp_rn, 1.0f / x)
SIMT_MATH(__saturatef, x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x)
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline uint __float_as_uint(float x) { return simt::to_bits(x); }
static inline int __float_as_int(float x) { return int(simt::to_bits(x)); }
static inline float __uint_as_float(uint x) { return simt::from_bits(x); }
static inline float __int_as_float(int x) { return simt::from_bits(uint(x)); }
static inline int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
static inline uint __umulhi(uint x, uint y) { return uint((unsigned long long)x * y >> 32); }
static inline int __popc(uint x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz(uint(x)) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }

#define SIMT_PAIR(type)                                                    \
    static inline type min(type x, type y) { return y < x ? y : x; }       \
    static inline type max(type x, type y) { return x < y ? y : x; }
SIMT_PAIR(int)
SIMT_PAIR(uint)
SIMT_PAIR(long)
SIMT_PAIR(unsigned long)
SIMT_PAIR(long long)
SIMT_PAIR(unsigned long long)
static inline float min(float x, float y) { return fminf(x, y); }
static inline float max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }

template <class T>
static inline T __ldg(const T* place) {
    return *place;
}
