// OCP's 8-bit floats. fp16 has the exponent of e5m2, and one more bit of it than e4m3: the same bits are 2^-8 of the value.
INLINE float from_fp8_e5m2(fp8_e5m2 x) { return from_fp16((fp16)(x << 8)); }
INLINE float from_fp8_e4m3(fp8_e4m3 x) {
  const float magnitude = (x & 0x7f) == 0x7f ? __builtin_nanf("") : from_fp16((fp16)((x & 0x7f) << 7)) * 256.0f;
  return x & 0x80 ? -magnitude : magnitude;
}
// To nearest, ties to even. Below the smallest normal number a sum with 2^23 of the spacing rounds; beyond the largest lies `beyond`.
INLINE unsigned char to_short_float(float x, int fraction, int bias, float spacing, int beyond) {
  const unsigned bits = bits_of(x) & 0x7fffffffu, low = 23 - fraction;
  const float sum = float_of(bits) + spacing * 8388608.0f;
  const int small = (int)(bits_of(sum) - bits_of(spacing * 8388608.0f));
  const int large = (int)((bits + ((1u << (low - 1)) - 1) + (bits >> low & 1)) >> low) - ((127 - bias) << fraction);
  const int code = smaller(float_of(bits) < spacing * (float)(1 << fraction) ? small : large, beyond);
  return (unsigned char)((x != x ? 0x7f : code) | (bits_of(x) >> 24 & 0x80));
}
INLINE fp8_e4m3 to_fp8_e4m3(float x) { return to_short_float(x, 3, 7, 0.001953125f, 0x7f); }
INLINE fp8_e5m2 to_fp8_e5m2(float x) { return to_short_float(x, 2, 15, 0.0000152587890625f, 0x7c); }
// FNUZ, of gfx942: a bias larger by one, no infinity, NaN where minus zero would be. Codes that fp16 takes for no number lie at the end of e5m2.
INLINE float from_fp8_e4m3fnuz(unsigned char x) {
  const float magnitude = x == 0x80 ? __builtin_nanf("") : from_fp16((fp16)((x & 0x7f) << 7)) * 128.0f;
  return x & 0x80 ? -magnitude : magnitude;
}
INLINE float from_fp8_e5m2fnuz(unsigned char x) {
  const int code = x & 0x7f;
  const float magnitude = x == 0x80 ? __builtin_nanf("") : code < 0x7c ? from_fp16((fp16)(code << 8)) * 0.5f : (float)(code - 0x78) * 8192.0f;
  return x & 0x80 ? -magnitude : magnitude;
}
INLINE unsigned char to_fnuz(float x, int fraction, int bias, float spacing) {
  const int code = x != x ? 0x80 : to_short_float(__builtin_fabsf(x), fraction, bias, spacing, 0x80);
  return (unsigned char)(code == 0 ? 0 : code | (bits_of(x) >> 24 & 0x80));
}
INLINE unsigned char to_fp8_e4m3fnuz(float x) { return to_fnuz(x, 3, 8, 0.0009765625f); }
INLINE unsigned char to_fp8_e5m2fnuz(float x) { return to_fnuz(x, 2, 16, 0.00000762939453125f); }
