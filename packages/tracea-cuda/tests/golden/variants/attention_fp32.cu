// tracea: attention fp32
// variant        cuda.chained.simt_fp32 for sm_90a
// configuration  32x64x64 s2 va4 vb4 vc8
// schedule       a9b4aec8ba7a0eafda9b6a06c39dc17a80728a5ceca74b8c959da0911bd9507d
// certificate    822007ad0d18641cc2ed573cf6e78c0b53843af369239fe01ed1c9b09f8be1f9: structure, domains, types, layouts, lanes, overlap, banks, budgets, meaning

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

// q: fp32, read, aligned to 16 bytes
// k_matrix: fp32, read, aligned to 16 bytes
// v: fp32, read, aligned to 16 bytes
// out: fp32, write, aligned to 16 bytes
// items: query heads of all sequences; 0 to 2147479552
// m: queries; 0 to 2147479552
// n: columns of v; 4 to 64 by 4
// k: columns of q and k; 0 to 64 by 4
// keys: keys; 0 to 2147479552
// heads: query heads of a sequence; 1 to 2147479552
// group: query heads that share keys; 1 to 2147479552
// q_batch: q: next batch; -4611686018427387904 to 4611686018427387904 by 4
// q_head: q: next head; -4611686018427387904 to 4611686018427387904 by 4
// q_row: q: next row; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_batch: k_matrix: next batch; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_head: k_matrix: next head; -4611686018427387904 to 4611686018427387904 by 4
// k_matrix_row: k_matrix: next row; -4611686018427387904 to 4611686018427387904 by 4
// v_batch: v: next batch; -4611686018427387904 to 4611686018427387904 by 4
// v_head: v: next head; -4611686018427387904 to 4611686018427387904 by 4
// v_row: v: next row; -4611686018427387904 to 4611686018427387904 by 4
// out_batch: out: next batch; -4611686018427387904 to 4611686018427387904 by 4
// out_head: out: next head; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 4
// q_tile: shared of fp32, k 64 = 6 bits, outer 32 = 5 bits, atom 2^11 with XOR, kept for a tile, aligned to 16 bytes
// k_tile: shared of fp32, k 64 = 2*2048 + 5 bits, outer 64 = 6 bits, atom 2^11 with XOR, 2 slots, kept for a tile, aligned to 16 bytes
// v_tile: shared of fp32, k 64 = 64*64, outer 64 = 2*32 + 5 bits, atom 2^5, 2 slots, kept for a tile, aligned to 16 bytes
// weights_tile: shared of fp32, row 32 = 32*68, key 64 = 64*1, kept for a tile, aligned to 16 bytes
// launch: (m + 31) // 32 * items blocks of 128 threads, clusters of 1, 82416 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128, 1) attention_fp32_32x64x64_10e8a48b(
    const float* __restrict__ q,
    const float* __restrict__ k_matrix,
    const float* __restrict__ v,
    float* __restrict__ out,
    int items,
    int m,
    int n,
    int k,
    int keys,
    int heads,
    int group,
    i64 q_batch,
    i64 q_head,
    i64 q_row,
    i64 k_matrix_batch,
    i64 k_matrix_head,
    i64 k_matrix_row,
    i64 v_batch,
    i64 v_head,
    i64 v_row,
    i64 out_batch,
    i64 out_head,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  float* const q_tile = (float*)(shared + 0);
  float* const k_tile = (float*)(shared + 8192);
  float* const v_tile = (float*)(shared + 40960);
  float* const weights_tile = (float*)(shared + 73728);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // warp: warp x 4
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    float q_tile_fetched0[4];  // 2x64 fp32 of the warp
    float k_tile_fetched0[4];  // 4x32 fp32 of the warp
    float k_tile_fetched1[4];  // 4x32 fp32 of the warp
    float k_tile_fetched2[4];  // 4x32 fp32 of the warp
    float k_tile_fetched3[4];  // 4x32 fp32 of the warp
    float k_tile_fetched4[4];  // 4x32 fp32 of the warp
    float k_tile_fetched5[4];  // 4x32 fp32 of the warp
    float k_tile_fetched6[4];  // 4x32 fp32 of the warp
    float k_tile_fetched7[4];  // 4x32 fp32 of the warp
    float v_tile_fetched0[4];  // 64x2 fp32 of the warp
    float v_tile_fetched1[4];  // 64x2 fp32 of the warp
    float v_tile_fetched2[4];  // 64x2 fp32 of the warp
    float v_tile_fetched3[4];  // 64x2 fp32 of the warp
    float v_tile_fetched4[4];  // 64x2 fp32 of the warp
    float v_tile_fetched5[4];  // 64x2 fp32 of the warp
    float v_tile_fetched6[4];  // 64x2 fp32 of the warp
    float v_tile_fetched7[4];  // 64x2 fp32 of the warp
    float sum0_0[8];  // 8x32 fp32 of the warp
    float sum0_1[8];  // 8x32 fp32 of the warp
    float score0_0[8];  // 8x32 fp32 of the warp
    float score0_1[8];  // 8x32 fp32 of the warp
    float q0[2];  // 8x1 fp32 of the warp
    float weights0[2];  // 8x1 fp32 of the warp
    float total0[8];  // 8x32 fp32 of the warp
    float top0[2];  // 8x1 fp32 of the warp
    float shift0[2];  // 8x1 fp32 of the warp
    float part[8];  // 8x32 fp32 of the warp
    float found[2];  // 8x1 fp32 of the warp
    float correction[2];  // 8x1 fp32 of the warp
    float right_operand[4];  // 1x32 fp32 of the warp
    float piece0[8];  // 8x32 fp32 of the warp
    float result[8];  // 8x32 fp32 of the warp
    const int row_tiles = (m + 31) / 32;
    const int row0 = block % row_tiles * 32;
    const int item = block / row_tiles;
    const int head = item % heads;
    const int sequence = item / heads;
    const int kv_head = head / group;
    const int warp_row = row0 + warp * 8;
    const int diagonal = keys - m;
    // first_block = 0
    const int stop_block = (keys + 63) / 64;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_0[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      sum0_1[r] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      top0[r] = -3.4028235e+38f;
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      total0[r] = 0.0f;
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)warp * 2 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = __uint_as_float(run.x); q_tile_fetched0[0 + 1] = __uint_as_float(run.y); q_tile_fetched0[0 + 2] = __uint_as_float(run.z); q_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 4;
      const int column = r + (lane & 15) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ warp * 2 + row] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 4) * 2 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = __uint_as_float(run.x); q_tile_fetched0[0 + 1] = __uint_as_float(run.y); q_tile_fetched0[0 + 2] = __uint_as_float(run.z); q_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 4;
      const int column = r + (lane & 15) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ (warp + 4) * 2 + row] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 8) * 2 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = __uint_as_float(run.x); q_tile_fetched0[0 + 1] = __uint_as_float(run.y); q_tile_fetched0[0 + 2] = __uint_as_float(run.z); q_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 4;
      const int column = r + (lane & 15) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ (warp + 8) * 2 + row] = q_tile_fetched0[r];
    }
    {
      const int row = lane >> 4;
      const int column = (lane & 15) * 4;
      if (column < k) { const uint4 run = *(const uint4*)&q[sequence * q_batch + head * q_head + min(row0 + (i64)(warp + 12) * 2 + row, (i64)(m - 1)) * q_row + column]; q_tile_fetched0[0] = __uint_as_float(run.x); q_tile_fetched0[0 + 1] = __uint_as_float(run.y); q_tile_fetched0[0 + 2] = __uint_as_float(run.z); q_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
      else { q_tile_fetched0[0] = 0.0f; q_tile_fetched0[1] = 0.0f; q_tile_fetched0[2] = 0.0f; q_tile_fetched0[3] = 0.0f; }
    }
    #pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int row = lane >> 4;
      const int column = r + (lane & 15) * 4;
      q_tile[column * 32 ^ (column >> 2) * 2 ^ (warp + 12) * 2 + row] = q_tile_fetched0[r];
    }
    if (0 < stop_block) {
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = __uint_as_float(run.x); k_tile_fetched0[0 + 1] = __uint_as_float(run.y); k_tile_fetched0[0 + 2] = __uint_as_float(run.z); k_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = __uint_as_float(run.x); k_tile_fetched1[0 + 1] = __uint_as_float(run.y); k_tile_fetched1[0 + 2] = __uint_as_float(run.z); k_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched2[0] = __uint_as_float(run.x); k_tile_fetched2[0 + 1] = __uint_as_float(run.y); k_tile_fetched2[0 + 2] = __uint_as_float(run.z); k_tile_fetched2[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 12) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched3[0] = __uint_as_float(run.x); k_tile_fetched3[0 + 1] = __uint_as_float(run.y); k_tile_fetched3[0 + 2] = __uint_as_float(run.z); k_tile_fetched3[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched4[0] = __uint_as_float(run.x); k_tile_fetched4[0 + 1] = __uint_as_float(run.y); k_tile_fetched4[0 + 2] = __uint_as_float(run.z); k_tile_fetched4[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched4[0] = 0.0f; k_tile_fetched4[1] = 0.0f; k_tile_fetched4[2] = 0.0f; k_tile_fetched4[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched5[0] = __uint_as_float(run.x); k_tile_fetched5[0 + 1] = __uint_as_float(run.y); k_tile_fetched5[0 + 2] = __uint_as_float(run.z); k_tile_fetched5[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched5[0] = 0.0f; k_tile_fetched5[1] = 0.0f; k_tile_fetched5[2] = 0.0f; k_tile_fetched5[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched6[0] = __uint_as_float(run.x); k_tile_fetched6[0 + 1] = __uint_as_float(run.y); k_tile_fetched6[0 + 2] = __uint_as_float(run.z); k_tile_fetched6[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched6[0] = 0.0f; k_tile_fetched6[1] = 0.0f; k_tile_fetched6[2] = 0.0f; k_tile_fetched6[3] = 0.0f; }
      }
      {
        const int row = lane >> 3;
        const int column = (lane & 7) * 4;
        if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(warp + 12) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched7[0] = __uint_as_float(run.x); k_tile_fetched7[0 + 1] = __uint_as_float(run.y); k_tile_fetched7[0 + 2] = __uint_as_float(run.z); k_tile_fetched7[0 + 3] = __uint_as_float(run.w); }
        else { k_tile_fetched7[0] = 0.0f; k_tile_fetched7[1] = 0.0f; k_tile_fetched7[2] = 0.0f; k_tile_fetched7[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if (warp * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)warp * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched0[0] = __uint_as_float(run.x); v_tile_fetched0[0 + 1] = __uint_as_float(run.y); v_tile_fetched0[0 + 2] = __uint_as_float(run.z); v_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 4) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 4) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched1[0] = __uint_as_float(run.x); v_tile_fetched1[0 + 1] = __uint_as_float(run.y); v_tile_fetched1[0 + 2] = __uint_as_float(run.z); v_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 8) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 8) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched2[0] = __uint_as_float(run.x); v_tile_fetched2[0 + 1] = __uint_as_float(run.y); v_tile_fetched2[0 + 2] = __uint_as_float(run.z); v_tile_fetched2[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 12) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 12) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched3[0] = __uint_as_float(run.x); v_tile_fetched3[0 + 1] = __uint_as_float(run.y); v_tile_fetched3[0 + 2] = __uint_as_float(run.z); v_tile_fetched3[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 16) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 16) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched4[0] = __uint_as_float(run.x); v_tile_fetched4[0 + 1] = __uint_as_float(run.y); v_tile_fetched4[0 + 2] = __uint_as_float(run.z); v_tile_fetched4[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched4[0] = 0.0f; v_tile_fetched4[1] = 0.0f; v_tile_fetched4[2] = 0.0f; v_tile_fetched4[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 20) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 20) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched5[0] = __uint_as_float(run.x); v_tile_fetched5[0 + 1] = __uint_as_float(run.y); v_tile_fetched5[0 + 2] = __uint_as_float(run.z); v_tile_fetched5[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched5[0] = 0.0f; v_tile_fetched5[1] = 0.0f; v_tile_fetched5[2] = 0.0f; v_tile_fetched5[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 24) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 24) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched6[0] = __uint_as_float(run.x); v_tile_fetched6[0 + 1] = __uint_as_float(run.y); v_tile_fetched6[0 + 2] = __uint_as_float(run.z); v_tile_fetched6[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched6[0] = 0.0f; v_tile_fetched6[1] = 0.0f; v_tile_fetched6[2] = 0.0f; v_tile_fetched6[3] = 0.0f; }
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        if ((warp + 28) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(warp + 28) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched7[0] = __uint_as_float(run.x); v_tile_fetched7[0 + 1] = __uint_as_float(run.y); v_tile_fetched7[0 + 2] = __uint_as_float(run.z); v_tile_fetched7[0 + 3] = __uint_as_float(run.w); }
        else { v_tile_fetched7[0] = 0.0f; v_tile_fetched7[1] = 0.0f; v_tile_fetched7[2] = 0.0f; v_tile_fetched7[3] = 0.0f; }
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row] = k_tile_fetched0[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 64 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row] = k_tile_fetched1[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row] = k_tile_fetched2[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[column * 64 ^ (column >> 2) * 4 ^ (warp + 12) * 4 + row] = k_tile_fetched3[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[2048 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched4[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row)] = k_tile_fetched5[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched6[r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = lane >> 3;
        const int column = r + (lane & 7) * 4;
        k_tile[2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 12) * 4 + row)] = k_tile_fetched7[r];
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[(warp * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched0[0]), __float_as_uint(v_tile_fetched0[0 + 1]), __float_as_uint(v_tile_fetched0[0 + 2]), __float_as_uint(v_tile_fetched0[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 4) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched1[0]), __float_as_uint(v_tile_fetched1[0 + 1]), __float_as_uint(v_tile_fetched1[0 + 2]), __float_as_uint(v_tile_fetched1[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 8) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched2[0]), __float_as_uint(v_tile_fetched2[0 + 1]), __float_as_uint(v_tile_fetched2[0 + 2]), __float_as_uint(v_tile_fetched2[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 12) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched3[0]), __float_as_uint(v_tile_fetched3[0 + 1]), __float_as_uint(v_tile_fetched3[0 + 2]), __float_as_uint(v_tile_fetched3[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 16) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched4[0]), __float_as_uint(v_tile_fetched4[0 + 1]), __float_as_uint(v_tile_fetched4[0 + 2]), __float_as_uint(v_tile_fetched4[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 20) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched5[0]), __float_as_uint(v_tile_fetched5[0 + 1]), __float_as_uint(v_tile_fetched5[0 + 2]), __float_as_uint(v_tile_fetched5[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 24) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched6[0]), __float_as_uint(v_tile_fetched6[0 + 1]), __float_as_uint(v_tile_fetched6[0 + 2]), __float_as_uint(v_tile_fetched6[0 + 3]));
      }
      {
        const int row = (lane & 15) * 4;
        const int column = lane >> 4;
        *(uint4*)&v_tile[((warp + 28) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched7[0]), __float_as_uint(v_tile_fetched7[0 + 1]), __float_as_uint(v_tile_fetched7[0 + 2]), __float_as_uint(v_tile_fetched7[0 + 3]));
      }
    }
    __syncthreads();
    #pragma unroll 1
    for (int key_block = 0; key_block < stop_block; ++key_block) {
      if (key_block + 1 < stop_block) {
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched0[0] = __uint_as_float(run.x); k_tile_fetched0[0 + 1] = __uint_as_float(run.y); k_tile_fetched0[0 + 2] = __uint_as_float(run.z); k_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched0[0] = 0.0f; k_tile_fetched0[1] = 0.0f; k_tile_fetched0[2] = 0.0f; k_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched1[0] = __uint_as_float(run.x); k_tile_fetched1[0 + 1] = __uint_as_float(run.y); k_tile_fetched1[0 + 2] = __uint_as_float(run.z); k_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched1[0] = 0.0f; k_tile_fetched1[1] = 0.0f; k_tile_fetched1[2] = 0.0f; k_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched2[0] = __uint_as_float(run.x); k_tile_fetched2[0 + 1] = __uint_as_float(run.y); k_tile_fetched2[0 + 2] = __uint_as_float(run.z); k_tile_fetched2[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched2[0] = 0.0f; k_tile_fetched2[1] = 0.0f; k_tile_fetched2[2] = 0.0f; k_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 12) * 4 + row, (i64)(keys - 1)) * k_matrix_row + column]; k_tile_fetched3[0] = __uint_as_float(run.x); k_tile_fetched3[0 + 1] = __uint_as_float(run.y); k_tile_fetched3[0 + 2] = __uint_as_float(run.z); k_tile_fetched3[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched3[0] = 0.0f; k_tile_fetched3[1] = 0.0f; k_tile_fetched3[2] = 0.0f; k_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)warp * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched4[0] = __uint_as_float(run.x); k_tile_fetched4[0 + 1] = __uint_as_float(run.y); k_tile_fetched4[0 + 2] = __uint_as_float(run.z); k_tile_fetched4[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched4[0] = 0.0f; k_tile_fetched4[1] = 0.0f; k_tile_fetched4[2] = 0.0f; k_tile_fetched4[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 4) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched5[0] = __uint_as_float(run.x); k_tile_fetched5[0 + 1] = __uint_as_float(run.y); k_tile_fetched5[0 + 2] = __uint_as_float(run.z); k_tile_fetched5[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched5[0] = 0.0f; k_tile_fetched5[1] = 0.0f; k_tile_fetched5[2] = 0.0f; k_tile_fetched5[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched6[0] = __uint_as_float(run.x); k_tile_fetched6[0 + 1] = __uint_as_float(run.y); k_tile_fetched6[0 + 2] = __uint_as_float(run.z); k_tile_fetched6[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched6[0] = 0.0f; k_tile_fetched6[1] = 0.0f; k_tile_fetched6[2] = 0.0f; k_tile_fetched6[3] = 0.0f; }
        }
        {
          const int row = lane >> 3;
          const int column = (lane & 7) * 4;
          if (32 + column < k) { const uint4 run = *(const uint4*)&k_matrix[sequence * k_matrix_batch + kv_head * k_matrix_head + min((i64)(key_block + 1) * 64 + (i64)(warp + 12) * 4 + row, (i64)(keys - 1)) * k_matrix_row + 32 + column]; k_tile_fetched7[0] = __uint_as_float(run.x); k_tile_fetched7[0 + 1] = __uint_as_float(run.y); k_tile_fetched7[0 + 2] = __uint_as_float(run.z); k_tile_fetched7[0 + 3] = __uint_as_float(run.w); }
          else { k_tile_fetched7[0] = 0.0f; k_tile_fetched7[1] = 0.0f; k_tile_fetched7[2] = 0.0f; k_tile_fetched7[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + warp * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)warp * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched0[0] = __uint_as_float(run.x); v_tile_fetched0[0 + 1] = __uint_as_float(run.y); v_tile_fetched0[0 + 2] = __uint_as_float(run.z); v_tile_fetched0[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched0[0] = 0.0f; v_tile_fetched0[1] = 0.0f; v_tile_fetched0[2] = 0.0f; v_tile_fetched0[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 4) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 4) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched1[0] = __uint_as_float(run.x); v_tile_fetched1[0 + 1] = __uint_as_float(run.y); v_tile_fetched1[0 + 2] = __uint_as_float(run.z); v_tile_fetched1[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched1[0] = 0.0f; v_tile_fetched1[1] = 0.0f; v_tile_fetched1[2] = 0.0f; v_tile_fetched1[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 8) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 8) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched2[0] = __uint_as_float(run.x); v_tile_fetched2[0 + 1] = __uint_as_float(run.y); v_tile_fetched2[0 + 2] = __uint_as_float(run.z); v_tile_fetched2[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched2[0] = 0.0f; v_tile_fetched2[1] = 0.0f; v_tile_fetched2[2] = 0.0f; v_tile_fetched2[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 12) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 12) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched3[0] = __uint_as_float(run.x); v_tile_fetched3[0 + 1] = __uint_as_float(run.y); v_tile_fetched3[0 + 2] = __uint_as_float(run.z); v_tile_fetched3[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched3[0] = 0.0f; v_tile_fetched3[1] = 0.0f; v_tile_fetched3[2] = 0.0f; v_tile_fetched3[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 16) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 16) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched4[0] = __uint_as_float(run.x); v_tile_fetched4[0 + 1] = __uint_as_float(run.y); v_tile_fetched4[0 + 2] = __uint_as_float(run.z); v_tile_fetched4[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched4[0] = 0.0f; v_tile_fetched4[1] = 0.0f; v_tile_fetched4[2] = 0.0f; v_tile_fetched4[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 20) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 20) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched5[0] = __uint_as_float(run.x); v_tile_fetched5[0 + 1] = __uint_as_float(run.y); v_tile_fetched5[0 + 2] = __uint_as_float(run.z); v_tile_fetched5[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched5[0] = 0.0f; v_tile_fetched5[1] = 0.0f; v_tile_fetched5[2] = 0.0f; v_tile_fetched5[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 24) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 24) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched6[0] = __uint_as_float(run.x); v_tile_fetched6[0 + 1] = __uint_as_float(run.y); v_tile_fetched6[0 + 2] = __uint_as_float(run.z); v_tile_fetched6[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched6[0] = 0.0f; v_tile_fetched6[1] = 0.0f; v_tile_fetched6[2] = 0.0f; v_tile_fetched6[3] = 0.0f; }
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          if ((key_block + 1) * 64 + (warp + 28) * 2 + column < keys) { const uint4 run = *(const uint4*)&v[sequence * v_batch + kv_head * v_head + ((i64)(key_block + 1) * 64 + (i64)(warp + 28) * 2 + column) * v_row + min((i64)(row / 4) * 4, (i64)(n - 4))]; v_tile_fetched7[0] = __uint_as_float(run.x); v_tile_fetched7[0 + 1] = __uint_as_float(run.y); v_tile_fetched7[0 + 2] = __uint_as_float(run.z); v_tile_fetched7[0 + 3] = __uint_as_float(run.w); }
          else { v_tile_fetched7[0] = 0.0f; v_tile_fetched7[1] = 0.0f; v_tile_fetched7[2] = 0.0f; v_tile_fetched7[3] = 0.0f; }
        }
      }
      const int key0 = key_block * 64;
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_0[r] = 0.0f;
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        score0_1[r] = 0.0f;
      }
      #pragma unroll 4
      for (int k_inner = 0; k_inner < 64; ++k_inner) {
        {
          const int row = (lane >> 3) * 2;
          { const uint2 run = *(const uint2*)&q_tile[k_inner * 32 ^ (k_inner >> 2) * 2 ^ warp * 8 + row]; q0[0] = __uint_as_float(run.x); q0[0 + 1] = __uint_as_float(run.y); }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((k_inner & 0x1f) * 64 ^ k_inner & 0x1c ^ column)]; right_operand[0] = __uint_as_float(run.x); right_operand[0 + 1] = __uint_as_float(run.y); right_operand[0 + 2] = __uint_as_float(run.z); right_operand[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score0_0[i * 4 + j] += q0[i] * right_operand[j];
          }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&k_tile[key_block % 2 * 4096 + (k_inner >> 5) * 2048 + ((k_inner & 0x1f) * 64 ^ k_inner & 0x1c ^ 32 + column)]; right_operand[0] = __uint_as_float(run.x); right_operand[0 + 1] = __uint_as_float(run.y); right_operand[0 + 2] = __uint_as_float(run.z); right_operand[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            score0_1[i * 4 + j] += q0[i] * right_operand[j];
          }
        }
      }
      if (key0 + 63 < keys) {
      }
      else {
        int keys_stop0[2];
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          keys_stop0[r] = keys - key0;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!((r & 3) + (lane & 7) * 4 < keys_stop0[r >> 2])) score0_0[r] = -3.4028235e+38f;
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
          if (!(32 + (r & 3) + (lane & 7) * 4 < keys_stop0[r >> 2])) score0_1[r] = -3.4028235e+38f;
        }
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        part[r] = maximum(score0_0[r], score0_1[r]);
      }
      {
        float folded = part[0];
        #pragma unroll
        for (int r = 1; r < 4; ++r) {
          folded = maximum(folded, part[r]);
        }
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 4));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[0] = folded;
      }
      {
        float folded = part[4];
        folded = maximum(folded, part[5]);
        folded = maximum(folded, part[6]);
        folded = maximum(folded, part[7]);
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 4));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 2));
        folded = maximum(folded, __shfl_xor_sync(0xffffffffu, folded, 1));
        found[1] = folded;
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        found[r] = maximum(found[r], top0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float v0 = found[r];
        shift0[r] = ((v0 == -3.4028235e+38f) ? 0.0f : (v0 * 0.125f));
      }
      #pragma unroll
      for (int r = 0; r < 2; ++r) {
        correction[r] = expf(((top0[r] * 0.125f) - shift0[r]));
      }
      top0[0] = found[0];
      top0[1] = found[1];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_0[r] = (sum0_0[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum0_1[r] = (sum0_1[r] * correction[r >> 2]);
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        piece0[r] = expf(((score0_0[r] * 0.125f) - shift0[r >> 2]));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r >> 2) + (lane >> 3) * 2;
        const int column = (r & 3) + (lane & 7) * 4;
        *(uint4*)&weights_tile[(warp * 8 + row) * 68 + column] = make_uint4(__float_as_uint(piece0[r]), __float_as_uint(piece0[r + 1]), __float_as_uint(piece0[r + 2]), __float_as_uint(piece0[r + 3]));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        piece0[r] = expf(((score0_1[r] * 0.125f) - shift0[r >> 2]));
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        total0[r] = (total0[r] + piece0[r]);
      }
      #pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const int row = (r >> 2) + (lane >> 3) * 2;
        const int column = (r & 3) + (lane & 7) * 4;
        *(uint4*)&weights_tile[(warp * 8 + row) * 68 + 32 + column] = make_uint4(__float_as_uint(piece0[r]), __float_as_uint(piece0[r + 1]), __float_as_uint(piece0[r + 2]), __float_as_uint(piece0[r + 3]));
      }
      __syncthreads();
      #pragma unroll 4
      for (int key_inner = 0; key_inner < 64; ++key_inner) {
        #pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int row = r + (lane >> 3) * 2;
          weights0[r] = weights_tile[(warp * 8 + row) * 68 + key_inner];
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&v_tile[key_block % 2 * 4096 + key_inner * 64 + column]; right_operand[0] = __uint_as_float(run.x); right_operand[0 + 1] = __uint_as_float(run.y); right_operand[0 + 2] = __uint_as_float(run.z); right_operand[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_0[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
        {
          const int column = (lane & 7) * 4;
          { const uint4 run = *(const uint4*)&v_tile[key_block % 2 * 4096 + key_inner * 64 + 32 + column]; right_operand[0] = __uint_as_float(run.x); right_operand[0 + 1] = __uint_as_float(run.y); right_operand[0 + 2] = __uint_as_float(run.z); right_operand[0 + 3] = __uint_as_float(run.w); }
        }
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum0_1[i * 4 + j] += weights0[i] * right_operand[j];
          }
        }
      }
      if (key_block + 1 < stop_block) {
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched0[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row)] = k_tile_fetched1[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched2[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 12) * 4 + row)] = k_tile_fetched3[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ warp * 4 + row)] = k_tile_fetched4[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 4) * 4 + row)] = k_tile_fetched5[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 8) * 4 + row)] = k_tile_fetched6[r];
        }
        #pragma unroll
        for (int r = 0; r < 4; ++r) {
          const int row = lane >> 3;
          const int column = r + (lane & 7) * 4;
          k_tile[(key_block + 1) % 2 * 4096 + 2048 + (column * 64 ^ (column >> 2) * 4 ^ (warp + 12) * 4 + row)] = k_tile_fetched7[r];
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + (warp * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched0[0]), __float_as_uint(v_tile_fetched0[0 + 1]), __float_as_uint(v_tile_fetched0[0 + 2]), __float_as_uint(v_tile_fetched0[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 4) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched1[0]), __float_as_uint(v_tile_fetched1[0 + 1]), __float_as_uint(v_tile_fetched1[0 + 2]), __float_as_uint(v_tile_fetched1[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 8) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched2[0]), __float_as_uint(v_tile_fetched2[0 + 1]), __float_as_uint(v_tile_fetched2[0 + 2]), __float_as_uint(v_tile_fetched2[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 12) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched3[0]), __float_as_uint(v_tile_fetched3[0 + 1]), __float_as_uint(v_tile_fetched3[0 + 2]), __float_as_uint(v_tile_fetched3[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 16) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched4[0]), __float_as_uint(v_tile_fetched4[0 + 1]), __float_as_uint(v_tile_fetched4[0 + 2]), __float_as_uint(v_tile_fetched4[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 20) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched5[0]), __float_as_uint(v_tile_fetched5[0 + 1]), __float_as_uint(v_tile_fetched5[0 + 2]), __float_as_uint(v_tile_fetched5[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 24) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched6[0]), __float_as_uint(v_tile_fetched6[0 + 1]), __float_as_uint(v_tile_fetched6[0 + 2]), __float_as_uint(v_tile_fetched6[0 + 3]));
        }
        {
          const int row = (lane & 15) * 4;
          const int column = lane >> 4;
          *(uint4*)&v_tile[(key_block + 1) % 2 * 4096 + ((warp + 28) * 2 + column) * 64 + (row >> 5) * 32 + (row & 0x1f)] = make_uint4(__float_as_uint(v_tile_fetched7[0]), __float_as_uint(v_tile_fetched7[0 + 1]), __float_as_uint(v_tile_fetched7[0 + 2]), __float_as_uint(v_tile_fetched7[0 + 3]));
        }
      }
      __syncthreads();
    }
    const i64 out_at = sequence * out_batch + head * out_head;
    {
      float folded = total0[0];
      #pragma unroll
      for (int r = 1; r < 4; ++r) {
        folded = folded + total0[r];
      }
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[0] = folded;
    }
    {
      float folded = total0[4];
      folded = folded + total0[5];
      folded = folded + total0[6];
      folded = folded + total0[7];
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 4);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 2);
      folded = folded + __shfl_xor_sync(0xffffffffu, folded, 1);
      found[1] = folded;
    }
    #pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float v0 = found[r];
      correction[r] = ((v0 == 0.0f) ? 0.0f : (1.0f / v0));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      result[r] = (sum0_0[r] * correction[r >> 2]);
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      if (warp_row + row < m && column < n) *(uint4*)&out[out_at + out_row * (warp_row + row) + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
      result[r] = (sum0_1[r] * correction[r >> 2]);
    }
    #pragma unroll
    for (int r = 0; r < 8; r += 4) {
      const int row = (r >> 2) + (lane >> 3) * 2;
      const int column = (r & 3) + (lane & 7) * 4;
      if (warp_row + row < m && 32 + column < n) *(uint4*)&out[out_at + out_row * (warp_row + row) + 32 + column] = make_uint4(__float_as_uint(result[r]), __float_as_uint(result[r + 1]), __float_as_uint(result[r + 2]), __float_as_uint(result[r + 3]));
    }
  }
}
