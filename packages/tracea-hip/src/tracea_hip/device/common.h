// Types, conversions and arithmetic that every kernel uses; nothing of ROCm is needed to compile them.
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(threads, threads)))
#endif
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define INLINE static __device__ inline __attribute__((always_inline))

typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;
template <class T, int count> using vector = T __attribute__((ext_vector_type(count)));

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
INLINE float float_of(unsigned x) { return __builtin_bit_cast(float, x); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return float_of((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { return (float)__builtin_bit_cast(_Float16, x); }
INLINE fp16 to_fp16(float x) { return __builtin_bit_cast(fp16, (_Float16)x); }
INLINE bf16 to_bf16(float x) {
  const unsigned bits = bits_of(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
INLINE int larger(int x, int y) { return x > y ? x : y; }
INLINE i64 larger(i64 x, i64 y) { return x > y ? x : y; }
INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE i64 smaller(i64 x, i64 y) { return x < y ? x : y; }
#define min smaller
#define max larger
INLINE int to_int32(float x) { return x != x ? 0 : (int)minimum(maximum(__builtin_rintf(x), -2147483648.0f), 2147483520.0f); }
INLINE int8 to_int8(float x) { return (int8)smaller(larger(to_int32(x), -128), 127); }
INLINE uint8 to_uint8(float x) { return (uint8)smaller(larger(to_int32(x), 0), 255); }

// Waves meet here; what they stored to shared memory before is visible after. Loads from global memory stay under way.
INLINE void block_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
