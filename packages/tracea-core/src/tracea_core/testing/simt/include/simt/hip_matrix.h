// SPDX-License-Identifier: MIT
// AMD's matrix instructions. The maps are those of the instruction set documents' tables, written as which lane and register
// hold element (i, k) of A, (k, j) of B and (i, j) of C:
//
// MFMA, one block of S x S x K on 64 lanes ("AMD Instinct MI300" ISA, chapter 7, "Matrix Arithmetic Instructions"; MI200, same
// chapter): A's element (i, k) is in lane i + S * (k / p), register k % p, with p = K * S / 64; B's (k, j) in lane j + S * (k / p),
// register k % p. C's (i, j) is in lane j + S * ((i / 4) % (64 / S)), register 4 * (i / (256 / S)) + i % 4; for fp64 in lane
// j + 16 * (i % 4), register i / 4.
//
// WMMA, 16 x 16 x 16 on 32 lanes: "RDNA3" ISA, section 7.9: A's (i, k) in lanes i and i + 16, register k; C's (i, j) in lane
// j + 16 * (i % 2), register i / 2. "RDNA4" ISA: A's (i, k) in lane i + 16 * (k / 8), register k % 8; C's (i, j) in lane
// j + 16 * (i / 8), register i % 8.
#pragma once
#include <simt/numbers.h>
#include <simt/simt.h>

#pragma clang attribute push(SIMT_PLAIN, apply_to = function)
namespace simt {

template <class T, int N>
using Vector = T __attribute__((ext_vector_type(N)));

template <class A, class B, class C>
struct Matrices {
    A a;
    B b;
    C c, d;
};

struct AsHalf {
    template <class V>
    static float get(const V& v, int i) { return float(v[i]); }
};
struct AsBf16 {
    template <class V>
    static float get(const V& v, int i) {
        uint16_t word;
        memcpy(&word, reinterpret_cast<const char*>(&v) + 2 * i, 2);
        return bf16_to_float(word);
    }
};
struct AsFloat {
    template <class V>
    static float get(const V& v, int i) { return reinterpret_cast<const float*>(&v)[i]; }
};
struct AsTf32 {
    template <class V>
    static float get(const V& v, int i) { return tf32_to_float(reinterpret_cast<const uint32_t*>(&v)[i]); }
};
struct AsDouble {
    template <class V>
    static double get(const V& v, int i) { return reinterpret_cast<const double*>(&v)[i]; }
};
struct AsInt8 {
    template <class V>
    static int get(const V& v, int i) { return reinterpret_cast<const int8_t*>(&v)[i]; }
};
struct AsUint8 {
    template <class V>
    static int get(const V& v, int i) { return reinterpret_cast<const uint8_t*>(&v)[i]; }
};
template <Fp8 format>
struct AsFp8 {
    template <class V>
    static float get(const V& v, int i) { return fp8_to_float(reinterpret_cast<const uint8_t*>(&v)[i], format); }
};

struct Slot {
    int lane, reg;
};

template <int S, int K, bool fp64>
struct MfmaMap {
    static constexpr int size = S, depth = K, per_lane = K * S / 64;
    static Slot a(int i, int k) { return {i + S * (k / per_lane), k % per_lane}; }
    static Slot b(int k, int j) { return {j + S * (k / per_lane), k % per_lane}; }
    static Slot c(int i, int j) {
        if (fp64) return {j + 16 * (i % 4), i / 4};
        return {j + S * (i / 4 % (64 / S)), 4 * (i / (256 / S)) + i % 4};
    }
};

struct WmmaGfx11Map {
    static constexpr int size = 16, depth = 16;
    static Slot a(int i, int k) { return {i, k}; }
    static Slot b(int k, int j) { return {j, k}; }
    static Slot c(int i, int j) { return {j + 16 * (i % 2), i / 2}; }
};

struct WmmaGfx12Map {
    static constexpr int size = 16, depth = 16;
    static Slot a(int i, int k) { return {i + 16 * (k / 8), k % 8}; }
    static Slot b(int k, int j) { return {j + 16 * (k / 8), k % 8}; }
    static Slot c(int i, int j) { return {j + 16 * (i / 8), i % 8}; }
};

template <class Map, class M, class GetA, class GetB, class Sum, class Scalar>
void multiply(void* const* given, unsigned) {
    Sum a[Map::size][Map::depth], b[Map::depth][Map::size];
    for (int i = 0; i < Map::size; ++i)
        for (int k = 0; k < Map::depth; ++k) {
            const Slot in_a = Map::a(i, k), in_b = Map::b(k, i);
            a[i][k] = Sum(GetA::get(static_cast<M*>(given[in_a.lane])->a, in_a.reg));
            b[k][i] = Sum(GetB::get(static_cast<M*>(given[in_b.lane])->b, in_b.reg));
        }
    for (int i = 0; i < Map::size; ++i)
        for (int j = 0; j < Map::size; ++j) {
            const Slot in_c = Map::c(i, j);
            M& mine = *static_cast<M*>(given[in_c.lane]);
            Sum sum = Sum(mine.c[in_c.reg]);
            for (int k = 0; k < Map::depth; ++k) sum += a[i][k] * b[k][j];
            mine.d[in_c.reg] = Scalar(sum);
        }
}

template <class Map, class GetA, class GetB, class Sum, class Scalar, class A, class B, class C>
SIMT_PLAIN __attribute__((always_inline)) inline C matrix(const char* name, A a, B b, C c, const void* site) {
    Matrices<A, B, C> mine{a, b, c, c};
    collective(name, multiply<Map, Matrices<A, B, C>, GetA, GetB, Sum, Scalar>, &mine, kAllLanes, site);
    return mine.d;
}

}  // namespace simt
#pragma clang attribute pop

