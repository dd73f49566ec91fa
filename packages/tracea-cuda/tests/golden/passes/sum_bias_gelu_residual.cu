// tracea: sum of parts fp32 -> bf16, epilogue bias, gelu, residual
// variant        sweep for sm_90a
// configuration  4x32x1 s1
// schedule       f3a52fbd23ddcfc67339c3664a0f1e21604c2ca5c75dae342d7251985e63cf76
// certificate    b9d6ea8059871cb4cacb154f8d78f00a2ed6aaca6ad72c4e2fd6b403e6d1805f: structure, domains, types, lanes, banks, budgets, cover, meaning

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

// source: fp32, read, aligned to 4 bytes
// out: bf16, write, aligned to 2 bytes
// bias_0: bf16, read, aligned to 2 bytes
// residual_1: bf16, read, aligned to 2 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552
// parts: partial sums of an element; 1 to 2147479552
// source_part: source: next partial sum; -4611686018427387904 to 4611686018427387904
// source_row: source: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904
// launch: (m + 3) // 4 * ((n + 31) // 32) blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) sum_of_parts_fp32_bf16_4x32x1_f6c4b114(
    const float* __restrict__ source,
    bf16* __restrict__ out,
    const bf16* __restrict__ bias_0,
    const bf16* __restrict__ residual_1,
    int m,
    int n,
    int parts,
    i64 source_part,
    i64 source_row,
    i64 out_row,
    i64 residual_1_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float held[1];  // 1x32 fp32 of the warp
    float total[1];  // 1x32 fp32 of the warp
    bf16 result[1];  // 1x32 bf16 of the warp
    bf16 bias_0_held[1];  // 1x32 bf16 of the warp
    bf16 residual_1_held[1];  // 1x32 bf16 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 3) / 4;
    const int tile_columns = (n + 31) / 32;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 4;
      const int column0 = tile % tile_columns * 32;
      const int warp_row = (tile_rows - 1) * 4 - row0 + warp;
      if (warp_row < m && column0 + 31 < n) {
        {
          total[0] = 0.0f;
        }
        #pragma unroll 4
        for (int part = 0; part < parts; ++part) {
          {
            held[0] = source[part * source_part + warp_row * source_row + column0 + lane];
          }
          {
            total[0] = (total[0] + held[0]);
          }
        }
        {
          bias_0_held[0] = bias_0[column0 + lane];
        }
        {
          residual_1_held[0] = residual_1[warp_row * residual_1_row + column0 + lane];
        }
        {
          const float v0 = total[0] + from_bf16(bias_0_held[0]);
          result[0] = to_bf16((((0.5f * v0) * (1.0f + erff((v0 * 0.70710677f)))) + from_bf16(residual_1_held[0])));
        }
        {
          out[warp_row * out_row + column0 + lane] = result[0];
        }
      }
      else {
        {
          total[0] = 0.0f;
        }
        #pragma unroll 4
        for (int part = 0; part < parts; ++part) {
          {
            held[0] = warp_row < m && column0 + lane < n ? source[part * source_part + warp_row * source_row + column0 + lane] : 0.0f;
          }
          {
            total[0] = (total[0] + held[0]);
          }
        }
        {
          bias_0_held[0] = column0 + lane < n ? bias_0[column0 + lane] : 0;
        }
        {
          residual_1_held[0] = warp_row < m && column0 + lane < n ? residual_1[warp_row * residual_1_row + column0 + lane] : 0;
        }
        {
          const float v0 = total[0] + from_bf16(bias_0_held[0]);
          result[0] = to_bf16((((0.5f * v0) * (1.0f + erff((v0 * 0.70710677f)))) + from_bf16(residual_1_held[0])));
        }
        {
          if (warp_row < m && column0 + lane < n) out[warp_row * out_row + column0 + lane] = result[0];
        }
      }
    }
  }
}
