// tracea: transpose fp8_e4m3 into aligned rows
// variant        sweep for sm_90a
// configuration  128x128x1 s1 w8 va4 vc8
// schedule       a0ddcd1abab836f3e0dc378bb2ab8c8583d7537ca6e976dfffce0da2a91a3acd
// certificate    83ddf183525158bf90980c3bf278b1db742a71a3fa2d30fb2c39387237f855f8: structure, domains, types, layouts, lanes, overlap, banks, budgets, cover, meaning

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

// source: fp8_e4m3, read, aligned to 4 bytes
// out: fp8_e4m3, write, aligned to 8 bytes
// m: rows that are copied; 0 to 2147479552 by 4
// n: columns of a row in the workspace, zeros included; 0 to 2147479552 by 8
// columns: columns of a row of the operand; 0 to 2147479552
// source_column: source: next column; -4611686018427387904 to 4611686018427387904 by 4
// out_row: out: next row; -4611686018427387904 to 4611686018427387904 by 8
// corner: shared of fp8_e4m3, outer 128 = 2*8192 + 6 bits, k 128 = 7 bits, atom 2^13 with XOR, kept for a tile, aligned to 16 bytes
// launch: (m + 127) // 128 * ((n + 127) // 128) blocks of 256 threads, clusters of 1, 16384 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256, 1) transpose_fp8_e4m3_into_alig_128x128x1_c792495f(
    const fp8_e4m3* __restrict__ source,
    fp8_e4m3* __restrict__ out,
    int m,
    int n,
    int columns,
    i64 source_column,
    i64 out_row) {
  const int thread = threadIdx.x;
  const int block = blockIdx.x, blocks = gridDim.x;
  extern __shared__ unsigned char shared_memory[];
  unsigned char* const shared = shared_memory + (-(size_t)shared_memory & 15);
  fp8_e4m3* const corner = (fp8_e4m3*)(shared + 0);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  // warp: warp x 8
  {
    const int lane = thread % 32;
    const int warp = thread / 32;
    unsigned corner_fetched0[8];  // 128x8 fp8_e4m3 of the warp
    unsigned corner_fetched0_turned[8];  // 128x8 fp8_e4m3 of the warp
    unsigned corner_fetched1[8];  // 128x8 fp8_e4m3 of the warp
    unsigned corner_fetched1_turned[8];  // 128x8 fp8_e4m3 of the warp
    unsigned held[16];  // 16x128 fp8_e4m3 of the warp
    // row_rank = cluster_rank
    // column_rank = 0
    const int tile_rows = (m + 127) / 128;
    const int tile_columns = (n + 127) / 128;
    const int clusters = blocks;
    const int first = block;
    #pragma unroll 1
    for (int round = 0; round < floor_divide(tile_rows * tile_columns - first + clusters - 1, clusters); ++round) {
      const int tile = first + round * clusters;
      const int row0 = tile / tile_columns * 128;
      const int column0 = tile % tile_columns * 128;
      const int depth = min(n, columns);
      if (row0 + 127 < m && column0 + 127 < n && column0 + 127 < columns) {
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          corner_fetched0[r / 4] = (*(const unsigned*)&source[min(row0 + (i64)lane * 4, (i64)(m - 4)) + (r & 3) + (column0 + (i64)warp * 8 + column) * source_column]);
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          corner_fetched1[r / 4] = (*(const unsigned*)&source[min(row0 + (i64)lane * 4, (i64)(m - 4)) + (r & 3) + (column0 + (i64)(warp + 8) * 8 + column) * source_column]);
        }
        corner_fetched0_turned[0] = part8(corner_fetched0[0], 0) | (unsigned)part8(corner_fetched0[1], 0) << 8 | (unsigned)part8(corner_fetched0[2], 0) << 16 | (unsigned)part8(corner_fetched0[3], 0) << 24;
        corner_fetched0_turned[1] = part8(corner_fetched0[4], 0) | (unsigned)part8(corner_fetched0[5], 0) << 8 | (unsigned)part8(corner_fetched0[6], 0) << 16 | (unsigned)part8(corner_fetched0[7], 0) << 24;
        corner_fetched0_turned[2] = part8(corner_fetched0[0], 8) | (unsigned)part8(corner_fetched0[1], 8) << 8 | (unsigned)part8(corner_fetched0[2], 8) << 16 | (unsigned)part8(corner_fetched0[3], 8) << 24;
        corner_fetched0_turned[3] = part8(corner_fetched0[4], 8) | (unsigned)part8(corner_fetched0[5], 8) << 8 | (unsigned)part8(corner_fetched0[6], 8) << 16 | (unsigned)part8(corner_fetched0[7], 8) << 24;
        corner_fetched0_turned[4] = part8(corner_fetched0[0], 16) | (unsigned)part8(corner_fetched0[1], 16) << 8 | (unsigned)part8(corner_fetched0[2], 16) << 16 | (unsigned)part8(corner_fetched0[3], 16) << 24;
        corner_fetched0_turned[5] = part8(corner_fetched0[4], 16) | (unsigned)part8(corner_fetched0[5], 16) << 8 | (unsigned)part8(corner_fetched0[6], 16) << 16 | (unsigned)part8(corner_fetched0[7], 16) << 24;
        corner_fetched0_turned[6] = part8(corner_fetched0[0], 24) | (unsigned)part8(corner_fetched0[1], 24) << 8 | (unsigned)part8(corner_fetched0[2], 24) << 16 | (unsigned)part8(corner_fetched0[3], 24) << 24;
        corner_fetched0_turned[7] = part8(corner_fetched0[4], 24) | (unsigned)part8(corner_fetched0[5], 24) << 8 | (unsigned)part8(corner_fetched0[6], 24) << 16 | (unsigned)part8(corner_fetched0[7], 24) << 24;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 3) + lane * 4;
          const int column = r & 7;
          *(uint2*)&corner[(row >> 6) * 8192 + ((row & 0x3f) * 128 ^ (row >> 2 & 15) * 8 ^ warp * 8 + column)] = make_uint2((corner_fetched0_turned[r / 4]), (corner_fetched0_turned[r / 4 + 1]));
        }
        corner_fetched1_turned[0] = part8(corner_fetched1[0], 0) | (unsigned)part8(corner_fetched1[1], 0) << 8 | (unsigned)part8(corner_fetched1[2], 0) << 16 | (unsigned)part8(corner_fetched1[3], 0) << 24;
        corner_fetched1_turned[1] = part8(corner_fetched1[4], 0) | (unsigned)part8(corner_fetched1[5], 0) << 8 | (unsigned)part8(corner_fetched1[6], 0) << 16 | (unsigned)part8(corner_fetched1[7], 0) << 24;
        corner_fetched1_turned[2] = part8(corner_fetched1[0], 8) | (unsigned)part8(corner_fetched1[1], 8) << 8 | (unsigned)part8(corner_fetched1[2], 8) << 16 | (unsigned)part8(corner_fetched1[3], 8) << 24;
        corner_fetched1_turned[3] = part8(corner_fetched1[4], 8) | (unsigned)part8(corner_fetched1[5], 8) << 8 | (unsigned)part8(corner_fetched1[6], 8) << 16 | (unsigned)part8(corner_fetched1[7], 8) << 24;
        corner_fetched1_turned[4] = part8(corner_fetched1[0], 16) | (unsigned)part8(corner_fetched1[1], 16) << 8 | (unsigned)part8(corner_fetched1[2], 16) << 16 | (unsigned)part8(corner_fetched1[3], 16) << 24;
        corner_fetched1_turned[5] = part8(corner_fetched1[4], 16) | (unsigned)part8(corner_fetched1[5], 16) << 8 | (unsigned)part8(corner_fetched1[6], 16) << 16 | (unsigned)part8(corner_fetched1[7], 16) << 24;
        corner_fetched1_turned[6] = part8(corner_fetched1[0], 24) | (unsigned)part8(corner_fetched1[1], 24) << 8 | (unsigned)part8(corner_fetched1[2], 24) << 16 | (unsigned)part8(corner_fetched1[3], 24) << 24;
        corner_fetched1_turned[7] = part8(corner_fetched1[4], 24) | (unsigned)part8(corner_fetched1[5], 24) << 8 | (unsigned)part8(corner_fetched1[6], 24) << 16 | (unsigned)part8(corner_fetched1[7], 24) << 24;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 3) + lane * 4;
          const int column = r & 7;
          *(uint2*)&corner[(row >> 6) * 8192 + ((row & 0x3f) * 128 ^ (row >> 2 & 15) * 8 ^ (warp + 8) * 8 + column)] = make_uint2((corner_fetched1_turned[r / 4]), (corner_fetched1_turned[r / 4 + 1]));
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 64; r += 8) {
          const int row = (r >> 3) * 2 + (lane >> 4);
          const int column = (r & 7) + (lane & 15) * 8;
          { const uint2 run = *(const uint2*)&corner[(warp * 16 >> 6) * 8192 + ((warp * 16 & 0x3f) * 128 + row * 128 ^ (warp * 4 & 15) * 8 + (row >> 2) * 8 ^ column)]; held[r / 4] = (run.x); held[r / 4 + 1] = (run.y); }
        }
        #pragma unroll
        for (int r = 0; r < 64; r += 8) {
          const int row = (r >> 3) * 2 + (lane >> 4);
          const int column = (r & 7) + (lane & 15) * 8;
          *(uint2*)&out[(row0 + (i64)warp * 16 + row) * out_row + column0 + column] = make_uint2((held[r / 4]), (held[r / 4 + 1]));
        }
        __syncthreads();
      }
      else {
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          if (column0 + warp * 8 + column < depth) corner_fetched0[r / 4] = (*(const unsigned*)&source[min(row0 + (i64)lane * 4, (i64)(m - 4)) + (r & 3) + (column0 + (i64)warp * 8 + column) * source_column]);
          else { corner_fetched0[r / 4] = 0; }
        }
        #pragma unroll
        for (int r = 0; r < 32; r += 4) {
          const int row = (r & 3) + lane * 4;
          const int column = r >> 2;
          if (column0 + (warp + 8) * 8 + column < depth) corner_fetched1[r / 4] = (*(const unsigned*)&source[min(row0 + (i64)lane * 4, (i64)(m - 4)) + (r & 3) + (column0 + (i64)(warp + 8) * 8 + column) * source_column]);
          else { corner_fetched1[r / 4] = 0; }
        }
        corner_fetched0_turned[0] = part8(corner_fetched0[0], 0) | (unsigned)part8(corner_fetched0[1], 0) << 8 | (unsigned)part8(corner_fetched0[2], 0) << 16 | (unsigned)part8(corner_fetched0[3], 0) << 24;
        corner_fetched0_turned[1] = part8(corner_fetched0[4], 0) | (unsigned)part8(corner_fetched0[5], 0) << 8 | (unsigned)part8(corner_fetched0[6], 0) << 16 | (unsigned)part8(corner_fetched0[7], 0) << 24;
        corner_fetched0_turned[2] = part8(corner_fetched0[0], 8) | (unsigned)part8(corner_fetched0[1], 8) << 8 | (unsigned)part8(corner_fetched0[2], 8) << 16 | (unsigned)part8(corner_fetched0[3], 8) << 24;
        corner_fetched0_turned[3] = part8(corner_fetched0[4], 8) | (unsigned)part8(corner_fetched0[5], 8) << 8 | (unsigned)part8(corner_fetched0[6], 8) << 16 | (unsigned)part8(corner_fetched0[7], 8) << 24;
        corner_fetched0_turned[4] = part8(corner_fetched0[0], 16) | (unsigned)part8(corner_fetched0[1], 16) << 8 | (unsigned)part8(corner_fetched0[2], 16) << 16 | (unsigned)part8(corner_fetched0[3], 16) << 24;
        corner_fetched0_turned[5] = part8(corner_fetched0[4], 16) | (unsigned)part8(corner_fetched0[5], 16) << 8 | (unsigned)part8(corner_fetched0[6], 16) << 16 | (unsigned)part8(corner_fetched0[7], 16) << 24;
        corner_fetched0_turned[6] = part8(corner_fetched0[0], 24) | (unsigned)part8(corner_fetched0[1], 24) << 8 | (unsigned)part8(corner_fetched0[2], 24) << 16 | (unsigned)part8(corner_fetched0[3], 24) << 24;
        corner_fetched0_turned[7] = part8(corner_fetched0[4], 24) | (unsigned)part8(corner_fetched0[5], 24) << 8 | (unsigned)part8(corner_fetched0[6], 24) << 16 | (unsigned)part8(corner_fetched0[7], 24) << 24;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 3) + lane * 4;
          const int column = r & 7;
          *(uint2*)&corner[(row >> 6) * 8192 + ((row & 0x3f) * 128 ^ (row >> 2 & 15) * 8 ^ warp * 8 + column)] = make_uint2((corner_fetched0_turned[r / 4]), (corner_fetched0_turned[r / 4 + 1]));
        }
        corner_fetched1_turned[0] = part8(corner_fetched1[0], 0) | (unsigned)part8(corner_fetched1[1], 0) << 8 | (unsigned)part8(corner_fetched1[2], 0) << 16 | (unsigned)part8(corner_fetched1[3], 0) << 24;
        corner_fetched1_turned[1] = part8(corner_fetched1[4], 0) | (unsigned)part8(corner_fetched1[5], 0) << 8 | (unsigned)part8(corner_fetched1[6], 0) << 16 | (unsigned)part8(corner_fetched1[7], 0) << 24;
        corner_fetched1_turned[2] = part8(corner_fetched1[0], 8) | (unsigned)part8(corner_fetched1[1], 8) << 8 | (unsigned)part8(corner_fetched1[2], 8) << 16 | (unsigned)part8(corner_fetched1[3], 8) << 24;
        corner_fetched1_turned[3] = part8(corner_fetched1[4], 8) | (unsigned)part8(corner_fetched1[5], 8) << 8 | (unsigned)part8(corner_fetched1[6], 8) << 16 | (unsigned)part8(corner_fetched1[7], 8) << 24;
        corner_fetched1_turned[4] = part8(corner_fetched1[0], 16) | (unsigned)part8(corner_fetched1[1], 16) << 8 | (unsigned)part8(corner_fetched1[2], 16) << 16 | (unsigned)part8(corner_fetched1[3], 16) << 24;
        corner_fetched1_turned[5] = part8(corner_fetched1[4], 16) | (unsigned)part8(corner_fetched1[5], 16) << 8 | (unsigned)part8(corner_fetched1[6], 16) << 16 | (unsigned)part8(corner_fetched1[7], 16) << 24;
        corner_fetched1_turned[6] = part8(corner_fetched1[0], 24) | (unsigned)part8(corner_fetched1[1], 24) << 8 | (unsigned)part8(corner_fetched1[2], 24) << 16 | (unsigned)part8(corner_fetched1[3], 24) << 24;
        corner_fetched1_turned[7] = part8(corner_fetched1[4], 24) | (unsigned)part8(corner_fetched1[5], 24) << 8 | (unsigned)part8(corner_fetched1[6], 24) << 16 | (unsigned)part8(corner_fetched1[7], 24) << 24;
        #pragma unroll
        for (int r = 0; r < 32; r += 8) {
          const int row = (r >> 3) + lane * 4;
          const int column = r & 7;
          *(uint2*)&corner[(row >> 6) * 8192 + ((row & 0x3f) * 128 ^ (row >> 2 & 15) * 8 ^ (warp + 8) * 8 + column)] = make_uint2((corner_fetched1_turned[r / 4]), (corner_fetched1_turned[r / 4 + 1]));
        }
        __syncthreads();
        #pragma unroll
        for (int r = 0; r < 64; r += 8) {
          const int row = (r >> 3) * 2 + (lane >> 4);
          const int column = (r & 7) + (lane & 15) * 8;
          { const uint2 run = *(const uint2*)&corner[(warp * 16 >> 6) * 8192 + ((warp * 16 & 0x3f) * 128 + row * 128 ^ (warp * 4 & 15) * 8 + (row >> 2) * 8 ^ column)]; held[r / 4] = (run.x); held[r / 4 + 1] = (run.y); }
        }
        #pragma unroll
        for (int r = 0; r < 64; r += 8) {
          const int row = (r >> 3) * 2 + (lane >> 4);
          const int column = (r & 7) + (lane & 15) * 8;
          if (row0 + warp * 16 + row < m && column0 + column < n) *(uint2*)&out[(row0 + (i64)warp * 16 + row) * out_row + column0 + column] = make_uint2((held[r / 4]), (held[r / 4 + 1]));
        }
        __syncthreads();
      }
    }
  }
}