// The three last operands choose broadcasts and the block within an instruction of several blocks; single blocks have none.
#define SIMT_MFMA(name, S, K, A, C, GetA, GetB, Sum, Scalar)                                                                   \
    SIMT_TWIN C __builtin_amdgcn_mfma_##name(A a, A b, C c, int, int, int) {                                                   \
        return simt::matrix<simt::MfmaMap<S, K, sizeof(Scalar) == 8>, simt::GetA, simt::GetB, Sum, Scalar>("mfma_" #name, a, b, c, \
                                                                                                           SIMT_SITE);         \
    }
#define SIMT_SIMD(T, N) simt::Vector<T, N>
#define SIMT_F4 SIMT_SIMD(float, 4)
#define SIMT_F16 SIMT_SIMD(float, 16)
#define SIMT_I4 SIMT_SIMD(int, 4)
#define SIMT_I16 SIMT_SIMD(int, 16)

SIMT_MFMA(f32_32x32x8f16, 32, 8, SIMT_SIMD(_Float16, 4), SIMT_F16, AsHalf, AsHalf, float, float)
SIMT_MFMA(f32_16x16x16f16, 16, 16, SIMT_SIMD(_Float16, 4), SIMT_F4, AsHalf, AsHalf, float, float)
SIMT_MFMA(f32_32x32x8bf16_1k, 32, 8, SIMT_SIMD(short, 4), SIMT_F16, AsBf16, AsBf16, float, float)
SIMT_MFMA(f32_16x16x16bf16_1k, 16, 16, SIMT_SIMD(short, 4), SIMT_F4, AsBf16, AsBf16, float, float)
SIMT_MFMA(f32_32x32x16_f16, 32, 16, SIMT_SIMD(_Float16, 8), SIMT_F16, AsHalf, AsHalf, float, float)
SIMT_MFMA(f32_16x16x32_f16, 16, 32, SIMT_SIMD(_Float16, 8), SIMT_F4, AsHalf, AsHalf, float, float)
SIMT_MFMA(f32_32x32x16_bf16, 32, 16, SIMT_SIMD(__bf16, 8), SIMT_F16, AsBf16, AsBf16, float, float)
SIMT_MFMA(f32_16x16x32_bf16, 16, 32, SIMT_SIMD(__bf16, 8), SIMT_F4, AsBf16, AsBf16, float, float)
SIMT_MFMA(f32_32x32x2f32, 32, 2, float, SIMT_F16, AsFloat, AsFloat, float, float)
SIMT_MFMA(f32_16x16x4f32, 16, 4, float, SIMT_F4, AsFloat, AsFloat, float, float)
SIMT_MFMA(f32_32x32x4_xf32, 32, 4, SIMT_SIMD(float, 2), SIMT_F16, AsTf32, AsTf32, float, float)
SIMT_MFMA(f32_16x16x8_xf32, 16, 8, SIMT_SIMD(float, 2), SIMT_F4, AsTf32, AsTf32, float, float)
SIMT_MFMA(f64_16x16x4f64, 16, 4, double, SIMT_SIMD(double, 4), AsDouble, AsDouble, double, double)
SIMT_MFMA(i32_32x32x8i8, 32, 8, int, SIMT_I16, AsInt8, AsInt8, int, int)
SIMT_MFMA(i32_16x16x16i8, 16, 16, int, SIMT_I4, AsInt8, AsInt8, int, int)
SIMT_MFMA(i32_32x32x16_i8, 32, 16, long, SIMT_I16, AsInt8, AsInt8, int, int)
SIMT_MFMA(i32_16x16x32_i8, 16, 32, long, SIMT_I4, AsInt8, AsInt8, int, int)
SIMT_MFMA(i32_32x32x32_i8, 32, 32, SIMT_I4, SIMT_I16, AsInt8, AsInt8, int, int)
SIMT_MFMA(i32_16x16x64_i8, 16, 64, SIMT_I4, SIMT_I4, AsInt8, AsInt8, int, int)

