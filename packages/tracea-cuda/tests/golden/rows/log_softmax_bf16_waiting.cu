// tracea: log softmax bf16
// variant        cuda.rowwise.warp_fp32 for sm_90a
// configuration  1x1024x1 s1 w8 va8 rb1 kb57344
// schedule       994e1e2d789c3643b42b543a726ddf7a586c8877952154467829f6975a17d2c8
// certificate    cb9ed9e538e01bab478444d5f501246dc3516b4b0a6ba428ecef8d89674eee48: structure, domains, types, layouts, lanes, banks, budgets, meaning

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
// m: rows, all leading axes together; 0 to 2147483647
// n: columns: the length of a row; 8 to 57344 by 8
// x_row: x: next row; -4611686018427387904 to 4611686018427387904 by 8
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// waiting: shared of bf16, column 8192 = 8192*1, 7 slots, kept for a tile, aligned to 16 bytes
// found: shared of fp32, statistic 2 = 2*8, warp 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: m blocks of 256 threads, clusters of 1, 114752 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 2) log_softmax_bf16_1x1024x1_8c29c8a7(
    const bf16* __restrict__ x,
    bf16* __restrict__ out,
    int m,
    int n,
    i64 x_row,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  bf16* const waiting = (bf16*)(shared + 0);
  float* const found = (float*)(shared + 114688);
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned elements[16];  // 1x1024 bf16 of the warp
    float term[32];  // 1x1024 fp32 of the warp
    unsigned result[16];  // 1x1024 bf16 of the warp
    float count[1];  // 1x1 fp32 of the warp
    float top_part[32];  // 1x1024 fp32 of the warp
    float log_sum_part[32];  // 1x1024 fp32 of the warp
    float top_total[1];  // 1x1 fp32 of the warp
    float log_sum_total[1];  // 1x1 fp32 of the warp
    float top[1];  // 1x1 fp32 of the warp
    float log_sum[1];  // 1x1 fp32 of the warp
    float own[1];  // 1x32 fp32 of the warp
    float across[4];  // 1x8 fp32 of the warp
    const int at_row = block;
    const int steps = n / 8192;
    if (at_row < m) {
      const i64 x_base = at_row * x_row;
      const i64 out_base = at_row * out_row;
      {
        count[0] = (float)n;
      }
      #pragma unroll
      for (int r = 0; r < 32; ++r) {
        top_part[r] = -3.4028235e+38f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          { const uint4 run = *(const uint4*)&x[x_base + (i64)step * 8192 + (i64)warp * 1024 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          *(uint4*)&waiting[step * 8192 + warp * 1024 + column] = make_uint4((elements[r / 2]), (elements[r / 2 + 1]), (elements[r / 2 + 2]), (elements[r / 2 + 3]));
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          top_part[r] = maximum(top_part[r], from_bf16(part16(elements[r / 2], (r & 1) * 16)));
        }
      }
      if (steps * 8192 < n) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 8192 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&x[x_base + (i64)steps * 8192 + (i64)warp * 1024 + (r >> 3) * 256 + (r & 7) + lane * 8]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 8192 + warp * 1024 + column < n) *(uint4*)&waiting[steps * 8192 + warp * 1024 + column] = make_uint4((elements[r / 2]), (elements[r / 2 + 1]), (elements[r / 2 + 2]), (elements[r / 2 + 3]));
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = from_bf16(part16(elements[r / 2], (r & 1) * 16));
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          if (!(steps * 8192 + warp * 1024 + ((r >> 3) * 32 + lane) * 8 < n)) term[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          top_part[r] = maximum(top_part[r], term[r]);
        }
      }
      {
        float folded = top_part[0];
        float folded1 = top_part[1];
        #pragma unroll
        for (int r = 2; r < 32; r += 2) {
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
      for (int r = 0; r < 32; ++r) {
        log_sum_part[r] = 0.0f;
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          { const uint4 run = *(const uint4*)&waiting[step * 8192 + warp * 1024 + column]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          log_sum_part[r] = (log_sum_part[r] + expf((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - top[0])));
        }
      }
      if (steps * 8192 < n) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 8192 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&waiting[steps * 8192 + warp * 1024 + column]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          term[r] = expf((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - top[0]));
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          if (!(steps * 8192 + warp * 1024 + ((r >> 3) * 32 + lane) * 8 < n)) term[r] = 0.0f;
        }
        #pragma unroll
        for (int r = 0; r < 32; ++r) {
          log_sum_part[r] = (log_sum_part[r] + term[r]);
        }
      }
      {
        float folded = log_sum_part[0];
        float folded1 = log_sum_part[1];
        #pragma unroll
        for (int r = 2; r < 32; r += 2) {
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
        own[0] = log_sum_total[0];
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
        log_sum_total[0] = folded;
      }
      {
        log_sum[0] = logf(log_sum_total[0]);
      }
      #pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          { const uint4 run = *(const uint4*)&waiting[step * 8192 + warp * 1024 + column]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result[r / 2] = pair_bf16(((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - top[0]) - log_sum[0]), ((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - top[0]) - log_sum[0]));
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          __stwb((uint4*)&out[out_base + (i64)step * 8192 + (i64)warp * 1024 + (r >> 3) * 256 + (r & 7) + lane * 8], make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
      if (steps * 8192 < n) {
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 8192 + warp * 1024 + column < n) { const uint4 run = *(const uint4*)&waiting[steps * 8192 + warp * 1024 + column]; elements[r / 2] = (run.x); elements[r / 2 + 1] = (run.y); elements[r / 2 + 2] = (run.z); elements[r / 2 + 3] = (run.w); }
          else { elements[r / 2] = 0; elements[r / 2 + 1] = 0; elements[r / 2 + 2] = 0; elements[r / 2 + 3] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 2) {
          result[r / 2] = pair_bf16(((from_bf16(part16(elements[r / 2], (r & 1) * 16)) - top[0]) - log_sum[0]), ((from_bf16(part16(elements[(r + 1) / 2], (r + 1 & 1) * 16)) - top[0]) - log_sum[0]));
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int column = (r >> 3) * 256 + (r & 7) + lane * 8;
          if (steps * 8192 + warp * 1024 + column < n) __stwb((uint4*)&out[out_base + (i64)steps * 8192 + (i64)warp * 1024 + (r >> 3) * 256 + (r & 7) + lane * 8], make_uint4((result[r / 2]), (result[r / 2 + 1]), (result[r / 2 + 2]), (result[r / 2 + 3])));
        }
      }
    }
  }
}
