// Conversions of 8-bit floats, sm_89 and later. They round to nearest even; what is beyond the range becomes NaN in e4m3 and infinite
// in e5m2, while the instruction itself saturates.
INLINE fp8_e4m3 to_fp8_e4m3(float x) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return fabsf(x) > 464.0f ? (fp8_e4m3)((pair & 0x80) | 0x7f) : (fp8_e4m3)pair;
}
INLINE fp8_e5m2 to_fp8_e5m2(float x) {
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return fabsf(x) >= 61440.0f ? (fp8_e5m2)((pair & 0x80) | 0x7c) : (fp8_e5m2)pair;
}
INLINE float from_fp8_e4m3(fp8_e4m3 x) {
  unsigned pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x));
  return from_fp16((fp16)pair);
}
INLINE float from_fp8_e5m2(fp8_e5m2 x) { return from_fp16((fp16)((unsigned)x << 8)); }