// gfx942 reads the bytes as the FNUZ formats, gfx950 as OCP's.
#ifdef SIMT_OCP_FP8
#define SIMT_E4M3 AsFp8<simt::Fp8::e4m3>
#define SIMT_E5M2 AsFp8<simt::Fp8::e5m2>
#else
#define SIMT_E4M3 AsFp8<simt::Fp8::e4m3_fnuz>
#define SIMT_E5M2 AsFp8<simt::Fp8::e5m2_fnuz>
#endif
#define SIMT_MFMA_FP8(a, b, GetA, GetB)                                                        \
    SIMT_MFMA(f32_32x32x16_##a##_##b, 32, 16, long, SIMT_F16, GetA, GetB, float, float)        \
    SIMT_MFMA(f32_16x16x32_##a##_##b, 16, 32, long, SIMT_F4, GetA, GetB, float, float)
SIMT_MFMA_FP8(fp8, fp8, SIMT_E4M3, SIMT_E4M3)
SIMT_MFMA_FP8(fp8, bf8, SIMT_E4M3, SIMT_E5M2)
SIMT_MFMA_FP8(bf8, fp8, SIMT_E5M2, SIMT_E4M3)
SIMT_MFMA_FP8(bf8, bf8, SIMT_E5M2, SIMT_E5M2)

#define SIMT_WMMA(name, Map, A, C, Get, Scalar)                                                              \
    SIMT_TWIN C __builtin_amdgcn_wmma_##name(A a, A b, C c) {                                                \
        return simt::matrix<simt::Map, simt::Get, simt::Get, Scalar, Scalar>("wmma_" #name, a, b, c, SIMT_SITE); \
    }
#define SIMT_F8 SIMT_SIMD(float, 8)
SIMT_WMMA(f32_16x16x16_f16_w32, WmmaGfx11Map, SIMT_SIMD(_Float16, 16), SIMT_F8, AsHalf, float)
SIMT_WMMA(f32_16x16x16_bf16_w32, WmmaGfx11Map, SIMT_SIMD(short, 16), SIMT_F8, AsBf16, float)
SIMT_WMMA(f32_16x16x16_f16_w32_gfx12, WmmaGfx12Map, SIMT_SIMD(_Float16, 8), SIMT_F8, AsHalf, float)
SIMT_WMMA(f32_16x16x16_bf16_w32_gfx12, WmmaGfx12Map, SIMT_SIMD(short, 8), SIMT_F8, AsBf16, float)
SIMT_WMMA(f32_16x16x16_fp8_fp8_w32_gfx12, WmmaGfx12Map, SIMT_SIMD(int, 2), SIMT_F8, AsFp8<simt::Fp8::e4m3>, float)
SIMT_WMMA(f32_16x16x16_bf8_bf8_w32_gfx12, WmmaGfx12Map, SIMT_SIMD(int, 2), SIMT_F8, AsFp8<simt::Fp8::e5m2>, float)

// Integers say for each operand whether it is signed, and whether the sum saturates (which no kernel here asks for).
#define SIMT_WMMA_INTEGER(name, Map, A)                                                                                \
    SIMT_TWIN simt::Vector<int, 8> __builtin_amdgcn_wmma_##name(bool sign_a, A a, bool sign_b, A b, simt::Vector<int, 8> c, bool clamp) { \
        if (clamp) simt::fatal("unsupported", SIMT_SITE, "saturating integer WMMA has no twin");                       \
        const void* site = SIMT_SITE;                                                                                  \
        using namespace simt;                                                                                          \
        if (sign_a && sign_b) return matrix<Map, AsInt8, AsInt8, int, int>("wmma_" #name, a, b, c, site);              \
        if (sign_a) return matrix<Map, AsInt8, AsUint8, int, int>("wmma_" #name, a, b, c, site);                       \
        if (sign_b) return matrix<Map, AsUint8, AsInt8, int, int>("wmma_" #name, a, b, c, site);                       \
        return matrix<Map, AsUint8, AsUint8, int, int>("wmma_" #name, a, b, c, site);                                  \
    }
SIMT_WMMA_INTEGER(i32_16x16x16_iu8_w32, WmmaGfx11Map, SIMT_I4)
SIMT_WMMA_INTEGER(i32_16x16x16_iu8_w32_gfx12, WmmaGfx12Map, SIMT_SIMD(int, 2))
