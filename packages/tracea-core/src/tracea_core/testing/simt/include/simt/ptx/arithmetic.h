// SPDX-License-Identifier: MIT
// Conversions, moves and functions of registers. The approximate functions are computed exactly: tolerances belong to the caller.
#pragma once
#include <math.h>
#include <simt/numbers.h>
#include <simt/ptx/operands.h>

namespace simt::ptx {

inline uint16_t half_bits(float value) {
    const _Float16 half = _Float16(value);
    uint16_t word;
    memcpy(&word, &half, 2);
    return word;
}
inline float half_value(uint16_t word) {
    _Float16 half;
    memcpy(&half, &word, 2);
    return float(half);
}

// cvt.<rounding and saturation>.<target>.<source>
template <Name op, class D, class... S>
inline void convert(D& d, S... s) {
    constexpr bool e4 = op.second_last_is("e4m3x2"), e5 = op.second_last_is("e5m2x2");
    constexpr Fp8 to = e4 ? Fp8::e4m3 : Fp8::e5m2;
    if constexpr (op.last_is("f32") && sizeof...(S) == 2) {  // two values in one word, the first in the upper half
        const float values[] = {float(s)...};
        if constexpr (op.second_last_is("bf16x2")) d = D(uint32_t(float_to_bf16(values[0])) << 16 | float_to_bf16(values[1]));
        else if constexpr (op.second_last_is("f16x2")) d = D(uint32_t(half_bits(values[0])) << 16 | half_bits(values[1]));
        else if constexpr (e4 || e5) d = D(float_to_fp8(values[0], to) << 8 | float_to_fp8(values[1], to));
        else static_assert(sizeof(op) == 0, "no twin of this PTX conversion");
    } else {
        const auto value = (s, ...);
        if constexpr (op.last_is("f32") && op.second_last_is("f16")) d = D(half_bits(value));
        else if constexpr (op.last_is("f32") && op.second_last_is("bf16")) d = D(float_to_bf16(value));
        else if constexpr (op.last_is("f16") && op.second_last_is("f32")) d = D(half_value(uint16_t(value)));
        else if constexpr (op.last_is("bf16") && op.second_last_is("f32")) d = D(bf16_to_float(uint16_t(value)));
        else if constexpr (op.last_is("f32") && op.second_last_is("tf32")) d = D(to_bits(value) + 0x1000u & 0xffffe000u);
        else if constexpr (op.last_is("e4m3x2") || op.last_is("e5m2x2")) {
            constexpr Fp8 from = op.last_is("e4m3x2") ? Fp8::e4m3 : Fp8::e5m2;
            d = D(uint32_t(half_bits(fp8_to_float(uint8_t(value >> 8), from))) << 16 | half_bits(fp8_to_float(uint8_t(value), from)));
        } else if constexpr (op.last_is("f32") && (op.second_last_is("s32") || op.second_last_is("u32"))) {
            // Out of range saturates, NaN becomes 0 (PTX ISA, "cvt").
            constexpr bool is_signed = op.second_last_is("s32");
            const double low = is_signed ? -2147483648.0 : 0.0, high = is_signed ? 2147483647.0 : 4294967295.0;
            const double rounded = op.has("rni") ? rint(double(value)) : op.has("rmi") ? floor(double(value))
                : op.has("rpi") ? ceil(double(value)) : trunc(double(value));
            const double clamped = rounded < low ? low : rounded > high ? high : rounded;
            d = value != value ? D(0) : is_signed ? D(int32_t(clamped)) : D(uint32_t(clamped));
        } else if constexpr (op.last_is("s32") && op.second_last_is("f32")) d = D(int32_t(value));
        else if constexpr (op.last_is("u32") && op.second_last_is("f32")) d = D(uint32_t(value));
        else static_assert(sizeof(op) == 0, "no twin of this PTX conversion");
    }
}

template <Name op, class T>
inline T extreme(T a, T b) {
    if constexpr (op.has("NaN"))
        if (a != a || b != b) return T(from_bits(0x7fffffffu));
    if (a != a) return b;
    if (b != b) return a;
    return op.is("max") ? (a < b ? b : a) : (b < a ? b : a);
}

template <Name op, class D, class... S>
inline void arithmetic(D&& d, S... s) {
    if constexpr (op.is("cvt")) convert<op>(d, s...);
    else if constexpr (sizeof...(S) == 1) {
        const auto value = (s, ...);
        if constexpr (op.is("mov") || op.is("cvta")) d = value;
        else if constexpr (op.is("ex2")) d = exp2f(value);
        else if constexpr (op.is("lg2")) d = log2f(value);
        else if constexpr (op.is("rcp")) d = 1.0f / value;
        else if constexpr (op.is("rsqrt")) d = 1.0f / sqrtf(value);
        else if constexpr (op.is("sqrt")) d = sqrtf(value);
        else if constexpr (op.is("tanh")) d = tanhf(value);
        else static_assert(sizeof(op) == 0, "no twin of this PTX instruction");
    } else if constexpr (sizeof...(S) == 2) {
        const auto [a, b] = [](auto x, auto y) {
            struct Two { decltype(x) first; decltype(y) second; };
            return Two{x, y};
        }(s...);
        if constexpr (op.is("max") || op.is("min")) d = extreme<op>(a, decltype(a)(b));
        else if constexpr (op.is("add")) d = a + b;
        else if constexpr (op.is("sub")) d = a - b;
        else if constexpr (op.is("mul")) d = a * b;
        else if constexpr (op.is("setp") && op.has("ne")) d = a != decltype(a)(b);
        else if constexpr (op.is("setp") && op.has("eq")) d = a == decltype(a)(b);
        else if constexpr (op.is("setp") && op.has("lt")) d = a < decltype(a)(b);
        else if constexpr (op.is("setp") && op.has("ge")) d = a >= decltype(a)(b);
        else static_assert(sizeof(op) == 0, "no twin of this PTX instruction");
    } else if constexpr (op.is("fma")) {
        const float values[] = {float(s)...};
        d = fmaf(values[0], values[1], values[2]);
    } else if constexpr (op.is("selp")) {
        const D values[] = {D(s)...};
        d = values[2] ? values[0] : values[1];
    } else static_assert(sizeof(op) == 0, "no twin of this PTX instruction");
}

template <Name op>
inline void hint() {
    if constexpr (op.is("nanosleep")) relax();
    count(op.is("nanosleep") ? "nanosleep" : op.is("griddepcontrol") ? "griddepcontrol" : "prefetch");
}

}  // namespace simt::ptx
