// tracea: matmul fp32, epilogue bias, residual, relu
// variant        cuda.contraction.few_rows_fp32 for sm_90a
// configuration  4x8x32 s1 w2 va4 vb4 u2
// schedule       18020a27873db6af3774f7fefab672b446fd799e2c3e013b98bf2610b1b01c3c
// certificate    2d0ad4e379ca1d5dc2abbdda305f52146138a74afcd599a9c659766800e3b129: structure, domains, types, layouts, lanes, overlap, banks, budgets, cover, meaning

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

// a: fp32, read, aligned to 16 bytes
// b: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 4 bytes
// bias_0: fp32, read, aligned to 4 bytes
// residual_1: fp32, read, aligned to 4 bytes
// m: rows of the output; 0 to 2147483647
// n: columns of the output; 0 to 2147483647
// k: length of the reduction; 0 to 2147483647 by 4
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 4
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904
// residual_1_row: residual_1: next row; -4611686018427387904 to 4611686018427387904
// found: shared of fp32, row 4 = 4*16, warp 2 = 2*8, column 8 = 8*1, kept for a tile, aligned to 16 bytes
// launch: (m + 3) // 4 * ((n + 7) // 8) blocks of 64 threads, clusters of 1, 256 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64, 1) matmul_fp32_4x8x32_a0ff1d8c(
    const float* __restrict__ a,
    const float* __restrict__ b,
    float* __restrict__ out,
    const float* __restrict__ bias_0,
    const float* __restrict__ residual_1,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row,
    i64 residual_1_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const found = (float*)(shared + 0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 2
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float weights[8];  // 8x32 fp32 of the warp
    float factors[2];  // 8x8 fp32 of the warp
    float row[4];  // 1x32 fp32 of the warp
    float row0_0[1];  // 1x8 fp32 of the warp
    float row0_1[1];  // 1x8 fp32 of the warp
    float row0_2[1];  // 1x8 fp32 of the warp
    float row0_3[1];  // 1x8 fp32 of the warp
    float row1_0[1];  // 1x8 fp32 of the warp
    float row1_1[1];  // 1x8 fp32 of the warp
    float row1_2[1];  // 1x8 fp32 of the warp
    float row1_3[1];  // 1x8 fp32 of the warp
    float row2_0[1];  // 1x8 fp32 of the warp
    float row2_1[1];  // 1x8 fp32 of the warp
    float row2_2[1];  // 1x8 fp32 of the warp
    float row2_3[1];  // 1x8 fp32 of the warp
    float row3_0[1];  // 1x8 fp32 of the warp
    float row3_1[1];  // 1x8 fp32 of the warp
    float row3_2[1];  // 1x8 fp32 of the warp
    float row3_3[1];  // 1x8 fp32 of the warp
    float sums0[2];  // 8x8 fp32 of the warp
    float sums1[2];  // 8x8 fp32 of the warp
    float sums2[2];  // 8x8 fp32 of the warp
    float sums3[2];  // 8x8 fp32 of the warp
    float total[2];  // 8x1 fp32 of the warp
    float own[2];  // 8x8 fp32 of the warp
    float across[1];  // 8x2 fp32 of the warp
    float sum[1];  // 8x1 fp32 of the warp
    float bias_0_held[1];  // 8x4 fp32 of the warp
    float residual_1_held[1];  // 8x4 fp32 of the warp
    float result[1];  // 8x4 fp32 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 3) / 4;
    const int tile_columns = (n + 7) / 8;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 4;
      const int column0 = tile % tile_columns * 8;
      int at_column[2];
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        at_column[r] = min(column0 + r * 4 + (lane >> 3), n - 1);
      }
      const int at_row0 = min(row0, m - 1);
      const int at_row1 = min(row0 + 1, m - 1);
      const int at_row2 = min(row0 + 2, m - 1);
      const int at_row3 = min(row0 + 3, m - 1);
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums1[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums2[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        sums3[r] = 0.0f;
      }
      const int whole_steps = k / 32;
      #pragma unroll 2
      for (int step = warp; step < whole_steps; step += 2) {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          { const uint4 run = *(const uint4*)&b[(i64)step * 32 + (r & 3) + (lane & 7) * 4 + at_column[r >> 2] * b_column]; weights[r] = __uint_as_float(run.x); weights[r + 1] = __uint_as_float(run.y); weights[r + 2] = __uint_as_float(run.z); weights[r + 3] = __uint_as_float(run.w); }
        }
        {
          { const uint4 run = *(const uint4*)&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
        }
        {
          row0_0[0] = row[0];
        }
        {
          row0_1[0] = row[1];
        }
        {
          row0_2[0] = row[2];
        }
        {
          row0_3[0] = row[3];
        }
        {
          { const uint4 run = *(const uint4*)&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
        }
        {
          row1_0[0] = row[0];
        }
        {
          row1_1[0] = row[1];
        }
        {
          row1_2[0] = row[2];
        }
        {
          row1_3[0] = row[3];
        }
        {
          { const uint4 run = *(const uint4*)&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
        }
        {
          row2_0[0] = row[0];
        }
        {
          row2_1[0] = row[1];
        }
        {
          row2_2[0] = row[2];
        }
        {
          row2_3[0] = row[3];
        }
        {
          { const uint4 run = *(const uint4*)&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
        }
        {
          row3_0[0] = row[0];
        }
        {
          row3_1[0] = row[1];
        }
        {
          row3_2[0] = row[2];
        }
        {
          row3_3[0] = row[3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 1];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 2];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      #pragma unroll 1
      for (int step = whole_steps + (warp - whole_steps % 2 + 2) % 2; step < (k + 31) / 32; step += 2) {
        #pragma unroll
        for (int r = 0; r < 8; r += 4) {
          const int column = (r & 3) + (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *(const uint4*)&b[(i64)step * 32 + (r & 3) + (lane & 7) * 4 + at_column[r >> 2] * b_column]; weights[r] = __uint_as_float(run.x); weights[r + 1] = __uint_as_float(run.y); weights[r + 2] = __uint_as_float(run.z); weights[r + 3] = __uint_as_float(run.w); }
          else { weights[r] = 0.0f; weights[r + 1] = 0.0f; weights[r + 2] = 0.0f; weights[r + 3] = 0.0f; }
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *(const uint4*)&a[at_row0 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row0_0[0] = row[0];
        }
        {
          row0_1[0] = row[1];
        }
        {
          row0_2[0] = row[2];
        }
        {
          row0_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *(const uint4*)&a[at_row1 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row1_0[0] = row[0];
        }
        {
          row1_1[0] = row[1];
        }
        {
          row1_2[0] = row[2];
        }
        {
          row1_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *(const uint4*)&a[at_row2 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row2_0[0] = row[0];
        }
        {
          row2_1[0] = row[1];
        }
        {
          row2_2[0] = row[2];
        }
        {
          row2_3[0] = row[3];
        }
        {
          const int column = (lane & 7) * 4;
          if (step * 32 + column < k) { const uint4 run = *(const uint4*)&a[at_row3 * a_row + (i64)step * 32 + (lane & 7) * 4]; row[0] = __uint_as_float(run.x); row[0 + 1] = __uint_as_float(run.y); row[0 + 2] = __uint_as_float(run.z); row[0 + 3] = __uint_as_float(run.w); }
          else { row[0] = 0.0f; row[1] = 0.0f; row[2] = 0.0f; row[3] = 0.0f; }
        }
        {
          row3_0[0] = row[0];
        }
        {
          row3_1[0] = row[1];
        }
        {
          row3_2[0] = row[2];
        }
        {
          row3_3[0] = row[3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_0[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 1];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_1[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 2];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_2[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          factors[r] = weights[r * 4 + 3];
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums0[r] = (sums0[r] + (factors[r] * row0_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums1[r] = (sums1[r] + (factors[r] * row1_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums2[r] = (sums2[r] + (factors[r] * row2_3[0]));
        }
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          sums3[r] = (sums3[r] + (factors[r] * row3_3[0]));
        }
      }
      {
        float folded = sums0[0];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums0[1];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[warp * 8 + row] = own[r];
      }
      {
        float folded = sums1[0];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums1[1];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[16 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums2[0];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums2[1];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[32 + warp * 8 + row] = own[r];
      }
      {
        float folded = sums3[0];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[0] = folded;
      }
      {
        float folded = sums3[1];
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
        folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
        total[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        own[r] = total[r];
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = r * 4 + (lane >> 3);
        const int column = lane & 7;
        if (column < 1) found[48 + warp * 8 + row] = own[r];
      }
      __syncthreads();
      #pragma unroll 1
      for (int turn = 0; turn < 2; ++turn) {
        if (turn * 2 + warp < min(m - row0, 4)) {
          {
            const int row = lane & 7;
            const int column = lane >> 3 & 1;
            across[0] = found[(turn * 2 + warp) * 16 + column * 8 + row];
          }
          {
            float folded = across[0];
            folded = folded + __shfl_xor_sync(0xffffffffu, folded, 8);
            sum[0] = folded;
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            bias_0_held[0] = turn * 2 + warp < min(m - row0, 4) && column0 + row < n && column < 1 ? bias_0[column0 + row] : 0.0f;
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            residual_1_held[0] = turn * 2 + warp < min(m - row0, 4) && column0 + row < n && column < 1 ? residual_1[(row0 + (i64)turn * 2 + warp) * residual_1_row + column0 + row] : 0.0f;
          }
          {
            result[0] = maximum(((sum[0] + bias_0_held[0]) + residual_1_held[0]), 0.0f);
          }
          {
            const int row = lane & 7;
            const int column = lane >> 3;
            if (column0 + row < n && column < 1) out[(row0 + (i64)turn * 2 + warp) * out_row + column0 + row] = result[0];
          }
        }
      }
      __syncthreads();
    }
  }
}
