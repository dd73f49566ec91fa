// SPDX-License-Identifier: MIT
// SYCL's words, as far as kernels use them. Source: SYCL 2020 Specification, and DPC++'s extensions sycl_ext_oneapi_free_function_kernels
// and sycl_ext_oneapi_matrix. What queues kernels is declared, so that the text compiles, and not run: the emulator launches them itself.
#pragma once
#include <math.h>

#include <vector>

#include <simt/numbers.h>
#include <simt/shuffle.h>
#include <simt/simt.h>

#define SYCL_EXTERNAL
#define SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS 1
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...) __attribute__((noinline))

namespace sycl {

typedef _Float16 half;
template <class T, int count>
using vec = T __attribute__((ext_vector_type(count)));

template <class To, class From>
SIMT_PLAIN inline To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "the size is kept");
    return __builtin_bit_cast(To, from);
}

// ---- work-items

template <int dimensions>
struct group {};
struct sub_group {};

template <int dimensions>
struct nd_item {
    size_t get_local_id(int) const { return simt::thread_index().x; }
    size_t get_local_range(int) const { return simt::block_shape().x; }
    size_t get_group(int) const { return simt::block_index().x; }
    size_t get_group_range(int) const { return simt::grid_shape().x; }
    size_t get_global_id(int) const { return get_group(0) * get_local_range(0) + get_local_id(0); }
    group<dimensions> get_group() const { return {}; }
    sycl::sub_group get_sub_group() const { return {}; }
};

SIMT_TWIN void group_barrier(group<1>) { simt::barrier("group_barrier", SIMT_SITE, true); }
SIMT_TWIN void group_barrier(sub_group) { simt::collective("group_barrier", nullptr, nullptr, simt::kAllLanes, SIMT_SITE, true); }
template <class T>
SIMT_TWIN T permute_group_by_xor(sub_group, T value, unsigned mask) {
    return simt::shuffle(value, int(simt::lane() ^ mask), simt::kAllLanes, SIMT_SITE);
}

enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, sub_group, work_group, device, system };
inline void atomic_fence(memory_order, memory_scope) {}  // orders one work-item's accesses, and nothing between two

// ---- memory

namespace access {
enum class address_space { global_space, local_space, private_space, generic_space };
enum class decorated { no, yes, legacy };
}  // namespace access

template <class T, access::address_space space>
struct multi_ptr {
    T* simt_pointer;
    T* get() const { return simt_pointer; }
};

template <access::address_space space, access::decorated, class T>
inline multi_ptr<T, space> address_space_cast(T* pointer) {
    return {pointer};
}

template <class T, int dimensions>
struct local_accessor {
    local_accessor() = default;
    template <class Range, class Handler>
    local_accessor(Range, Handler&) {}
    T& operator[](size_t place) const { return static_cast<T*>(simt::dynamic_shared())[place]; }
};

// ---- numbers

#define SIMT_FUNCTION(name, of)                          \
    inline float name(float x) { return ::of##f(x); }    \
    inline double name(double x) { return ::of(x); }
SIMT_FUNCTION(fabs, fabs)
SIMT_FUNCTION(exp, exp)
SIMT_FUNCTION(log, log)
SIMT_FUNCTION(sqrt, sqrt)
SIMT_FUNCTION(floor, floor)
SIMT_FUNCTION(rint, rint)
SIMT_FUNCTION(tanh, tanh)
SIMT_FUNCTION(erf, erf)
inline int abs(int x) { return x < 0 ? -x : x; }
template <class T>
inline bool isnan(T x) {
    return x != x;
}

// ---- what is declared alone

template <int dimensions>
struct range {
    explicit range(size_t) {}
};
template <int dimensions>
struct nd_range {
    nd_range(range<dimensions>, range<dimensions>) {}
};
struct event {
    void wait() {}
};
struct handler {
    void depends_on(const std::vector<event>&) {}
    template <class Work>
    void parallel_for(nd_range<1>, Work) {}
};
struct queue {
    template <class Work>
    event submit(Work) {
        return {};
    }
};

namespace ext::oneapi {
struct bfloat16 {
    uint16_t simt_bits;
};
namespace this_work_item {
template <int dimensions>
inline nd_item<dimensions> get_nd_item() {
    return {};
}
}  // namespace this_work_item
}  // namespace ext::oneapi

}  // namespace sycl

#include <simt/sycl_matrix.h>
