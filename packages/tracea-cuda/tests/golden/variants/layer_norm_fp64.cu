// tracea: layer norm fp64
// variant        cuda.rowwise.warp_fp64 for sm_90a
// configuration  1x256x1 s1 kb256
// schedule       69304d3bf4215698ddab34bc6aebcb35c0d0c981c6916df98f7968c6cc36ebe5
// certificate    28ba72ceaf77f806165d38c62e48c9bebd21f772c4f6878448961eeb97c0d1e6: structure, domains, types, lanes, overlap, banks, budgets, meaning

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

// x: fp64, read, aligned to 8 bytes
// out: fp64, write, aligned to 8 bytes
// weight: fp64, read, aligned to 8 bytes
// bias: fp64, read, aligned to 8 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 1 to 256
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) layer_norm_fp64_1x256x1_27d7037d(
    const double* __restrict__ x,
    double* __restrict__ out,
    const double* __restrict__ weight,
    const double* __restrict__ bias,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    double elements[8];  // 1x256 fp64 of the warp
    double term[8];  // 1x256 fp64 of the warp
    double result[8];  // 1x256 fp64 of the warp
    double count[1];  // 1x1 fp64 of the warp
    double mean_total[1];  // 1x1 fp64 of the warp
    double scale_total[1];  // 1x1 fp64 of the warp
    double mean[1];  // 1x1 fp64 of the warp
    double scale[1];  // 1x1 fp64 of the warp
    double weight_values[8];  // 1x256 fp64 of the warp
    double bias_values[8];  // 1x256 fp64 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 256;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (double)n;
      }
      if (n < 256) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int column = r * 32 + lane;
          elements[r] = column < n ? x[x_base + r * 32 + lane] : 0.0;
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          elements[r] = x[x_base + r * 32 + lane];
        }
      }
      if (n < 256) {
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(r * 32 + lane < n)) term[r] = 0.0;
        }
      }
      else {
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
      }
      {
        double folded = term[0];
        double folded1 = term[1];
        #pragma unroll
        for (int r = 2; r < 8; r += 2) {
          folded = folded + term[r];
          folded1 = folded1 + term[r + 1];
        }
        folded = folded + folded1;
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 16);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 8);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        mean_total[0] = folded;
      }
      {
        mean[0] = (mean_total[0] / count[0]);
      }
      if (n < 256) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const double v0 = elements[r] - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(r * 32 + lane < n)) term[r] = 0.0;
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const double v0 = elements[r] - mean[0];
          term[r] = (v0 * v0);
        }
      }
      {
        double folded = term[0];
        double folded1 = term[1];
        #pragma unroll
        for (int r = 2; r < 8; r += 2) {
          folded = folded + term[r];
          folded1 = folded1 + term[r + 1];
        }
        folded = folded + folded1;
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 16);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 8);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        scale_total[0] = folded;
      }
      {
        scale[0] = rsqrt(((scale_total[0] / count[0]) + 0.00001));
      }
      if (n < 256) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int column = r * 32 + lane;
          weight_values[r] = column < n ? weight[r * 32 + lane] : 0.0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int column = r * 32 + lane;
          bias_values[r] = column < n ? bias[r * 32 + lane] : 0.0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          result[r] = ((((elements[r] - mean[0]) * scale[0]) * weight_values[r]) + bias_values[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const int column = r * 32 + lane;
          if (column < n) out[out_base + r * 32 + lane] = result[r];
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          weight_values[r] = weight[r * 32 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          bias_values[r] = bias[r * 32 + lane];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          result[r] = ((((elements[r] - mean[0]) * scale[0]) * weight_values[r]) + bias_values[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          out[out_base + r * 32 + lane] = result[r];
        }
      }
    }
  }
}
