// tracea: softmax fp32
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x512x1 s1 w8 va4 rb1 kb512
// schedule       298c855ca6d6a80c366d030146baa77eed7949ddb357cb2a5df89135280d6d31
// certificate    4ef0f92b5a90ac367f5eaad9e50c28548de02853ed994fe6b423ac649b9550e4: structure, domains, types, layouts, lanes, banks, budgets, meaning

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

// x: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 4 to 4096 by 4
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// found: shared of fp32, statistic 2 = 2*8, warp 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: m blocks of 256 threads, clusters of 1, 64 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 5) softmax_fp32_1x512x1_69c46208(
    const float* __restrict__ x,
    float* __restrict__ out,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const found = (float*)(shared + 0);
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float elements[16];  // 1x512 fp32 of the warp
    float term[16];  // 1x512 fp32 of the warp
    float result[16];  // 1x512 fp32 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float top_total[1];  // 1x1 fp32 of the warp
    float share_total[1];  // 1x1 fp32 of the warp
    float top[1];  // 1x1 fp32 of the warp
    float share[1];  // 1x1 fp32 of the warp
    float own[1];  // 1x32 fp32 of the warp
    float across[4];  // 1x8 fp32 of the warp
    const int at_row = block;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      if (n < 4096) {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) * 128 + (r & 3) + lane * 4;
          if (warp * 512 + column < n) { const uint4 run = *(const uint4*)&x[x_base + (i64)warp * 512 + (r >> 2) * 128 + (r & 3) + lane * 4]; elements[r] = __uint_as_float(run.x); elements[r + 1] = __uint_as_float(run.y); elements[r + 2] = __uint_as_float(run.z); elements[r + 3] = __uint_as_float(run.w); }
          else { elements[r] = 0.0f; elements[r + 1] = 0.0f; elements[r + 2] = 0.0f; elements[r + 3] = 0.0f; }
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        term[8] = elements[8];
        term[9] = elements[9];
        term[10] = elements[10];
        term[11] = elements[11];
        term[12] = elements[12];
        term[13] = elements[13];
        term[14] = elements[14];
        term[15] = elements[15];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(warp * 512 + ((r >> 2) * 32 + lane) * 4 < n)) term[r] = -3.4028235e+38f;
        }
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 16));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 8));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 4));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
          top_total[0] = folded;
        }
        {
          own[0] = top_total[0];
        }
        {
          if (lane < 1) found[warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&found[column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = maximum(folded, across[r]);
            folded1 = maximum(folded1, across[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = expf((elements[r] - top[0]));
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          if (!(warp * 512 + ((r >> 2) * 32 + lane) * 4 < n)) term[r] = 0.0f;
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
          share_total[0] = folded;
        }
        {
          own[0] = share_total[0];
        }
        {
          if (lane < 1) found[8 + warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&found[8 + column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
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
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          const int column = (r >> 2) * 128 + (r & 3) + lane * 4;
          if (warp * 512 + column < n) __stwb((uint4*)&out[out_base + (i64)warp * 512 + (r >> 2) * 128 + (r & 3) + lane * 4], make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3])));
        }
      }
      else {
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          { const uint4 run = *(const uint4*)&x[x_base + (i64)warp * 512 + (r >> 2) * 128 + (r & 3) + lane * 4]; elements[r] = __uint_as_float(run.x); elements[r + 1] = __uint_as_float(run.y); elements[r + 2] = __uint_as_float(run.z); elements[r + 3] = __uint_as_float(run.w); }
        }
        term[0] = elements[0];
        term[1] = elements[1];
        term[2] = elements[2];
        term[3] = elements[3];
        term[4] = elements[4];
        term[5] = elements[5];
        term[6] = elements[6];
        term[7] = elements[7];
        term[8] = elements[8];
        term[9] = elements[9];
        term[10] = elements[10];
        term[11] = elements[11];
        term[12] = elements[12];
        term[13] = elements[13];
        term[14] = elements[14];
        term[15] = elements[15];
        {
          float folded = term[0];
          float folded1 = term[1];
          #pragma unroll
          for (int r = 2; r < 16; r += 2) {
            folded = maximum(folded, term[r]);
            folded1 = maximum(folded1, term[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 16));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 8));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 4));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
          top_total[0] = folded;
        }
        {
          own[0] = top_total[0];
        }
        {
          if (lane < 1) found[warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&found[column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
        }
        {
          float folded = across[0];
          float folded1 = across[1];
          #pragma unroll
          for (int r = 2; r < 4; r += 2) {
            folded = maximum(folded, across[r]);
            folded1 = maximum(folded1, across[r + 1]);
          }
          folded = maximum(folded, folded1);
          folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
          top_total[0] = folded;
        }
        top[0] = top_total[0];
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          term[r] = expf((elements[r] - top[0]));
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
          share_total[0] = folded;
        }
        {
          own[0] = share_total[0];
        }
        {
          if (lane < 1) found[8 + warp] = own[0];
        }
        __syncthreads();
        {
          const int column = (lane & 1) * 4;
          { const uint4 run = *(const uint4*)&found[8 + column]; across[0] = __uint_as_float(run.x); across[0 + 1] = __uint_as_float(run.y); across[0 + 2] = __uint_as_float(run.z); across[0 + 3] = __uint_as_float(run.w); }
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
          folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
          share_total[0] = folded;
        }
        {
          share[0] = (1.0f / share_total[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; ++r) {
          result[r] = (term[r] * share[0]);
        }
        #pragma unroll
        for (int r = 0; r < 16; r += 4) {
          __stwb((uint4*)&out[out_base + (i64)warp * 512 + (r >> 2) * 128 + (r & 3) + lane * 4], make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3])));
        }
      }
    }
  }
}
