// tracea: layer norm bf16
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x1024x1 s1 w16 va8 u4 rb1 kb1024
// schedule       1a579fa89e6d471b7c494a24c67c58d2408b056ee0102e4262587f8c425e544f
// certificate    0b3e0bf1c8038e7c3c3817b130aa5f70c6eb3581380e6e032764f20b4adfd90b: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
// bias: bf16, read, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 16384 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// found: shared of fp32, statistic 2 = 2*16, warp 16 = 16*1, kept for a tile, aligned to 16 bytes
// launch: m blocks of 512 threads, clusters of 1, 128 bytes of shared memory
extern "C" __global__ void __launch_bounds__(512, 2) layer_norm_bf16_1x1024x1_0ba286a8(
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
  // warp: warp x 16
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned elements0[4];  // 1x256 bf16 of the warp
    unsigned elements1[4];  // 1x256 bf16 of the warp
    unsigned elements2[4];  // 1x256 bf16 of the warp
    unsigned elements3[4];  // 1x256 bf16 of the warp
    float term[8];  // 1x256 fp32 of the warp
    unsigned result[4];  // 1x256 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float mean_part[8];  // 1x256 fp32 of the warp
    float scale_part[8];  // 1x256 fp32 of the warp
    float mean_total[1];  // 1x1 fp32 of the warp
    float scale_total[1];  // 1x1 fp32 of the warp
    float mean[1];  // 1x1 fp32 of the warp
    float scale[1];  // 1x1 fp32 of the warp
    unsigned weight_values[4];  // 1x256 bf16 of the warp
    unsigned bias_values[4];  // 1x256 bf16 of the warp
    float own[1];  // 1x32 fp32 of the warp
    float across[4];  // 1x16 fp32 of the warp
    const int at_row = block;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      if (n < 16384) {
        {
          const int column = lane * 8;
          if (warp * 1024 + column < n) { const uint4 run = *(const uint4*)&x[x_base + (i64)warp * 1024 + lane * 8]; elements0[0] = (run.x); elements0[0 + 1] = (run.y); elements0[0 + 2] = (run.z); elements0[0 + 3] = (run.w); }
          else { elements0[0] = 0; elements0[1] = 0; elements0[2] = 0; elements0[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (256 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&x[x_base + 256 + (i64)warp * 1024 + lane * 8]; elements1[0] = (run.x); elements1[0 + 1] = (run.y); elements1[0 + 2] = (run.z); elements1[0 + 3] = (run.w); }
          else { elements1[0] = 0; elements1[1] = 0; elements1[2] = 0; elements1[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (512 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&x[x_base + 512 + (i64)warp * 1024 + lane * 8]; elements2[0] = (run.x); elements2[0 + 1] = (run.y); elements2[0 + 2] = (run.z); elements2[0 + 3] = (run.w); }
          else { elements2[0] = 0; elements2[1] = 0; elements2[2] = 0; elements2[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (768 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&x[x_base + 768 + (i64)warp * 1024 + lane * 8]; elements3[0] = (run.x); elements3[0 + 1] = (run.y); elements3[0 + 2] = (run.z); elements3[0 + 3] = (run.w); }
          else { elements3[0] = 0; elements3[1] = 0; elements3[2] = 0; elements3[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = from_bf16(part16(elements0[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = from_bf16(part16(elements1[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(256 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = from_bf16(part16(elements2[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(512 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          term[r] = from_bf16(part16(elements3[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(768 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + term[r]);
        }
        {
          float folded = mean_part[0];
          float folded1 = mean_part[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = folded + mean_part[r];
            folded1 = folded1 + mean_part[r + 1];
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
        {
          const int column = (lane & 3) * 4;
          { const uint4 run = *(const uint4*)&found[column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = folded + across[r];
            folded1 = folded1 + across[r + 1];
          }
          folded = folded + folded1;
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          mean_total[0] = folded;
        }
        {
          mean[0] = (mean_total[0] / count[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements0[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements1[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(256 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements2[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(512 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements3[r / 2], (r & 1) * 16)) - mean[0];
          term[r] = (v0 * v0);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(768 + warp * 1024 + lane * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = (scale_part[r] + term[r]);
        }
        {
          float folded = scale_part[0];
          float folded1 = scale_part[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
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
          own[0] = scale_total[0];
        }
        {
          if (lane < 1) found[16 + warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 3) * 4;
          { const uint4 run = *(const uint4*)&found[16 + column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = folded + across[r];
            folded1 = folded1 + across[r + 1];
          }
          folded = folded + folded1;
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          scale_total[0] = folded;
        }
        {
          scale[0] = rsqrtf(((scale_total[0] / count[0]) + 0.00001f));
        }
        {
          const int column = lane * 8;
          if (warp * 1024 + column < n) { const uint4 run = *(const uint4*)&weight[(i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
          else { weight_values[0] = 0; weight_values[1] = 0; weight_values[2] = 0; weight_values[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (warp * 1024 + column < n) { const uint4 run = *(const uint4*)&bias[(i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
          else { bias_values[0] = 0; bias_values[1] = 0; bias_values[2] = 0; bias_values[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements0[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements0[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          const int column = lane * 8;
          if (warp * 1024 + column < n) __stwb((uint4*)&out[out_base + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          const int column = lane * 8;
          if (256 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&weight[256 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
          else { weight_values[0] = 0; weight_values[1] = 0; weight_values[2] = 0; weight_values[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (256 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&bias[256 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
          else { bias_values[0] = 0; bias_values[1] = 0; bias_values[2] = 0; bias_values[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements1[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements1[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          const int column = lane * 8;
          if (256 + warp * 1024 + column < n) __stwb((uint4*)&out[out_base + 256 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          const int column = lane * 8;
          if (512 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&weight[512 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
          else { weight_values[0] = 0; weight_values[1] = 0; weight_values[2] = 0; weight_values[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (512 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&bias[512 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
          else { bias_values[0] = 0; bias_values[1] = 0; bias_values[2] = 0; bias_values[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements2[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements2[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          const int column = lane * 8;
          if (512 + warp * 1024 + column < n) __stwb((uint4*)&out[out_base + 512 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          const int column = lane * 8;
          if (768 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&weight[768 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
          else { weight_values[0] = 0; weight_values[1] = 0; weight_values[2] = 0; weight_values[3] = 0; }
        }
        {
          const int column = lane * 8;
          if (768 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&bias[768 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
          else { bias_values[0] = 0; bias_values[1] = 0; bias_values[2] = 0; bias_values[3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements3[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements3[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          const int column = lane * 8;
          if (768 + warp * 1024 + column < n) __stwb((uint4*)&out[out_base + 768 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
      }
      else {
        {
          { const uint4 run = *(const uint4*)&x[x_base + (i64)warp * 1024 + lane * 8]; elements0[0] = (run.x); elements0[0 + 1] = (run.y); elements0[0 + 2] = (run.z); elements0[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&x[x_base + 256 + (i64)warp * 1024 + lane * 8]; elements1[0] = (run.x); elements1[0 + 1] = (run.y); elements1[0 + 2] = (run.z); elements1[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&x[x_base + 512 + (i64)warp * 1024 + lane * 8]; elements2[0] = (run.x); elements2[0 + 1] = (run.y); elements2[0 + 2] = (run.z); elements2[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&x[x_base + 768 + (i64)warp * 1024 + lane * 8]; elements3[0] = (run.x); elements3[0 + 1] = (run.y); elements3[0 + 2] = (run.z); elements3[0 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements0[r / 2], (r & 1) * 16)));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements1[r / 2], (r & 1) * 16)));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements2[r / 2], (r & 1) * 16)));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          mean_part[r] = (mean_part[r] + from_bf16(part16(elements3[r / 2], (r & 1) * 16)));
        }
        {
          float folded = mean_part[0];
          float folded1 = mean_part[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
            folded = folded + mean_part[r];
            folded1 = folded1 + mean_part[r + 1];
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
        {
          const int column = (lane & 3) * 4;
          { const uint4 run = *(const uint4*)&found[column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = folded + across[r];
            folded1 = folded1 + across[r + 1];
          }
          folded = folded + folded1;
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          mean_total[0] = folded;
        }
        {
          mean[0] = (mean_total[0] / count[0]);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          scale_part[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements0[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements1[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements2[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          const float v0 = from_bf16(part16(elements3[r / 2], (r & 1) * 16)) - mean[0];
          scale_part[r] = (scale_part[r] + (v0 * v0));
        }
        {
          float folded = scale_part[0];
          float folded1 = scale_part[1];
          #pragma unroll
          for (int r = 2; r < 8; r += 2) {
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
          own[0] = scale_total[0];
        }
        {
          if (lane < 1) found[16 + warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 3) * 4;
          { const uint4 run = *(const uint4*)&found[16 + column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = folded + across[r];
            folded1 = folded1 + across[r + 1];
          }
          folded = folded + folded1;
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          scale_total[0] = folded;
        }
        {
          scale[0] = rsqrtf(((scale_total[0] / count[0]) + 0.00001f));
        }
        {
          { const uint4 run = *(const uint4*)&weight[(i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&bias[(i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements0[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements0[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          __stwb((uint4*)&out[out_base + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          { const uint4 run = *(const uint4*)&weight[256 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&bias[256 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements1[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements1[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          __stwb((uint4*)&out[out_base + 256 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          { const uint4 run = *(const uint4*)&weight[512 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&bias[512 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements2[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements2[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          __stwb((uint4*)&out[out_base + 512 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
        {
          { const uint4 run = *(const uint4*)&weight[768 + (i64)warp * 1024 + lane * 8]; weight_values[0] = (run.x); weight_values[0 + 1] = (run.y); weight_values[0 + 2] = (run.z); weight_values[0 + 3] = (run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&bias[768 + (i64)warp * 1024 + lane * 8]; bias_values[0] = (run.x); bias_values[0 + 1] = (run.y); bias_values[0 + 2] = (run.z); bias_values[0 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 8; r += 2) {
          result[r / 2] = pair_bf16(((((from_bf16(part16(elements3[r / 2], (r & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[r / 2], (r & 1) * 16))) + from_bf16(part16(bias_values[r / 2], (r & 1) * 16))), ((((from_bf16(part16(elements3[(r + 1) / 2], (r + 1 & 1) * 16)) - mean[0]) * scale[0]) * from_bf16(part16(weight_values[(r + 1) / 2], (r + 1 & 1) * 16))) + from_bf16(part16(bias_values[(r + 1) / 2], (r + 1 & 1) * 16))));
        }
        {
          __stwb((uint4*)&out[out_base + 768 + (i64)warp * 1024 + lane * 8], make_uint4((result[0]), (result[0 + 1]), (result[0 + 2]), (result[0 + 3])));
        }
      }
    }
  }
}
