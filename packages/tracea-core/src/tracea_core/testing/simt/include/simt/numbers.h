// SPDX-License-Identifier: MIT
// Numbers that the host's compiler has no type for: 8-bit floats, and rounding of fp32 to tf32 and bf16.
#pragma once
#include <stdint.h>
#include <string.h>

#pragma clang attribute push(__attribute__((no_sanitize("kernel-address"))), apply_to = function)
namespace simt {

inline float from_bits(uint32_t word) {
    float value;
    memcpy(&value, &word, 4);
    return value;
}

inline uint32_t to_bits(float value) {
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

inline float bf16_to_float(uint16_t word) { return from_bits(uint32_t(word) << 16); }

inline uint16_t float_to_bf16(float value) {
    uint32_t word = to_bits(value);
    if (value != value) return uint16_t(word >> 16 | 0x40);
    return uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

// tf32 has fp32's exponent and 10 bits of fraction; the units ignore the other 13 bits.
inline float tf32_to_float(uint32_t word) { return from_bits(word & 0xffffe000u); }

// The 8-bit formats: OCP's E4M3 (no infinity, NaN is all ones) and E5M2 (as IEEE), and the FNUZ forms of AMD's gfx940 (bias one
// larger, one zero, NaN is 0x80). Source: OCP 8-bit Floating Point Specification, revision 1.0, table 1; AMD Instinct MI300 ISA,
// section "Data formats".
enum class Fp8 { e4m3, e5m2, e4m3_fnuz, e5m2_fnuz };

inline float power_of_two(int exponent) { return from_bits(uint32_t(exponent + 127) << 23); }

inline float fp8_to_float(uint8_t byte, Fp8 format) {
    const bool e4 = format == Fp8::e4m3 || format == Fp8::e4m3_fnuz;
    const bool fnuz = format == Fp8::e4m3_fnuz || format == Fp8::e5m2_fnuz;
    const int fraction_bits = e4 ? 3 : 2, exponent_mask = e4 ? 15 : 31, bias = (e4 ? 7 : 15) + fnuz;
    const int exponent = byte >> fraction_bits & exponent_mask, fraction = byte & ((1 << fraction_bits) - 1);
    const float nan = from_bits(0x7fc00000);
    if (fnuz && byte == 0x80) return nan;
    if (format == Fp8::e4m3 && (byte & 0x7f) == 0x7f) return nan;
    float magnitude;
    if (format == Fp8::e5m2 && exponent == exponent_mask) magnitude = fraction ? nan : from_bits(0x7f800000);
    else if (exponent) magnitude = float((1 << fraction_bits) + fraction) * power_of_two(exponent - bias - fraction_bits);
    else magnitude = float(fraction) * power_of_two(1 - bias - fraction_bits);
    return byte & 0x80 ? -magnitude : magnitude;
}

// Round to nearest, ties to even, saturating to the largest finite value. Comparing with all 256 values keeps it plainly right.
inline uint8_t float_to_fp8(float value, Fp8 format) {
    if (value != value) return format == Fp8::e4m3 ? 0x7f : format == Fp8::e5m2 ? 0x7e : 0x80;
    const bool fnuz = format == Fp8::e4m3_fnuz || format == Fp8::e5m2_fnuz;
    const bool negative = to_bits(value) >> 31;
    const float magnitude = negative ? -value : value;
    const uint8_t largest = format == Fp8::e4m3 ? 0x7e : format == Fp8::e5m2 ? 0x7b : 0x7f;
    uint8_t best = largest;
    for (int low = 0; low < largest; ++low) {
        const float below = fp8_to_float(uint8_t(low), format), above = fp8_to_float(uint8_t(low + 1), format);
        if (magnitude >= above) continue;
        const double middle = (double(below) + double(above)) / 2;
        const bool up = magnitude > middle || (magnitude == middle && (low & 1));
        best = uint8_t(low + up);
        break;
    }
    if (fnuz && best == 0) return 0;
    return uint8_t(best | (negative ? 0x80 : 0));
}

}  // namespace simt
#pragma clang attribute pop
