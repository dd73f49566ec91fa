// tracea: layer norm bf16
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x512x1 s1 w6 rb1 kb512
// schedule       040abfc00fccf36ea72b54471f1f1e78fa09ab01d0dcee2fad7f5ea9fe343403
// certificate    d2ae7f9159a658595abc9c08ef199e62ec605449d2eea91289fe7e5b1a6b7801: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: bf16, read, aligned to 2 bytes
// out: bf16, write, aligned to 2 bytes
// weight: bf16, read, aligned to 2 bytes
// bias: bf16, read, aligned to 2 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 1 to 3072
// x_row: x: next row; -4611686018427387904 to 4611686018427387904
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// found: shared of fp32, statistic 2 = 2*8, warp 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: m blocks of 192 threads, clusters of 1, 64 bytes of shared memory
extern "C" __global__ void __launch_bounds__(192, 6) layer_norm_bf16_1x512x1_0ba286a8(
    const bf16* __restrict__ x,
    bf16* __restrict__ out,
    const bf16* __restrict__ weight,
    const bf16* __restrict__ bias,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const found = (float*)(shared + 0);
  // warp: warp x 6
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned elements[8];  // 1x512 bf16 of the warp
    float term[16];  // 1x512 fp32 of the warp
    unsigned result[8];  // 1x512 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float mean_total[1];  // 1x1 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float mean[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    unsigned weight_values[8];  // 1x512 bf16 of the warp
    unsigned bias_values[8];  // 1x512 bf16 of the warp
    float own[1];  // 1x32 fp32 of the warp
    float across[6];  // 1x6 fp32 of the warp
    const int at_row = block;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      if (n < warp * 512 + 512) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = r * 32 + lane;
          elements[r / 2] = with16(elements[r / 2], (r & 1) * 16, warp * 512 + column < n ? x[x_base + (i64)warp * 512 + r * 32 + lane] : 0);
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          elements[r / 2] = with16(elements[r / 2], (r & 1) * 16, x[x_base + (i64)warp * 512 + r * 32 + lane]);
        }
      }
      if (n < warp * 512 + 512) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_bf16(part16(elements[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(warp * 512 + r * 32 + lane < n)) term[r] = 0.0f;
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = from_bf16(part16(elements[r / 2], (r & 1) * 16));
        }
      }
      {
        float folded = term[0];
        float folded1 = term[1];
        #pragma unroll
        for (int r = 2; r < 16; r += 2) {
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
        own[0] = mean_total[0];
      }
      {
        if (lane < 1) found[warp] = own[0];
      }
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 6; r += 2) {
        const int column = (r >> 1) * 2 + (r & 1);
        { const uint2 run = *(const uint2*)&found[column]; across[r] = __uint_as_float(run.x); across[r + 1] = __uint_as_float(run.y); }
      }
      {
        float folded = across[0];
        float folded1 = across[1];
        #pragma unroll
        for (int r = 2; r < 6; r += 2) {
          folded = folded + across[r];
          folded1 = folded1 + across[r + 1];
        }
        folded = folded + folded1;
        mean_total[0] = folded;
      }
      {
        mean[0] = (mean_total[0] / count[0]);
      }
      if (n < warp * 512 + 512) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(warp * 512 + r * 32 + lane < n)) term[r] = 0.0f;
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const float v0 = from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
      }
      {
        float folded = term[0];
        float folded1 = term[1];
        #pragma unroll
        for (int r = 2; r < 16; r += 2) {
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
        own[0] = scale_total[0];
      }
      {
        if (lane < 1) found[8 + warp] = own[0];
      }
      __syncthreads();
      #pragma unroll
      for (int r = 0; r < 6; r += 2) {
        const int column = (r >> 1) * 2 + (r & 1);
        { const uint2 run = *(const uint2*)&found[8 + column]; across[r] = __uint_as_float(run.x); across[r + 1] = __uint_as_float(run.y); }
      }
      {
        float folded = across[0];
        float folded1 = across[1];
        #pragma unroll
        for (int r = 2; r < 6; r += 2) {
          folded = folded + across[r];
          folded1 = folded1 + across[r + 1];
        }
        folded = folded + folded1;
        scale_total[0] = folded;
      }
      {
        scale[0] = rsqrtf(((scale_total[0] / count[0]) + 0.00001f));
      }
      if (n < warp * 512 + 512) {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = r * 32 + lane;
          weight_values[r / 2] = with16(weight_values[r / 2], (r & 1) * 16, warp * 512 + column < n ? weight[(i64)warp * 512 + r * 32 + lane] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = r * 32 + lane;
          bias_values[r / 2] = with16(bias_values[r / 2], (r & 1) * 16, warp * 512 + column < n ? bias[(i64)warp * 512 + r * 32 + lane] : 0);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          const int column = r * 32 + lane;
          if (warp * 512 + column < n) out[out_base + (i64)warp * 512 + r * 32 + lane] = part16(result[r / 2], (r & 1) * 16);
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          weight_values[r / 2] = with16(weight_values[r / 2], (r & 1) * 16, weight[(i64)warp * 512 + r * 32 + lane]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          bias_values[r / 2] = with16(bias_values[r / 2], (r & 1) * 16, bias[(i64)warp * 512 + r * 32 + lane]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          out[out_base + (i64)warp * 512 + r * 32 + lane] = part16(result[r / 2], (r & 1) * 16);
        }
      }
    }
  }
}
