// SPDX-License-Identifier: MIT
// AMD's buffer accesses, which read zeros and drop stores beyond the buffer's end, and conversions to and from 8-bit floats.
// Source: "AMD Instinct MI300" ISA, section 9.1, "Vector Memory Buffer Instructions" (raw buffers: the range check compares the
// offset from the vector register and the instruction with the number of bytes; the scalar offset is not checked).
#pragma once
#include <simt/numbers.h>
#include <simt/simt.h>

struct __amdgpu_buffer_rsrc_t {
    char* base;
    unsigned bytes;
};

static inline __amdgpu_buffer_rsrc_t __builtin_amdgcn_make_buffer_rsrc(const void* base, short, int bytes, int) {
    return {static_cast<char*>(const_cast<void*>(base)), unsigned(bytes)};
}

namespace simt {

template <class T>
SIMT_PLAIN __attribute__((always_inline)) inline T buffer_load(
    __amdgpu_buffer_rsrc_t buffer, unsigned offset, unsigned scalar, const void* site) {
    count("buffer_load");
    if (uint64_t(offset) + sizeof(T) > buffer.bytes) return T{};
    return read<T>(buffer.base + offset + scalar, site);
}

template <class T>
SIMT_PLAIN __attribute__((always_inline)) inline void buffer_store(
    T value, __amdgpu_buffer_rsrc_t buffer, unsigned offset, unsigned scalar, const void* site) {
    count("buffer_store");
    if (uint64_t(offset) + sizeof(T) > buffer.bytes) return;
    write<T>(buffer.base + offset + scalar, value, site);
}

}  // namespace simt

#define SIMT_BUFFER(bits, T)                                                                                              \
    SIMT_TWIN T __builtin_amdgcn_raw_buffer_load_b##bits(__amdgpu_buffer_rsrc_t buffer, int offset, int scalar, int) {    \
        return simt::buffer_load<T>(buffer, unsigned(offset), unsigned(scalar), SIMT_SITE);                               \
    }                                                                                                                     \
    SIMT_TWIN void __builtin_amdgcn_raw_buffer_store_b##bits(T value, __amdgpu_buffer_rsrc_t buffer, int offset, int scalar, int) { \
        simt::buffer_store<T>(value, buffer, unsigned(offset), unsigned(scalar), SIMT_SITE);                              \
    }
typedef unsigned simt_uint2 __attribute__((ext_vector_type(2)));
typedef unsigned simt_uint4 __attribute__((ext_vector_type(4)));
SIMT_BUFFER(8, unsigned char)
SIMT_BUFFER(16, unsigned short)
SIMT_BUFFER(32, unsigned)
SIMT_BUFFER(64, simt_uint2)
SIMT_BUFFER(128, simt_uint4)

// ---- 8-bit floats

#ifdef SIMT_OCP_FP8
#define SIMT_FP8_FORMAT simt::Fp8::e4m3
#define SIMT_BF8_FORMAT simt::Fp8::e5m2
#else
#define SIMT_FP8_FORMAT simt::Fp8::e4m3_fnuz
#define SIMT_BF8_FORMAT simt::Fp8::e5m2_fnuz
#endif

static inline int simt_pack_fp8(float a, float b, int old, bool high, simt::Fp8 format) {
    const unsigned pair = simt::float_to_fp8(a, format) | unsigned(simt::float_to_fp8(b, format)) << 8;
    return int(high ? (unsigned(old) & 0xffffu) | pair << 16 : (unsigned(old) & 0xffff0000u) | pair);
}
#define __builtin_amdgcn_cvt_pk_fp8_f32(a, b, old, high) simt_pack_fp8(a, b, old, high, SIMT_FP8_FORMAT)
#define __builtin_amdgcn_cvt_pk_bf8_f32(a, b, old, high) simt_pack_fp8(a, b, old, high, SIMT_BF8_FORMAT)
#define __builtin_amdgcn_cvt_f32_fp8(word, byte) simt::fp8_to_float(uint8_t(unsigned(word) >> 8 * (byte)), SIMT_FP8_FORMAT)
#define __builtin_amdgcn_cvt_f32_bf8(word, byte) simt::fp8_to_float(uint8_t(unsigned(word) >> 8 * (byte)), SIMT_BF8_FORMAT)
