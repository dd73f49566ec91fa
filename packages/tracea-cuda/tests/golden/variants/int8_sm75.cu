// tracea: matmul int8 -> int32
// variant        cuda.contraction.mma_k16_int8 for sm_75
// configuration  128x64x64 s2 xor4 va16 vb16 vc16 u2
// schedule       d300d9de24db0e7729dd08458e206b25e71dd67a25653c8f30020c82614e0150
// certificate    26e81bcbe06fba4c8dae755a86eb513c288dfc938e258874dbf7935b414b6c26: structure, domains, types, layouts, lanes, banks, budgets, cover, meaning

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
INLINE void mma_m8n8k16_int8(int (&c)[2], const unsigned (&a)[1], const unsigned (&b)[1]) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+r"(c[0]), "+r"(c[1])
      : "r"((a[0])), "r"((b[0])));
}
#endif

// a: int8, read, aligned to 16 bytes
// b: int8, read, aligned to 16 bytes
// out: int32, write, aligned to 16 bytes
// m: rows of the output; 0 to 2147479552
// n: columns of the output; 0 to 2147479552 by 2
// k: length of the reduction; 0 to 2147479552 by 16
// a_row: a: next row; -4611686018427387904 to 4611686018427387904 by 16
// b_column: b: next column; -4611686018427387904 to 4611686018427387904 by 16
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// a_tile: shared of int8, outer 128 = 16*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// b_tile: shared of int8, outer 64 = 8*512 + 3 bits, k 64 = 6 bits, atom 2^9 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * ((n + 63) // 64) blocks of 128 threads, clusters of 1, 24576 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) matmul_int8_int32_128x64x64_197351c6(
    const int8* __restrict__ a,
    const int8* __restrict__ b,
    int* __restrict__ out,
    int m,
    int n,
    int k,
    i64 a_row,
    i64 b_column,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  int8* const a_tile = (int8*)(shared + 0);
  int8* const b_tile = (int8*)(shared + 16384);
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    int acc0_0[2];  // 8x8 int32 of the warp
    int acc0_1[2];  // 8x8 int32 of the warp
    int acc0_2[2];  // 8x8 int32 of the warp
    int acc0_3[2];  // 8x8 int32 of the warp
    int acc1_0[2];  // 8x8 int32 of the warp
    int acc1_1[2];  // 8x8 int32 of the warp
    int acc1_2[2];  // 8x8 int32 of the warp
    int acc1_3[2];  // 8x8 int32 of the warp
    int acc2_0[2];  // 8x8 int32 of the warp
    int acc2_1[2];  // 8x8 int32 of the warp
    int acc2_2[2];  // 8x8 int32 of the warp
    int acc2_3[2];  // 8x8 int32 of the warp
    int acc3_0[2];  // 8x8 int32 of the warp
    int acc3_1[2];  // 8x8 int32 of the warp
    int acc3_2[2];  // 8x8 int32 of the warp
    int acc3_3[2];  // 8x8 int32 of the warp
    int acc4_0[2];  // 8x8 int32 of the warp
    int acc4_1[2];  // 8x8 int32 of the warp
    int acc4_2[2];  // 8x8 int32 of the warp
    int acc4_3[2];  // 8x8 int32 of the warp
    int acc5_0[2];  // 8x8 int32 of the warp
    int acc5_1[2];  // 8x8 int32 of the warp
    int acc5_2[2];  // 8x8 int32 of the warp
    int acc5_3[2];  // 8x8 int32 of the warp
    int acc6_0[2];  // 8x8 int32 of the warp
    int acc6_1[2];  // 8x8 int32 of the warp
    int acc6_2[2];  // 8x8 int32 of the warp
    int acc6_3[2];  // 8x8 int32 of the warp
    int acc7_0[2];  // 8x8 int32 of the warp
    int acc7_1[2];  // 8x8 int32 of the warp
    int acc7_2[2];  // 8x8 int32 of the warp
    int acc7_3[2];  // 8x8 int32 of the warp
    unsigned a0[1];  // 8x16 int8 of the warp
    unsigned a1[1];  // 8x16 int8 of the warp
    unsigned a2[1];  // 8x16 int8 of the warp
    unsigned a3[1];  // 8x16 int8 of the warp
    unsigned a4[1];  // 8x16 int8 of the warp
    unsigned a5[1];  // 8x16 int8 of the warp
    unsigned a6[1];  // 8x16 int8 of the warp
    unsigned a7[1];  // 8x16 int8 of the warp
    unsigned b0[1];  // 16x8 int8 of the warp
    unsigned b1[1];  // 16x8 int8 of the warp
    unsigned b2[1];  // 16x8 int8 of the warp
    unsigned b3[1];  // 16x8 int8 of the warp
    unsigned a_tile_fetched0[4];  // 8x64 int8 of the warp
    unsigned a_tile_fetched1[4];  // 8x64 int8 of the warp
    unsigned a_tile_fetched2[4];  // 8x64 int8 of the warp
    unsigned a_tile_fetched3[4];  // 8x64 int8 of the warp
    unsigned b_tile_fetched0[4];  // 8x64 int8 of the warp
    unsigned b_tile_fetched1[4];  // 8x64 int8 of the warp
    int result[2];  // 8x8 int32 of the warp
    int sums0[4];  // 8x16 int32 of the warp
    int result_wide[4];  // 8x16 int32 of the warp
    int result_run[4];  // 8x16 int32 of the warp
    const int depth = k;
    const int k_steps = (depth + 63) / 64;
    const int whole_steps = depth / 64;
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 127) / 128;
    const int tile_columns = (n + 63) / 64;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 128;
      const int column0 = tile % tile_columns * 64;
      const int warp_row = row0 + warp / 2 * 64;
      const int warp_column = column0 + warp % 2 * 32;
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc0_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc1_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc2_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc3_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc4_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc4_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc4_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc4_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc5_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc5_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc5_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc5_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc6_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc6_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc6_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc6_3[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc7_0[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc7_1[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc7_2[r] = 0;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        acc7_3[r] = 0;
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched0[0] = (run.x); a_tile_fetched0[0 + 1] = (run.y); a_tile_fetched0[0 + 2] = (run.z); a_tile_fetched0[0 + 3] = (run.w); }
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched1[0] = (run.x); a_tile_fetched1[0 + 1] = (run.y); a_tile_fetched1[0 + 2] = (run.z); a_tile_fetched1[0 + 3] = (run.w); }
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 8 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched2[0] = (run.x); a_tile_fetched2[0 + 1] = (run.y); a_tile_fetched2[0 + 2] = (run.z); a_tile_fetched2[0 + 3] = (run.w); }
        else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 12) * 8 + row, (i64)(m - 1)) * a_row + column]; a_tile_fetched3[0] = (run.x); a_tile_fetched3[0 + 1] = (run.y); a_tile_fetched3[0 + 2] = (run.z); a_tile_fetched3[0 + 3] = (run.w); }
        else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&b[column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run.x); b_tile_fetched0[0 + 1] = (run.y); b_tile_fetched0[0 + 2] = (run.z); b_tile_fetched0[0 + 3] = (run.w); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (column < depth) { const uint4 run = *(const uint4*)&b[column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run.x); b_tile_fetched1[0 + 1] = (run.y); b_tile_fetched1[0 + 2] = (run.z); b_tile_fetched1[0 + 3] = (run.w); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      __syncthreads();
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&a_tile[warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&a_tile[(warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&a_tile[(warp + 8) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&a_tile[(warp + 12) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&b_tile[warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        *(uint4*)&b_tile[(warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3]));
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + 64 + column]; a_tile_fetched0[0] = (run.x); a_tile_fetched0[0 + 1] = (run.y); a_tile_fetched0[0 + 2] = (run.z); a_tile_fetched0[0 + 3] = (run.w); }
        else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + 64 + column]; a_tile_fetched1[0] = (run.x); a_tile_fetched1[0 + 1] = (run.y); a_tile_fetched1[0 + 2] = (run.z); a_tile_fetched1[0 + 3] = (run.w); }
        else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 8 + row, (i64)(m - 1)) * a_row + 64 + column]; a_tile_fetched2[0] = (run.x); a_tile_fetched2[0 + 1] = (run.y); a_tile_fetched2[0 + 2] = (run.z); a_tile_fetched2[0 + 3] = (run.w); }
        else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 12) * 8 + row, (i64)(m - 1)) * a_row + 64 + column]; a_tile_fetched3[0] = (run.x); a_tile_fetched3[0 + 1] = (run.y); a_tile_fetched3[0 + 2] = (run.z); a_tile_fetched3[0 + 3] = (run.w); }
        else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&b[64 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run.x); b_tile_fetched0[0 + 1] = (run.y); b_tile_fetched0[0 + 2] = (run.z); b_tile_fetched0[0 + 3] = (run.w); }
        else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
      }
      {
        const int row = lane >> 2;
        const int column = (lane & 3) * 16;
        if (64 + column < depth) { const uint4 run = *(const uint4*)&b[64 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run.x); b_tile_fetched1[0 + 1] = (run.y); b_tile_fetched1[0 + 2] = (run.z); b_tile_fetched1[0 + 3] = (run.w); }
        else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
      }
      #pragma unroll 1
      for (int k_step = 0; k_step < whole_steps - 2; ++k_step) {
        __syncthreads();
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 8) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 12) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&b_tile[(k_step + 1) % 2 * 4096 + warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&b_tile[(k_step + 1) % 2 * 4096 + (warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched0[0] = (run.x); a_tile_fetched0[0 + 1] = (run.y); a_tile_fetched0[0 + 2] = (run.z); a_tile_fetched0[0 + 3] = (run.w); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched1[0] = (run.x); a_tile_fetched1[0 + 1] = (run.y); a_tile_fetched1[0 + 2] = (run.z); a_tile_fetched1[0 + 3] = (run.w); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched2[0] = (run.x); a_tile_fetched2[0 + 1] = (run.y); a_tile_fetched2[0 + 2] = (run.z); a_tile_fetched2[0 + 3] = (run.w); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 12) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched3[0] = (run.x); a_tile_fetched3[0 + 1] = (run.y); a_tile_fetched3[0 + 2] = (run.z); a_tile_fetched3[0 + 3] = (run.w); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run.x); b_tile_fetched0[0 + 1] = (run.y); b_tile_fetched0[0 + 2] = (run.z); b_tile_fetched0[0 + 3] = (run.w); }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run.x); b_tile_fetched1[0 + 1] = (run.y); b_tile_fetched1[0 + 2] = (run.z); b_tile_fetched1[0 + 3] = (run.w); }
        }
        #pragma unroll 4
        for (int k_inner = 0; k_inner < 64; k_inner += 16) {
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a0[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + warp / 2 * 4096 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a1[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 1) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a2[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 2) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a3[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 3) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a4[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a5[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 5) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a6[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 6) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a7[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 7) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b0[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + warp % 2 * 2048 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b1[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 1) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b2[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 2) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b3[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 3) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          mma_m8n8k16_int8(acc0_0, a0, b0);
          mma_m8n8k16_int8(acc0_1, a0, b1);
          mma_m8n8k16_int8(acc0_2, a0, b2);
          mma_m8n8k16_int8(acc0_3, a0, b3);
          mma_m8n8k16_int8(acc1_0, a1, b0);
          mma_m8n8k16_int8(acc1_1, a1, b1);
          mma_m8n8k16_int8(acc1_2, a1, b2);
          mma_m8n8k16_int8(acc1_3, a1, b3);
          mma_m8n8k16_int8(acc2_0, a2, b0);
          mma_m8n8k16_int8(acc2_1, a2, b1);
          mma_m8n8k16_int8(acc2_2, a2, b2);
          mma_m8n8k16_int8(acc2_3, a2, b3);
          mma_m8n8k16_int8(acc3_0, a3, b0);
          mma_m8n8k16_int8(acc3_1, a3, b1);
          mma_m8n8k16_int8(acc3_2, a3, b2);
          mma_m8n8k16_int8(acc3_3, a3, b3);
          mma_m8n8k16_int8(acc4_0, a4, b0);
          mma_m8n8k16_int8(acc4_1, a4, b1);
          mma_m8n8k16_int8(acc4_2, a4, b2);
          mma_m8n8k16_int8(acc4_3, a4, b3);
          mma_m8n8k16_int8(acc5_0, a5, b0);
          mma_m8n8k16_int8(acc5_1, a5, b1);
          mma_m8n8k16_int8(acc5_2, a5, b2);
          mma_m8n8k16_int8(acc5_3, a5, b3);
          mma_m8n8k16_int8(acc6_0, a6, b0);
          mma_m8n8k16_int8(acc6_1, a6, b1);
          mma_m8n8k16_int8(acc6_2, a6, b2);
          mma_m8n8k16_int8(acc6_3, a6, b3);
          mma_m8n8k16_int8(acc7_0, a7, b0);
          mma_m8n8k16_int8(acc7_1, a7, b1);
          mma_m8n8k16_int8(acc7_2, a7, b2);
          mma_m8n8k16_int8(acc7_3, a7, b3);
        }
      }
      #pragma unroll 1
      for (int k_step = max(whole_steps - 2, 0); k_step < k_steps; ++k_step) {
        __syncthreads();
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched0[0]), (a_tile_fetched0[0 + 1]), (a_tile_fetched0[0 + 2]), (a_tile_fetched0[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched1[0]), (a_tile_fetched1[0 + 1]), (a_tile_fetched1[0 + 2]), (a_tile_fetched1[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 8) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched2[0]), (a_tile_fetched2[0 + 1]), (a_tile_fetched2[0 + 2]), (a_tile_fetched2[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&a_tile[(k_step + 1) % 2 * 8192 + (warp + 12) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((a_tile_fetched3[0]), (a_tile_fetched3[0 + 1]), (a_tile_fetched3[0 + 2]), (a_tile_fetched3[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&b_tile[(k_step + 1) % 2 * 4096 + warp * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched0[0]), (b_tile_fetched0[0 + 1]), (b_tile_fetched0[0 + 2]), (b_tile_fetched0[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          *(uint4*)&b_tile[(k_step + 1) % 2 * 4096 + (warp + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ column)] = make_uint4((b_tile_fetched1[0]), (b_tile_fetched1[0 + 1]), (b_tile_fetched1[0 + 2]), (b_tile_fetched1[0 + 3]));
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)warp * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched0[0] = (run.x); a_tile_fetched0[0 + 1] = (run.y); a_tile_fetched0[0 + 2] = (run.z); a_tile_fetched0[0 + 3] = (run.w); }
          else { a_tile_fetched0[0] = 0; a_tile_fetched0[1] = 0; a_tile_fetched0[2] = 0; a_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 4) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched1[0] = (run.x); a_tile_fetched1[0 + 1] = (run.y); a_tile_fetched1[0 + 2] = (run.z); a_tile_fetched1[0 + 3] = (run.w); }
          else { a_tile_fetched1[0] = 0; a_tile_fetched1[1] = 0; a_tile_fetched1[2] = 0; a_tile_fetched1[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 8) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched2[0] = (run.x); a_tile_fetched2[0 + 1] = (run.y); a_tile_fetched2[0 + 2] = (run.z); a_tile_fetched2[0 + 3] = (run.w); }
          else { a_tile_fetched2[0] = 0; a_tile_fetched2[1] = 0; a_tile_fetched2[2] = 0; a_tile_fetched2[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&a[min(row0 + (i64)(warp + 12) * 8 + row, (i64)(m - 1)) * a_row + (i64)(k_step + 2) * 64 + column]; a_tile_fetched3[0] = (run.x); a_tile_fetched3[0 + 1] = (run.y); a_tile_fetched3[0 + 2] = (run.z); a_tile_fetched3[0 + 3] = (run.w); }
          else { a_tile_fetched3[0] = 0; a_tile_fetched3[1] = 0; a_tile_fetched3[2] = 0; a_tile_fetched3[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)warp * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched0[0] = (run.x); b_tile_fetched0[0 + 1] = (run.y); b_tile_fetched0[0 + 2] = (run.z); b_tile_fetched0[0 + 3] = (run.w); }
          else { b_tile_fetched0[0] = 0; b_tile_fetched0[1] = 0; b_tile_fetched0[2] = 0; b_tile_fetched0[3] = 0; }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 16;
          if ((k_step + 2) * 64 + column < depth) { const uint4 run = *(const uint4*)&b[(i64)(k_step + 2) * 64 + column + min(column0 + (i64)(warp + 4) * 8 + row, (i64)(n - 1)) * b_column]; b_tile_fetched1[0] = (run.x); b_tile_fetched1[0 + 1] = (run.y); b_tile_fetched1[0 + 2] = (run.z); b_tile_fetched1[0 + 3] = (run.w); }
          else { b_tile_fetched1[0] = 0; b_tile_fetched1[1] = 0; b_tile_fetched1[2] = 0; b_tile_fetched1[3] = 0; }
        }
        #pragma unroll 4
        for (int k_inner = 0; k_inner < 64; k_inner += 16) {
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a0[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + warp / 2 * 4096 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a1[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 1) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a2[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 2) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a3[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 3) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a4[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 4) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a5[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 5) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a6[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 6) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = lane >> 2;
            const int column = (lane & 3) * 4;
            a7[0] = (*(const unsigned*)&a_tile[k_step % 2 * 8192 + (warp / 2 * 8 + 7) * 512 + (row * 64 ^ (row >> 1) * 16 ^ k_inner + column)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b0[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + warp % 2 * 2048 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b1[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 1) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b2[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 2) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          {
            const int row = (lane & 3) * 4;
            const int column = lane >> 2;
            b3[0] = (*(const unsigned*)&b_tile[k_step % 2 * 4096 + (warp % 2 * 4 + 3) * 512 + (column * 64 ^ (column >> 1) * 16 ^ k_inner + row)]);
          }
          mma_m8n8k16_int8(acc0_0, a0, b0);
          mma_m8n8k16_int8(acc0_1, a0, b1);
          mma_m8n8k16_int8(acc0_2, a0, b2);
          mma_m8n8k16_int8(acc0_3, a0, b3);
          mma_m8n8k16_int8(acc1_0, a1, b0);
          mma_m8n8k16_int8(acc1_1, a1, b1);
          mma_m8n8k16_int8(acc1_2, a1, b2);
          mma_m8n8k16_int8(acc1_3, a1, b3);
          mma_m8n8k16_int8(acc2_0, a2, b0);
          mma_m8n8k16_int8(acc2_1, a2, b1);
          mma_m8n8k16_int8(acc2_2, a2, b2);
          mma_m8n8k16_int8(acc2_3, a2, b3);
          mma_m8n8k16_int8(acc3_0, a3, b0);
          mma_m8n8k16_int8(acc3_1, a3, b1);
          mma_m8n8k16_int8(acc3_2, a3, b2);
          mma_m8n8k16_int8(acc3_3, a3, b3);
          mma_m8n8k16_int8(acc4_0, a4, b0);
          mma_m8n8k16_int8(acc4_1, a4, b1);
          mma_m8n8k16_int8(acc4_2, a4, b2);
          mma_m8n8k16_int8(acc4_3, a4, b3);
          mma_m8n8k16_int8(acc5_0, a5, b0);
          mma_m8n8k16_int8(acc5_1, a5, b1);
          mma_m8n8k16_int8(acc5_2, a5, b2);
          mma_m8n8k16_int8(acc5_3, a5, b3);
          mma_m8n8k16_int8(acc6_0, a6, b0);
          mma_m8n8k16_int8(acc6_1, a6, b1);
          mma_m8n8k16_int8(acc6_2, a6, b2);
          mma_m8n8k16_int8(acc6_3, a6, b3);
          mma_m8n8k16_int8(acc7_0, a7, b0);
          mma_m8n8k16_int8(acc7_1, a7, b1);
          mma_m8n8k16_int8(acc7_2, a7, b2);
          mma_m8n8k16_int8(acc7_3, a7, b3);
        }
      }
      if (warp_column + 31 < n) {
        sums0[0] = acc0_0[0];
        sums0[1] = acc0_0[1];
        sums0[2] = acc0_1[0];
        sums0[3] = acc0_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc0_2[0];
        sums0[1] = acc0_2[1];
        sums0[2] = acc0_3[0];
        sums0[3] = acc0_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + row < m) *(uint4*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc1_0[0];
        sums0[1] = acc1_0[1];
        sums0[2] = acc1_1[0];
        sums0[3] = acc1_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 8 + row < m) *(uint4*)&out[(warp_row + 8 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc1_2[0];
        sums0[1] = acc1_2[1];
        sums0[2] = acc1_3[0];
        sums0[3] = acc1_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 8 + row < m) *(uint4*)&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc2_0[0];
        sums0[1] = acc2_0[1];
        sums0[2] = acc2_1[0];
        sums0[3] = acc2_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc2_2[0];
        sums0[1] = acc2_2[1];
        sums0[2] = acc2_3[0];
        sums0[3] = acc2_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 16 + row < m) *(uint4*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc3_0[0];
        sums0[1] = acc3_0[1];
        sums0[2] = acc3_1[0];
        sums0[3] = acc3_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 24 + row < m) *(uint4*)&out[(warp_row + 24 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc3_2[0];
        sums0[1] = acc3_2[1];
        sums0[2] = acc3_3[0];
        sums0[3] = acc3_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 24 + row < m) *(uint4*)&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc4_0[0];
        sums0[1] = acc4_0[1];
        sums0[2] = acc4_1[0];
        sums0[3] = acc4_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 32 + row < m) *(uint4*)&out[(warp_row + 32 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc4_2[0];
        sums0[1] = acc4_2[1];
        sums0[2] = acc4_3[0];
        sums0[3] = acc4_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 32 + row < m) *(uint4*)&out[(warp_row + 32 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc5_0[0];
        sums0[1] = acc5_0[1];
        sums0[2] = acc5_1[0];
        sums0[3] = acc5_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 40 + row < m) *(uint4*)&out[(warp_row + 40 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc5_2[0];
        sums0[1] = acc5_2[1];
        sums0[2] = acc5_3[0];
        sums0[3] = acc5_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 40 + row < m) *(uint4*)&out[(warp_row + 40 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc6_0[0];
        sums0[1] = acc6_0[1];
        sums0[2] = acc6_1[0];
        sums0[3] = acc6_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 48 + row < m) *(uint4*)&out[(warp_row + 48 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc6_2[0];
        sums0[1] = acc6_2[1];
        sums0[2] = acc6_3[0];
        sums0[3] = acc6_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 48 + row < m) *(uint4*)&out[(warp_row + 48 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc7_0[0];
        sums0[1] = acc7_0[1];
        sums0[2] = acc7_1[0];
        sums0[3] = acc7_1[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 56 + row < m) *(uint4*)&out[(warp_row + 56 + row) * out_row + warp_column + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
        sums0[0] = acc7_2[0];
        sums0[1] = acc7_2[1];
        sums0[2] = acc7_3[0];
        sums0[3] = acc7_3[1];
        result_wide[0] = sums0[0];
        result_wide[1] = sums0[1];
        result_wide[2] = sums0[2];
        result_wide[3] = sums0[3];
        {
          int sent0[4];
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            sent0[r] = lane & 1 ? result_wide[r ^ 2] : result_wide[r];
          }
          int arrived[4];
          arrived[0] = sent0[0];
          arrived[1] = sent0[1];
          arrived[2] = __shfl_xor_sync(0xffffffffu, sent0[2], 1);
          arrived[3] = __shfl_xor_sync(0xffffffffu, sent0[3], 1);
          #pragma unroll
          for (int r = 0; r < 4; ++r) {
            result_run[r] = lane & 1 ? arrived[r ^ 2] : arrived[r];
          }
        }
        {
          const int row = lane >> 2;
          const int column = (lane & 1) * 8 + (lane >> 1 & 1) * 4;
          if (warp_row + 56 + row < m) *(uint4*)&out[(warp_row + 56 + row) * out_row + warp_column + 16 + column] = make_uint4((result_run[0]), (result_run[0 + 1]), (result_run[0 + 2]), (result_run[0 + 3]));
        }
        asm volatile("" ::: "memory");
      }
      else {
        result[0] = acc0_0[0];
        result[1] = acc0_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_1[0];
        result[1] = acc0_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_2[0];
        result[1] = acc0_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc0_3[0];
        result[1] = acc0_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_0[0];
        result[1] = acc1_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 8 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 8 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_1[0];
        result[1] = acc1_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 8 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 8 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_2[0];
        result[1] = acc1_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 8 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 8 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc1_3[0];
        result[1] = acc1_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 8 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 8 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc2_0[0];
        result[1] = acc2_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc2_1[0];
        result[1] = acc2_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc2_2[0];
        result[1] = acc2_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc2_3[0];
        result[1] = acc2_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 16 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 16 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc3_0[0];
        result[1] = acc3_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 24 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 24 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc3_1[0];
        result[1] = acc3_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 24 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 24 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc3_2[0];
        result[1] = acc3_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 24 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 24 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc3_3[0];
        result[1] = acc3_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 24 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 24 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc4_0[0];
        result[1] = acc4_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 32 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 32 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc4_1[0];
        result[1] = acc4_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 32 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 32 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc4_2[0];
        result[1] = acc4_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 32 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 32 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc4_3[0];
        result[1] = acc4_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 32 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 32 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc5_0[0];
        result[1] = acc5_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 40 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 40 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc5_1[0];
        result[1] = acc5_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 40 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 40 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc5_2[0];
        result[1] = acc5_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 40 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 40 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc5_3[0];
        result[1] = acc5_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 40 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 40 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc6_0[0];
        result[1] = acc6_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 48 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 48 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc6_1[0];
        result[1] = acc6_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 48 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 48 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc6_2[0];
        result[1] = acc6_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 48 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 48 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc6_3[0];
        result[1] = acc6_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 48 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 48 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc7_0[0];
        result[1] = acc7_0[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 56 + row < m && warp_column + column < n) *(uint2*)&out[(warp_row + 56 + row) * out_row + warp_column + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc7_1[0];
        result[1] = acc7_1[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 56 + row < m && warp_column + 8 + column < n) *(uint2*)&out[(warp_row + 56 + row) * out_row + warp_column + 8 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc7_2[0];
        result[1] = acc7_2[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 56 + row < m && warp_column + 16 + column < n) *(uint2*)&out[(warp_row + 56 + row) * out_row + warp_column + 16 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
        result[0] = acc7_3[0];
        result[1] = acc7_3[1];
        {
          const int row = lane >> 2;
          const int column = (lane & 3) * 2;
          if (warp_row + 56 + row < m && warp_column + 24 + column < n) *(uint2*)&out[(warp_row + 56 + row) * out_row + warp_column + 24 + column] = make_uint2((result[0]), (result[0 + 1]));
        }
        asm volatile("" ::: "memory");
      }
    }
  }
}
