// tracea: rms norm bf16
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x512x1 s1 va8
// schedule       50c747e4c1a9358bac2f2f9dc230f9d061b4a9e48469c497c5b0c5931d8162b7
// certificate    2e2a90ab45f56dc8f6397be34aef432235170d225dd910ab9354c222cc614517: structure, domains, types, lanes, banks, budgets, meaning

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

// x: bf16, read, aligned to 16 bytes
// out: bf16, write, aligned to 16 bytes
// weight: bf16, read, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 2147483647 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// launch: (m + 3) // 4 blocks of 128 threads, clusters of 1, 0 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) rms_norm_bf16_1x512x1_82c22be5(
    const bf16* __restrict__ x,
    bf16* __restrict__ out,
    const bf16* __restrict__ weight,
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
    unsigned elements[8];  // 1x512 bf16 of the warp
    float term[16];  // 1x512 fp32 of the warp
    unsigned result[8];  // 1x512 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float scale_part[16];  // 1x512 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    unsigned weight_values[8];  // 1x512 bf16 of the warp
    const int at_row = block * 4 + warp;
    const int steps = n / 512;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      #pragma unroll
      for (int r = 0; r < 16; ++r) {
        scale_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *(const uint4*)&x[x_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16));
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
      }
      if (steps * 512 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const uint4 run = *(const uint4*)&x[x_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16));
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(steps * 512 + ((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
      }
      {
        float folded = scale_part[0];
        float folded1 = scale_part[1];
        #pragma unroll
        for (int r = 2; r < 16; r += 2) {
          folded = folded + scale_part[r];
          folded1 = folded1 + scale_part[r + 1];
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
        scale[0] = rsqrtf(((scale_total[0] / count[0]) + 0.00001f));
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *(const uint4*)&x[x_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          { const uint4 run = *(const uint4*)&weight[(i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; weight_values[r / 2] = (run.x); weight_values[r / 2 + 1] = (run.y); weight_values[r / 2 + 2] = (run.z); weight_values[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((from_bf16(part16(elements[r / 2], (r & 1) * 16)) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))), ((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          __stwb((uint4*)&out[out_base + (i64)step * 512 + (r >> 3) * 256 + (r & 7) + lane * 8], make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
      if (steps * 512 < n) {
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const uint4 run = *(const uint4*)&x[x_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) { const uint4 run = *(const uint4*)&weight[(i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8]; weight_values[r / 2] = (run.x); weight_values[r / 2 + 1] = (run.y); weight_values[r / 2 + 2] = (run.z); weight_values[r / 2 + 3] = (run.w); }
          else { weight_values[r / 2] = 0; weight_values[r / 2 + 1] = 0; weight_values[r / 2 + 2] = 0; weight_values[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((from_bf16(part16(elements[r / 2], (r & 1) * 16)) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))), ((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 512 + column < n) __stwb((uint4*)&out[out_base + (i64)steps * 512 + (r >> 3) * 256 + (r & 7) + lane * 8], make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
    }
  }
}
