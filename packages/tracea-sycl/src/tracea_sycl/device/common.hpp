// Types, conversions and arithmetic that every kernel uses; SYCL 2020.
#define INLINE inline __attribute__((always_inline))

using i64 = long long;
using bf16 = unsigned short;  // as bits, like all that is stored in 16
using fp16 = unsigned short;
using int8 = signed char;
using uint8 = unsigned char;
using Run2 = sycl::vec<unsigned, 2>;
using Run4 = sycl::vec<unsigned, 4>;

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE int max(int x, int y) { return x > y ? x : y; }
INLINE i64 max(i64 x, i64 y) { return x > y ? x : y; }
INLINE int min(int x, int y) { return x < y ? x : y; }
INLINE i64 min(i64 x, i64 y) { return x < y ? x : y; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return sycl::bit_cast<unsigned>(x); }
INLINE float float_of(unsigned x) { return sycl::bit_cast<float>(x); }

// Bits tell what is no number, whatever a compiler assumes of arithmetic. Conversions round to nearest even.
INLINE bool no_number(float x) { return (bits_of(x) & 0x7fffffffu) > 0x7f800000u; }
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)sycl::bit_cast<sycl::half>(x); }
INLINE fp16 to_fp16(float x) { return sycl::bit_cast<fp16>(sycl::half(x)); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return no_number(x) ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || no_number(x) ? x : y; }
INLINE float minimum(float x, float y) { return x < y || no_number(x) ? x : y; }
INLINE int to_int32(float x) { return no_number(x) ? 0 : (int)minimum(maximum(sycl::rint(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)min(max(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)min(max(to_int32(x), 0), 255); }
