// SPDX-License-Identifier: MIT
// CUDA C++'s words, as NVRTC knows them without a header. Inline PTX has become calls of simt::ptx::run by now.
#pragma once
#include <simt/gpu.h>
#include <simt/ptx/run.h>

#define __CUDACC__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define warpSize 32

template <class T>
SIMT_TWIN T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    return simt::shuffle(value, simt::from_index(source, width), mask, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return simt::shuffle(value, simt::from_up(delta, width), mask, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return simt::shuffle(value, simt::from_down(delta, width), mask, SIMT_SITE);
}
template <class T>
SIMT_TWIN T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    return simt::shuffle(value, simt::from_xor(bits, width), mask, SIMT_SITE);
}
SIMT_TWIN unsigned __ballot_sync(unsigned mask, int value) { return unsigned(simt::ballot(value != 0, mask, SIMT_SITE)); }
SIMT_TWIN int __any_sync(unsigned mask, int value) { return simt::ballot(value != 0, mask, SIMT_SITE) != 0; }
SIMT_TWIN int __all_sync(unsigned mask, int value) { return simt::ballot(value == 0, mask, SIMT_SITE) == 0; }
SIMT_TWIN void __syncwarp(unsigned mask = 0xffffffffu) { simt::collective("__syncwarp", nullptr, nullptr, mask, SIMT_SITE, true); }
static inline unsigned __activemask() { return 0xffffffffu; }
template <class T>
SIMT_TWIN void __stwb(T* place, T value) { *place = value; }
// Each byte of the result is one of the eight of two words, which the selector's four digits name.
static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned result = 0;
    for (int place = 0; place < 4; ++place) result |= unsigned(bytes >> (selector >> 4 * place & 7) * 8 & 0xff) << 8 * place;
    return result;
}

// A shared address of PTX: the offset in the block's shared memory, the block's rank in the cluster above it.
static inline size_t __cvta_generic_to_shared(const void* pointer) { return simt::ptx::shared_window(pointer); }
static inline void* __cvta_shared_to_generic(size_t address) { return simt::ptx::pointer_of(unsigned(address)); }
static inline size_t __cvta_generic_to_global(const void* pointer) { return size_t(pointer); }

typedef _Float16 __half;
typedef __bf16 __nv_bfloat16;
static inline float __half2float(__half x) { return float(x); }
static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return float(x); }
static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline int __float2int_rn(float x) { return int(rintf(x)); }
#define rsqrt(x) (1.0 / sqrt(x))
