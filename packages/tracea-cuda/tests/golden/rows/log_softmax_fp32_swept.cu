// tracea: log softmax fp32
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x128x1 s1
// schedule       62d62c94daeefc7e58fa2f0957c7915cbce97521bc99ccf01a04475214566e54
// certificate    33302f7fd8c600a727737be81463f81bba0c284204d49747e865c62ffa1bc90f: structure, domains, types, lanes, banks, budgets, meaning

#ifndef TRACEA_DEVICE_TWINS
// Types, conversions and arithmetic that every kernel uses.
typedef long long i64;
typedef unsigned short bf16;
typedef unsigned short fp16;
typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned char fp8_e4m3;
typedef unsigned char fp8_e5m2;

#define INLINE __device__ __forceinline__

INLINE int floor_divide(int a, int b) { return a / b - (a % b < 0); }
INLINE i64 floor_divide(i64 a, i64 b) { return a / b - (a % b < 0); }
INLINE int floor_modulo(int a, int b) { const int rest = a % b; return rest < 0 ? rest + b : rest; }
INLINE i64 floor_modulo(i64 a, i64 b) { const i64 rest = a % b; return rest < 0 ? rest + b : rest; }

// The special function unit: relative error below 2^-16 for exp of arguments that fp32 can hold, 2^-22 for the others; exponentials
// and reciprocals below 2^-126 are 0, which saves six instructions that would rescale them.
INLINE float fast_exp2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_exp(float x) { return fast_exp2(x * 1.4426950408889634f); }
INLINE float fast_reciprocal(float x) { float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
INLINE float fast_sqrt(float x) { float y; asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// Elements packed in 32-bit words, lowest bits first.
INLINE unsigned short part16(unsigned word, int bit) { return (unsigned short)(word >> bit); }
INLINE unsigned char part8(unsigned word, int bit) { return (unsigned char)(word >> bit); }
INLINE unsigned with16(unsigned word, int bit, unsigned short value) { return (word & ~(0xffffu << bit)) | ((unsigned)value << bit); }
INLINE unsigned with8(unsigned word, int bit, unsigned char value) { return (word & ~(0xffu << bit)) | ((unsigned)value << bit); }

// Conversions round to nearest even.
INLINE float from_bf16(bf16 x) { return __uint_as_float((unsigned)x << 16); }
INLINE float from_fp16(fp16 x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }
INLINE fp16 to_fp16(float x) { fp16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE int to_int32(float x) { int y; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(y) : "f"(x)); return y; }
INLINE int8 to_int8(float x) { const int y = to_int32(x); return (int8)(y < -128 ? -128 : y > 127 ? 127 : y); }
INLINE uint8 to_uint8(float x) { const int y = to_int32(x); return (uint8)(y < 0 ? 0 : y > 255 ? 255 : y); }

#if __CUDA_ARCH__ >= 800
INLINE bf16 to_bf16(float x) { bf16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
INLINE unsigned pair_bf16(float low, float high) { unsigned y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE unsigned pair_fp16(float low, float high) { unsigned y; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
INLINE float maximum(float x, float y) { float z; asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
INLINE float minimum(float x, float y) { float z; asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
#else
INLINE bf16 to_bf16(float x) {
  const unsigned bits = __float_as_uint(x);
  return x != x ? 0x7fff : (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
INLINE unsigned pair_bf16(float low, float high) { return (unsigned)to_bf16(low) | (unsigned)to_bf16(high) << 16; }
INLINE unsigned pair_fp16(float low, float high) { return (unsigned)to_fp16(low) | (unsigned)to_fp16(high) << 16; }
INLINE float maximum(float x, float y) { return x > y || x != x ? x : y; }
INLINE float minimum(float x, float y) { return x < y || x != x ? x : y; }
#endif
INLINE double maximum(double x, double y) { return x > y || x != x ? x : y; }
INLINE double minimum(double x, double y) { return x < y || x != x ? x : y; }
#endif

// x: fp32, read, aligned to 4 bytes
// out: fp32, write, aligned to 4 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 1 to 2147483647
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) log_softmax_fp32_1x128x1_f855b009(
    const float* __restrict__ x,
    float* __restrict__ out,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float elements[4];  // 1x128 fp32 of the warp
    float term[4];  // 1x128 fp32 of the warp
    float power[4];  // 1x128 fp32 of the warp
    float result[4];  // 1x128 fp32 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float top_part[4];  // 1x128 fp32 of the warp
    float log_sum_part[4];  // 1x128 fp32 of the warp
    float top_total[1];  // 1x1 fp32 of the warp
    float log_sum_total[1];  // 1x1 fp32 of the warp
    float top[1];  // 1x1 fp32 of the warp
    float log_sum[1];  // 1x1 fp32 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 128;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        top_part[r] = -3.4028235e+38f;
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        log_sum_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          elements[r] = x[x_base + (i64)step * 128 + r * 32 + lane];
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          power[r] = expf((-fabsf((term[r] - top_part[r]))));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const float v0 = log_sum_part[r];
          const float v1 = power[r];
          log_sum_part[r] = ((term[r] > top_part[r]) ? ((v0 * v1) + 1.0f) : (v0 + v1));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          top_part[r] = maximum(top_part[r], term[r]);
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          elements[r] = steps * 128 + column < n ? x[x_base + (i64)steps * 128 + r * 32 + lane] : 0.0f;
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(steps * 128 + r * 32 + lane < n)) term[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          power[r] = expf((-fabsf((term[r] - top_part[r]))));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          if (!(steps * 128 + r * 32 + lane < n)) power[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const float v0 = log_sum_part[r];
          const float v1 = power[r];
          log_sum_part[r] = ((term[r] > top_part[r]) ? ((v0 * v1) + 1.0f) : (v0 + v1));
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          top_part[r] = maximum(top_part[r], term[r]);
        }
      }
      {
        float folded = top_part[0];
        float folded1 = top_part[1];
        #pragma unroll
        for (int r = 2; r < 4; r += 2) {
          folded = maximum(folded, top_part[r]);
          folded1 = maximum(folded1, top_part[r + 1]);
        }
        folded = maximum(folded, folded1);
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 16));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 8));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 4));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        top_total[0] = folded;
      }
      top[0] = top_total[0];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        log_sum_part[r] = (log_sum_part[r] * expf((top_part[r] - top[0])));
      }
      {
        float folded = log_sum_part[0];
        float folded1 = log_sum_part[1];
        #pragma unroll
        for (int r = 2; r < 4; r += 2) {
          folded = folded + log_sum_part[r];
          folded1 = folded1 + log_sum_part[r + 1];
        }
        folded = folded + folded1;
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 16);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 8);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        log_sum_total[0] = folded;
      }
      {
        log_sum[0] = logf(log_sum_total[0]);
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          elements[r] = x[x_base + (i64)step * 128 + r * 32 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          result[r] = ((elements[r] - top[0]) - log_sum[0]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          out[out_base + (i64)step * 128 + r * 32 + lane] = result[r];
        }
      }
      if (steps * 128 < n) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          elements[r] = steps * 128 + column < n ? x[x_base + (i64)steps * 128 + r * 32 + lane] : 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          result[r] = ((elements[r] - top[0]) - log_sum[0]);
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int column = r * 32 + lane;
          if (steps * 128 + column < n) out[out_base + (i64)steps * 128 + r * 32 + lane] = result[r];
        }
      }
    }
  }
}
